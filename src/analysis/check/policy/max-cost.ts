import * as z from 'zod/mini';
import type { JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { sumSessionCosts } from '../../stats/session-costs.js';
import { sumKnownCost } from '../../stats/usage-sums.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { assistant, HEADER, QUESTION, textContent } from '../example.js';

const costLimit = z.strictObject({
  dollars: z.number().check(z.nonnegative(), z.describe('The maximum cost of the session, in dollars.')),
});

export default defineRule({
  name: 'max-cost',
  severity: null,
  summary: 'The session cost more than allowed',
  help:
    'The rule adds up the recorded cost of each answer, each summary and each call outside the context, on all ' +
    'branches. If no cost is recorded, the listed prices of the models are used, as in `ctx stats`. Calls of models ' +
    'without a listed price are not counted: the rule reports their number, since it cannot say what they cost.',
  options: costLimit,
  example: {
    fires: [HEADER, QUESTION, buildAnswer(2.5)],
    silent: [HEADER, QUESTION, buildAnswer(0.25)],
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
    const subject =
      costs.costListed === null ? 'the recorded cost of the session' : 'the cost of the session at listed prices';
    yield { message: `${subject} is ${formatCost(cost)}, more than the ${formatCost(dollars)} allowed` };
  },
});

function buildAnswer(total: number): JsonObject {
  const cost = { input: 0, output: total, cacheRead: 0, cacheWrite: 0, total };
  const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 12, cost };
  return assistant('a1', 'u1', [textContent('A README.')], { usage });
}

/** Formats dollars with two decimals, or more for small amounts. */
function formatCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.01) return `$${dollars.toPrecision(2)}`;
  return `$${dollars.toFixed(4).replace(/0{1,2}$/, '')}`;
}
