import * as z from 'zod/mini';
import { countUsage, SharedEntries, sumSessionCosts } from '#analysis/stats/count-session.js';
import { sumKnownCost, toUsageDocument } from '#analysis/stats/usage-sums.js';
import { formatCount } from '#base/numbers.js';
import { buildPriceList } from '#context/models/registry.js';
import { readPatch } from '#context/ops/read-patch.js';
import { replayContext } from '#context/replay/build.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/tree.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { ANSWERED, assistant, HEADER, QUESTION, textContent } from '../example.js';
import { listPathCalls } from './path-calls.js';

const most = (meaning: string): z.ZodMiniOptional<z.ZodMiniNumber> =>
  z.optional(z.int().check(z.nonnegative(), z.describe(`The maximum number of ${meaning}.`)));

const usageLimits = z
  .strictObject({
    requests: most('answers of a model'),
    total: most('tokens of all requests and answers, cached ones included'),
    input: most('input tokens that no cache had: read and written ones do not count'),
    output: most('output tokens'),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, 'must limit requests, total, input or output'));

export const maxUsage = defineRule({
  name: 'max-usage',
  severity: null,
  summary: 'The session used more requests or tokens than allowed',
  help:
    'The rule adds up what providers recorded, on all branches and as `ctx stats` does: answers, summaries and calls ' +
    'outside the context. It limits what a task takes in all; `max-context-tokens` limits the size of one request. If ' +
    'answers have no recorded usage, that is reported.',
  options: usageLimits,
  example: { fires: [HEADER, ...ANSWERED], silent: [HEADER, QUESTION], options: { total: 10 } },
  looksAt: 'session',
  *find(session, { requests, total, input, output }): Generator<Hit> {
    const used = measure(session);
    const limits = [
      { what: 'requests', has: used.requests, allowed: requests },
      { what: 'tokens', has: used.tokens, allowed: total },
      { what: 'uncached input tokens', has: used.input, allowed: input },
      { what: 'output tokens', has: used.output, allowed: output },
    ];
    for (const { what, has, allowed } of limits) {
      if (allowed === undefined) continue;
      if (has === null) yield buildUncheckedHit(`no answer records its usage, so the ${what} are unknown`);
      else if (has > allowed)
        yield {
          message: `the session used ${formatCount(has)} ${what}, more than the ${formatCount(allowed)} allowed`,
        };
    }
  },
});

/** The measures of growth, with their words in a sentence. */
const MEASURES = {
  requests: 'requests',
  calls: 'tool calls',
  failed: 'failed tool calls',
  tokens: 'tokens used',
  output: 'output tokens',
  cost: 'cost in dollars',
  context: 'tokens of the context',
} as const;

type Measure = keyof typeof MEASURES;

/** The measures of a session; null for one that it does not record. */
export type SessionMeasures = Readonly<Record<Measure | 'input', number | null>>;

const growthOptions = z
  .strictObject({
    session: z.optional(
      z.string().check(z.minLength(1), z.describe('The recorded session to compare with: a file, or an id.')),
    ),
    recorded: z.optional(
      z
        .record(z.string(), z.nullable(z.number()))
        .check(z.describe('What that session took, by measure, if it is not at hand.')),
    ),
    percent: z._default(
      z.number().check(z.nonnegative(), z.describe('How much more of each measure is allowed, in percent.')),
      20,
    ),
    measures: z._default(
      z
        .array(z.enum(Object.keys(MEASURES) as [Measure, ...Measure[]]))
        .check(z.minLength(1), z.describe('What is compared.')),
      ['requests', 'calls', 'tokens', 'cost'],
    ),
  })
  .check(z.refine(({ session, recorded }) => Boolean(session ?? recorded), 'must name a session, or what it took'));

type GrowthOptions = z.infer<typeof growthOptions>;

export const maxGrowth = defineRule<GrowthOptions>({
  name: 'max-growth',
  severity: null,
  summary: 'The session took more than a recorded one',
  help:
    'Record a session that did its task well, and check later ones of the same task against it: the rule reports each ' +
    'measure that grew by more than `percent`. Requests, tokens and cost are those of all branches, as in `ctx stats`; ' +
    'calls are those of the active path; the context is that of the next request. A measure that one of the two ' +
    'sessions does not record is reported as not checked. `session` is relative to the configuration.',
  options: growthOptions,
  prepare: async (options, open) =>
    options.session === undefined ? options : { ...options, recorded: measure(await open(options.session)) },
  example: {
    fires: [HEADER, ...ANSWERED, assistant('a2', 'a1', [textContent('And a LICENSE.')])],
    silent: [HEADER, ...ANSWERED],
    options: { recorded: { requests: 1 }, percent: 20, measures: ['requests'] },
  },
  looksAt: 'session',
  *find(session, { session: name = 'the recorded session', percent, measures, recorded = {} }): Generator<Hit> {
    const now = measure(session);
    for (const each of measures) {
      const has = now[each];
      const had = recorded[each] ?? null;
      const what = MEASURES[each];
      if (has === null || had === null)
        yield buildUncheckedHit(`${has === null ? 'the session' : name} does not record its ${what}`);
      else if (has > had * (1 + percent / 100))
        yield {
          message:
            `${what}: ${inWords(each, has)}, more than ${percent} % above the ${inWords(each, had)} of ${name}` +
            (had === 0 ? '' : ` (+${(((has - had) / had) * 100).toFixed(0)} %)`),
        };
    }
  },
});

function inWords(name: Measure, value: number): string {
  return name === 'cost' ? `$${value.toFixed(value < 0.1 ? 4 : 2)}` : formatCount(value);
}

/** Measures a session on all branches, its calls on the active path. */
function measure(session: Session): SessionMeasures {
  const usage = toUsageDocument(countUsage(session, new SharedEntries(), buildPriceList()).usage);
  const { heads } = session.tree;
  let requests = 0;
  for (let index = 0; index < heads.length; index += 1) {
    const head = heads.roleAt(index) === 'assistant' ? heads.at(index) : undefined;
    if (head && answersRequest(head)) requests += 1;
  }
  const isRecorded = requests === 0 || usage.calls > 0;
  const costs = sumSessionCosts(session);
  const calls = listPathCalls(session);
  const { size } = replayContext(session, session.tree.leaf, readPatch, { lenient: true }).envelope().meta;
  return {
    requests,
    calls: calls.length,
    failed: calls.filter(({ hasFailed }) => hasFailed).length,
    tokens: isRecorded ? usage.total : null,
    input: isRecorded ? usage.input : null,
    output: isRecorded ? usage.output : null,
    cost: isRecorded && costs.unpricedCalls === 0 ? sumKnownCost(costs) : null,
    context: size.tokens,
  };
}
