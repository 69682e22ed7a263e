import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { LossDocument } from './document.js';

/** How the input of a summary was chosen, and how that is known. */
type KnownRule = NonNullable<LossDocument['inputRule']>;

/**
 * How the Pi that made a compaction chose what its summary is of. `kept-boundary`: from the first entry that the
 * compaction before kept. `after-compaction`: only what stands after that one, so that what it had kept is in no
 * summary; Pi did that until version 0.63.1 (issue 2608).
 */
export type InputRule = KnownRule['rule'];

/** When Pi 0.63.1 came out. */
const MENDED = Date.UTC(2026, 2, 27);
/** Only later versions write them. */
const LATER_FIELDS = ['usage', 'systemMessage'];

export function ruleOf(session: Session, compaction: Head, said: InputRule | undefined): KnownRule {
  if (said) return { rule: said, from: 'said' };
  const entry = session.entry(compaction);
  if (LATER_FIELDS.some((field) => Object.hasOwn(entry, field))) return { rule: 'kept-boundary', from: 'fields' };
  return compaction.time < MENDED
    ? { rule: 'after-compaction', from: 'date' }
    : { rule: 'kept-boundary', from: 'assumed' };
}

/** The range that a stock compaction keeps, and that of its summary's input; places count from 0. */
export interface CompactionRange {
  /** The first place that the summary takes in. */
  readonly inputFrom: number;
  /** The first place that is kept; the compaction's own place where nothing is. null: nobody can say, since the entry is not above it. */
  readonly keptFrom: number | null;
}

export interface RangeInput {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly rule: InputRule;
  /** Where an entry of the file stands on the path; -1 for one that is not on it. */
  placeOf(index: number): number;
  /** The place of the compaction before; -1 where there is none. */
  readonly before: number;
  /** Transforms have changed the context: what the agent took is what was there, wherever its messages stand. */
  readonly isTransformed: boolean;
}

export function rangeOf(input: RangeInput, at: number): CompactionRange {
  const { rule, before, isTransformed } = input;
  const keptFrom = keptPlace(input, at);
  if (isTransformed) return { inputFrom: 0, keptFrom };
  const keptBefore = rule === 'after-compaction' ? null : keptPlace(input, before);
  return { inputFrom: keptBefore ?? before + 1, keptFrom };
}

function keptPlace({ session, path, placeOf }: RangeInput, at: number): number | null {
  const head = path[at];
  if (!head) return null;
  if (head.target === head.id) return at;
  const place = placeOf(session.tree.heads.targetAt(head.index));
  return place === -1 || place >= at ? null : place;
}
