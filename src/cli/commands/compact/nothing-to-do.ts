import { formatCount, pluralize } from '#base/numbers.js';
import { findNothingReason, type NothingToCompact, type PreparationRequest } from '#change/compact/prepare.js';
import type { OpenSession } from '#context/open.js';
import { type Block, line } from '#ui/doc/doc.js';
import { renderNote } from '../apply/plan-view.js';
import { type Outcome, toOutcome } from '../define.js';
import type { CompactionCheck } from './document.js';
import { type CompactionNeed, NOT_NEEDED } from './need.js';

/** Reports why there is nothing to compact: no error, unless the user asked whether there is (`isOptional`). */
export function reportNothingToCompact(
  session: OpenSession,
  request: PreparationRequest,
  isOptional: boolean,
): Outcome {
  const nothing = findNothingReason(session, request);
  const why = describeNothing(nothing, request.keepRecentTokens);
  const none = { ...NOT_NEEDED, why };
  if (isOptional) return reportNothingToDo(session, none, `nothing to do: ${why}`, 1);
  const hint = nothing.reason === 'kept' ? '; keep less with --keep-recent N' : '';
  return reportNothingToDo(session, none, `nothing to compact: ${why}${hint}`, 0);
}

function describeNothing(nothing: NothingToCompact, keepRecentTokens: number): string {
  if (nothing.reason === 'ended') return 'there are no messages since the last compaction';
  if (nothing.reason === 'kept')
    return `keeping at least ${pluralize(keepRecentTokens, 'recent token')} keeps all messages`;
  const { messages, hasSummary } = nothing;
  if (messages > 1) return `there is no place to cut between the ${formatCount(messages)} messages`;
  const what = messages === 0 ? 'no message' : 'only one message';
  return `the context holds ${what}${hasSummary ? ' beside the summary' : ''}`;
}

/** A sentence, and the same for programs. */
export function reportNothingToDo(
  session: OpenSession,
  { why, tokens, threshold, cutAt }: CompactionNeed,
  sentence: string,
  exitCode: 0 | 1,
): Outcome {
  const data: CompactionCheck = {
    schema: 'ctx/compaction-check',
    schemaVersion: 1,
    file: session.file,
    needed: false,
    why,
    tokens,
    threshold,
    cutOffAt: cutAt,
  };
  const doc = [line(sentence), ...(cutAt === null ? [] : renderUnknownCut(cutAt))];
  return toOutcome({ data, doc: () => doc }, session, exitCode);
}

/** Pi looks up how much the model can write. */
function renderUnknownCut(output: number): readonly Block[] {
  return [
    renderNote(`the last answer was cut off after ${pluralize(output, 'token')}`),
    renderNote('Pi compacts if the model can write more: say how much with --max-output N'),
  ];
}
