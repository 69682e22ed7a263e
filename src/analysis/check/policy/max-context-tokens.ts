import * as z from 'zod/mini';
import { formatCount } from '#base/numbers.js';
import { splitSize } from '#context/size/split-size.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, NEXT } from '../example.js';
import { defineMaximumOption } from './options.js';

/** The parts that can be limited, with their names in sentences. */
const CATEGORIES = {
  total: 'the context',
  system: 'the system prompt',
  tools: 'the tool definitions',
  cached: 'the messages',
  uncached: 'the uncached messages',
} as const;

type Category = keyof typeof CATEGORIES;

const contextTokens = z
  .strictObject({
    total: defineMaximumOption(`tokens of ${CATEGORIES.total}`),
    system: defineMaximumOption(`tokens of ${CATEGORIES.system}`),
    tools: defineMaximumOption(`tokens of ${CATEGORIES.tools}`),
    cached: defineMaximumOption(`tokens of ${CATEGORIES.cached}`),
    uncached: defineMaximumOption(`tokens of ${CATEGORIES.uncached}`),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, `must name one of ${Object.keys(CATEGORIES).join(', ')}`));

export default defineRule({
  name: 'max-context-tokens',
  severity: null,
  summary: 'The context, or a part of it, exceeds its token limit',
  help:
    'The limits apply to the next request of the active leaf: the system prompt, the tool definitions, and the ' +
    'messages. Tokens are those of `ctx show`: what the provider counted, or a calibrated estimate. A part that the ' +
    'session does not record is not limited by itself, but counts in the total: a limit of the prompt or the tools ' +
    'alone is then reported as not checked.',
  options: contextTokens,
  example: {
    fires: [HEADER, ...ANSWERED, NEXT],
    silent: [HEADER, ...ANSWERED],
    options: { total: 15 },
  },
  looksAt: 'envelope',
  *find({ envelope }, _session, allowed): Generator<Hit> {
    const { meta } = envelope();
    const tokens = { ...splitSize(meta.size, meta.tokens), total: meta.size.tokens };
    for (const [category, what] of Object.entries(CATEGORIES) as [Category, string][]) {
      const most = allowed[category];
      const own = tokens[category];
      if (most === undefined) continue;
      if ((category === 'system' || category === 'tools') && meta.sources[category] === 'unknown') {
        yield buildUncheckedHit(`the session does not record ${what}`);
        continue;
      }
      if (own <= most) continue;
      const have = what.endsWith('s') ? 'have' : 'has';
      const mark = category === 'total' && meta.size.estimated === 0 ? '' : '~';
      yield {
        message: `${what} ${have} ${mark}${formatCount(own)} tokens, more than the ${formatCount(most)} allowed`,
      };
    }
  },
});
