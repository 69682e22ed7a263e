import { defineRule, type Hit } from '../define.js';
import { ANSWERED, assistant, entry, HEADER, text, user } from '../example.js';

const OTHER_BRANCH = [user('u2', 'a1', 'And its licence?'), assistant('a2', 'u2', [text('MIT.')])];

function compaction(firstKeptEntryId: string) {
  return entry('compaction', 'k1', 'a1', { summary: 'A README was found.', firstKeptEntryId, tokensBefore: 4000 });
}

export const compactionKeepsNothing = defineRule({
  name: 'compaction-keeps-nothing',
  group: 'context',
  severity: 'warning',
  summary: 'The first entry that a compaction keeps is not before it',
  help:
    'Pi looks for the first kept entry among the ancestors of the compaction. If that entry is on another branch or ' +
    'later in the file, nothing is kept: the model sees only the summary, which does not cover the messages that ' +
    'should have been kept. A compaction that is meant to keep nothing names itself.',
  example: {
    fires: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compaction('u2')],
    silent: [HEADER, ...ANSWERED, ...OTHER_BRANCH, compaction('u1')],
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

export const editWithoutReplacement = defineRule({
  name: 'edit-without-replacement',
  group: 'context',
  severity: 'error',
  summary: 'A context edit has no replacement',
  help:
    'Pi since 0.87 stops with an error when it builds the context of this branch. `"replacement": null` omits the ' +
    'target, and `"replacement": {"content": …}` replaces its content.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1' })],
    silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
  },
  looksAt: 'session',
  *find({ tree, entry: read }): Generator<Hit> {
    for (const head of tree.heads.ofType('context_edit')) {
      if (read(head)['replacement'] !== undefined) continue;
      const message = 'the edit has no replacement, not even null';
      yield { message, at: head, place: 'replacement', fix: FIX, related: [head.target] };
    }
  },
});

const FIX = 'write "replacement": null to omit the target, or remove the edit';
