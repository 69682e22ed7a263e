import * as z from 'zod/mini';
import { asString, isObject } from '#base/json.js';
import { defineRule, type Hit, quoted } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { matchesAny, namesOption } from './patterns.js';

const options = z.strictObject({ reasons: namesOption('The allowed reasons') });

export default defineRule({
  name: 'allowed-reasons',
  group: 'policy',
  severity: null,
  summary: 'A transform invalidates the cache for a reason that is not allowed',
  help:
    'Each op of a `context_transform` states why it may invalidate the prompt cache (`invalidateCacheReason`). This ' +
    'rule reports ops with a reason that is not in the list, on all branches. An op without a reason is reported by ' +
    '`patch-reason`.',
  options,
  example: {
    fires: [HEADER, ...ANSWERED, gated('I felt like it')],
    silent: [HEADER, ...ANSWERED, gated('gate: no shell')],
    options: { reasons: ['compaction', 'gate: *'] },
  },
  looksAt: 'entry',
  anchors: ['invalidateCacheReason'],
  *find(entry, head, { reasons }): Generator<Hit> {
    if (head.type !== 'context_transform') return;
    const patch: unknown = entry['patch'];
    for (const [at, op] of Array.isArray(patch) ? patch.entries() : []) {
      const reason = isObject(op) ? asString(op['invalidateCacheReason']) : null;
      if (reason === null || reason.trim() === '' || matchesAny(reasons, reason)) continue;
      yield {
        message: `the reason ${quoted(reason)} is not allowed`,
        at: head,
        place: `patch[${at}].invalidateCacheReason`,
      };
    }
  },
});

function gated(invalidateCacheReason: string): ReturnType<typeof transform> {
  return transform('t1', 'a1', { op: 'tools_remove', toolNames: ['bash'], invalidateCacheReason });
}
