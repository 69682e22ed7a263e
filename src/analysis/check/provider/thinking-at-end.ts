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

export default defineRule({
  name: 'thinking-at-end',
  group: 'provider',
  severity: 'warning',
  summary: 'An answer ends with thinking',
  help:
    'Anthropic refuses an answer whose last block is thinking, and the OpenAI Responses API refuses thinking that ' +
    'nothing follows. The answer was cut off while the model thought, or what it said was taken out.\n\n' +
    'Leave out the answer with a `context_edit` whose `replacement` is null.',
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
            message: 'the answer ends with thinking, which the provider refuses',
            at: atEntry(from),
            ...placeOfBlock(session, from, at),
            fix: 'leave out the answer with a `context_edit`',
          });
        return [];
      },
      end: () => due.ofNewest(),
    };
  },
});

/** The last block that Pi sends: to Anthropic it sends no empty text. -1 where nothing is sent, or nobody minds. */
function lastSent(message: LlmMessage, model: Model): number {
  const isForClaude = isAnthropic(model);
  if (!isForClaude && !isResponses(model)) return -1;
  return listOf(message['content']).findLastIndex(
    (block) => isObject(block) && !(isForClaude && block['type'] === 'text' && isBlank(block['text'])),
  );
}
