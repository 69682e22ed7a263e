import { CtxError } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { COMPACTION_FORMS } from '#change/compact/compaction-entries.js';
import { draftCompaction } from '#change/compact/plan-compaction.js';
import {
  findNothingReason,
  type NothingToCompact,
  type Preparation,
  type PreparationRequest,
  prepareCompaction,
} from '#change/compact/prepare.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { summarizerFlags } from '#change/compact/summarizers/index.js';
import { summaryTask } from '#change/compact/summary-task.js';
import { findTrigger, type Trigger } from '#change/compact/trigger.js';
import { introduceSummary, measureAsCopy } from '#change/copy/copy-draft.js';
import { buildPlan, type Draft } from '#change/plan/draft.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { locateToWrite } from '#cli/locate.js';
import { readTextFile } from '#cli/read-json.js';
import type { OpenSession } from '#context/open.js';
import { findWindow } from '#context/size/context-size.js';
import { type ContextWindow, isWindowKnown } from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import { refuseTooDeep } from '#session/scan/nesting.js';
import { resolvePath } from '#session/tree/revision.js';
import { type Block, line } from '#ui/doc/doc.js';
import { assertConsent } from '../apply/confirm-append.js';
import { addRequestedFile, describeBranch, executePlan } from '../apply/execute-plan.js';
import { renderNote } from '../apply/plan-view.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { choiceFlag, numberFlag, textFlag, textsFlag, toggleFlag } from '../flags.js';
import { findDueRequest } from '../prune/due-request.js';
import { policyFlags, readActivePolicy } from '../prune/policy.js';
import { openToPlan, type PlannedSession, type SessionToPlan } from '../session-to-plan.js';
import {
  describeUnknownWindow,
  findMaxOutput,
  revisionArgument,
  sessionToWriteArgument,
  SUPPLY_WINDOW_HINT,
} from '../session.js';
import * as shared from '../shared-flags.js';
import { applyExtensionCut, askExtensions, refuseMissingExtensions } from './ask-extensions.js';
import { createSummary, summarizerFlag } from './create-summary.js';
import type { CompactionCheck } from './document.js';

const FLAGS = {
  ...shared.planningFlags,
  'keep-recent': numberFlag('TOKENS', "tokens of recent messages to keep (default: Pi's setting, or 20000)"),
  summarizer: summarizerFlag,
  at: shared.at,
  'if-needed': toggleFlag('compact only if the policy asks for it now, or Pi would; otherwise exit with 1'),
  policy: { ...policyFlags.policy, needs: ['if-needed'] },
  reserve: numberFlag(
    'TOKENS',
    "tokens that must be free, for --if-needed; a summary has at most 80 % of them (default: Pi's setting, or 16384)",
  ),
  limit: shared.limit,
  'max-output': {
    ...numberFlag('TOKENS', 'the maximum output of the model (default: the known one for the model)'),
    needs: ['if-needed'],
  },
  as: choiceFlag(
    'FORM',
    COMPACTION_FORMS,
    'the kind of entries to write: a transform, those that stock Pi understands, or both (default: both where the session has a transform, else stock)',
  ),
  hook: {
    ...textsFlag('FILE', 'an extension whose session_before_compact handler makes the summary; repeatable'),
    excludes: ['summarizer', 'summary', 'summarizer-command', 'model'],
  },
  'time-limit': { ...shared.timeLimit, needs: ['hook'] },
  ...summarizerFlags,
  instructions: textFlag('TEXT', 'extra instructions for the summary'),
  baseline: { ...policyFlags.baseline, needs: ['if-needed'] },
  ...shared.configFlags,
};

