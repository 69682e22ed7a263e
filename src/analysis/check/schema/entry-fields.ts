import { ANSWERED, entry, HEADER } from '../example.js';
import { defineMisfitRule } from './misfit-rule.js';

const COMPACTION = { firstKeptEntryId: 'u1', tokensBefore: 4000 };

export default defineMisfitRule({
  name: 'entry-fields',
  severity: 'error',
  summary: 'A field of an entry that Pi relies on is missing or invalid',
  help:
    'Pi does not validate entries. A missing summary never reaches the model, and other fields make Pi stop with ' +
    'an error when it opens the session or counts its tokens. The message names the consequence. Repair the ' +
    'field, or remove the entry.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', COMPACTION)],
    silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { ...COMPACTION, summary: 'A README was found.' })],
  },
});
