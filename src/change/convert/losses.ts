import { incrementCount } from '#base/maps.js';

/** The kinds of parts that a session may lack for the next agent. */
export const LOSS_KINDS = [
  'thinking',
  'tools',
  'prompt',
  'self-description',
  'sealed',
  'images',
  'failures',
  'calls',
  'results',
  'answers',
  'usage',
  'history',
  'branches',
  'other',
] as const;

export type LossKind = (typeof LOSS_KINDS)[number];

/** The number of parts of one kind that do not carry over. */
export interface Loss {
  readonly kind: LossKind;
  readonly count: number;
}

/** Counts what does not carry over. */
export class LossCounter {
  private readonly counts = new Map<LossKind, number>();

  add(kind: LossKind, count = 1): void {
    incrementCount(this.counts, kind, count);
  }

  /** Lists the losses in the order of their kinds, without kinds that lost nothing. */
  list(): readonly Loss[] {
    return LOSS_KINDS.map((kind) => ({ kind, count: this.counts.get(kind) ?? 0 })).filter(({ count }) => count > 0);
  }
}
