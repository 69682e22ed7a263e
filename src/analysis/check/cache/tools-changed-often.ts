import * as z from 'zod/mini';
import { defineRule } from '../define.js';
import { assistant, HEADER, system, text, user } from '../example.js';
import { countChanges } from './count-changes.js';
import { areSameTools } from './prefix-change.js';

const options = z.strictObject({
  most: z
    ._default(z.int().check(z.nonnegative()), 5)
    .register(z.globalRegistry, { description: 'How many times the tools may change in any case' }),
  requestsEach: z
    ._default(z.int().check(z.positive()), 20)
    .register(z.globalRegistry, { description: 'How many requests there should be for each change beyond that' }),
});

export default defineRule<z.infer<typeof options>>({
  name: 'tools-changed-often',
  group: 'cache',
  severity: 'warning',
  summary: 'The tools change between requests again and again',
  help:
    'Tools stand at the very beginning of a request, so with each change the provider reads everything anew, and bills ' +
    'it in full. Tools that are added when they are needed, or taken away by mode, cost more that way than they save.\n\n' +
    'Declare the tools of a session once, at its beginning, and gate what may be called elsewhere.',
  options,
  example: { fires: toolsIn('grep', 'find'), silent: toolsIn('grep', 'grep'), options: { most: 1, requestsEach: 20 } },
  looksAt: 'path',
  watch: ({ most, requestsEach }) =>
    countChanges({
      most,
      requestsEach,
      what: 'the tools',
      partOf: ({ tools }) => tools,
      isSame: areSameTools,
      fix: 'declare all tools at the beginning of the session',
    }),
});

function toolsIn(...names: readonly string[]): readonly ReturnType<typeof user>[] {
  const more = names.flatMap((name, at) => [
    system(`s${at}`, `a${at}`, { toolsAdded: [{ name, description: 'Search' }] }),
    user(`u${at + 1}`, `s${at}`, 'Go on.'),
    assistant(`a${at + 1}`, `u${at + 1}`, [text('Done.')]),
  ]);
  return [HEADER, user('u0', null, 'What is in here?'), assistant('a0', 'u0', [text('A README.')]), ...more];
}
