import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { hitsOf } from './misfits.js';

const compaction = { firstKeptEntryId: 'u1', tokensBefore: 4000 };

export default defineRule({
  name: 'entry-fields',
  group: 'schema',
  severity: 'error',
  summary: 'An entry lacks a field that Pi relies on, or holds something else in it',
  help:
    'Pi does not check what it reads: a summary that is missing never reaches the model, and other fields make Pi ' +
    'stop with an error when it opens the session or counts its tokens. The message says which of them it is. ' +
    'Mend the field, or leave the entry out.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', compaction)],
    silent: [HEADER, ...ANSWERED, entry('compaction', 'k1', 'a1', { ...compaction, summary: 'A README was found.' })],
  },
  looksAt: 'shape',
  find: (stored, head) => hitsOf('entry-fields', stored, head),
});
