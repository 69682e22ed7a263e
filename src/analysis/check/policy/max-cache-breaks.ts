import * as z from 'zod/mini';
import type { EnvelopeContent } from '#context/replay/content.js';
import { defineRule, type Hit, type PathStep } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';

const options = z.strictObject({
  max: z.int().check(z.nonnegative(), z.describe('How many breaks of the active path are allowed.')),
});

export default defineRule({
  name: 'max-cache-breaks',
  group: 'policy',
  severity: null,
  summary: 'The prompt cache was broken more often than allowed',
  help:
    'A provider bills a request that begins like the one before it at a tenth of the price or less. Whatever changes ' +
    'the system prompt, the tools, or a message that was sent before, makes it read everything behind that anew. Counted ' +
    'are the entries of the active path, behind the first answer, after which the context no longer begins as it did ' +
    'before them: edits, compactions, transforms and system messages that change something. A pause that is longer than ' +
    'the cache lives is not counted.',
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
        const entries = breaks === 1 ? 'an entry breaks' : `${breaks} entries break`;
        yield { message: `${entries} the prompt cache, and ${max === 0 ? 'none' : max} may`, at: newest };
      },
    };
  },
});

/** Whether all that was sent is still there, with more behind it at most. */
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
