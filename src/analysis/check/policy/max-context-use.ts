import * as z from 'zod/mini';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, user } from '../example.js';
import { grouped } from './sizes.js';

const options = z.strictObject({
  percent: z.number().check(z.positive(), z.describe('How much of the context window may be in use, in percent.')),
});

export default defineRule({
  name: 'max-context-use',
  group: 'policy',
  severity: null,
  summary: "The context fills more of the model's window than allowed",
  help:
    'The size of the window comes from `--limit`, else from `"limit"` in the configuration, else from a list of models. ' +
    'Where it is unknown, that is the finding. Counted are the tokens that the provider reported with the last ' +
    'recorded answer, and a calibrated estimate of what came or went since; where no provider reported any, all is ' +
    'estimated.',
  options,
  example: {
    // Without a limit that is what is found.
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
        fix: 'supply it with --limit TOKENS, or with "limit" in the configuration',
      };
      return;
    }
    const used = (tokens / limit) * 100;
    if (used <= percent) return;
    yield {
      message:
        `the context fills ${used.toFixed(1)}% of the window, more than the ${percent}% allowed: ` +
        `${grouped(tokens)} of ${grouped(limit)} tokens, ${size.estimated === 0 ? 'as recorded' : size.recorded === 0 ? 'as estimated' : 'recorded and estimated'}`,
    };
  },
});
