import * as z from 'zod/mini';
import { option } from '#base/schema.js';
import { defineStrategy } from '../define.js';
import { FOLD_OVER_TOKENS, proposeFolds } from './fold.js';
import { proposeTurnDrops } from './turns.js';

const decayOptions = z.strictObject({
  fullTurns: option(z.int().check(z.positive()), 3, 'Number of newest turns to keep unchanged'),
  foldTurns: option(z.int().check(z.nonnegative()), 6, 'Number of turns before those to fold; older turns are dropped'),
});

export const decay = defineStrategy<z.infer<typeof decayOptions>>({
  name: 'decay',
  summary: 'Keep the newest turns, fold the turns before them, drop older ones',
  help:
    'Divides the context into three zones. The newest `fullTurns` turns stay unchanged. In the `foldTurns` turns ' +
    'before them, each tool call and its result become one line, as with `fold`. Older turns are dropped, as with ' +
    '`turns`, and a packet made from their facts replaces them.\n\n' +
    'An old turn that contains a protected message is folded instead of dropped, as far as the protection allows.',
  options: decayOptions,
  *propose(history, { fullTurns, foldTurns }, isTaken) {
    yield* proposeTurnDrops(history, fullTurns + foldTurns);
    // The folds come last: the first valid proposal for a message is applied, and a drop saves more.
    yield* proposeFolds(history, { afterTurns: fullTurns, overTokens: FOLD_OVER_TOKENS }, isTaken);
  },
});
