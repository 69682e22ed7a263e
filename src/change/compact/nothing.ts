import type { Session } from '#session/session.js';
import { endsCompacted, type PreparationRequest, prepareCompaction, spoken } from './prepare.js';
import { projectionOf } from './projection.js';

/**
 * Why there is nothing to compact. kept: it would be too much to keep less; ended: a compaction is the last thing that
 * happened; otherwise it does not matter how much is kept, since there are no messages, or only one, or no place to cut.
 */
export type Nothing =
  | { readonly reason: 'kept' }
  | { readonly reason: 'ended' }
  | { readonly reason: 'messages'; readonly messages: number; readonly hasSummary: boolean };

/** Keeps the last message that holds anything. */
const LEAST = 1;

/** The reason, where `prepareCompaction` gives null for the same request. */
export function whyNothing(session: Session, request: PreparationRequest): Nothing {
  const { path, readPatch } = request;
  if (endsCompacted(session, path)) return { reason: 'ended' };
  if (prepareCompaction(session, { ...request, keepRecentTokens: LEAST })) return { reason: 'kept' };
  const { entries, summaryAt } = projectionOf(session, path, readPatch);
  const messages = entries.flatMap((entry, at) => (at === summaryAt ? [] : spoken(entry)));
  return { reason: 'messages', messages: messages.length, hasSummary: summaryAt !== -1 };
}
