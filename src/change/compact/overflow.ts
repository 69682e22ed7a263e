import { asString, isObject } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';

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
/** The share of the window from which no room is left for an answer. */
const FULL = 0.99;

/** Whether an answer reports, or implies, that its request was too long. Pi's `isContextOverflow`. */
export function isContextOverflow(message: StoredMessage, contextWindow: number | null): boolean {
  const { stopReason, usage } = message;
  if (stopReason === 'error') return isOverflowError(message);
  if (!contextWindow || !isObject(usage)) return false;
  const input = Number(usage.input) + Number(usage.cacheRead);
  if (stopReason === 'stop') return input > contextWindow;
  return stopReason === 'length' && usage.output === 0 && input >= contextWindow * FULL;
}

/**
 * Whether an answer was truncated below the model's output limit, because the context left no room for it: Pi's
 * `isRecoverableLength`. `maxOutput` is that limit. Returns null if the limit is unknown, unless the answer is empty.
 */
export function isCutShort({ stopReason, usage }: StoredMessage, maxOutput: number | null): boolean | null {
  if (stopReason !== 'length' || !isObject(usage)) return false;
  const output = Number(usage.output);
  if (maxOutput !== null) return output < maxOutput;
  return output === 0 ? true : null;
}

function isOverflowError({ errorMessage, provider }: StoredMessage): boolean {
  const error = asString(errorMessage) ?? '';
  if (error === '' || SAYS_SOMETHING_ELSE.test(error)) return false;
  if (provider === 'cerebras' && WITHOUT_WORDS.test(error)) return true;
  return SAYS_OVERFLOW.some((pattern) => pattern.test(error));
}
