import { asString } from '#base/json.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import { Replay } from '#context/replay/replay.js';
import { MESSAGE_TYPES, transformAbove, transformerName } from '#context/replay/selection.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { type InputRule, rangeOf, ruleOf } from './input-range.js';

/** What became of the message of an entry: it is in the context, in a summary, taken out by an edit or a transform, or lost. */
export type Fate = 'kept' | 'summarised' | 'edited' | 'unaccounted';

/**
 * Why no summary was made of something: the compaction before had kept it, and Pi summarised only what stood after that
 * one; the entry that the compaction keeps from is not above it, so nobody can say what it was made of; or Pi had
 * forgotten that there was a summary.
 */
export const REASONS = ['kept-before', 'kept-from-elsewhere', 'summary-forgotten'] as const;
export type LossReason = (typeof REASONS)[number];

/** An entry of the path that a model was shown a message of, or would have been but for an edit. */
export interface Account {
  readonly head: Head;
  readonly fate: Fate;
  /** The entry that took it out of the context; null for one that is kept. */
  readonly by: Head | null;
  /** Of one that is unaccounted for. */
  readonly reason: LossReason | null;
}

export interface AccountsInput {
  readonly session: Session;
  readonly readPatch: ReadPatch;
  /** From the root to the boundary, which is the last one. */
  readonly path: readonly Head[];
  readonly rule: InputRule | undefined;
}

/** What became of every entry above a boundary, in the order of the path. Every one that had a part in the context is there once. */
export function accountsOf(input: AccountsInput): readonly Account[] {
  const ledger = new LossAccounts(input);
  const last = input.path.length - 1;
  for (const [place, head] of input.path.entries()) ledger.take(head, place);
  return ledger.accounts().filter(({ head }) => head.index !== input.path[last]?.index);
}

type Left = Pick<Account, 'fate' | 'reason'>;
type Entered = Omit<Account, 'head'>;

const SUMMARISED: Left = { fate: 'summarised', reason: null };
const EDITED: Left = { fate: 'edited', reason: null };

class LossAccounts {
  private readonly replay: Replay;
  private readonly entered = new Map<number, Entered>();
  /** Places of entries whose messages are in the context. */
  private shown = new Set<number>();
  private readonly places = new Map<number, number>();
  private readonly placesOfLines = new Map<number, number>();
  private next = 0;
  private lastCompaction = -1;
  /** Whether a transform that no stock compaction repeats for Pi has changed the context. */
  private isTransformed = false;

  constructor(private readonly input: AccountsInput) {
    const { session, path, readPatch } = input;
    // What cannot be applied is not what this is about.
    this.replay = new Replay(session, path, { readPatch, baseline: {}, lenient: true });
    for (const [place, { index, line }] of path.entries()) {
      this.places.set(index, place);
      this.placesOfLines.set(line, place);
    }
  }

  take(head: Head, place: number): void {
    this.replay.step(head, place);
    if (MESSAGE_TYPES.has(head.type)) this.takeMessage(place);
    else if (head.type === 'context_edit') this.takeEdit(head, place);
    else if (head.type === 'context_transform') this.takeTransform(head, place);
    else if (head.type === 'compaction') this.takeCompaction(head, place);
  }

  accounts(): readonly Account[] {
    return [...this.entered]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([place, entered]) => {
        const head = this.input.path[place];
        return head ? [{ head, ...entered }] : [];
      });
  }

  private takeMessage(place: number): void {
    const { sent, next } = this.replay.sentFrom(this.next);
    this.next = next;
    if (sent.length === 0) return;
    this.enter(place);
  }

  private enter(place: number): void {
    this.entered.set(place, { fate: 'kept', by: null, reason: null });
    this.shown.add(place);
  }

  private takeEdit(head: Head, at: number): void {
    const { session } = this.input;
    const place = this.places.get(session.tree.heads.targetAt(head.index)) ?? -1;
    const entered = this.entered.get(place);
    const isOmitted = session.entry(head)['replacement'] === null;
    if (entered?.fate === 'kept' && isOmitted) this.leave(place, EDITED, head);
    // What an edit brings back is only there if no compaction came between.
    else if (entered?.fate === 'edited' && !isOmitted) this.reconcile(at, () => EDITED);
  }

  private leave(place: number, left: Left, by: Head): void {
    this.entered.set(place, { ...left, by });
    this.shown.delete(place);
  }

  /** After an entry that changed more than one message: who is not shown any more has left, who is shown is there. */
  private reconcile(at: number, fateOf: (place: number) => Left): void {
    const by = this.input.path[at];
    const now = new Set<number>();
    for (const { line } of this.replay.provenance()) {
      const place = this.placesOfLines.get(line);
      if (place !== undefined) now.add(place);
    }
    for (const place of this.shown) if (by && !now.has(place)) this.leave(place, fateOf(place), by);
    for (const place of now) if (!this.shown.has(place)) this.enter(place);
    this.next = this.replay.sentFrom(Infinity).next;
  }

  private takeTransform(head: Head, place: number): void {
    this.reconcile(place, this.fateByTransform(head));
    if (!this.isRepeated(place)) this.isTransformed = true;
  }

  /** Whether a stock compaction says once more, for Pi, what the transform at a place has done. */
  private isRepeated(place: number): boolean {
    const { session, path } = this.input;
    return path[place + 1]?.type === 'compaction' && transformAbove(session, path, place + 1) !== null;
  }

  private takeCompaction(head: Head, place: number): void {
    const { session, path } = this.input;
    if (!transformAbove(session, path, place)) this.reconcile(place, this.fateByCompaction(head, place));
    this.lastCompaction = place;
  }

  private fateByTransform(head: Head): () => Left {
    const { session, readPatch } = this.input;
    const entry = session.entry(head);
    const compacts =
      transformerName(entry) === 'compaction' || readPatch(entry).some((step) => step.ok && step.compacts);
    return () => (compacts ? SUMMARISED : EDITED);
  }

  private fateByCompaction(head: Head, at: number): (place: number) => Left {
    const { session, path, rule: said } = this.input;
    const { rule } = ruleOf(session, head, said);
    const { lastCompaction: before, isTransformed } = this;
    const placeOf = (index: number): number => this.places.get(index) ?? -1;
    const { inputFrom, keptFrom } = rangeOf({ session, path, rule, placeOf, before, isTransformed }, at);
    const forgot = (asString(session.entry(head)['summary']) ?? '').startsWith(NO_HISTORY);
    return (place) => {
      // Each summary is handed on to the next one, but for a version of Pi that says so when it did not.
      if (path[place]?.type === 'compaction' || this.isRepeated(place))
        return forgot ? lost('summary-forgotten') : SUMMARISED;
      if (keptFrom === null) return lost('kept-from-elsewhere');
      return place >= inputFrom && place < keptFrom ? SUMMARISED : lost('kept-before');
    };
  }
}

function lost(reason: LossReason): Left {
  return { fate: 'unaccounted', reason };
}

const NO_HISTORY = 'No prior history.';
