import { isFailedAnswer } from '#context/replay/convert.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, textContent, user } from '../example.js';
import { locateEntry } from './message.js';

const GREETING = [textContent('How can I help?')];

export default defineRule({
  name: 'role-order',
  severity: 'warning',
  summary: 'The first message of a request is not from the user',
  help:
    'Amazon Bedrock and other providers of Claude and Gemini reject a conversation that does not begin with the ' +
    'user; Anthropic and OpenAI accept it. An edit or a transform removed the question, or the session begins in ' +
    'the middle, at an entry whose parent is missing. Consecutive messages of the same role are not a problem: Pi ' +
    'and the providers merge them.\n\n' +
    'Omit the answers before the first user message with `context_edit` entries, or compact.',
  example: {
    fires: [HEADER, assistant('a1', null, GREETING), user('u1', 'a1', 'What is in here?')],
    silent: [HEADER, user('u1', null, 'Hello.'), assistant('a1', 'u1', GREETING)],
  },
  looksAt: 'request',
  watch() {
    let hasBegun = false;
    return {
      see({ message, from }) {
        if (hasBegun || isFailedAnswer(message)) return [];
        hasBegun = true;
        if (message.role !== 'assistant') return [];
        return [
          {
            message: 'the request begins with an answer',
            at: locateEntry(from),
            fix: 'omit the answer with a `context_edit`, or compact',
          },
        ];
      },
    };
  },
});
