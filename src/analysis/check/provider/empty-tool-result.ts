import { isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { atEntry, DueHits, isAnthropic, isBlank, listOf, type Model } from './message.js';

const ASKED = [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [toolCall('c1')])];

export default defineRule({
  name: 'empty-tool-result',
  group: 'provider',
  severity: 'error',
  summary: 'A tool result is empty where Anthropic requires content',
  help:
    'Anthropic rejects an error result without text, and a result with an image and an empty text block. Pi sends ' +
    'both unchanged, so every further request fails. This is reported if the newest answer comes from Anthropic; ' +
    'other providers accept such results.\n\n' +
    'Give the result a text with a `context_edit`, such as "The tool failed without a message".',
  example: {
    fires: [...ASKED, toolResult('r1', 'a1', 'c1', '', { isError: true })],
    silent: [...ASKED, toolResult('r1', 'a1', 'c1', 'No such file.', { isError: true })],
  },
  looksAt: 'request',
  watch() {
    const due = new DueHits();
    return {
      see({ message, from }) {
        if (message.role === 'assistant') due.answer(message);
        const fault = message.role === 'toolResult' ? faultOf(message) : null;
        if (fault !== null)
          due.add(ANY, { message: fault, at: atEntry(from), fix: 'give the result a text with a `context_edit`' });
        return [];
      },
      end: () => due.ofAny(isAnthropic),
    };
  },
});

/** Results do not depend on the model. */
const ANY: Model = { provider: null, api: null, model: null };

function faultOf({ content, isError }: LlmMessage): string | null {
  let hasText = false;
  let hasEmptyText = false;
  let hasImage = false;
  for (const block of listOf(content)) {
    if (!isObject(block)) continue;
    if (block['type'] === 'image') hasImage = true;
    else if (isBlank(block['text'])) hasEmptyText = true;
    else hasText = true;
  }
  if (isError)
    return hasText || hasImage || isText(content) ? null : 'the error result has no text, which Anthropic rejects';
  return hasImage && hasEmptyText ? 'the result has an image and an empty text, which Anthropic rejects' : null;
}

function isText(content: unknown): boolean {
  return typeof content === 'string' && !isBlank(content);
}
