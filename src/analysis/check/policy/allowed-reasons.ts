import * as z from 'zod/mini';
import { asObject, asString, type JsonObject } from '#base/json.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { defineNamesOption } from './options.js';
import { matchesAnyPattern } from './patterns.js';

const allowed = z.strictObject({ reasons: defineNamesOption('The allowed reasons') });

export default defineRule({
  name: 'allowed-reasons',
  severity: null,
  summary: 'A transform invalidates the cache for a reason that is not allowed',
  help:
    'Each op of a `context_transform` states why it may invalidate the prompt cache (`invalidateCacheReason`). This ' +
    'rule reports ops with a reason that is not in the list, on all branches. An op without a reason is reported by ' +
    '`patch-reason`.',
  options: allowed,
  example: {
    fires: [HEADER, ...ANSWERED, buildTransform('I felt like it')],
    silent: [HEADER, ...ANSWERED, buildTransform('gate: no shell')],
    options: { reasons: ['compaction', 'gate: *'] },
  },
  looksAt: 'entry',
  anchors: ['invalidateCacheReason'],
  *find(entry, head, { reasons }): Generator<Hit> {
    if (entry.type !== 'context_transform') return;
    const patch: readonly unknown[] = Array.isArray(entry.patch) ? entry.patch : [];
    for (const [at, op] of patch.entries()) {
      const { invalidateCacheReason } = asObject(op);
      const reason = asString(invalidateCacheReason);
      if (reason === null || reason.trim() === '' || matchesAnyPattern(reasons, reason)) continue;
      yield {
        message: `the reason ${quoteValue(reason)} is not allowed`,
        at: head,
        place: `patch[${at}].invalidateCacheReason`,
      };
    }
  },
});

function buildTransform(invalidateCacheReason: string): JsonObject {
  return transform('t1', 'a1', { op: 'tools_remove', toolNames: ['bash'], invalidateCacheReason });
}
