import { formatCount } from '#base/numbers.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import { readOutputReserve } from '#context/request/output-reserve.js';
import { defineRule } from '../define.js';
import { assistant, HEADER, QUESTION } from '../example.js';
import { locateEntry } from './message.js';

const REFUSED =
  "400 This model's maximum context length is 128000 tokens. However, you requested 132000 tokens (100000 in the " +
  'messages, 32000 in the completion).';

export default defineRule({
  name: 'output-reserve',
  severity: 'warning',
  summary: 'A request was refused because the tokens reserved for the answer did not fit',
  help:
    'A request reserves tokens for its answer, up to the output limit of the model. Some providers refuse a request ' +
    'whose prompt fits into the context window, but not together with this reserve. Every later request is refused ' +
    'as well, since the prompt does not get smaller.\n\n' +
    'Set a lower `maxTokens` for the model, or compact before the prompt exceeds the window without the reserve: for ' +
    'Pi, `reserveTokens` at least as high as the reserve.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [], { stopReason: 'error', errorMessage: REFUSED })],
    silent: [HEADER, QUESTION, assistant('a1', 'u1', [], { stopReason: 'error', errorMessage: '529 overloaded' })],
  },
  looksAt: 'request',
  watch: () => ({
    see({ message, from }) {
      const refused = isFailedAnswer(message) ? readOutputReserve(message) : null;
      if (refused === null) return [];
      const { input, output, window } = refused;
      const sizes = `${formatCount(input)} tokens of the prompt and ${formatCount(output)} reserved for the answer`;
      return [
        {
          message: `the request was refused: ${sizes} exceed the window of ${formatCount(window)}`,
          at: locateEntry(from),
          fix: `set a lower "maxTokens" of the model, or compact above ${formatCount(Math.max(0, window - output))} tokens`,
        },
      ];
    },
  }),
});
