import { defineRule } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, textContent, user } from '../example.js';

const OTHER_BRANCH = [user('u2', 'a1', 'And its licence?'), assistant('a2', 'u2', [textContent('MIT.')])];

function compactFrom(firstKeptEntryId: string) {
  return entry('compaction', 'k1', 'a1', { summary: 'A README was found.', firstKeptEntryId, tokensBefore: 4000 });
}

export default defineRule({
  name: 'compaction-keeps-nothing',
  severity: 'warning',
  summary: 'The first entry that a compaction keeps is not before it',
  help:
    'Pi looks for the first kept entry among the ancestors of the compaction. If that entry is on another branch or ' +
    'later in the file, nothing is kept: the model sees only the summary, which does not cover the messages that ' +
    'should have been kept. A compaction that is meant to keep nothing names itself.',
  example: {
    fires: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compactFrom('u2')],
    silent: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compactFrom('u1')],
  },
  looksAt: 'path',
  watch: () => ({
    step({ head, diagnostics }) {
      if (diagnostics.length === 0 || head.type !== 'compaction') return NONE;
      const found = diagnostics.filter(({ code }) => code === 'compaction-keeps-nothing');
      const fix = 'set firstKeptEntryId to an entry before it, or to its own id to keep nothing';
      return found.map(({ message }) => ({
        message,
        at: head,
        place: 'firstKeptEntryId',
        fix,
        related: [head.target],
      }));
    },
  }),
});

const NONE: readonly never[] = [];
