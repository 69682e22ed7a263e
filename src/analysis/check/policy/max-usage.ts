import * as z from 'zod/mini';
import { formatCount } from '#base/numbers.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER, QUESTION } from '../example.js';
import { defineMaximumOption } from './options.js';
import { measureSession } from './session-measures.js';

const usageLimits = z
  .strictObject({
    requests: defineMaximumOption('answers of a model'),
    total: defineMaximumOption('tokens of all requests and answers, cached ones included'),
    input: defineMaximumOption('input tokens that no cache had: read and written ones do not count'),
    output: defineMaximumOption('output tokens'),
  })
  .check(z.refine((given) => Object.keys(given).length > 0, 'must limit requests, total, input or output'));

export default defineRule({
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
    const used = measureSession(session);
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
