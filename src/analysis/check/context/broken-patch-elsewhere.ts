import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, transform, user } from '../example.js';
import { listPatchFaults } from './patch-rule.js';

function buildBranches(op: string) {
  return [HEADER, ...ANSWERED, transform('x1', 'a1', { op, reasoning: 'low' }), user('u2', 'a1', 'And its licence?')];
}

export default defineRule({
  name: 'broken-patch-elsewhere',
  severity: 'warning',
  summary: 'A transform on another branch cannot be replayed',
  help: 'The active branch is not affected. Replay stops at this transform when the session returns to its branch.',
  example: { fires: buildBranches('options_shuffle'), silent: buildBranches('options_set') },
  looksAt: 'path',
  watch(_options, session) {
    const onPath = new Set<number>();
    return {
      step({ head }) {
        if (head.type === 'context_transform') onPath.add(head.index);
        return [];
      },
      *end(): Generator<Hit> {
        for (const head of session.tree.heads.ofType('context_transform')) {
          if (onPath.has(head.index)) continue;
          for (const { hit } of listPatchFaults(session.entry(head), head)) yield hit;
        }
      },
    };
  },
});
