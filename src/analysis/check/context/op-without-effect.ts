import { isJsonEqual } from '#base/canonical-json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { defineRule } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { type AppliedOp, listAppliedOps } from './applied-ops.js';

const CHEAPER = { op: 'options_set', scope: 'cached', reasoning: 'low', invalidateCacheReason: 'simple questions' };

function transformWith(...ops: readonly object[]) {
  return entry('context_transform', 'x1', 'a1', { schemaVersion: 1, transformerName: 'example', patch: ops });
}

export default defineRule({
  name: 'op-without-effect',
  isOnlyForPi: true,
  severity: 'warning',
  summary: 'An operation of a transform changes nothing',
  help:
    'The operation removes something that does not exist, or sets a value that is already set. Most likely it was ' +
    'created for a different context, or contains a wrong name. If a whole transform changes nothing, although it ' +
    'gives a reason, it is reported by [declared-without-change](declared-without-change.md).',
  example: {
    fires: [HEADER, ...ANSWERED, transformWith(CHEAPER, { ...CHEAPER, op: 'tools_remove', toolNames: ['bahs'] })],
    silent: [HEADER, ...ANSWERED, transformWith(CHEAPER)],
  },
  looksAt: 'path',
  watch: () => ({
    step(step) {
      const { head, entry: stored, diagnostics } = step;
      // Other rules report transforms that replay cannot read.
      if (head.type !== 'context_transform' || diagnostics.length > 0) return [];
      const { patch } = stored;
      if (Array.isArray(patch) && patch.length === 0)
        return [{ message: 'the transform has no operations', at: head, place: 'patch' }];
      const ops = listAppliedOps(step);
      const idle = ops.filter((op) => !hasEffect(op));
      if (idle.length === ops.length) return [];
      return idle.map(({ at, name }) => ({ message: `${name} changes nothing`, at: head, place: `patch[${at}]` }));
    },
  }),
});

function hasEffect({ before, after }: AppliedOp): boolean {
  return REGIONS.some((region) => !isJsonEqual(region(before), region(after)));
}

const REGIONS: readonly ((content: EnvelopeContent) => unknown)[] = [
  ({ options }) => options,
  ({ tools }) => tools,
  ({ system }) => system.parts,
  ({ messages }) => messages.cached,
];