type CompactInput = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'compact',
  summary: 'Replace older messages with a summary',
  description:
    'Replaces the older messages of the context with a summary, and cuts where Pi would. Only appends entries: nothing is ' +
    'removed from the file, and ctx revert undoes it. Stock Pi and readers of transforms both see the result.',
  args: [
    sessionToWriteArgument,
    {
      ...revisionArgument,
      help: 'compact the context at this entry, on a new branch (default: HEAD); see ctx help revisions',
    },
  ],
  flags: FLAGS,
  takesRedact: { needs: ['dry-run'], excludes: ['plan'] },
  examples: [
    'ctx compact session.jsonl --keep-recent 100 --dry-run',
    'ctx compact latest --if-needed --limit 16k --keep-recent 100',
    'ctx compact session.jsonl --keep-recent 100 --summary summary.md',
    'ctx compact session.jsonl --keep-recent 100 --plan plan.json && ctx apply plan.json',
  ],
  async run(input) {
    const { io, args, flags } = input;
    // First, so that a wrong name is never hidden by having nothing to do.
    refuseMissingExtensions(io, flags.hook);
    const session = await openToPlan(input, await locateToWrite(io, args[0]), flags);
    // A pipe can only be read once.
    const written = flags.summary === undefined ? undefined : await readTextFile(io.files, flags.summary);
    const result = await planCompaction(input, session, written);
    if ('kind' in result) return addRequestedFile(io, { session, outcome: result, command: 'compact' }, flags);
    const { remarks, ...planned } = result;
    return executePlan(io, planned, {
      ...flags,
      configuredLimit: input.configuredLimit,
      remarks,
      honouredBy: '--as compaction',
    });
  },
});

interface PlannedCompaction extends PlannedSession {
  readonly remarks: readonly string[];
}

/**
 * The planned compaction, without the path, which need not be in memory any longer; or the outcome of doing nothing.
 * `written`: the text of the file of `--summary`.
 */
async function planCompaction(
  input: CompactInput,
  session: SessionToPlan,
  written?: string,
): Promise<PlannedCompaction | Outcome> {
  const { io, flags } = input;
  const { at, path } = resolvePath(session, flags.at);
  refuseTooDeep(session, path);
  const settings = await readCompactionSettings(io, session, path, flags);

  const need = flags['if-needed'] ? await findNeed(input, session, { path, settings }) : null;
  if (need && !need.needed) return reportNothingToDo(session, need, `nothing to do: ${need.why}`, 1);
  const request = { path, keepRecentTokens: settings.keepRecentTokens, keepsPairs: true };
  const own = prepareCompaction(session, request);
  if (!own) return reportNothingToCompact(session, request, flags['if-needed'] ?? false);

  const isAppended = !flags['dry-run'] && flags.output === undefined && flags.plan === undefined && !flags.install;
  // A summary may take long, or pay a model.
  if (isAppended) assertConsent(io, session.file, flags);
  const query = { session, path, settings, reason: toReason(need) };
  const byExtension = flags.hook ? await askExtensions(io, query, flags) : null;
  const preparation = byExtension
    ? applyExtensionCut(session, request, { own, from: byExtension.firstKeptEntryId })
    : own;
  const task = summaryTask(preparation, settings, flags.instructions);
  const summary = byExtension ?? (await createSummary(io, task, flags, written));

  // A copy holds what stock Pi understands.
  const form = session.copier ? 'compaction' : flags.as;
  const drafted = draftCompaction(session, { path, preparation, summary }, { ...io, form });
  const draft = session.copier ? measureAsCopy(introduceSummary(drafted)) : drafted;
  const remarks = [
    ...(flags.hook && !byExtension ? ['no handler of session_before_compact returned a compaction'] : []),
    ...listRemarks({ session, preparation, after: draft.after }, flags.at === undefined ? null : at, summary.origin),
    ...(draft.after.meta.tokens.total < draft.before.meta.tokens.total ? [] : ['the context does not get smaller']),
    ...(flags.limit === undefined ? [] : [describeLimit(draft.after.meta.size.tokens, flags.limit)]),
  ];
  return { session, draft, plan: buildPlan(draft, 'compact'), remarks };
}

/** The reason that Pi would give to an extension. */
function toReason(need: CompactionNeed | null): 'manual' | 'threshold' | 'overflow' {
  if (need === null) return 'manual';
  return need.why === 'overflow' ? 'overflow' : 'threshold';
}

function describeLimit(tokens: number, limit: number): string {
  const left = `~${formatCount(tokens)} of ${formatCount(limit)} tokens`;
  return tokens > limit ? `the context still exceeds the limit: ${left}` : `the context has ${left} after it`;
}

