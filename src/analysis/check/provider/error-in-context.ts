import { asString } from '#base/json.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { defineRule, quoteValue } from '../define.js';
import { assistant, HEADER, QUESTION, textContent } from '../example.js';
import { locateEntry } from './message.js';

export default defineRule({
  name: 'error-in-context',
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
      assistant('a1', 'u1', [textContent('A READ')], { stopReason: 'error', errorMessage: '529 overloaded' }),
    ],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [textContent('A README.')])],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      if (!isFailedAnswer(message)) return [];
      const { errorMessage, stopReason } = message;
      const error = asString(errorMessage);
      const what = stopReason === 'aborted' ? 'the answer was aborted' : 'the answer failed';
      return [
        {
          message: `${what}${error === null ? '' : ` (${quoteValue(error)})`}, so Pi does not send it`,
          at: locateEntry(from),
        },
      ];
    },
  }),
});
