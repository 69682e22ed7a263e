import { defineRule, type Hit } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

export default defineRule({
  name: 'edit-without-replacement',
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
      const { replacement } = read(head);
      if (replacement !== undefined) continue;
      const message = 'the edit has no replacement, not even null';
      yield { message, at: head, place: 'replacement', fix: FIX, related: [head.target] };
    }
  },
});

const FIX = 'write "replacement": null to omit the target, or remove the edit';
