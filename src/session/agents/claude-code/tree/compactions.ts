import { addTo } from '#base/maps.js';
import { NONE } from '../../../heads/id-index.js';
import { findKept, type KeptMessages } from '../records/boundary.js';
import type { ClaudeRecords } from '../records/records.js';
import { walkParents } from './walk-parents.js';

/** A boundary with its summary and what it keeps. */
export interface CompactionLines {
  readonly boundary: number;
  /** NONE if there is none. */
  readonly summary: number;
  /** The records that it keeps, in order. */
  readonly kept: readonly number[];
  /**
   * Whether the summary follows what is kept. "Summarize from here" writes that: the kept messages are all before the
   * chosen one, and follow the boundary itself.
   */
  readonly isSummaryLast: boolean;
}

/** The compactions of a file. */
export interface Compactions {
  readonly byBoundary: ReadonlyMap<number, CompactionLines>;
  readonly bySummary: ReadonlyMap<number, CompactionLines>;
  /** The compactions that keep a record, in file order. */
  readonly byKept: ReadonlyMap<number, readonly CompactionLines[]>;
}

/** Finds the summary of each boundary, and the records before it that it keeps. */
export function findCompactions(records: ClaudeRecords, parentOf: (line: number) => number): Compactions {
  const byBoundary = new Map<number, CompactionLines>();
  const bySummary = new Map<number, CompactionLines>();
  const byKept = new Map<number, CompactionLines[]>();
  const summaries = findSummaries(records, parentOf);
  let stepsLeft = MOST_KEPT + records.order.length;
  for (const [boundary, facts] of records.effects.boundaries) {
    const named = findKept(facts, (uuid) => records.lineOf(uuid) !== NONE);
    const walked = named ? listKept(records, named, parentOf, stepsLeft) : NOTHING_KEPT;
    stepsLeft -= walked.steps;
    const kept = walked.kept.filter((line) => line < boundary);
    const isSummaryLast = named?.anchor === records.uuid(boundary);
    const compaction = { boundary, summary: summaries.get(boundary) ?? NONE, kept, isSummaryLast };
    byBoundary.set(boundary, compaction);
    if (compaction.summary !== NONE) bySummary.set(compaction.summary, compaction);
    // A record that follows a kept one does so without the summary, if that comes last.
    if (!isSummaryLast) for (const line of kept) addTo(byKept, line, compaction);
  }
  return { byBoundary, bySummary, byKept };
}

/** The records of segments that boundaries keep are found up to this number; a real file has a few dozen. */
const MOST_KEPT = 1_000_000;

/** The summary of each boundary: the first one below it, with no message between. */
function findSummaries(records: ClaudeRecords, parentOf: (line: number) => number): ReadonlyMap<number, number> {
  const { boundaries } = records.effects;
  const summaries = new Map<number, number>();
  if (boundaries.size === 0) return summaries;
  for (const line of records.summaries) {
    let above = parentOf(line);
    for (let steps = 0; above !== NONE && !boundaries.has(above) && steps < MOST_STEPS; steps += 1)
      above = records.isMessage(above) ? NONE : parentOf(above);
    if (boundaries.has(above) && !summaries.has(above)) summaries.set(above, line);
  }
  return summaries;
}

const MOST_STEPS = 64;

interface KeptRecords {
  readonly kept: readonly number[];
  /** The steps of the walk that found them. */
  readonly steps: number;
}

const NOTHING_KEPT: KeptRecords = { kept: [], steps: 0 };

/** The records that a boundary names; of a segment those from its tail up to its head, in file order. */
function listKept(
  records: ClaudeRecords,
  { uuids, isSegment }: KeptMessages,
  parentOf: (line: number) => number,
  mostSteps: number,
): KeptRecords {
  const named = uuids.map((uuid) => records.lineOf(uuid)).filter((line) => line !== NONE);
  const [head, tail] = named;
  if (!isSegment || head === undefined || tail === undefined) return { kept: named, steps: 0 };
  const path: number[] = [];
  for (const line of walkParents(tail, parentOf)) {
    path.push(line);
    if (line === head) return { kept: path.toReversed(), steps: path.length };
    if (path.length > mostSteps) break;
  }
  return { kept: [], steps: path.length };
}

/** The record that a boundary follows; the newest message before it if that is not in the file. */
export function findLogicalParent(records: ClaudeRecords, boundary: number): number {
  const named = records.lineOf(records.effects.boundaries.get(boundary)?.logicalParent ?? 0);
  return named !== NONE && named < boundary ? named : findMessageBefore(records, boundary);
}

/** The newest message of the conversation before a record; negative if there is none. */
export function findMessageBefore(records: ClaudeRecords, record: number): number {
  let line = record - 1;
  while (line >= 0 && (!records.isMessage(line) || records.isSide(line))) line -= 1;
  return line;
}
