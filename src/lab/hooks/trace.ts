import { asString } from '#base/json.js';
import type { OverflowRecovery } from '#change/compact/overflow-recovery.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { BoundaryReason, HookReason } from './events.js';
import type { BoundaryRun, HookCompactionCheck, HookRequest, MessageRun } from './hook-request.js';
import { preventsRequest } from './run-boundary.js';

/** A step of the pipeline, with its effect on a request. */
export interface TraceStage {
  readonly step: string;
  readonly what: string;
}

export interface TraceWorld {
  readonly session: Session;
  readonly reasons: ReadonlySet<HookReason>;
}

/** All steps around a request in the order in which Pi takes them, also those that did nothing. */
export function buildTrace(request: HookRequest, world: TraceWorld): readonly TraceStage[] {
  const { answer, boundaries, messages, replayed } = request;
  const boundary = (reason: BoundaryReason): string =>
    describeBoundary(boundaries.find((each) => each.reason === reason) ?? null, world.reasons.has(reason), answer);
  const isSent = !boundaries.some(preventsRequest);
  const hasRunEphemeral = boundaries.some(({ reason }) => reason === 'ephemeral');
  const ifSent = (what: () => string): string => (isSent ? what() : 'skipped: a hook failed');
  return [
    { step: 'replay', what: `${count(replayed.messages, 'message')}, ~${replayed.tokens} tokens of them` },
    { step: 'before_request', what: boundary('before_request') },
    { step: 'compaction preflight', what: describeCompaction(request.compaction.preflight) },
    { step: 'ephemeral', what: isSent || hasRunEphemeral ? boundary('ephemeral') : 'skipped' },
    { step: 'provider call', what: isSent ? describeAnswer(world.session, answer) : 'not made: a hook failed' },
    { step: 'message', what: ifSent(() => describeMessages(messages, world.reasons)) },
    { step: 'turn_end', what: ifSent(() => boundary('turn_end')) },
    {
      step: 'compaction evaluation',
      what: ifSent(() =>
        request.answer === null ? 'skipped: no answer is recorded' : describeCompaction(request.compaction.evaluation),
      ),
    },
  ];
}

function describeBoundary(run: BoundaryRun | null, isWanted: boolean, answer: Head | null): string {
  if (!isWanted) return 'not requested';
  if (run === null) return answer === null ? 'skipped: no answer is recorded' : 'skipped';
  const [trouble] = [...run.failures, ...run.violations];
  if (trouble) return `${trouble.hook} failed: ${trouble.message}`;
  if (run.transforms.length === 0) return 'no change';
  const parts = run.transforms.map(
    ({ transformerName, patch }) => `${transformerName}: ${patch.map(({ op }) => op).join(', ')}`,
  );
  return `${parts.join('; ')}${run.bytes > 0 ? ` (${run.bytes} bytes)` : ''}`;
}

function describeCompaction(check: HookCompactionCheck | null): string {
  if (check === null) return 'not needed: no messages';
  if (!check.isEnabled) return "disabled in Pi's settings";
  const { reason, tokens, threshold, isEstimated, recovery } = check;
  if (reason === 'overflow')
    return `needed: the last request exceeded the context window${recovery === null ? '' : RECOVERIES[recovery]}`;
  if (tokens === null) return 'not needed: no answer since the last compaction';
  const basis = isEstimated ? 'estimated with the changes of hooks' : 'recorded';
  const shown = `${isEstimated ? '~' : ''}${tokens}`;
  if (threshold === null) return `${shown} tokens ${basis}; the context window is unknown: pass --limit`;
  return `${reason === null ? 'not needed' : 'needed'}: ${shown} of ${threshold} tokens ${basis}`;
}

const RECOVERIES: Readonly<Record<OverflowRecovery, string>> = {
  retry: '; Pi compacts and sends it again, once',
  compact: '; its answer is complete, so Pi only compacts',
  final: ', again after a compaction: Pi gives up',
};

function describeAnswer(session: Session, answer: Head | null): string {
  if (answer === null) return 'not made, and no answer is recorded';
  const message = readEntryMessage(session.entry(answer)) ?? {};
  return `not made; recorded: ${formatId(answer.id) ?? 'an answer'} (${asString(message.stopReason) ?? 'no stop reason'})`;
}

function describeMessages(messages: readonly MessageRun[], reasons: ReadonlySet<HookReason>): string {
  if (!reasons.has('message')) return 'not requested';
  const changed = messages.filter(({ kind }) => kind !== 'none');
  const troubled = messages.filter(({ failures, violations }) => failures.length + violations.length > 0);
  const parts = changed.map(
    ({ head, before, kind }) => `${asString(before.role) ?? '?'} ${formatId(head.id) ?? ''} ${kind}`,
  );
  if (troubled.length > 0) parts.push(`${count(troubled.length, 'message')} continued after a hook failed`);
  if (parts.length > 0) return parts.join(', ');
  return messages.length === 0 ? 'no messages' : `${count(messages.length, 'message')}, none changed`;
}

function count(value: number, one: string): string {
  return `${value} ${one}${value === 1 ? '' : 's'}`;
}
