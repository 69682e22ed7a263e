import { isObject, type JsonObject } from '#base/json.js';
import { formatCount } from '#base/numbers.js';
import { buildCompactionTransform } from '#change/compact/compaction-entries.js';
import { findRecovery } from '#change/compact/overflow-recovery.js';
import { type Preparation, prepareCompaction } from '#change/compact/prepare.js';
import { countSentMessages } from '#change/compact/projection.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { findTrigger, type Trigger } from '#change/compact/trigger.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import { countTokens } from '#context/size/tokens.js';
import { findWindow, type WindowOptions } from '#context/size/window.js';
import { formatId, type RawId } from '#session/heads/head.js';
import type { HookCompactionCheck } from '../hook-request.js';
import type { HookedPath } from '../hooked-path.js';
import { type AnswerUse, ignoreAnswer, readAnswerMembers, type StockHandlers } from './stock-handlers.js';

/** The part of a `session_before_compact` event beside its preparation. */
export interface CompactionCause {
  readonly reason: 'manual' | 'threshold' | 'overflow';
  readonly willRetry: boolean;
  readonly customInstructions?: string | undefined;
}

/** A compaction that Pi is about to make. */
export interface PendingCompaction {
  readonly cause: CompactionCause;
  /** The first entry that a recorded compaction keeps; undefined: where Pi would cut. */
  readonly keepsFrom?: RawId;
}

/** The compaction of an extension: Pi's `CompactionResult`. */
export interface ExtensionCompaction {
  readonly summary: string;
  readonly firstKeptEntryId: string | null;
  details?: JsonObject;
  usage?: JsonObject;
}

/** The answer of the handlers: the last one counts, unless one cancels. null: Pi makes the summary itself. */
export type CompactionAnswer =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'compaction'; readonly compaction: ExtensionCompaction }
  | null;

/**
 * Asks the handlers of `session_before_compact` at the end of the path. null also where there is nothing to compact.
 */
export async function askForCompaction(
  handlers: StockHandlers,
  settings: CompactionSettings,
  { cause, keepsFrom }: PendingCompaction,
): Promise<CompactionAnswer> {
  const { session, heads: path } = handlers.hooked;
  const { keepRecentTokens } = settings;
  const preparation = prepareCompaction(session, { path, keepRecentTokens, keepsFrom });
  if (!preparation) return null;
  const branchEntries = path.map((head) => session.entry(head));
  const event = { ...buildCompactionEvent(preparation, settings), ...cause, branchEntries, signal: null };
  const ids = path.map(({ id }) => formatId(id));
  let counting: CompactionAnswer = null;
  await handlers.emit('session_before_compact', {
    make: () => event,
    take(answer) {
      if (counting?.kind === 'cancelled') return ignoreAnswer(answer);
      const read = readCompactionAnswer(readAnswerMembers(answer), ids);
      if (typeof read === 'string') return { wrong: read };
      if (read === null) return ignoreAnswer(answer);
      counting = read;
      return useCompaction(read, preparation);
    },
  });
  return counting;
}

function buildCompactionEvent(preparation: Preparation, settings: CompactionSettings): JsonObject {
  const { firstKeptEntryId, messagesToSummarize, turnPrefixMessages, isSplitTurn, tokensBefore } = preparation;
  const { fileOps, previousSummary } = preparation;
  const lists = Object.entries(fileOps).map(([name, files]) => [name, [...files]]);
  return {
    type: 'session_before_compact',
    preparation: {
      firstKeptEntryId,
      messagesToSummarize,
      turnPrefixMessages,
      isSplitTurn,
      tokensBefore,
      previousSummary: previousSummary ?? undefined,
      fileOps: Object.fromEntries(lists),
      settings,
    },
  };
}

/** Reads the answer of a handler. A text is the reason why it is invalid. */
function readCompactionAnswer({ cancel, compaction }: JsonObject, ids: readonly unknown[]): CompactionAnswer | string {
  if (cancel) return { kind: 'cancelled' };
  if (compaction === undefined || compaction === null) return null;
  if (!isObject(compaction) || typeof compaction.summary !== 'string') return 'a compaction must have a summary';
  const { summary, firstKeptEntryId = null, details, usage } = compaction;
  if (firstKeptEntryId !== null && !ids.includes(firstKeptEntryId))
    return `the entry ${JSON.stringify(firstKeptEntryId)} that it keeps first is not on the branch`;
  const result: ExtensionCompaction = { summary, firstKeptEntryId: firstKeptEntryId as string | null };
  if (isObject(details)) result.details = details;
  if (isObject(usage)) result.usage = usage;
  return { kind: 'compaction', compaction: result };
}

function useCompaction(answer: NonNullable<CompactionAnswer>, preparation: Preparation): AnswerUse {
  if (answer.kind === 'cancelled') return { outcome: 'cancelled', what: 'Pi does not compact' };
  const { summary, firstKeptEntryId } = answer.compaction;
  const from =
    firstKeptEntryId === preparation.firstKeptEntryId ? 'as Pi would' : `from ${firstKeptEntryId ?? 'nothing'}`;
  return { outcome: 'changed', what: `a summary of ${formatCount(summary.length)} characters, kept ${from}` };
}

/** The effect of an extension's compaction on the context. */
export function applyExtensionCompaction(
  hooked: HookedPath,
  { summary, firstKeptEntryId }: Pick<ExtensionCompaction, 'summary' | 'firstKeptEntryId'>,
): EntryBody {
  const { entries, tokens } = hooked.projection();
  const at = entries.findIndex(({ head }) => firstKeptEntryId !== null && formatId(head.id) === firstKeptEntryId);
  return buildCompactionTransform({
    summary,
    timestamp: hooked.heads.at(-1)?.time ?? 0,
    firstKeptMessageIndex: countSentMessages(at === -1 ? entries : entries.slice(0, at)),
    tokensBefore: tokens,
  });
}

/** Pi's rule for the context as hooks have left it. */
export function checkCompaction(
  hooked: HookedPath,
  { settings, window }: { readonly settings: CompactionSettings; readonly window: WindowOptions },
): HookCompactionCheck {
  const { session, heads: path, isChanged } = hooked;
  const contextWindow = findWindow(session, path, window).tokens;
  const found = findTrigger(session, { path, contextWindow, maxOutput: null, settings });
  const { reason, tokens, threshold } = isChanged ? estimateContext(found, countTokens(hooked.content()).total) : found;
  const recovery = reason === 'overflow' ? findRecovery(session, path) : null;
  return { isEnabled: settings.enabled, reason, tokens, threshold, isEstimated: isChanged, recovery };
}

function estimateContext(
  { reason, threshold }: Trigger,
  tokens: number,
): Pick<Trigger, 'reason' | 'tokens' | 'threshold'> {
  if (reason === 'overflow') return { reason, tokens, threshold };
  return { reason: threshold !== null && tokens > threshold ? 'threshold' : null, tokens, threshold };
}
