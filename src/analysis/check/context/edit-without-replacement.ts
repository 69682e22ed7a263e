import { defineRule, type Hit } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

export default defineRule({
  name: 'edit-without-replacement',
  group: 'context',
  severity: 'error',
  summary: 'An edit does not say what to put in the place of its target',
  help:
    'Pi stops with an error when it builds the context of this branch, since 0.87. `"replacement": null` leaves the ' +
    'target out, and `"replacement": {"content": …}` puts something else in its place.',
  example: {
    fires: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1' })],
    silent: [HEADER, ...ANSWERED, entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })],
  },
  looksAt: 'session',
  *find({ tree, entry: read }): Generator<Hit> {
    for (const head of tree.heads.ofType('context_edit')) {
      if (read(head)['replacement'] !== undefined) continue;
      const message = 'the edit says neither null nor a replacement';
      yield { message, at: head, place: 'replacement', fix: FIX, related: [head.target] };
    }
  },
});

const FIX = 'write "replacement": null where the target is to be left out, or take the edit away';
