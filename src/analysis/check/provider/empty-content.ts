import { isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { defineRule } from '../define.js';
import { ANSWERED, HEADER, user } from '../example.js';
import { atEntry, isBlank, isHidden, listOf } from './message.js';

export default defineRule({
  name: 'empty-content',
  group: 'provider',
  severity: 'note',
  summary: 'A message of the user or an answer says nothing',
  help:
    'Providers refuse messages and text blocks without content. Pi leaves such an answer out of the request. An empty ' +
    'message of the user it leaves out for Anthropic and sends to others, some of which refuse it.\n\n' +
    'Leave out the message with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, ...ANSWERED, user('u2', 'a1', [{ type: 'text', text: ' ' }])],
    silent: [HEADER, ...ANSWERED],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      if (message.role === 'toolResult' || isHidden(message) || saysSomething(message)) return [];
      const what = message.role === 'assistant' ? 'the answer' : 'the message';
      return [
        { message: `${what} has no content`, at: atEntry(from), fix: `leave out ${what} with a \`context_edit\`` },
      ];
    },
  }),
});

function saysSomething({ content }: LlmMessage): boolean {
  return typeof content === 'string' ? !isBlank(content) : listOf(content).some(isSent);
}

function isSent(block: unknown): boolean {
  if (!isObject(block)) return false;
  if (block['type'] === 'text') return !isBlank(block['text']);
  return block['type'] !== 'thinking' || Boolean(block['thinkingSignature']) || !isBlank(block['thinking']);
}
