import { asString, isObject } from '#base/json.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import { findSettings } from '#context/replay/settings.js';
import { type OutputReserve, readOutputReserve } from '#context/request/output-reserve.js';
import { readUsageNumbers } from '#context/size/tokens.js';
import type { StoredMessage } from '#session/entry.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import { estimateMessages } from './estimate.js';
import { buildProjection, type Projection } from './projection.js';
import type { CompactionSettings } from './settings.js';

/** Whether Pi would compact before it sends the next prompt. */
export interface Trigger {
  /** overflow: the last request was too long, or left too little room for its answer; threshold: less room is left than is reserved. */
  readonly reason: 'overflow' | 'threshold' | null;
  /** Whether it is an overflow because the last answer was cut off, for lack of room. */
  readonly isCutOff: boolean;
  /** The request that was refused only for the tokens that it reserved for its answer; null for any other reason. */
  readonly outputReserve: OutputReserve | null;
  /** The context size; null if the last usage precedes the last compaction, so that Pi waits for the next answer. */
  readonly tokens: number | null;
  /** The maximum tokens; null if the context window is unknown. */
  readonly threshold: number | null;
  /** The tokens of a truncated last answer, if the model's output limit is unknown: below that limit it would be an overflow. Else null. */
  readonly cutAt: number | null;
}

export interface TriggerRequest {
  readonly path: readonly Head[];
  /** The context window in tokens; null if it is unknown. */
  readonly contextWindow: number | null;
  /** The output limit in tokens; null if it is unknown. */
  readonly maxOutput: number | null;
  readonly settings: CompactionSettings;
  readonly readPatch: ReadPatch;
}

/** Checks the end of a path as Pi does before a prompt. */
export function findTrigger(
  session: Session,
  { path, contextWindow, maxOutput, settings, readPatch }: TriggerRequest,
): Trigger {
  const projection = buildProjection(session, path, readPatch);
  const threshold = contextWindow === null ? null : contextWindow - settings.reserveTokens;
  const last = lastAnswer(projection);
  const own = last && isOfModel(last, findSettings(session, path).model) && !last.isCompacted ? last : null;
  const isCut = own !== null && isCutShort(own.message, maxOutput);
  if (isCut === true || (own && isContextOverflow(own.message, own.isEdited ? null : contextWindow)))
    return {
      reason: 'overflow',
      isCutOff: isCut === true,
      outputReserve: own && readOutputReserve(own.message),
      tokens: projection.tokens,
      threshold,
      cutAt: null,
    };
  const tokens = tokensNow(projection, last);
  const isOver = tokens !== null && threshold !== null && tokens > threshold;
  const cutAt = isCut === null && !isOver ? outputOf(own) : null;
  const reason = isOver ? 'threshold' : null;
  return { reason, isCutOff: false, outputReserve: null, tokens, threshold, cutAt };
}

interface Answer {
  readonly message: StoredMessage;
  /** A compaction that is younger has dealt with it. */
  readonly isCompacted: boolean;
  /** An edit since: what was billed no longer holds. */
  readonly isEdited: boolean;
}

function lastAnswer({ entries, compacted }: Projection): Answer | null {
  const at = entries.findLastIndex(({ messages }) => messages[0] !== undefined && isAnswer(messages[0]));
  const message = entries[at]?.messages[0];
  if (!message) return null;
  const isEdited = entries.slice(at + 1).some(({ head }) => head.type === 'context_edit');
  return { message, isCompacted: isOlder(message, compacted), isEdited };
}

function isOlder({ timestamp }: StoredMessage, compacted: number | null): boolean {
  return compacted !== null && typeof timestamp === 'number' && timestamp <= compacted;
}

/** A refusal by another model has no meaning for this one. */
function isOfModel({ message }: Answer, model: ReturnType<typeof findSettings>['model']): boolean {
  return message['provider'] === model?.provider && message['model'] === model?.modelId;
}

function outputOf(last: Answer | null): number {
  const usage = last?.message['usage'];
  return isObject(usage) ? readUsageNumbers(usage).output : 0;
}

function tokensNow(projection: Projection, last: Answer | null): number | null {
  const { entries, tokens, compacted } = projection;
  if (!last) return tokens;
  if (last.isCompacted) return null;
  if (entries.some(({ head, isMade }) => head.type === 'context_edit' || isMade)) return tokens;
  const { usage, stopReason } = last.message;
  const billed = isObject(usage) ? readUsageNumbers(usage).total : 0;
  if (stopReason !== 'error' && billed > 0) return billed;
  const estimate = estimateMessages(entries);
  return estimate.usage && isOlder(estimate.usage, compacted) ? null : estimate.tokens;
}

