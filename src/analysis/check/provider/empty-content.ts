import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { defineRule } from '../define.js';
import { ANSWERED, HEADER, user } from '../example.js';
import { contentListOf, isBlankContent, locateEntry, readBlock } from './message.js';

export default defineRule({
  name: 'empty-content',
  severity: 'note',
  summary: 'A user message or an answer is empty',
  help:
    'Providers reject messages and text blocks without content. Pi omits an empty answer from the request. It omits ' +
    'an empty user message for Anthropic and sends it to other providers, some of which reject it.\n\n' +
    'Omit the message with a `context_edit` whose `replacement` is null.',
  example: {
    fires: [HEADER, ...ANSWERED, user('u2', 'a1', [{ type: 'text', text: ' ' }])],
    silent: [HEADER, ...ANSWERED],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      if (message.role === 'toolResult' || isFailedAnswer(message) || hasContent(message)) return [];
      const what = message.role === 'assistant' ? 'the answer' : 'the message';
      return [
        { message: `${what} has no content`, at: locateEntry(from), fix: `omit ${what} with a \`context_edit\`` },
      ];
    },
  }),
});

function hasContent(message: LlmMessage): boolean {
  const { content } = message;
  return typeof content === 'string' ? !isBlankContent(content) : contentListOf(message).some(isSent);
}

function isSent(item: unknown): boolean {
  const block = readBlock(item);
  if (block === null) return false;
  if (block.type === 'text') return !isBlankContent(block.text);
  return block.type !== 'thinking' || Boolean(block.thinkingSignature) || !isBlankContent(block.thinking);
}
