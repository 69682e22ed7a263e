import { COMPACTION_FORMS } from '#change/compact/compaction-entries.js';
import { draftCompaction } from '#change/compact/plan-compaction.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { summarizerFlags } from '#change/compact/summarizers/index.js';
import { summaryTask } from '#change/compact/summary-task.js';
import { adaptToCopy } from '#change/copy/copy-draft.js';
import { buildPlan, type Draft } from '#change/plan/draft.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { locateToWrite } from '#cli/locate.js';
import { readTextFile } from '#cli/read-json.js';
import { refuseTooDeep } from '#session/scan/nesting.js';
import { resolvePath } from '#session/tree/revision.js';
import { assertConsent } from '../apply/confirm-append.js';
import { executePlan } from '../apply/execute-plan.js';
import { describeBranch } from '../apply/plan-remarks.js';
import { addRequestedFile } from '../apply/requested-file.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { choiceFlag, numberFlag, textFlag, textsFlag, toggleFlag } from '../flags.js';
import { policyFlags } from '../prune/policy.js';
import { type DraftedPlan, openToPlan, type SessionToPlan } from '../session-to-plan.js';
import { revisionArgument, sessionToWriteArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { applyExtensionCut, askExtensions, refuseMissingExtensions } from './ask-extensions.js';
import { createSummary, summarizerFlag } from './create-summary.js';
import { type CompactionNeed, findNeed } from './need.js';
import { reportNothingToCompact, reportNothingToDo } from './nothing-to-do.js';
import { listCompactionRemarks, listSizeRemarks } from './remarks.js';

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
    const planning = await planOrReport(input, session, written);
    if ('nothing' in planning)
      return addRequestedFile(io, { session, outcome: planning.nothing, command: 'compact' }, flags);
    return executePlan(io, planning.planned, {
      ...flags,
      configuredLimit: input.configuredLimit,
      remarks: planning.remarks,
      honouredBy: '--as compaction',
    });
  },
});

/** A compaction that is planned, without the path, which need not be in memory any longer. */
interface Planning {
  readonly planned: DraftedPlan;
  readonly remarks: readonly string[];
}

/** The outcome of doing nothing. */
interface NothingPlanned {
  readonly nothing: Outcome;
}

/** Plans a compaction, or reports why there is none. `written`: the text of the file of `--summary`. */
async function planOrReport(
  input: CompactInput,
  session: SessionToPlan,
  written: string | undefined,
): Promise<Planning | NothingPlanned> {
  const { io, flags } = input;
  const { at, path } = resolvePath(session, flags.at);
  refuseTooDeep(session, path);
  const settings = await readCompactionSettings(io, session, path, flags);

  const need = flags['if-needed'] ? await findNeed(input, session, { path, settings }) : null;
  if (need && !need.needed) return { nothing: reportNothingToDo(session, need, `nothing to do: ${need.why}`, 1) };
  const request = { path, keepRecentTokens: settings.keepRecentTokens, keepsPairs: true };
  const own = prepareCompaction(session, request);
  if (!own) return { nothing: reportNothingToCompact(session, request, flags['if-needed'] ?? false) };

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

  const draft = draftSummarised(io, session, { path, preparation, summary }, flags);
  const isIgnored = flags.hook !== undefined && !byExtension;
  const remarks = [
    ...(isIgnored ? ['no handler of session_before_compact returned a compaction'] : []),
    ...listCompactionRemarks({ session, preparation, draft, origin: summary.origin }),
    ...(at && flags.at !== undefined ? [describeBranch(at, session)] : []),
    ...listSizeRemarks(draft, flags.limit),
  ];
  return { planned: { session, draft, plan: buildPlan(draft, 'compact') }, remarks };
}

/** Drafts the entries of a compaction, or of another agent's session those of a copy. */
function draftSummarised(
  io: CompactInput['io'],
  session: SessionToPlan,
  compaction: Parameters<typeof draftCompaction>[1],
  { as }: Pick<CompactInput['flags'], 'as'>,
): Draft {
  if (!session.copier) return draftCompaction(session, compaction, { ...io, form: as });
  // A copy holds what stock Pi understands.
  const draft = draftCompaction(session, compaction, { ...io, form: 'compaction' });
  return adaptToCopy(draft);
}

/** The reason that Pi would give to an extension. */
function toReason(need: CompactionNeed | null): 'manual' | 'threshold' | 'overflow' {
  if (need === null) return 'manual';
  return need.why === 'overflow' ? 'overflow' : 'threshold';
}
