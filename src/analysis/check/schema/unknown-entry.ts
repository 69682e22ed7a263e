import { ANSWERED, entry, HEADER } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

export default defineMisfitRule({
  name: 'unknown-entry',
  severity: 'note',
  summary: 'An entry has a type that Pi does not know',
  help:
    'Pi keeps the entry in the tree, but does not send it to the model. The entry may come from a newer version, ' +
    'or from another program with the same format. Sessions of ' +
    'oh-my-pi and OpenClaw, which have more types, are read by their own rules.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('mood', 'c1', 'a1', { mood: 'calm' })],
    silent: [HEADER, ...ANSWERED, entry('custom', 'c1', 'a1', { customType: 'mode', data: { mode: 'plan' } })],
  },
});
