import { asString } from '#base/json.js';
import type { SentMessage } from '#context/replay/message-list.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, text, user } from '../example.js';
import {
  asThinking,
  atEntry,
  DueHits,
  isAnthropic,
  isHidden,
  isResponses,
  listOf,
  type Model,
  placeOfBlock,
} from './message.js';

export default defineRule({
  name: 'moved-signature',
  group: 'provider',
  severity: 'error',
  summary: 'A thinking block has a signature that cannot be its own',
  help:
    'A signature belongs to one block of one model. Where it stands at another block, or has the form of another ' +
    'API, Anthropic refuses the request, and Pi fails before it sends one to the OpenAI Responses API, where a ' +
    'signature is a JSON object. Something rewrote the answer, or changed the model that it names.\n\n' +
    'Replace the content of the answer with its text by a `context_edit`, or leave it out.',
  example: { fires: answered('{"type":"reasoning","id":"rs_1"}'), silent: answered('c2lnbmVk') },
  looksAt: 'request',
  watch(_options, session) {
    const due = new DueHits();
    /** What was thought under each signature. */
    const signed = new Map<string, unknown>();
    return {
      see(sent) {
        if (sent.message.role !== 'assistant') return [];
        const model = due.answer(sent.message);
        if (isHidden(sent.message) || !(isAnthropic(model) || isResponses(model))) return [];
        const content = listOf(sent.message['content']);
        for (let at = 0; at < content.length; at += 1) {
          const fault = faultOf(content[at], model, signed);
          if (fault !== null) due.add(model, hitOf(session, sent, { fault, at }));
        }
        return [];
      },
      end: () => due.ofNewest(),
    };
  },
});

function answered(thinkingSignature: string): readonly ReturnType<typeof assistant>[] {
  const thinking = { type: 'thinking', thinking: 'Look.', thinkingSignature };
  return [HEADER, user('u1', null, 'What is in here?'), assistant('a1', 'u1', [thinking, text('A README.')])];
}

function faultOf(block: unknown, model: Model, signed: Map<string, unknown>): string | null {
  const thinking = asThinking(block);
  const signature = asString(thinking?.['thinkingSignature']) ?? '';
  if (!thinking || signature === '') return null;
  const isJson = signature.startsWith('{') && signature.endsWith('}');
  if (isResponses(model) && !isJson) return 'the signature is not a JSON object, as it is in the OpenAI Responses API';
  if (isAnthropic(model) && isJson) return 'the signature is a JSON object, which none of Anthropic is';
  const isCopy = signed.has(signature) && (isResponses(model) || signed.get(signature) !== thinking['thinking']);
  signed.set(signature, thinking['thinking']);
  return isCopy ? 'an earlier thinking block has the same signature' : null;
}

function hitOf(session: Session, { from }: SentMessage, { fault, at }: { fault: string; at: number }): Hit {
  return {
    message: fault,
    at: atEntry(from),
    ...placeOfBlock(session, from, at),
    fix: 'replace the content of the answer with its text by a `context_edit`',
  };
}
