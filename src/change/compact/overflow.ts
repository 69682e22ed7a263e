import { asString, isObject } from '#base/json.js';
import type { AgentMessage } from '#context/replay/convert.js';

/** What providers say when a request is longer than the model can take. Pi's list. */
const SAYS_OVERFLOW: readonly RegExp[] = [
  /prompt (?:is )?too long/i,
  /prompt exceeds max length/i,
  /request_too_large/i,
  /input is too long for requested model/i,
  /exceeds the context window/i,
  /exceeds (?:the )?(?:model'?s )?maximum context length(?: of [\d,]+ tokens?|\s*\([\d,]+\))/i,
  /context window exceeded/i,
  // No `.*`: what says its beginning very often would be read as often.
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

/** Whether an answer says, or shows, that its request was too long. Pi's `isContextOverflow`. */
export function isContextOverflow(message: AgentMessage, contextWindow: number | null): boolean {
  const { stopReason, usage } = message;
  if (stopReason === 'error') return saysOverflow(message);
  if (!contextWindow || !isObject(usage)) return false;
  const input = Number(usage['input']) + Number(usage['cacheRead']);
  if (stopReason === 'stop') return input > contextWindow;
  return stopReason === 'length' && usage['output'] === 0 && input >= contextWindow * FULL;
}

/**
 * Whether an answer was cut off although the model can write more, as happens where the context leaves no room for it.
 * Pi's `isRecoverableLength`. `maxOutput`: tokens that the model can write at once. null, for it and as
 * the answer: nobody knows. An answer of nothing is less than any model can write.
 */
export function isCutShort({ stopReason, usage }: AgentMessage, maxOutput: number | null): boolean | null {
  if (stopReason !== 'length' || !isObject(usage)) return false;
  const output = Number(usage['output']);
  if (maxOutput !== null) return output < maxOutput;
  return output === 0 ? true : null;
}

function saysOverflow({ errorMessage, provider }: AgentMessage): boolean {
  const said = asString(errorMessage) ?? '';
  if (said === '' || SAYS_SOMETHING_ELSE.test(said)) return false;
  return SAYS_OVERFLOW.some((pattern) => pattern.test(said)) || (provider === 'cerebras' && WITHOUT_WORDS.test(said));
}
