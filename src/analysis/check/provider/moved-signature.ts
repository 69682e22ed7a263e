import { asString } from '#base/json.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Session } from '#session/session.js';
import { defineRule, type Example, type Hit } from '../define.js';
import { assistant, HEADER, textContent, user } from '../example.js';
import { type AnswerModel, usesAnthropicApi, usesResponsesApi } from './answer-model.js';
import { contentListOf, locateBlock } from './message.js';
import { PendingHits } from './pending-hits.js';
import { readThinking } from './thinking.js';

export default defineRule({
  name: 'moved-signature',
  severity: 'error',
  summary: 'The signature of a thinking block does not match the block',
  help:
    'A signature belongs to one block of one model. If it is on another block, or has the format of another API, ' +
    'Anthropic rejects the request. For the OpenAI Responses API, where a signature is a JSON object, Pi fails ' +
    'before it sends the request. A program rewrote the answer, or changed its model.\n\n' +
    'Replace the content of the answer with its text by a `context_edit`, or omit the answer.',
  example: { fires: answerWith('{"type":"reasoning","id":"rs_1"}'), silent: answerWith('c2lnbmVk') },
  looksAt: 'request',
  watch(_options, session) {
    const due = new PendingHits();
    const signed = new Map<string, unknown>();
    return {
      see(sent) {
        if (!isAnswer(sent.message)) return [];
        const model = due.noteAnswer(sent.message);
        if (isFailedAnswer(sent.message) || !(usesAnthropicApi(model) || usesResponsesApi(model))) return [];
        const content = contentListOf(sent.message);
        for (let at = 0; at < content.length; at += 1) {
          const fault = describeFault(content[at], model, signed);
          if (fault !== null) due.add(model, buildHit(session, sent, { fault, at }));
        }
        return [];
      },
      end: () => due.takeOfNewest(),
    };
  },
});

function answerWith(thinkingSignature: string): Example {
  const thinking = { type: 'thinking', thinking: 'Look.', thinkingSignature };
  return [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [thinking, textContent('A README.')])];
}

function describeFault(block: unknown, model: AnswerModel, signed: Map<string, unknown>): string | null {
  const thinking = readThinking(block);
  const signature = asString(thinking?.thinkingSignature) ?? '';
  if (!thinking || signature === '') return null;
  const isJson = signature.startsWith('{') && signature.endsWith('}');
  if (usesResponsesApi(model) && !isJson)
    return 'the signature is not a JSON object, as the OpenAI Responses API requires';
  if (usesAnthropicApi(model) && isJson) return 'the signature is a JSON object, which Anthropic never sends';
  const isCopy = signed.has(signature) && (usesResponsesApi(model) || signed.get(signature) !== thinking.thinking);
  signed.set(signature, thinking.thinking);
  return isCopy ? 'an earlier thinking block has the same signature' : null;
}

function buildHit(session: Session, { from }: SentMessage, { fault, at }: { fault: string; at: number }): Hit {
  return {
    message: fault,
    ...locateBlock(session, from, at),
    fix: 'replace the content of the answer with its text by a `context_edit`',
  };
}
