import { defineRule } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, text, user } from '../example.js';

const OTHER_BRANCH = [user('u2', 'a1', 'And its licence?'), assistant('a2', 'u2', [text('MIT.')])];

function compaction(firstKeptEntryId: string) {
  return entry('compaction', 'k1', 'a1', { summary: 'A README was found.', firstKeptEntryId, tokensBefore: 4000 });
}

export default defineRule({
  name: 'compaction-keeps-nothing',
  group: 'context',
  severity: 'warning',
  summary: 'A compaction keeps from an entry that does not stand above it',
  help:
    'Pi looks for the first kept entry among those above the compaction. Where it is on another branch or further ' +
    'down, nothing is kept, and the model sees only the summary, which does not tell what was to be kept. A ' +
    'compaction that is to keep nothing names itself.',
  example: {
    fires: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compaction('u2')],
    silent: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compaction('u1')],
  },
  looksAt: 'path',
  watch: () => ({
    step({ head, diagnostics }) {
      if (diagnostics.length === 0 || head.type !== 'compaction') return NONE;
      const found = diagnostics.filter(({ code }) => code === 'compaction-keeps-nothing');
      const fix = 'let it keep from an entry above it, or from itself where nothing is to be kept';
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
