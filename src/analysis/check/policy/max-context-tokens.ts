import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';
import { grouped } from './sizes.js';

/** The parts that can be limited, with their names in sentences. */
const CATEGORIES = {
  total: 'the context',
  system: 'the system prompt',
  tools: 'the tool definitions',
  cached: 'the messages',
  uncached: 'the uncached messages',
} as const;

type Category = keyof typeof CATEGORIES;

const tokens = (meaning: string): z.ZodMiniOptional<z.ZodMiniNumber> =>
  z.optional(z.int().check(z.nonnegative(), z.describe(`The maximum number of tokens of ${meaning}.`)));

const options = z
  .strictObject({
    total: tokens(CATEGORIES.total),
    system: tokens(CATEGORIES.system),
    tools: tokens(CATEGORIES.tools),
    cached: tokens(CATEGORIES.cached),
    uncached: tokens(CATEGORIES.uncached),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, `must name one of ${Object.keys(CATEGORIES).join(', ')}`));

export default defineRule({
  name: 'max-context-tokens',
  group: 'policy',
  severity: null,
  summary: 'The context, or a part of it, exceeds its token limit',
  help:
    'The limits apply to the next request of the active leaf: the system prompt, the tool definitions, and the ' +
    'messages. Tokens are estimated as in Pi, four characters per token and 1200 tokens per image, each part by ' +
    'itself, so the numbers are the same on every machine. `ctx show` prints them.',
  options,
  example: {
    fires: [HEADER, ...ANSWERED, NEXT],
    silent: [HEADER, ...ANSWERED],
    options: { total: 10 },
  },
  looksAt: 'envelope',
  *find({ meta }, _session, allowed): Generator<Hit> {
    for (const [category, what] of Object.entries(CATEGORIES) as [Category, string][]) {
      const most = allowed[category];
      const estimated = meta.tokens[category];
      if (most === undefined || estimated <= most) continue;
      const have = what.endsWith('s') ? 'have' : 'has';
      yield {
        message: `${what} ${have} an estimated ${grouped(estimated)} tokens, more than the ${grouped(most)} allowed`,
      };
    }
  },
});
