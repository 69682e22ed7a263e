import * as z from 'zod/mini';
import { sumSessionCosts } from '#analysis/stats/count-session.js';
import { sumKnownCost } from '#analysis/stats/usage-sums.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { splitSize } from '#context/size/tokens.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { ANSWERED, assistant, HEADER, NEXT, QUESTION, textContent, user } from '../example.js';

/** The parts that can be limited, with their names in sentences. */
const CATEGORIES = {
  total: 'the context',
  system: 'the system prompt',
  tools: 'the tool definitions',
  cached: 'the messages',
  uncached: 'the uncached messages',
} as const;

type Category = keyof typeof CATEGORIES;

const tokenLimit = (meaning: string): z.ZodMiniOptional<z.ZodMiniNumber> =>
  z.optional(z.int().check(z.nonnegative(), z.describe(`The maximum number of tokens of ${meaning}.`)));

const contextTokens = z
  .strictObject({
    total: tokenLimit(CATEGORIES.total),
    system: tokenLimit(CATEGORIES.system),
    tools: tokenLimit(CATEGORIES.tools),
    cached: tokenLimit(CATEGORIES.cached),
    uncached: tokenLimit(CATEGORIES.uncached),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, `must name one of ${Object.keys(CATEGORIES).join(', ')}`));

export const maxContextTokens = defineRule({
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

const costLimit = z.strictObject({
  dollars: z.number().check(z.nonnegative(), z.describe('The maximum cost of the session, in dollars.')),
});

export const maxCost = defineRule({
  name: 'max-cost',
  severity: null,
  summary: 'The session cost more than allowed',
  help:
    'The rule adds up the recorded cost of each answer, each summary and each call outside the context, on all ' +
    'branches. If no cost is recorded, the listed prices of the models are used, as in `ctx stats`. Calls of models ' +
    'without a listed price are not counted: the rule reports their number, since it cannot say what they cost.',
  options: costLimit,
  example: {
    fires: [HEADER, QUESTION, paid(2.5)],
    silent: [HEADER, QUESTION, paid(0.25)],
    options: { dollars: 1 },
  },
  looksAt: 'session',
  *find(session, { dollars }): Generator<Hit> {
    const costs = sumSessionCosts(session);
    const calls = pluralize(costs.unpricedCalls, 'call');
    if (costs.unpricedCalls > 0)
      yield buildUncheckedHit(`the cost of ${calls} is unknown, since their models have no listed price`);
    const cost = sumKnownCost(costs);
    if (cost <= dollars) return;
    const said =
      costs.costListed === null ? 'the recorded cost of the session' : 'the cost of the session at listed prices';
    yield { message: `${said} is ${inDollars(cost)}, more than the ${inDollars(dollars)} allowed` };
  },
});

function paid(total: number): ReturnType<typeof assistant> {
  const cost = { input: 0, output: total, cacheRead: 0, cacheWrite: 0, total };
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost };
  return assistant('a1', 'u1', [textContent('A README.')], { usage });
}

/** Formats dollars with two decimals, or more for small amounts. */
function inDollars(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return `$${dollars.toPrecision(2)}`;
  return `$${dollars.toFixed(4).replace(/0{1,2}$/, '')}`;
}

/** The bytes of each unit of size: kB by thousands, KiB by 1024. */
const UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** `10MB`, `1.5 GiB`. */
export const SIZE_PATTERN = /^(\d{1,15}(?:\.\d{1,3})?) ?((?:[kKmMgG]i?)?[bB])$/;

const SIZE_SAID = 'must be a number of bytes, or a size such as "50MB" or "10MiB"';

const fileSize = z.strictObject({
  max: z
    .union([z.int().check(z.positive()), z.string().check(z.regex(SIZE_PATTERN, SIZE_SAID))], SIZE_SAID)
    .check(z.describe('The maximum size: bytes, or `"50MB"`, `"10MiB"`.')),
});

export const maxFileSize = defineRule({
  name: 'max-file-size',
  severity: null,
  summary: 'The file is larger than allowed',
  help:
    'Pi reads the whole file when it opens a session, and keeps it in memory. A compaction makes the context ' +
    'smaller and the file larger, since nothing is ever removed from it. To continue with a small file, start a new ' +
    'session.',
  options: fileSize,
  example: {
    fires: [HEADER, ...ANSWERED, NEXT],
    silent: [HEADER, ...ANSWERED],
    options: { max: '0.75kB' },
  },
  looksAt: 'session',
  *find({ scan: { size } }, { max }): Generator<Hit> {
    const allowed = toBytes(max);
    if (size > allowed)
      yield { message: `the file has ${describeBytes(size)}, more than the ${describeBytes(allowed)} allowed` };
  },
});

const contextUse = z.strictObject({
  percent: z.number().check(z.positive(), z.describe('The allowed share of the context window, in percent.')),
});

export const maxContextUse = defineRule({
  name: 'max-context-use',
  severity: null,
  summary: "The context uses too much of the model's context window",
  help:
    'The size of the window comes from `--limit`, else from `"limit"` in the configuration, else from a list of ' +
    'models. If the size is unknown, that is reported. The rule counts the tokens that the provider reported with ' +
    'the last recorded answer, plus a calibrated estimate of later changes. If no provider reported any, everything ' +
    'is estimated.',
  options: contextUse,
  example: {
    // Of a model that is in no list, the unknown window is reported.
    fires: [
      HEADER,
      user('u1', null, 'Which file?'),
      assistant('a1', 'u1', [textContent('This one.')], { model: 'own-model' }),
    ],
    silent: [HEADER],
    options: { percent: 80 },
  },
  looksAt: 'envelope',
  *find({ envelope }, _session, { percent }): Generator<Hit> {
    const { limit, size } = envelope().meta;
    const { tokens } = size;
    if (tokens === 0) return;
    if (limit === null) {
      yield buildUncheckedHit(
        "the size of the model's context window is unknown",
        'pass --limit TOKENS, or set "limit" in the configuration',
      );
      return;
    }
    const used = (tokens / limit) * 100;
    if (used <= percent) return;
    yield {
      message:
        `the context fills ${used.toFixed(1)}% of the window, more than the ${percent}% allowed: ` +
        `${formatCount(tokens)} of ${formatCount(limit)} tokens, ${size.estimated === 0 ? 'recorded' : size.recorded === 0 ? 'estimated' : 'partly recorded, partly estimated'}`,
    };
  },
});

export function toBytes(size: number | string): number {
  if (typeof size === 'number') return size;
  const [, digits, unit = ''] = SIZE_PATTERN.exec(size) ?? [];
  return Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
}

/** A number of bytes in a sentence: `12,300,000 bytes`. */
export function describeBytes(bytes: number): string {
  return `${formatCount(bytes)} bytes`;
}
