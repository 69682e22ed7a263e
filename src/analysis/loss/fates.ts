import { asString } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { WalkStep } from '#context/walk.js';
import { type Entry, readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import type { LossDocument, LostEntry } from './document.js';
import { findCompactionRange, findInputRule, type InputRule } from './input-rule.js';

/** An entry of the path whose message was in the context, or would have been without an edit. */
export interface EntryFate extends Pick<LostEntry, 'fate' | 'reason'> {
  readonly head: Head;
  /** The entry that removed it from the context; null for one that is kept. */
  readonly by: Head | null;
}

export interface FatesInput {
  readonly session: OpenSession;
  readonly path: readonly Head[];
  readonly rule: InputRule | undefined;
}

type Removal = Pick<EntryFate, 'fate' | 'reason'>;
type Fate = Omit<EntryFate, 'head'>;

/** The place of an entry outside the path. */
const NOWHERE = -1;
const KEPT: Fate = { fate: 'kept', by: null, reason: null };
const SUMMARISED: Removal = { fate: 'summarised', reason: null };
const EDITED: Removal = { fate: 'edited', reason: null };

/** The fate of every entry of a path that is walked from its root. */
export class EntryFates {
  /** The fates of entries, by place on the path. */
  private readonly entered: (Fate | undefined)[] = [];
  /** Places of entries whose messages are in the context. */
  private shown = new Set<number>();
  /** The place of each entry on the path, by its index. */
  private readonly places: Int32Array;
  private next = 0;
  private readonly counts = { kept: 0, summarised: 0, edited: 0, unaccounted: 0 };
  /** The places that the entry taken last removed. */
  private removed: number[] = [];
  private lastCompaction = -1;
  private last = KEPT;
  /** Whether a transform without a stock compaction for Pi has changed the context. */
  private isTransformed = false;

  constructor(private readonly input: FatesInput) {
    this.places = new Int32Array(input.session.tree.heads.length).fill(NOWHERE);
    for (const [place, head] of input.path.entries()) this.places[head.index] = place;
  }

  take(step: WalkStep): void {
    const { type } = step.head;
    this.removed = [];
    step.take();
    if (MESSAGE_TYPES.has(type)) this.takeMessage(step);
    else if (type === 'context_edit') this.takeEdit(step);
    else if (type === 'context_transform') this.takeTransform(step);
    else if (type === 'compaction') this.takeCompaction(step);
  }

  /** The number of entries before a boundary, which was taken last, by their fate. */
  countBefore(boundary: Head): LossDocument['counts'] {
    const counts = { ...this.counts };
    const own = this.entered[this.places[boundary.index] ?? NOWHERE];
    if (own) counts[own.fate] -= 1;
    return { ...counts, total: counts.kept + counts.summarised + counts.edited + counts.unaccounted };
  }

  /** The entries that a boundary removed, which was taken last, in path order. */
  *listRemovedBy(boundary: Head): Generator<EntryFate> {
    for (const place of this.removed.toSorted((a, b) => a - b)) {
      const entered = this.entered[place];
      const head = this.input.path[place];
      if (entered?.by?.index === boundary.index && head)
        yield { head, fate: entered.fate, by: boundary, reason: entered.reason };
    }
  }

  /** The number of entries that edits, and transforms other than compactions, have removed. */
  get edited(): number {
    return this.counts.edited;
  }

  /** Whether an entry of the path has left the context, as of the entry that was taken last. */
  hasLeft(head: Head): boolean {
    const entered = this.entered[this.places[head.index] ?? NOWHERE];
    return entered !== undefined && entered.fate !== 'kept';
  }

  /**
   * The entries before a boundary, which was taken last, in path order. Each that was part of the context occurs once.
   */
  *listBefore(boundary: Head): Generator<EntryFate> {
    for (const [place, entered] of this.entered.entries()) {
      const head = this.input.path[place];
      if (!entered || !head || head.index === boundary.index) continue;
      // V8 gives each object that spreads another one a hidden class of its own, larger than the object.
      const { fate, by, reason } = entered;
      yield { head, fate, by, reason };
    }
  }

  private takeMessage({ replay, index }: WalkStep): void {
    const { sent, next } = replay.messages.listSentFrom(this.next);
    this.next = next;
    if (sent.length > 0) this.enter(index);
  }

  private enter(place: number): void {
    this.set(place, KEPT);
    this.shown.add(place);
  }

  private set(place: number, entered: Fate): void {
    const before = this.entered[place];
    if (before) this.counts[before.fate] -= 1;
    this.counts[entered.fate] += 1;
    this.entered[place] = entered;
  }

  private takeEdit(step: WalkStep): void {
    const { head, entry } = step;
    const place = this.places[this.input.session.tree.heads.targetAt(head.index)] ?? NOWHERE;
    const entered = this.entered[place];
    const isOmitted = entry.replacement === null;
    if (entered?.fate === 'kept' && isOmitted) this.leave(place, EDITED, head);
    // A message that an edit restores is only in the context if no compaction came between.
    else if (entered?.fate === 'edited' && !isOmitted) this.reconcile(step, () => EDITED);
  }

  private leave(place: number, { fate, reason }: Removal, by: Head): void {
    const { last } = this;
    // A compaction removes hundreds of entries, mostly for one reason.
    if (last.by !== by || last.fate !== fate || last.reason !== reason) this.last = { fate, by, reason };
    this.set(place, this.last);
    this.removed.push(place);
    this.shown.delete(place);
  }

  /**
   * Compares the context after an entry that changed several messages. Marks those that are gone as removed, and those
   * that are back.
   */
  private reconcile({ head: by, replay }: WalkStep, fateOf: (place: number) => Removal): void {
    const now = new Set<number>();
    for (const { line, entryId } of replay.messages.listProvenance()) {
      const place = this.places[findHeadAtLine(this.input.session, line, entryId)?.index ?? NOWHERE] ?? NOWHERE;
      if (place !== NOWHERE) now.add(place);
    }
    for (const place of this.shown) {
      if (!now.has(place)) this.leave(place, fateOf(place), by);
    }
    for (const place of now) {
      if (!this.shown.has(place)) this.enter(place);
    }
    this.next = replay.messages.listSentFrom(Infinity).next;
  }

  private takeTransform(step: WalkStep): void {
    this.reconcile(step, this.chooseFateByTransform(step.entry));
    if (!this.isRepeated(step.index)) this.isTransformed = true;
  }

  /** Whether a stock compaction repeats the transform at a place for Pi. */
  private isRepeated(place: number): boolean {
    const { session, path } = this.input;
    return path[place + 1]?.type === 'compaction' && findRepeatedTransform(session, path, place + 1) !== null;
  }

  private takeCompaction(step: WalkStep): void {
    const { session, path } = this.input;
    if (!findRepeatedTransform(session, path, step.index)) this.reconcile(step, this.chooseFateByCompaction(step));
    this.lastCompaction = step.index;
  }

  private chooseFateByTransform(entry: Entry): () => Removal {
    const compacts =
      readTransformerName(entry) === 'compaction' ||
      this.input.session.readPatch(entry).some((step) => step.ok && step.compacts);
    return () => (compacts ? SUMMARISED : EDITED);
  }

  private chooseFateByCompaction({ head, index: at, entry }: WalkStep): (place: number) => Removal {
    const { session, path } = this.input;
    const { rule } = findInputRule(session, head, this.input.rule);
    const { lastCompaction: before, isTransformed } = this;
    const placeOf = (index: number): number => this.places[index] ?? NOWHERE;
    const { inputFrom, keptFrom } = findCompactionRange({ session, path, rule, placeOf, before, isTransformed }, at);
    const forgot = (asString(entry.summary) ?? '').startsWith(NO_HISTORY);
    return (place) => {
      // Each summary is part of the next one's input, except in a version of Pi that records otherwise.
      if (path[place]?.type === 'compaction' || this.isRepeated(place))
        return forgot ? toUnaccounted('summary-forgotten') : SUMMARISED;
      if (keptFrom === null) return toUnaccounted('kept-from-elsewhere');
      return place >= inputFrom && place < keptFrom ? SUMMARISED : toUnaccounted('kept-before');
    };
  }
}

function toUnaccounted(reason: NonNullable<Removal['reason']>): Removal {
  return { fate: 'unaccounted', reason };
}

const NO_HISTORY = 'No prior history.';
