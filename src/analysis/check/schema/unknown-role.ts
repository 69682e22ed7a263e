import type { JsonObject } from '#base/json.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'unknown-role',
  severity: 'note',
  summary: 'A message has a role that Pi does not know',
  help:
    'Pi keeps the message in the file and does not send it. Extensions wrote `hookMessage` before version 3; in a ' +
    'version 3 file it has no effect. To send the message, store it as a ' +
    '`custom` message.',
  example: {
    fires: [HEADER, ...ANSWERED, addMessage('critic')],
    silent: [HEADER, ...ANSWERED, addMessage('custom')],
  },
});

function addMessage(role: string): JsonObject {
  const content = 'Answer in one sentence.';
  return entry('message', 'm1', 'a1', { message: { role, customType: 'style', content, display: true, timestamp: 0 } });
}
