import type { LlmMessage } from '#context/replay/content.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, toolCall, toolResult, user } from '../example.js';
import {
  asThinking,
  atEntry,
  callAt,
  DueHits,
  isAnthropic,
  isHidden,
  isSigned,
  listOf,
  type Model,
  placeOfBlock,
} from './message.js';

export default defineRule({
  name: 'lost-signature',
  group: 'provider',
  severity: 'warning',
  summary: 'A thinking block before a tool call has lost its signature',
  help:
    'While tool results are sent back to Claude, the answer must begin with its signed thinking. Without the ' +
    'signature, Pi sends the thinking as plain text, and Anthropic rejects the request if thinking is enabled. Only ' +
    'the newest turn is examined, since earlier thinking may be omitted. Providers that use the same API without ' +
    'signatures are not reported.\n\n' +
    'Omit the answer and its results with `context_edit` entries, or continue without thinking.',
  example: { fires: answered({}), silent: answered({ thinkingSignature: 'c2lnbmVk' }) },
  looksAt: 'request',
  watch(_options, session) {
    const due = new DueHits();
    const signing = new Set<Model>();
    return {
      see({ message, from }) {
        if (message.role === 'user') due.forget();
        if (message.role !== 'assistant') return [];
        const model = due.answer(message);
        if (isHidden(message) || !isAnthropic(model)) return [];
        const at = placeOfThinking(message);
        const thinking = asThinking(listOf(message['content'])[at]);
        if (!thinking) return [];
        if (isSigned(thinking)) signing.add(model);
        else if ((signing.has(model) || model.provider === 'anthropic') && hasCall(message))
          due.add(model, {
            message: 'the thinking before a tool call has no signature',
            at: atEntry(from),
            ...placeOfBlock(session, from, at),
            fix: 'omit the answer and its results with `context_edit` entries',
          });
        return [];
      },
      end: () => due.ofNewest(),
    };
  },
});

function answered(more: Readonly<Record<string, string>>): readonly ReturnType<typeof assistant>[] {
  return [
    HEADER,
    user('u1', null, 'What is in here?'),
    assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.', ...more }, toolCall('c1')]),
    toolResult('r1', 'a1', 'c1'),
  ];
}

/** The index of the first thinking block that is sent; -1 if there is none. */
function placeOfThinking(message: LlmMessage): number {
  return listOf(message['content']).findIndex((block) => asThinking(block) !== null);
}

function hasCall(message: LlmMessage): boolean {
  const content = listOf(message['content']);
  return content.some((_block, at) => callAt(content, at) !== null);
}
