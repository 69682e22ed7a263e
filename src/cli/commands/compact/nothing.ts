import { CtxError } from '#base/errors.js';
import { count, plural } from '#base/words.js';
import { type Nothing, whyNothing } from '#change/compact/nothing.js';
import type { PreparationRequest } from '#change/compact/prepare.js';
import type { OpenSession } from '#context/open.js';
import type { Outcome } from '../define.js';
import { nothingToDo } from './needed.js';

/** Says why there is nothing to compact; throws it as a CtxError (refused) where that was not for `isOptional`. */
export function nothingToCompact(session: OpenSession, request: PreparationRequest, isOptional: boolean): Outcome {
  const nothing = whyNothing(session, request);
  const why = inWords(nothing, request.keepRecentTokens);
  if (isOptional) return nothingToDo(session, { needed: false, why, tokens: null, threshold: null, cutAt: null });
  throw new CtxError('refused', `there is nothing to compact: ${why}`, {
    where: session.file,
    hint: nothing.reason === 'kept' ? 'keep less with --keep-recent N' : 'go on with the session first',
  });
}

function inWords(nothing: Nothing, keepRecentTokens: number): string {
  if (nothing.reason === 'ended') return 'nothing was said since the last compaction';
  if (nothing.reason === 'kept')
    return `to keep ${plural(keepRecentTokens, 'token')} takes all messages that there are`;
  const { messages, hasSummary } = nothing;
  if (messages > 1) return `there is no place to cut between the ${count(messages)} messages`;
  const what = messages === 0 ? 'no message' : 'only one message';
  return `the context holds ${what}${hasSummary ? ' beside the summary' : ''}`;
}