/** Error messages of providers for a request that is longer than the context window. Pi's list. */
const SAYS_OVERFLOW: readonly RegExp[] = [
  /prompt (?:is )?too long/i,
  /prompt exceeds max length/i,
  /request_too_large/i,
  /input is too long for requested model/i,
  /exceeds the context window/i,
  /exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\d,]+ tokens?|\s*\([\d,]+\))/i,
  /context window exceeded/i,
  // No `.*`: a text that repeats the beginning would be scanned once for each repetition.
  /input token count(?:(?!input token count).)*exceeds the maximum/i,
  /maximum prompt length is \d+/i,
  /reduce the length of the messages/i,
  /maximum context length is \d+ tokens/i,
  /exceeds (?:the )?maximum allowed input length of [\d,]+ tokens?/i,
  /input \(\d+ tokens\) is longer than the model'?s context length \(\d+ tokens\)/i,
  /exceeds the limit of \d+/i,
  /exceeds the available context size/i,
  /greater than the context length/i,
  /context window exceeds limit/i,
  /exceeded model token limit/i,
  /too large for model with \d+ maximum context length/i,
  /prompt has [\d,]+ tokens?, but the configured context size is [\d,]+ tokens?/i,
  /model_context_window_exceeded/i,
  /prompt too long; exceeded (?:max )?context length/i,
  /range of input length should be/i,
  /context[_ ]length[_ ]exceeded/i,
  /too many tokens/i,
  /token limit exceeded/i,
  /^(?:[\w -]+ API error \(413\):|413(?:\s|:|$))/i,
];
const SAYS_SOMETHING_ELSE = /^(?:Throttling error|Service unavailable):|rate limit|too many requests/i;
const WITHOUT_WORDS = /^4(?:00|13)\s*(?:status code\s*)?\(no body\)/i;
/** So full a context leaves no room for an answer. */
const FULL = 0.99;

/** Whether an answer reports, or implies, that its request was too long. Pi's `isContextOverflow`. */
export function isContextOverflow(message: StoredMessage, contextWindow: number | null): boolean {
  const { stopReason, usage } = message;
  if (stopReason === 'error') return saysOverflow(message);
  if (!contextWindow || !isObject(usage)) return false;
  const input = Number(usage['input']) + Number(usage['cacheRead']);
  if (stopReason === 'stop') return input > contextWindow;
  return stopReason === 'length' && usage['output'] === 0 && input >= contextWindow * FULL;
}

/**
 * Whether an answer was truncated below the model's output limit, because the context left no room for it: Pi's
 * `isRecoverableLength`. `maxOutput` is that limit. Returns null if the limit is unknown, unless the answer is empty.
 */
export function isCutShort({ stopReason, usage }: StoredMessage, maxOutput: number | null): boolean | null {
  if (stopReason !== 'length' || !isObject(usage)) return false;
  const output = Number(usage['output']);
  if (maxOutput !== null) return output < maxOutput;
  return output === 0 ? true : null;
}

function saysOverflow({ errorMessage, provider }: StoredMessage): boolean {
  const said = asString(errorMessage) ?? '';
  if (said === '' || SAYS_SOMETHING_ELSE.test(said)) return false;
  return SAYS_OVERFLOW.some((pattern) => pattern.test(said)) || (provider === 'cerebras' && WITHOUT_WORDS.test(said));
}

/**
 * The recovery of Pi from a request that was too long. `retry`: it leaves the failed answer out, compacts, and sends the
 * request again, once. `compact`: the answer is complete, so it only compacts. `final`: the request was sent again before,
 * and Pi gives up.
 */
export type OverflowRecovery = 'retry' | 'compact' | 'final';

/** The recovery from the overflow of the last answer of a path. */
export function findRecovery(session: Session, path: readonly Head[]): OverflowRecovery {
  const last = path.findLastIndex(answersRequest);
  if (answerAt(session, path[last])['stopReason'] === 'stop') return 'compact';
  for (let at = last - 1; at >= 0; at -= 1) {
    const head = path[at];
    if (head?.role === 'user') break;
    if (!head || !answersRequest(head)) continue;
    const answer = answerAt(session, head);
    if (!FAILED.has(answer['stopReason'])) break;
    if (isContextOverflow(answer, null) || isCutShort(answer, null) === true) return 'final';
  }
  return 'retry';
}

/** An answer with another stop reason ends the recovery, and the next overflow is retried again. */
const FAILED: ReadonlySet<unknown> = new Set(['error', 'length']);

function answerAt(session: Session, head: Head | undefined): StoredMessage {
  return (head && readEntryMessage(session.entry(head))) ?? {};
}
