import type { OpenSession } from '#context/open.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { buildProjection } from './build-projection.js';
import { type CutPoint, findCut, moveAbovePairs, toCutPoint } from './cut-point.js';
import { sumEstimates } from './estimate.js';
import { type FileOps, readFileOps } from './file-ops.js';
import { countSentMessages, type ProjectedEntry, type Projection } from './projection.js';

/**
 * A compaction at the end of a path, prepared: the messages to summarise, and the entry from which the rest is kept.
 */
export interface Preparation {
  /** The first kept entry as stock Pi reads it. null: no entry of the path is kept. */
  readonly firstKeptEntryId: string | null;
  /** The index among the cached messages where the kept range starts. */
  readonly firstKeptMessageIndex: number;
  readonly messagesToSummarize: readonly StoredMessage[];
  /** The beginning of a turn that is cut in two. */
  readonly turnPrefixMessages: readonly StoredMessage[];
  readonly isSplitTurn: boolean;
  /** The tokens of the whole context, as Pi counts: a provider's number where one holds. */
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
  /** Cut only where no tool call is separated from its result. Pi may separate them where a message is between them. */
  readonly keepsPairs?: boolean;
  /** Cut at this entry, where a recorded compaction has cut. */
  readonly keepsFrom?: RawId;
}

/** Prepares a compaction as Pi's `prepareCompaction` does; null where there is nothing to compact. */
export function prepareCompaction(
  session: OpenSession,
  { path, keepRecentTokens, keepsPairs = false, keepsFrom }: PreparationRequest,
): Preparation | null {
  if (endsCompacted(session, path)) return null;
  const projection = buildProjection(session, path);
  const { entries, summaryAt } = projection;
  // Only a summary in the first place is left out: messages that a transform put above one are not part of it.
  const start = summaryAt === 0 ? 1 : 0;
  const asPi = findCut(session, { entries, start, keepRecentTokens });
  if (asPi === null) return null;
  const recorded = keepsFrom === undefined ? -1 : entries.findIndex(({ head }) => head.id === keepsFrom);
  if (recorded !== -1) return buildPreparation(projection, start, toCutPoint(entries, recorded, start), false);
  const cut = keepsPairs ? moveAbovePairs(entries, asPi, start) : asPi;
  return buildPreparation(projection, start, toCutPoint(entries, cut, start), cut !== asPi);
}

function endsCompacted(session: Session, path: readonly Head[]): boolean {
  return path.at(-1)?.type === 'compaction' || findRepeatedTransform(session, path, path.length) !== null;
}

function buildPreparation(
  projection: Projection,
  start: number,
  { firstKept, turnStart }: CutPoint,
  isAbovePi: boolean,
): Preparation | null {
  const { entries, summaryAt } = projection;
  const kept = entries.slice(firstKept);
  const firstKeptEntryId = findFirstKeptId(kept);
  const keepsMade = kept.some(({ isMade }) => isMade);
  if (firstKeptEntryId === null && !keepsMade) return null;

  const isSplitTurn = turnStart !== -1;
  const historyEnd = isSplitTurn ? turnStart : firstKept;
  const summarised = entries.map((entry, at) => (at === summaryAt ? [] : listConversation(entry)));
  const messagesToSummarize = summarised.slice(start, historyEnd).flat();
  const turnPrefixMessages = summarised.slice(historyEnd, firstKept).flat();
  if (messagesToSummarize.length === 0 && turnPrefixMessages.length === 0) return null;

  const isSummaryKept = summaryAt >= firstKept;
  const previousDetails = isSummaryKept ? null : projection.previousDetails;
  const keptMessages = countSentMessages(kept);
  return {
    firstKeptEntryId,
    firstKeptMessageIndex: countSentMessages(entries) - keptMessages,
    messagesToSummarize,
    turnPrefixMessages,
    isSplitTurn,
    tokensBefore: projection.tokens,
    previousSummary: isSummaryKept ? null : projection.previousSummary,
    fileOps: readFileOps([...messagesToSummarize, ...turnPrefixMessages], previousDetails),
    keptMessages,
    keptTokens: sumEstimates(kept),
    isAbovePi,
  };
}

/** The prompt is no part of the conversation: a compaction carries it over in another way. */
function listConversation({ head, messages }: ProjectedEntry): readonly StoredMessage[] {
  return head.type === 'compaction' ? [] : messages.filter(({ role }) => role !== 'system');
}

/** The id of the first kept entry that is itself on the path. */
function findFirstKeptId(kept: readonly ProjectedEntry[]): string | null {
  const first = kept.find(({ isMade }) => !isMade);
  return formatId(first?.head.id) || null;
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
export function findNothingReason(session: OpenSession, request: PreparationRequest): NothingToCompact {
  const { path } = request;
  if (endsCompacted(session, path)) return { reason: 'ended' };
  if (prepareCompaction(session, { ...request, keepRecentTokens: LEAST })) return { reason: 'kept' };
  const { entries, summaryAt } = buildProjection(session, path);
  const messages = entries.flatMap((entry, at) => (at === summaryAt ? [] : listConversation(entry)));
  return { reason: 'messages', messages: messages.length, hasSummary: summaryAt !== -1 };
}
