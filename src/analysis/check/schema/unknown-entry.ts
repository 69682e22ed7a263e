import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { hitsOf } from './misfits.js';

export default defineRule({
  name: 'unknown-entry',
  group: 'schema',
  severity: 'note',
  summary: 'An entry is of a type that Pi does not know',
  help:
    'Pi keeps the entry in its place and shows nothing of it to the model. It may come from a newer version or from ' +
    'another program that writes the same format: oh-my-pi, for one, writes `mode_change`, `session_init`, ' +
    '`title_change`, `service_tier_change`, `ttsr_injection` and others.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('mode_change', 'c1', 'a1', { mode: 'plan' })],
    silent: [HEADER, ...ANSWERED, entry('custom', 'c1', 'a1', { customType: 'mode', data: { mode: 'plan' } })],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('unknown-entry', stored, head),
});
