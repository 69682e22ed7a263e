import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { LossDocument } from './document.js';

/** The rule for the input of a summary, and its evidence. */
type FoundRule = NonNullable<LossDocument['inputRule']>;

/**
 * The rule by which Pi chose the input of a summary. `kept-boundary`: from the first entry that the
 * previous compaction kept. `after-compaction`: only entries after that compaction, so that the kept ones are in no
 * summary; Pi did that until version 0.63.1 (issue 2608).
 */
export type InputRule = FoundRule['rule'];

/** The release date of Pi 0.63.1. */
const FIXED = Date.UTC(2026, 2, 27);
/** Fields that only later versions write. */
const LATER_FIELDS = ['usage', 'systemMessage'];

export function findInputRule(session: Session, compaction: Head, stated: InputRule | undefined): FoundRule {
  if (stated) return { rule: stated, from: 'said' };
  const entry = session.entry(compaction);
  if (LATER_FIELDS.some((field) => Object.hasOwn(entry, field))) return { rule: 'kept-boundary', from: 'fields' };
  return compaction.time < FIXED
    ? { rule: 'after-compaction', from: 'date' }
    : { rule: 'kept-boundary', from: 'assumed' };
}

/** The range that a stock compaction keeps, and the range that its summary has read. Places count from 0. */
interface CompactionRange {
  /** The first place in the summary's input. */
  readonly inputFrom: number;
  /** The first kept place; the compaction's own place if none. null: unknown, since the entry does not precede it. */
  readonly keptFrom: number | null;
}

interface RangeInput {
  readonly session: Session;
  readonly path: readonly Head[];
  readonly rule: InputRule;
  /** The position of an entry of the file on the path; -1 for one outside the path. */
  placeOf(index: number): number;
  /** The place of the previous compaction; -1 if there is none. */
  readonly before: number;
  /** Whether transforms have changed the context, so that its messages may be from any place. */
  readonly isTransformed: boolean;
}

export function findCompactionRange(input: RangeInput, at: number): CompactionRange {
  const { rule, before, isTransformed } = input;
  const keptFrom = findKeptPlace(input, at);
  if (isTransformed) return { inputFrom: 0, keptFrom };
  const keptBefore = rule === 'after-compaction' ? null : findKeptPlace(input, before);
  return { inputFrom: keptBefore ?? before + 1, keptFrom };
}

function findKeptPlace({ session, path, placeOf }: RangeInput, at: number): number | null {
  const head = path[at];
  if (!head) return null;
  if (head.target === head.id) return at;
  const place = placeOf(session.tree.heads.targetAt(head.index));
  return place === -1 || place >= at ? null : place;
}
