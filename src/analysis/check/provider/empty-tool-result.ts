import { isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isAnswer } from '#session/heads/answer.js';
import { defineRule } from '../define.js';
import { OPEN_CALL, toolResult } from '../example.js';
import { type AnswerModel, usesAnthropicApi } from './answer-model.js';
import { contentListOf, isBlankContent, locateEntry } from './message.js';
import { PendingHits } from './pending-hits.js';

export default defineRule({
  name: 'empty-tool-result',
  severity: 'error',
  summary: 'A tool result is empty where Anthropic requires content',
  help:
    'Anthropic rejects an error result without text, and a result with an image and an empty text block. Pi sends ' +
    'both unchanged, so every further request fails. This is reported if the newest answer comes from Anthropic; ' +
    'other providers accept such results.\n\n' +
    'Give the result a text with a `context_edit`, such as "The tool failed without a message".',
  example: {
    fires: [...OPEN_CALL, toolResult('r1', 'a1', 'c1', '', { isError: true })],
    silent: [...OPEN_CALL, toolResult('r1', 'a1', 'c1', 'No such file.', { isError: true })],
  },
  looksAt: 'request',
  watch() {
    const due = new PendingHits();
    return {
      see({ message, from }) {
        if (isAnswer(message)) due.noteAnswer(message);
        const fault = message.role === 'toolResult' ? describeFault(message) : null;
        if (fault !== null)
          due.add(ANY, { message: fault, at: locateEntry(from), fix: 'give the result a text with a `context_edit`' });
        return [];
      },
      end: () => due.takeAll(usesAnthropicApi),
    };
  },
});

/** Results do not depend on the model. */
const ANY: AnswerModel = { provider: null, api: null, model: null };

function describeFault(message: LlmMessage): string | null {
  const { content, isError } = message;
  let hasText = false;
  let hasEmptyText = false;
  let hasImage = false;
  for (const block of contentListOf(message)) {
    if (!isObject(block)) continue;
    const { type, text } = block;
    if (type === 'image') hasImage = true;
    else if (isBlankContent(text)) hasEmptyText = true;
    else hasText = true;
  }
  if (isError)
    return hasText || hasImage || isText(content) ? null : 'the error result has no text, which Anthropic rejects';
  return hasImage && hasEmptyText ? 'the result has an image and an empty text, which Anthropic rejects' : null;
}

function isText(content: unknown): boolean {
  return typeof content === 'string' && !isBlankContent(content);
}
