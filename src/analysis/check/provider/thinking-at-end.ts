import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { isAnswer } from '#session/heads/answer.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, QUESTION, textContent } from '../example.js';
import { type AnswerModel, usesAnthropicApi, usesResponsesApi } from './answer-model.js';
import { contentListOf, isBlankContent, locateBlock, readBlock } from './message.js';
import { PendingHits } from './pending-hits.js';
import { isSignedBlock, readThinking } from './thinking.js';

const THINKING = { type: 'thinking', thinking: 'Look.', thinkingSignature: 'c2lnbmVk' };

export default defineRule({
  name: 'thinking-at-end',
  severity: 'warning',
  summary: 'An answer ends with thinking',
  help:
    'Anthropic rejects an answer whose last block is thinking, and the OpenAI Responses API rejects thinking that ' +
    'no block follows. The answer was truncated while the model was thinking, or its text was removed.\n\n' +
    'Omit the answer with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [THINKING], { stopReason: 'length' })],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [THINKING, textContent('A README.')])],
  },
  looksAt: 'request',
  watch(_options, session) {
    const due = new PendingHits();
    return {
      see({ message, from }) {
        if (!isAnswer(message)) return [];
        const model = due.noteAnswer(message);
        if (isFailedAnswer(message)) return [];
        const at = findLastSent(message, model);
        const last = readThinking(contentListOf(message)[at]);
        if (last && isSignedBlock(last))
          due.add(model, {
            message: 'the answer ends with thinking, which the provider rejects',
            ...locateBlock(session, from, at),
            fix: 'omit the answer with a `context_edit`',
          });
        return [];
      },
      end: () => due.takeOfNewest(),
    };
  },
});

/**
 * The index of the last block that Pi sends; it sends no empty text to Anthropic. -1 if there is no such block, or if
 * the API accepts thinking there.
 */
function findLastSent(message: LlmMessage, model: AnswerModel): number {
  const isForClaude = usesAnthropicApi(model);
  if (!isForClaude && !usesResponsesApi(model)) return -1;
  return contentListOf(message).findLastIndex((item) => {
    const block = readBlock(item);
    return block !== null && !(isForClaude && block.type === 'text' && isBlankContent(block.text));
  });
}
