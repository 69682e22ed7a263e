import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { hitsOf } from './misfits.js';

function message(role: string) {
  const content = 'Answer in one sentence.';
  return entry('message', 'm1', 'a1', { message: { role, customType: 'style', content, display: true, timestamp: 0 } });
}

export default defineRule({
  name: 'unknown-role',
  group: 'schema',
  severity: 'note',
  summary: 'A message has a role that Pi does not know',
  help:
    'Pi keeps the message in the file and does not send it. `hookMessage` is what extensions wrote before version 3, ' +
    'and means nothing in a file of version 3; `developer` comes from other programs. As a `custom` message it would ' +
    'be sent.',
  example: { fires: [HEADER, ...ANSWERED, message('developer')], silent: [HEADER, ...ANSWERED, message('custom')] },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('unknown-role', stored, head),
});
