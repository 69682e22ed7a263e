import { asString } from '#base/json.js';
import { defineRule, quoted } from '../define.js';
import { assistant, HEADER, text, user } from '../example.js';
import { atEntry, isHidden } from './message.js';

const QUESTION = user('u1', null, 'What is in here?');

export default defineRule({
  name: 'error-in-context',
  group: 'provider',
  severity: 'note',
  summary: 'A failed or aborted answer is kept, but not sent',
  help:
    'Pi keeps an answer that ended in an error or was aborted by the user, and omits it from every request, ' +
    'including its partial text. Commands that show the context show it, and token estimates count it.\n\n' +
    'No action is needed. A `context_edit` whose `replacement` is null removes it for every program.',
  example: {
    fires: [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [text('A READ')], { stopReason: 'error', errorMessage: '529 overloaded' }),
    ],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [text('A README.')])],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      if (!isHidden(message)) return [];
      const error = asString(message['errorMessage']);
      const what = message['stopReason'] === 'aborted' ? 'the answer was aborted' : 'the answer failed';
      return [
        { message: `${what}${error === null ? '' : ` (${quoted(error)})`}, so Pi does not send it`, at: atEntry(from) },
      ];
    },
  }),
});