interface Compacted {
  readonly session: SessionToPlan;
  readonly preparation: Preparation;
  /** The context afterwards. */
  readonly after: Draft['after'];
}

function* listRemarks({ session, preparation, after }: Compacted, at: Head | null, origin: string): Generator<string> {
  const { keptMessages, firstKeptEntryId, isSplitTurn, messagesToSummarize } = preparation;
  const summarised = messagesToSummarize.length + preparation.turnPrefixMessages.length;
  yield `a summary replaces ${pluralize(summarised, 'message')}: it was ${origin}`;
  // The kept messages are the last ones: with the summary, they add up to the messages of the plan.
  const kept = keptMessages === 0 ? [] : after.meta.composition.messages.slice(-keptMessages);
  const keptTokens = sumBy(kept, ({ tokens }) => tokens);
  const from = firstKeptEntryId === null ? '' : ` from ${firstKeptEntryId} on`;
  yield `${pluralize(keptMessages, 'message')} stay${keptMessages === 1 ? 's' : ''}${from}, about ${pluralize(keptTokens, 'token')}`;
  if (isSplitTurn) yield 'the cut is inside a turn: its beginning is summarised, its end stays';
  if (preparation.isAbovePi && !session.copier) yield 'Pi would cut further down, between a tool call and its result';
  if (at) yield describeBranch(at, session);
}

/** Reports why there is nothing to compact: no error, unless the user asked whether there is (`isOptional`). */
function reportNothingToCompact(session: OpenSession, request: PreparationRequest, isOptional: boolean): Outcome {
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

interface NeedQuery {
  readonly path: readonly Head[];
  readonly settings: CompactionSettings;
}

/** Whether a compaction is due, the reason, and Pi's figures. */
export type CompactionNeed = { readonly needed: boolean; readonly why: string } & Pick<
  Trigger,
  'tokens' | 'threshold' | 'cutAt'
>;

/**
 * Whether the policy asks for a compaction now, or Pi would compact. Throws a CtxError (usage) if that depends on the
 * context window and its size is unknown.
 */
async function findNeed(
  { io, flags }: CompactInput,
  session: OpenSession,
  { path, settings }: NeedQuery,
): Promise<CompactionNeed> {
  const { policy, baseline, window: options } = await readActivePolicy(io, flags);
  const window = findWindow(session, path, options);
  const maxOutput = flags['max-output'] ?? findMaxOutput(session, path);
  const byPi = findNeedOfPi(session, { path, settings, window, maxOutput });
  if (byPi.needed || !isWindowKnown(window)) return byPi;
  const { request, why } = findDueRequest(session, path, { policy, baseline, limit: window.tokens });
  return { ...byPi, needed: request === 'compact', why: `${byPi.why}; ${why}` };
}

interface PiQuery extends NeedQuery {
  readonly window: ContextWindow;
  /** The output limit in tokens; null if it is unknown. */
  readonly maxOutput: number | null;
}

function findNeedOfPi(session: OpenSession, { path, settings, window, maxOutput }: PiQuery): CompactionNeed {
  if (!settings.enabled) return { ...NOT_NEEDED, why: "Pi's settings switch automatic compaction off" };
  const trigger = findTrigger(session, { path, settings, contextWindow: window.tokens, maxOutput });
  const { reason, tokens, threshold, cutAt } = trigger;
  if (reason !== null) return { needed: true, why: reason, tokens, threshold, cutAt };
  const notNeeded = { needed: false, tokens, threshold, cutAt };
  if (tokens === null) return { ...notNeeded, why: 'no request was answered since the last compaction' };
  if (threshold !== null)
    return { ...notNeeded, why: `${formatCount(tokens)} of ${formatCount(threshold)} tokens are used` };
  throw new CtxError('usage', describeUnknownWindow(window.model), { where: session.file, hint: SUPPLY_WINDOW_HINT });
}

/** A compaction that is not due, without figures. */
const NOT_NEEDED = { needed: false, tokens: null, threshold: null, cutAt: null } as const;

/** A sentence, and the same for programs. */
function reportNothingToDo(
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
