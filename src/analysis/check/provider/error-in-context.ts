import { asString } from '#base/json.js';
import { defineRule, quoted } from '../define.js';
import { assistant, HEADER, text, user } from '../example.js';
import { atEntry, isHidden } from './message.js';

const QUESTION = user('u1', null, 'What is in here?');

export default defineRule({
  name: 'error-in-context',
  group: 'provider',
  severity: 'note',
  summary: 'An answer that failed or was broken off is kept, but not sent',
  help:
    'Pi keeps an answer that ended in an error or was stopped by the user, and leaves it out of every request, with ' +
    'all that it said so far. Commands that show the context show it, and token estimates count it.\n\n' +
    'Nothing has to be done. A `context_edit` whose `replacement` is null takes it out for every reader.',
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
      const what = message['stopReason'] === 'aborted' ? 'the answer was broken off' : 'the answer failed';
      return [
        { message: `${what}${error === null ? '' : ` (${quoted(error)})`}, so Pi does not send it`, at: atEntry(from) },
      ];
    },
  }),
});
