import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { isAnswer } from '#session/heads/answer.js';
import { defineRule, type Example } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import { type AnswerModel, usesAnthropicApi } from './answer-model.js';
import { contentListOf, locateBlock } from './message.js';
import { PendingHits } from './pending-hits.js';
import { isSignedBlock, readThinking } from './thinking.js';
import { readCallAt } from './tool-call.js';

export default defineRule({
  name: 'lost-signature',
  severity: 'warning',
  summary: 'A thinking block before a tool call has lost its signature',
  help:
    'While tool results are sent back to Claude, the answer must begin with its signed thinking. Without the ' +
    'signature, Pi sends the thinking as plain text, and Anthropic rejects the request if thinking is enabled. Only ' +
    'the newest turn is examined, since earlier thinking may be omitted. Providers that use the same API without ' +
    'signatures are not reported.\n\n' +
    'Omit the answer and its results with `context_edit` entries, or continue without thinking.',
  example: { fires: thinkThenCall({}), silent: thinkThenCall({ thinkingSignature: 'c2lnbmVk' }) },
  looksAt: 'request',
  watch(_options, session) {
    const due = new PendingHits();
    const signing = new Set<AnswerModel>();
    return {
      see({ message, from }) {
        if (message.role === 'user') due.forget();
        if (!isAnswer(message)) return [];
        const model = due.noteAnswer(message);
        if (isFailedAnswer(message) || !usesAnthropicApi(model)) return [];
        const at = findThinking(message);
        const thinking = readThinking(contentListOf(message)[at]);
        if (!thinking) return [];
        if (isSignedBlock(thinking)) signing.add(model);
        else if ((signing.has(model) || model.provider === 'anthropic') && hasCall(message))
          due.add(model, {
            message: 'the thinking before a tool call has no signature',
            ...locateBlock(session, from, at),
            fix: 'omit the answer and its results with `context_edit` entries',
          });
        return [];
      },
      end: () => due.takeOfNewest(),
    };
  },
});

function thinkThenCall(more: Readonly<Record<string, string>>): Example {
  return [
    HEADER,
    user('u1', null, 'What is in here?'),
    assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', ...more }, toolCall('c1')]),
    toolResult('r1', 'a1', 'c1'),
  ];
}

/** The index of the first thinking block that is sent; -1 if there is none. */
function findThinking(message: LlmMessage): number {
  return contentListOf(message).findIndex((block) => readThinking(block) !== null);
}

function hasCall(message: LlmMessage): boolean {
  const content = contentListOf(message);
  return content.some((_block, at) => readCallAt(content, at) !== null);
}
