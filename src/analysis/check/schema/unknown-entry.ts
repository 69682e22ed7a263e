import { ANSWERED, entry, HEADER } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'unknown-entry',
  severity: 'note',
  summary: 'An entry has a type that Pi does not know',
  help:
    'Pi keeps the entry in the tree, but does not send it to the model. The entry may come from a newer version, ' +
    'or from another program with the same format. For example, oh-my-pi writes `mode_change`, `session_init`, ' +
    '`title_change`, `service_tier_change` and `ttsr_injection`.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('mode_change', 'c1', 'a1', { mode: 'plan' })],
    silent: [HEADER, ...ANSWERED, entry('custom', 'c1', 'a1', { customType: 'mode', data: { mode: 'plan' } })],
  },
});
