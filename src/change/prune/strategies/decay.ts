import * as z from 'zod/mini';
import { defineStrategy } from '../define.js';
import { foldsIn, OVER_TOKENS } from './fold.js';
import { droppedTurns } from './turns.js';

const options = z.strictObject({
  fullTurns: z
    ._default(z.int().check(z.positive()), 3)
    .register(z.globalRegistry, { description: 'Number of newest turns to keep unchanged' }),
  foldTurns: z
    ._default(z.int().check(z.nonnegative()), 6)
    .register(z.globalRegistry, { description: 'Number of turns before those to fold; older turns are dropped' }),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'decay',
  summary: 'Keep the newest turns, fold the turns before them, drop older ones',
  help:
    'Divides the context into three zones. The newest `fullTurns` turns stay unchanged. In the `foldTurns` turns ' +
    'before them, each tool call and its result become one line, as with `fold`. Older turns are dropped, as with ' +
    '`turns`, and a packet made from the ledger replaces them.\n\n' +
    'An old turn that contains a protected message is folded instead of dropped, as far as the protection allows.',
  options,
  *propose(history, { fullTurns, foldTurns }) {
    yield* droppedTurns(history, fullTurns + foldTurns);
    // Of two proposals for one message, the first valid one is applied.
    yield* foldsIn(history, { afterTurns: fullTurns, overTokens: OVER_TOKENS });
  },
});
