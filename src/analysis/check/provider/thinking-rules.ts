import { asString, isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, textContent, toolCall, toolResult, user } from '../example.js';
import {
  type AnswerModel,
  AnswerModels,
  describeModel,
  isBlankContent,
  isSignedBlock,
  locateBlock,
  locateEntry,
  PendingHits,
  readCallAt,
  readThinking,
  toContentList,
  usesAnthropicApi,
  usesResponsesApi,
} from './message.js';

export const movedSignature = defineRule({
  name: 'moved-signature',
  severity: 'error',
  summary: 'The signature of a thinking block does not match the block',
  help:
    'A signature belongs to one block of one model. If it is on another block, or has the format of another API, ' +
    'Anthropic rejects the request. For the OpenAI Responses API, where a signature is a JSON object, Pi fails ' +
    'before it sends the request. A program rewrote the answer, or changed its model.\n\n' +
    'Replace the content of the answer with its text by a `context_edit`, or omit the answer.',
  example: { fires: answered('{"type":"reasoning","id":"rs_1"}'), silent: answered('c2lnbmVk') },
  looksAt: 'request',
  watch(_options, session) {
    const due = new PendingHits();
    const signed = new Map<string, unknown>();
    return {
      see(sent) {
        if (!isAnswer(sent.message)) return [];
        const model = due.answer(sent.message);
        if (isFailedAnswer(sent.message) || !(usesAnthropicApi(model) || usesResponsesApi(model))) return [];
        const content = toContentList(sent.message['content']);
        for (let at = 0; at < content.length; at += 1) {
          const fault = faultOf(content[at], model, signed);
          if (fault !== null) due.add(model, movedHit(session, sent, { fault, at }));
        }
        return [];
      },
      end: () => due.ofNewest(),
    };
  },
});

function answered(thinkingSignature: string): readonly ReturnType<typeof assistant>[] {
  const thinking = { type: 'thinking', thinking: 'Look.', thinkingSignature };
  return [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [thinking, textContent('A README.')])];
}

function faultOf(block: unknown, model: AnswerModel, signed: Map<string, unknown>): string | null {
  const thinking = readThinking(block);
  const signature = asString(thinking?.['thinkingSignature']) ?? '';
  if (!thinking || signature === '') return null;
  const isJson = signature.startsWith('{') && signature.endsWith('}');
  if (usesResponsesApi(model) && !isJson)
    return 'the signature is not a JSON object, as the OpenAI Responses API requires';
  if (usesAnthropicApi(model) && isJson) return 'the signature is a JSON object, which Anthropic never sends';
  const isCopy = signed.has(signature) && (usesResponsesApi(model) || signed.get(signature) !== thinking['thinking']);
  signed.set(signature, thinking['thinking']);
  return isCopy ? 'an earlier thinking block has the same signature' : null;
}

function movedHit(session: Session, { from }: SentMessage, { fault, at }: { fault: string; at: number }): Hit {
  return {
    message: fault,
    ...locateBlock(session, from, at),
    fix: 'replace the content of the answer with its text by a `context_edit`',
  };
}

