import * as z from 'zod/mini';
import { formatCount } from '#base/numbers.js';
import type { ContextSize } from '#context/replay/envelope.js';
import { buildUncheckedHit, defineRule, type Hit } from '../define.js';
import { assistant, HEADER, textContent, user } from '../example.js';

const contextUse = z.strictObject({
  percent: z.number().check(z.positive(), z.describe('The allowed share of the context window, in percent.')),
});

export default defineRule({
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
        `${formatCount(tokens)} of ${formatCount(limit)} tokens, ${describeSource(size)}`,
    };
  },
});

function describeSource({ recorded, estimated }: ContextSize): string {
  if (estimated === 0) return 'recorded';
  return recorded === 0 ? 'estimated' : 'partly recorded, partly estimated';
}
