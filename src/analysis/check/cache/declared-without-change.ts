import { objectsIn, type JsonObject } from '#base/json.js';
import { defineRule, type Hit, type PathStep, quoted } from '../define.js';
import { ANSWERED, HEADER, transform } from '../example.js';
import { changeBetween, isNothing } from './prefix-change.js';

export default defineRule({
  name: 'declared-without-change',
  group: 'cache',
  severity: 'warning',
  summary: 'A transform says why it breaks the prompt cache, and changes nothing',
  help:
    'A `context_transform` gives a reason for which what the provider has cached may be lost, but after it the model ' +
    'is shown just what it was shown before. The policy that wrote it does not do what it is meant to do, or it ' +
    'writes the same thing again and again, and reports that count such reasons are wrong.\n\n' +
    'Write a transform only where it changes something.',
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
    step({ head, entry, change, diagnostics }) {
      if (head.type !== 'context_transform' || !change || isBroken(diagnostics)) return [];
      const reason = reasonIn(entry);
      if (reason === null || !isNothing(changeBetween(change.before, change.after))) return [];
      return [hitOf(head, reason)];
    },
  }),
});

/** An op that breaks a boundary rule is skipped, and has a rule of its own. */
function isBroken(diagnostics: PathStep['diagnostics']): boolean {
  return diagnostics.some(({ code }) => code.startsWith('patch-'));
}

function reasonIn({ patch }: JsonObject): string | null {
  const reasons = objectsIn(patch).map(({ invalidateCacheReason }) => invalidateCacheReason);
  return reasons.find((reason) => typeof reason === 'string') ?? null;
}

function hitOf(head: PathStep['head'], reason: string): Hit {
  return {
    message: `it declares ${quoted(reason)}, but the context is the same after it`,
    at: head,
    fix: 'write a transform only where it changes something',
  };
}
