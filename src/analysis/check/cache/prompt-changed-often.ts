import * as z from 'zod/mini';
import { defineRule } from '../define.js';
import { assistant, HEADER, system, text, user } from '../example.js';
import { countChanges } from './count-changes.js';

const options = z.strictObject({
  most: z
    ._default(z.int().check(z.nonnegative()), 5)
    .register(z.globalRegistry, { description: 'How many times the system prompt may change in any case' }),
  requestsEach: z
    ._default(z.int().check(z.positive()), 20)
    .register(z.globalRegistry, { description: 'How many requests there should be for each change beyond that' }),
});

export default defineRule<z.infer<typeof options>>({
  name: 'prompt-changed-often',
  group: 'cache',
  severity: 'warning',
  summary: 'The system prompt changes between requests again and again',
  help:
    'The system prompt stands before all messages, so with each change the provider reads the conversation anew, and ' +
    'bills it in full. State that changes from turn to turn does not belong there.\n\n' +
    'Put what changes into the newest message of the user, and keep the prompt as it is.',
  options,
  example: {
    fires: rulesIn('Be brief.', 'Be kind.'),
    silent: rulesIn('Be brief.', 'Be brief.'),
    options: { most: 1, requestsEach: 20 },
  },
  looksAt: 'path',
  watch: ({ most, requestsEach }) =>
    countChanges({
      most,
      requestsEach,
      what: 'the system prompt',
      partOf: ({ system: { compiled } }) => compiled,
      isSame: (before, after) => before === after,
      fix: 'put what changes into the newest message of the user',
    }),
});

function rulesIn(...texts: readonly string[]): readonly ReturnType<typeof user>[] {
  const more = texts.flatMap((rules, at) => [
    system(`s${at}`, `a${at}`, { sections: { rules } }),
    user(`u${at + 1}`, `s${at}`, 'Go on.'),
    assistant(`a${at + 1}`, `u${at + 1}`, [text('Done.')]),
  ]);
  return [HEADER, user('u0', null, 'What is in here?'), assistant('a0', 'u0', [text('A README.')]), ...more];
}
