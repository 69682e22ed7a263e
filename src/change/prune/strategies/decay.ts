import * as z from 'zod/mini';
import { defineStrategy } from '../define.js';
import { foldsIn, OVER_TOKENS } from './fold.js';
import { droppedTurns } from './turns.js';

const options = z.strictObject({
  fullTurns: z
    ._default(z.int().check(z.positive()), 3)
    .register(z.globalRegistry, { description: 'How many of the newest turns stay as they are' }),
  foldTurns: z
    ._default(z.int().check(z.nonnegative()), 6)
    .register(z.globalRegistry, { description: 'How many turns before those are folded; older ones are left out' }),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'decay',
  summary: 'Keep the newest turns whole, fold the ones before them, leave out what is older',
  help:
    'Three zones, from the end of the context to its beginning: the newest `fullTurns` turns stay as they are; in the ' +
    '`foldTurns` before them each tool call and its result become one line, as `fold` makes it; older turns are left ' +
    'out whole, as `turns` leaves them out, and a packet made from the ledger says in short what they held.\n\n' +
    'An old turn that must stay, because it holds something protected, is at least folded where that may be.',
  options,
  *propose(history, { fullTurns, foldTurns }) {
    yield* droppedTurns(history, fullTurns + foldTurns);
    // Of two proposals for one message the first that may be done is done.
    yield* foldsIn(history, { afterTurns: fullTurns, overTokens: OVER_TOKENS });
  },
});