export const lostSignature = defineRule({
  name: 'lost-signature',
  severity: 'warning',
  summary: 'A thinking block before a tool call has lost its signature',
  help:
    'While tool results are sent back to Claude, the answer must begin with its signed thinking. Without the ' +
    'signature, Pi sends the thinking as plain text, and Anthropic rejects the request if thinking is enabled. Only ' +
    'the newest turn is examined, since earlier thinking may be omitted. Providers that use the same API without ' +
    'signatures are not reported.\n\n' +
    'Omit the answer and its results with `context_edit` entries, or continue without thinking.',
  example: { fires: unsigned({}), silent: unsigned({ thinkingSignature: 'c2lnbmVk' }) },
  looksAt: 'request',
  watch(_options, session) {
    const due = new PendingHits();
    const signing = new Set<AnswerModel>();
    return {
      see({ message, from }) {
        if (message.role === 'user') due.forget();
        if (!isAnswer(message)) return [];
        const model = due.answer(message);
        if (isFailedAnswer(message) || !usesAnthropicApi(model)) return [];
        const at = placeOfThinking(message);
        const thinking = readThinking(toContentList(message['content'])[at]);
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
      end: () => due.ofNewest(),
    };
  },
});

function unsigned(more: Readonly<Record<string, string>>): readonly ReturnType<typeof assistant>[] {
  return [
    HEADER,
    user('u1', null, 'What is in here?'),
    assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', ...more }, toolCall('c1')]),
    toolResult('r1', 'a1', 'c1'),
  ];
}

/** The index of the first thinking block that is sent; -1 if there is none. */
function placeOfThinking(message: LlmMessage): number {
  return toContentList(message['content']).findIndex((block) => readThinking(block) !== null);
}

function hasCall(message: LlmMessage): boolean {
  const content = toContentList(message['content']);
  return content.some((_block, at) => readCallAt(content, at) !== null);
}

const THOUGHT = [
  HEADER,
  user('u1', null, 'What is in here?'),
  assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', thinkingSignature: 'c2ln' }, textContent('A README.')]),
  user('u2', 'a1', 'What does it say?'),
];

export const foreignThinking = defineRule({
  name: 'foreign-thinking',
  severity: 'note',
  summary: 'Thinking of an earlier model is not sent to the newest one',
  help:
    'Thinking is signed by its model and cannot be used by others. When another model continues, Pi silently omits ' +
    'all thinking of the earlier model. Conclusions that were only in the thinking are lost.\n\n' +
    'No action is needed. If the thinking matters, ask the earlier model for a summary before you change models.',
  example: {
    fires: [...THOUGHT, assistant('a2', 'u2', [textContent('Read me.')], { model: 'claude-opus-4-5' })],
    silent: [...THOUGHT, assistant('a2', 'u2', [textContent('Read me.')])],
  },
  looksAt: 'request',
  watch() {
    const models = new AnswerModels();
    const thinkers = new Map<AnswerModel, Provenance>();
    let newest: AnswerModel | null = null;
    return {
      see({ message, from }) {
        if (!isAnswer(message)) return [];
        newest = models.of(message);
        if (!isFailedAnswer(message) && !thinkers.has(newest) && toContentList(message['content']).some(readThinking))
          thinkers.set(newest, from);
        return [];
      },
      *end() {
        for (const [model, from] of thinkers) if (newest && model !== newest) yield foreignHit(model, newest, from);
      },
    };
  },
});

function foreignHit(model: AnswerModel, newest: AnswerModel, from: Provenance): Hit {
  return {
    message: `the thinking of ${describeModel(model)} is not sent to ${describeModel(newest)}, from here on`,
    at: locateEntry(from),
  };
}

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
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [THINKING, textContent('A README.')])],
  },
  looksAt: 'request',
  watch(_options, session) {
    const due = new PendingHits();
    return {
      see({ message, from }) {
        if (!isAnswer(message)) return [];
        const model = due.answer(message);
        if (isFailedAnswer(message)) return [];
        const at = lastSent(message, model);
        const last = readThinking(toContentList(message['content'])[at]);
        if (last && isSignedBlock(last))
          due.add(model, {
            message: 'the answer ends with thinking, which the provider rejects',
            ...locateBlock(session, from, at),
            fix: 'omit the answer with a `context_edit`',
          });
        return [];
      },
      end: () => due.ofNewest(),
    };
  },
});

/** The last block that Pi sends (no empty text to Anthropic); -1 if there is none, or the API accepts thinking there. */
function lastSent(message: LlmMessage, model: AnswerModel): number {
  const isForClaude = usesAnthropicApi(model);
  if (!isForClaude && !usesResponsesApi(model)) return -1;
  return toContentList(message['content']).findLastIndex(
    (block) => isObject(block) && !(isForClaude && block['type'] === 'text' && isBlankContent(block['text'])),
  );
}
