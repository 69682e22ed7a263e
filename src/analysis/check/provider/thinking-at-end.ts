import { isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, text, user } from '../example.js';
import {
  asThinking,
  atEntry,
  DueHits,
  isAnthropic,
  isBlank,
  isHidden,
  isResponses,
  isSigned,
  listOf,
  type Model,
  placeOfBlock,
} from './message.js';

const THINKING = { type: 'thinking', thinking: 'Look.', thinkingSignature: 'c2lnbmVk' };
const QUESTION = user('u1', null, 'What is in here?');

export const thinkingAtEnd = defineRule({
  name: 'thinking-at-end',
  severity: 'warning',
  summary: 'An answer ends with thinking',
  help:
    'Anthropic rejects an answer whose last block is thinking, and the OpenAI Responses API rejects thinking that ' +
    'no block follows. The answer was truncated while the model was thinking, or its text was removed.\n\n' +
    'Omit the answer with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [THINKING], { stopReason: 'length' })],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [THINKING, text('A README.')])],
  },
  looksAt: 'request',
  watch(_options, session) {
    const due = new DueHits();
    return {
      see({ message, from }) {
        if (message.role !== 'assistant') return [];
        const model = due.answer(message);
        if (isHidden(message)) return [];
        const at = lastSent(message, model);
        const last = asThinking(listOf(message['content'])[at]);
        if (last && isSigned(last))
          due.add(model, {
            message: 'the answer ends with thinking, which the provider rejects',
            at: atEntry(from),
            ...placeOfBlock(session, from, at),
            fix: 'omit the answer with a `context_edit`',
          });
        return [];
      },
      end: () => due.ofNewest(),
    };
  },
});

/** The last block that Pi sends (no empty text to Anthropic); -1 if there is none, or the API accepts thinking there. */
function lastSent(message: LlmMessage, model: Model): number {
  const isForClaude = isAnthropic(model);
  if (!isForClaude && !isResponses(model)) return -1;
  return listOf(message['content']).findLastIndex(
    (block) => isObject(block) && !(isForClaude && block['type'] === 'text' && isBlank(block['text'])),
  );
}
