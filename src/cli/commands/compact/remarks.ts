import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { Preparation } from '#change/compact/prepare.js';
import type { Draft } from '#change/plan/draft.js';
import type { SessionToPlan } from '../session-to-plan.js';

/** A compaction that is planned. */
interface PlannedCompaction {
  readonly session: SessionToPlan;
  readonly preparation: Preparation;
  readonly draft: Draft;
  /** Who wrote the summary, in words. */
  readonly origin: string;
}

/** Sentences about what a compaction replaces and keeps. */
export function* listCompactionRemarks({
  session,
  preparation,
  draft: { after },
  origin,
}: PlannedCompaction): Generator<string> {
  const { keptMessages, firstKeptEntryId, isSplitTurn, messagesToSummarize, turnPrefixMessages } = preparation;
  const summarised = messagesToSummarize.length + turnPrefixMessages.length;
  yield `a summary replaces ${pluralize(summarised, 'message')}: it was ${origin}`;
  // The kept messages are the last ones: with the summary, they add up to the messages of the plan.
  const kept = keptMessages === 0 ? [] : after.meta.composition.messages.slice(-keptMessages);
  const keptTokens = sumBy(kept, ({ tokens }) => tokens);
  const verb = keptMessages === 1 ? 'stays' : 'stay';
  const from = firstKeptEntryId === null ? '' : ` from ${firstKeptEntryId} on`;
  yield `${pluralize(keptMessages, 'message')} ${verb}${from}, about ${pluralize(keptTokens, 'token')}`;
  if (isSplitTurn) yield 'the cut is inside a turn: its beginning is summarised, its end stays';
  if (preparation.isAbovePi && !session.copier) yield 'Pi would cut further down, between a tool call and its result';
}

/** Sentences about the size of the context after a compaction. `limit`: the value of `--limit`. */
export function* listSizeRemarks({ before, after }: Draft, limit: number | undefined): Generator<string> {
  if (after.meta.tokens.total >= before.meta.tokens.total) yield 'the context does not get smaller';
  if (limit === undefined) return;
  const { tokens } = after.meta.size;
  const left = `~${formatCount(tokens)} of ${formatCount(limit)} tokens`;
  yield tokens > limit ? `the context still exceeds the limit: ${left}` : `the context has ${left} after it`;
}
