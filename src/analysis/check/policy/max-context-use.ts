import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, user } from '../example.js';
import { grouped } from './sizes.js';

const options = z.strictObject({
  percent: z.number().check(z.positive(), z.describe('The allowed share of the context window, in percent.')),
});

export default defineRule({
  name: 'max-context-use',
  group: 'policy',
  severity: null,
  summary: "The context uses too much of the model's context window",
  help:
    'The size of the window comes from `--limit`, else from `"limit"` in the configuration, else from a list of ' +
    'models. If the size is unknown, that is reported. The rule counts the tokens that the provider reported with ' +
    'the last recorded answer, plus a calibrated estimate of later changes. If no provider reported any, everything ' +
    'is estimated.',
  options,
  example: {
    // Without a limit, the unknown window is reported.
    fires: [HEADER, ...ANSWERED, user('u2', 'a1', 'And now?')],
    silent: [HEADER],
    options: { percent: 80 },
  },
  looksAt: 'envelope',
  *find(envelope, _session, { percent }): Generator<Hit> {
    const { limit, size } = envelope.meta;
    const { tokens } = size;
    if (tokens === 0) return;
    if (limit === null) {
      yield {
        message: "the size of the model's context window is unknown",
        fix: 'pass --limit TOKENS, or set "limit" in the configuration',
      };
      return;
    }
    const used = (tokens / limit) * 100;
    if (used <= percent) return;
    yield {
      message:
        `the context fills ${used.toFixed(1)}% of the window, more than the ${percent}% allowed: ` +
        `${grouped(tokens)} of ${grouped(limit)} tokens, ${size.estimated === 0 ? 'recorded' : size.recorded === 0 ? 'estimated' : 'partly recorded, partly estimated'}`,
    };
  },
});
