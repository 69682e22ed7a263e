import * as z from 'zod/mini';
import { costOf } from '#session/session.js';
import { defineRule, type Hit } from '../define.js';
import { assistant, HEADER, QUESTION, text } from '../example.js';

const options = z.strictObject({
  dollars: z.number().check(z.nonnegative(), z.describe('The maximum cost of the session, in dollars.')),
});

export default defineRule({
  name: 'max-cost',
  group: 'policy',
  severity: null,
  summary: 'The session cost more than allowed',
  help:
    'The rule adds up the cost that Pi recorded with each answer, each summary and each call outside the context, ' +
    'on all branches. If no cost is recorded, as with a subscription, nothing is reported.',
  options,
  example: {
    fires: [HEADER, QUESTION, paid(2.5)],
    silent: [HEADER, QUESTION, paid(0.25)],
    options: { dollars: 1 },
  },
  looksAt: 'session',
  *find(session, { dollars }): Generator<Hit> {
    const cost = costOf(session) ?? 0;
    if (cost > dollars)
      yield {
        message: `the recorded cost of the session is ${inDollars(cost)}, more than the ${inDollars(dollars)} allowed`,
      };
  },
});

function paid(total: number): ReturnType<typeof assistant> {
  const cost = { input: 0, output: total, cacheRead: 0, cacheWrite: 0, total };
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost };
  return assistant('a1', 'u1', [text('A README.')], { usage });
}

/** Formats dollars with two decimals, or more for small amounts. */
function inDollars(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return `$${dollars.toPrecision(2)}`;
  return `$${dollars.toFixed(4).replace(/0{1,2}$/, '')}`;
}
