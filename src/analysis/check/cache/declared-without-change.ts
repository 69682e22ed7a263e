import { type JsonObject, listObjects } from '#base/json.js';
import { defineRule, type Hit, type PathEntry, quoteValue } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { comparePrefixes, isUnchangedPrefix } from './prefix-change.js';

export default defineRule({
  name: 'declared-without-change',
  isOnlyForPi: true,
  severity: 'warning',
  summary: 'A transform declares a cache break, but changes nothing',
  help:
    'A `context_transform` gives a reason for invalidating the cache, but the context after it is the same as ' +
    'before. The policy that wrote it does not work as intended, or writes the same transform repeatedly, and ' +
    'reports that count such reasons are wrong.\n\n' +
    'Write a transform only if it changes the context.',
  example: {
    fires: [HEADER, ...ANSWERED, transform('t1', 'a1', { op: 'tools_remove', toolNames: ['grep'] })],
    silent: [
      HEADER,
      ...ANSWERED,
      transform('t1', 'a1', { op: 'system_part_set', partName: 'rules', text: 'Be brief.' }),
    ],
  },
  looksAt: 'path',
  watch: () => ({
    step({ head, entry: stored, change, diagnostics }) {
      if (head.type !== 'context_transform' || !change || isBroken(diagnostics)) return [];
      const reason = findReason(stored);
      if (reason === null || !isUnchangedPrefix(comparePrefixes(change.before, change.after))) return [];
      return [buildHit(head, reason)];
    },
  }),
});

/** Whether replay skipped an op, which another rule reports. */
function isBroken(diagnostics: PathEntry['diagnostics']): boolean {
  return diagnostics.some(({ code }) => code.startsWith('patch-'));
}

function findReason({ patch }: JsonObject): string | null {
  const reasons = listObjects(patch).map(({ invalidateCacheReason }) => invalidateCacheReason);
  return reasons.find((reason) => typeof reason === 'string') ?? null;
}

function buildHit(head: PathEntry['head'], reason: string): Hit {
  return {
    message: `it declares ${quoteValue(reason)}, but does not change the context`,
    at: head,
    fix: 'write a transform only if it changes the context',
  };
}
