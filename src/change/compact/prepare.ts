import { asString, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import { findRepeatedTransform } from '#context/replay/selection.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { canBeFirstKept, type CutPoint, findCutPoint } from './cut-point.js';
import { sumEstimates } from './estimate.js';
import { type FileOps, readFileOps, toFileLists } from './file-ops.js';
import { buildProjection, countSentMessages, type ProjectedEntry, type Projection } from './projection.js';
import type { CompactionSettings } from './settings.js';
import type { SummaryTask } from './summarizers/define.js';

/** A compaction at the end of a path, prepared: the messages to summarise, and the entry from which the rest is kept. */
export interface Preparation {
  /** As stock Pi reads it. null: no entry of the path is kept. */
  readonly firstKeptEntryId: string | null;
  /** Where the kept range starts in the cached messages. */
  readonly firstKeptMessageIndex: number;
  readonly messagesToSummarize: readonly StoredMessage[];
  /** The beginning of a turn that is cut in two. */
  readonly turnPrefixMessages: readonly StoredMessage[];
  readonly isSplitTurn: boolean;
  /** Of the whole context, as Pi counts: a provider's number where one holds. */
  readonly tokensBefore: number;
  readonly previousSummary: string | null;
  readonly fileOps: FileOps;
  /** The number of messages sent afterwards, beside the summary. */
  readonly keptMessages: number;
  readonly keptTokens: number;
  /** Pi would cut further down, between a tool call and its result. */
  readonly isAbovePi: boolean;
}

export interface PreparationRequest {
  readonly path: readonly Head[];
  readonly keepRecentTokens: number;
  readonly readPatch: ReadPatch;
  /** Cut only where no tool call is separated from its result. Pi may separate them where a message is between them. */
  readonly keepsPairs?: boolean;
  /** Cut at this entry, where a recorded compaction has cut. */
  readonly keepsFrom?: RawId;
}

/** Prepares a compaction as Pi's `prepareCompaction` does; null where there is nothing to compact. */
export function prepareCompaction(
  session: Session,
  { path, keepRecentTokens, readPatch, keepsPairs = false, keepsFrom }: PreparationRequest,
): Preparation | null {
  if (endsCompacted(session, path)) return null;
  const projection = buildProjection(session, path, readPatch);
  const { entries, summaryAt } = projection;
  // Where a transform has put messages above the summary, they are not part of it.
  const start = summaryAt === 0 ? 1 : 0;
  const recorded = keepsFrom === undefined ? -1 : entries.findIndex(({ head }) => head.id === keepsFrom);
  let isAbovePi = false;
  const cut = findCutPoint(session, { entries, start, keepRecentTokens }, (asPi) => {
    if (recorded !== -1) return recorded;
    const moved = keepsPairs ? moveAbovePairs(entries, asPi, start) : asPi;
    isAbovePi = moved !== asPi;
    return moved;
  });
  const preparation = preparationOf(projection, start, cut);
  return preparation && { ...preparation, isAbovePi };
}

function endsCompacted(session: Session, path: readonly Head[]): boolean {
  return path.at(-1)?.type === 'compaction' || findRepeatedTransform(session, path, path.length) !== null;
}

function preparationOf(
  projection: Projection,
  start: number,
  { firstKept, turnStart }: CutPoint,
): Omit<Preparation, 'isAbovePi'> | null {
  const { entries, summaryAt } = projection;
  const kept = entries.slice(firstKept);
  const firstKeptEntryId = firstNamed(kept);
  if (kept.length === 0 || (firstKeptEntryId === null && !kept.some(({ isMade }) => isMade))) return null;
  const isSplitTurn = turnStart !== -1;
  const historyEnd = isSplitTurn ? turnStart : firstKept;
  const summarised = entries.map((entry, at) => (at === summaryAt ? [] : spoken(entry)));
  const messagesToSummarize = summarised.slice(start, historyEnd).flat();
  const turnPrefixMessages = summarised.slice(historyEnd, firstKept).flat();
  if (messagesToSummarize.length === 0 && turnPrefixMessages.length === 0) return null;
  const isSummaryKept = summaryAt >= firstKept;
  const keptMessages = countSentMessages(kept);
  return {
    firstKeptEntryId,
    firstKeptMessageIndex: countSentMessages(entries) - keptMessages,
    messagesToSummarize,
    turnPrefixMessages,
    isSplitTurn,
    tokensBefore: projection.tokens,
    previousSummary: isSummaryKept ? null : projection.previousSummary,
    fileOps: readFileOps(
      [...messagesToSummarize, ...turnPrefixMessages],
      isSummaryKept ? null : projection.previousDetails,
    ),
    keptMessages,
    keptTokens: sumEstimates(kept),
  };
}

/** The prompt is no part of the conversation: a compaction carries it over in another way. */
function spoken({ head, messages }: ProjectedEntry): readonly StoredMessage[] {
  return head.type === 'compaction' ? [] : messages.filter(({ role }) => role !== 'system');
}

/** The id of the first kept entry that is itself on the path. */
function firstNamed(kept: readonly ProjectedEntry[]): string | null {
  const first = kept.find(({ isMade }) => !isMade);
  return (first && formatId(first.head.id)) || null;
}

/**
 * The nearest place at or above a cut where no tool call is parted from its result. Pi cuts between them where a
 * user message is there.
 */
export function moveAbovePairs(entries: readonly ProjectedEntry[], cut: number, start: number): number {
  const results = resultsOf(entries.slice(cut));
  const calls = new Set<string>();
  for (const entry of entries.slice(start, cut)) for (const id of callsIn(entry)) calls.add(id);
  for (const entry of entries.slice(cut)) for (const id of callsIn(entry)) calls.delete(id);
  const open = new Set([...results].filter((id) => calls.has(id)));
  for (let at = cut; at >= start; at -= 1) {
    const entry = entries[at];
    if (!entry) continue;
    if (at < cut) {
      for (const id of resultsOf([entry])) if (calls.has(id)) open.add(id);
      for (const id of callsIn(entry)) open.delete(id);
    }
    if (open.size === 0 && (at === cut || canBeFirstKept(entry))) return at;
  }
  return cut;
}

function resultsOf(entries: readonly ProjectedEntry[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { messages } of entries) {
    for (const { role, toolCallId } of messages) {
      const id = role === 'toolResult' ? asString(toolCallId) : null;
      if (id !== null) ids.add(id);
    }
  }
  return ids;
}

function callsIn({ messages }: ProjectedEntry): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant'
      ? listObjects(content).flatMap(({ type, id }) => (type === 'toolCall' ? (asString(id) ?? []) : []))
      : [],
  );
}

