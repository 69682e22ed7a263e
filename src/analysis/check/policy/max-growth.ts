import * as z from 'zod/mini';
import { formatCount } from '#base/numbers.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { ANSWERED, assistant, HEADER, textContent } from '../example.js';
import { type Measure, MEASURES, measureSession } from './session-measures.js';

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

export default defineRule<GrowthOptions>({
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
    options.session === undefined ? options : { ...options, recorded: measureSession(await open(options.session)) },
  example: {
    fires: [HEADER, ...ANSWERED, assistant('a2', 'a1', [textContent('And a LICENSE.')])],
    silent: [HEADER, ...ANSWERED],
    options: { recorded: { requests: 1 }, percent: 20, measures: ['requests'] },
  },
  looksAt: 'session',
  *find(session, { session: name = 'the recorded session', percent, measures, recorded = {} }): Generator<Hit> {
    const now = measureSession(session);
    for (const each of measures) {
      const has = now[each];
      const had = recorded[each] ?? null;
      const what = MEASURES[each];
      if (has === null || had === null)
        yield buildUncheckedHit(`${has === null ? 'the session' : name} does not record its ${what}`);
      else if (has > had * (1 + percent / 100))
        yield {
          message:
            `${what}: ${formatMeasure(each, has)}, more than ${percent} % above the ${formatMeasure(each, had)} of ${name}` +
            (had === 0 ? '' : ` (+${(((has - had) / had) * 100).toFixed(0)} %)`),
        };
    }
  },
});

function formatMeasure(name: Measure, value: number): string {
  return name === 'cost' ? `$${value.toFixed(value < 0.1 ? 4 : 2)}` : formatCount(value);
}
