import * as z from 'zod/mini';
import type { EnvelopeContent } from '#context/replay/content.js';
import { defineRule, type Hit, type PathStep } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

const options = z.strictObject({
  max: z.int().check(z.nonnegative(), z.describe('The allowed number of breaks on the active path.')),
});

export default defineRule({
  name: 'max-cache-breaks',
  group: 'policy',
  severity: null,
  summary: 'The prompt cache was broken too often',
  help:
    'A provider bills the cached prefix of a request at a tenth of the price or less. A change of the system ' +
    'prompt, the tools, or an earlier message invalidates everything after it. This rule counts entries of the ' +
    'active path, after the first answer, that change the context before its end: edits, compactions, transforms ' +
    'and system messages. A pause that is longer than the TTL of the cache is not counted.',
  options,
  example: {
    fires: [
      HEADER,
      ...ANSWERED,
      entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: { content: 'What is it?' } }),
    ],
    silent: [HEADER, ...ANSWERED],
    options: { max: 0 },
  },
  looksAt: 'path',
  watch({ max }) {
    let isSent = false;
    let breaks = 0;
    let newest: PathStep['head'] | null = null;
    return {
      step({ head, change }) {
        isSent ||= head.role === 'assistant';
        if (isSent && change && !beginsLike(change.after, change.before)) {
          breaks += 1;
          newest = head;
        }
        return [];
      },
      *end(): Generator<Hit> {
        if (breaks <= max || newest === null) return;
        const entries = breaks === 1 ? '1 entry breaks' : `${breaks} entries break`;
        yield { message: `${entries} the prompt cache, more than the ${max} allowed`, at: newest };
      },
    };
  },
});

/** Whether the earlier context is a prefix of the later one. */
function beginsLike(after: EnvelopeContent, before: EnvelopeContent): boolean {
  const { cached } = after.messages;
  return (
    after.system.compiled === before.system.compiled &&
    isSame(after.tools, before.tools) &&
    before.messages.cached.length <= cached.length &&
    before.messages.cached.every((message, at) => isSame(message, cached[at]))
  );
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