/**
 * Why there is nothing to compact. kept: it would be too much to keep less; ended: a compaction is the last thing that
 * happened; otherwise it does not matter how much is kept, since there are no messages, or only one, or no place to cut.
 */
export type NothingToCompact =
  | { readonly reason: 'kept' }
  | { readonly reason: 'ended' }
  | { readonly reason: 'messages'; readonly messages: number; readonly hasSummary: boolean };

/** Keeps the last message that holds anything. */
const LEAST = 1;

/** The reason, where `prepareCompaction` gives null for the same request. */
export function findNothingReason(session: Session, request: PreparationRequest): NothingToCompact {
  const { path, readPatch } = request;
  if (endsCompacted(session, path)) return { reason: 'ended' };
  if (prepareCompaction(session, { ...request, keepRecentTokens: LEAST })) return { reason: 'kept' };
  const { entries, summaryAt } = buildProjection(session, path, readPatch);
  const messages = entries.flatMap((entry, at) => (at === summaryAt ? [] : spoken(entry)));
  return { reason: 'messages', messages: messages.length, hasSummary: summaryAt !== -1 };
}

/** The largest share of the reserved tokens for a summary, as in older versions of Pi. */
const SHARE_OF_RESERVE = 0.8;

export function summaryTask(
  preparation: Preparation,
  { reserveTokens }: Pick<CompactionSettings, 'reserveTokens'>,
  instructions?: string,
): SummaryTask {
  return {
    messages: asSent(preparation.messagesToSummarize),
    turnPrefix: asSent(preparation.turnPrefixMessages),
    isWritten: writtenIn([...preparation.messagesToSummarize, ...preparation.turnPrefixMessages]),
    previousSummary: preparation.previousSummary,
    instructions: instructions ?? null,
    files: toFileLists(preparation.fileOps),
    maxTokens: Math.floor(reserveTokens * SHARE_OF_RESERVE),
  };
}

/** Tells the messages of the user from those that extensions and hooks send in the same role. */
function writtenIn(messages: readonly StoredMessage[]): (message: LlmMessage) => boolean {
  // A message of the user is sent as it is stored; of any other, another one is made.
  const written = new Set<unknown>(messages.filter(({ role }) => role === 'user'));
  return (message) => written.has(message);
}

function asSent(messages: readonly StoredMessage[]): readonly LlmMessage[] {
  return messages.flatMap((message) => toLlmMessage(message) ?? []);
}
