import { CtxError } from '#base/errors.js';
import { sumOf } from '#base/lists.js';
import { count, plural } from '#base/words.js';
import { COMPACTION_FORMS, draftCompaction } from '#change/compact/entries.js';
import {
  type NothingToCompact,
  type Preparation,
  type PreparationRequest,
  prepareCompaction,
  summaryTask,
  whyNothing,
} from '#change/compact/prepare.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { summarizerFlags } from '#change/compact/summarizers/index.js';
import { type Trigger, triggerAt } from '#change/compact/triggers.js';
import { type Draft, planOf } from '#change/plan/draft.js';
import { locateToWrite } from '#cli/locate.js';
import { readText } from '#cli/read-json.js';
import type { JsonOf } from '#cli/schemas.js';
import type { OpenSession } from '#context/open.js';
import { windowAt } from '#context/size/size.js';
import { type ContextWindow, isKnown } from '#context/size/window.js';
import { refuseTooDeep } from '#session/scan/parse.js';
import type { Head } from '#session/table/head.js';
import { resolvePath } from '#session/tree/revision.js';
import { type Block, line } from '#ui/doc/doc.js';
import { readSettings } from '../../config/read-config.js';
import { assertConsent, noteLine } from '../apply/plan-view.js';
import { branchRemark, executePlan, type PlannedSession, PLANNING_FLAGS } from '../apply/plan.js';
import { type CommandInput, defineCommand, type Outcome, reported } from '../define.js';
import { choice, number, text, texts, toggle } from '../flags.js';
import { openToPlan, withNamedFile } from '../new-session.js';
import { dueAt, policyFlags, policyFor, type PolicyInForce } from '../prune/policy.js';
import { maxOutputAt, sessionToWriteArgument, SUPPLY_WINDOW, unknownWindow } from '../session.js';
import * as shared from '../shared-flags.js';
import { compactionByExtension, keeping, refuseMissing, summarizerFlag, summaryFor } from './summary.js';

const FLAGS = {
  at: text('REV', 'compact the context at this entry, on a new branch'),
  'if-needed': toggle('compact only if the policy asks for it now, or Pi would; otherwise exit with 1'),
  policy: { ...policyFlags.policy, needs: ['if-needed'] },
  'keep-recent': number('TOKENS', "tokens of recent messages to keep (default: Pi's setting, or 20000)"),
  reserve: number(
    'TOKENS',
    "tokens that must be free, for --if-needed; a summary has at most 80 % of them (default: Pi's setting, or 16384)",
  ),
  limit: shared.limit,
  'max-output': {
    ...number('TOKENS', 'the maximum output of the model (default: the known one for the model)'),
    needs: ['if-needed'],
  },
  as: choice(
    'FORM',
    COMPACTION_FORMS,
    'the kind of entries to write: a transform, those that stock Pi understands, or both (default: both where the session has a transform, else stock)',
  ),
  summarizer: summarizerFlag,
  hook: {
    ...texts('FILE', 'an extension whose session_before_compact handler makes the summary; repeatable'),
    excludes: ['summarizer', 'summary', 'summarizer-command', 'model'],
  },
  'time-limit': { ...shared.timeLimit, needs: ['hook'] },
  ...summarizerFlags,
  instructions: text('TEXT', 'extra instructions for the summary'),
  baseline: { ...policyFlags.baseline, needs: ['if-needed'] },
  ...shared.configFlags,
  ...PLANNING_FLAGS,
};

type CompactInput = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'compact',
  summary: 'Replace older messages with a summary',
  description:
    'Replaces the older messages of the context with a summary, and cuts where Pi would. Only appends entries: nothing is ' +
    'removed from the file, and ctx revert undoes it. Stock Pi and readers of transforms both see the result.',
  args: [sessionToWriteArgument],
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
    refuseMissing(io, flags.hook);
    const session = await openToPlan(input, await locateToWrite(io, args[0]), flags);
    // A pipe can only be read once.
    const written = flags.summary === undefined ? undefined : await readText(io.files, flags.summary);
    const found = await compaction(input, session, written);
    if ('kind' in found) return withNamedFile(io, { session, outcome: found, command: 'compact' }, flags);
    const { remarks, ...planned } = found;
    return executePlan(io, planned, { ...flags, remarks, honouredBy: '--as compaction' });
  },
});

interface PlannedCompaction extends PlannedSession {
  readonly remarks: readonly string[];
}

/**
 * The planned compaction, without the path, which need not be in memory any longer; or the outcome of doing nothing.
 * `written`: the text of the file of `--summary`.
 */
async function compaction(
  input: CompactInput,
  session: OpenSession,
  written?: string,
): Promise<PlannedCompaction | Outcome> {
  const { io, flags } = input;
  const { at, path } = resolvePath(session, flags.at);
  refuseTooDeep(session, path);
  const settings = await readSettings(io, session, path, flags);
  let reason: 'manual' | 'threshold' | 'overflow' = 'manual';
  if (flags['if-needed']) {
    const inForce = await policyFor(io, flags);
    const maxOutput = flags['max-output'] ?? maxOutputAt(session, path);
    const needed = neededNow(session, { path, inForce, maxOutput, settings });
    if (!needed.needed) return nothingToDo(session, needed, `nothing to do: ${needed.why}`, 1);
    reason = needed.why === 'overflow' ? 'overflow' : 'threshold';
  }
  const { keepRecentTokens } = settings;
  const { readPatch } = session;
  const request = { path, keepRecentTokens, readPatch, keepsPairs: true };
  const own = prepareCompaction(session, request);
  if (!own) return nothingToCompact(session, request, flags['if-needed'] ?? false);
  // A summary may take long, or pay a model.
  if (!flags['dry-run'] && flags.output === undefined && flags.plan === undefined)
    assertConsent(io, session.file, flags);
  const asked = flags.hook && (await compactionByExtension(io, { session, path, settings, reason }, flags));
  const preparation = asked ? keeping(session, request, { own, from: asked.firstKeptEntryId }) : own;
  const task = summaryTask(preparation, settings, flags.instructions);
  const summary = asked ?? (await summaryFor(io, task, flags, written));
  const draft = draftCompaction(session, { path, preparation, summary }, { ...io, form: flags.as });
  const remarks = [
    ...(flags.hook && !asked ? ['no handler of session_before_compact returned a compaction'] : []),
    ...remarksOn({ preparation, after: draft.after }, flags.at === undefined ? null : at, summary.by),
    ...(draft.after.meta.tokens.total < draft.before.meta.tokens.total ? [] : ['the context does not get smaller']),
    ...(flags.limit === undefined ? [] : [limitRemark(draft.after.meta.size.tokens, flags.limit)]),
  ];
  return { session, draft, plan: planOf(draft, 'compact'), remarks };
}

function limitRemark(tokens: number, limit: number): string {
  const left = `~${count(tokens)} of ${count(limit)} tokens`;
  return tokens > limit ? `the context still exceeds the limit: ${left}` : `the context has ${left} after it`;
}

interface Compacted {
  readonly preparation: Preparation;
  /** The context afterwards. */
  readonly after: Draft['after'];
}

function* remarksOn({ preparation, after }: Compacted, at: Head | null, by: string): Generator<string> {
  const { keptMessages, firstKeptEntryId, isSplitTurn, messagesToSummarize } = preparation;
  const summarised = messagesToSummarize.length + preparation.turnPrefixMessages.length;
  yield `the summary of ${plural(summarised, 'message')} comes from ${by}`;
  // The kept messages are the last ones: with the summary, they add up to the messages of the plan.
  const kept = keptMessages === 0 ? [] : after.meta.composition.messages.slice(-keptMessages);
  const keptTokens = sumOf(kept, ({ tokens }) => tokens);
  const from = firstKeptEntryId === null ? '' : ` from ${firstKeptEntryId} on`;
  yield `${plural(keptMessages, 'message')} stay${keptMessages === 1 ? 's' : ''}${from}, about ${plural(keptTokens, 'token')}`;
  if (isSplitTurn) yield 'the cut is inside a turn: its beginning is summarised, its end stays';
  if (preparation.isAbovePi) yield 'Pi would cut further down, between a tool call and its result';
  if (at) yield branchRemark(at);
}

/** Reports why there is nothing to compact: no error, unless the user asked whether there is (`isOptional`). */
function nothingToCompact(session: OpenSession, request: PreparationRequest, isOptional: boolean): Outcome {
  const nothing = whyNothing(session, request);
  const why = inWords(nothing, request.keepRecentTokens);
  const none = { ...NOT_NEEDED, why };
  if (isOptional) return nothingToDo(session, none, `nothing to do: ${why}`, 1);
  const hint = nothing.reason === 'kept' ? '; keep less with --keep-recent N' : '';
  return nothingToDo(session, none, `nothing to compact: ${why}${hint}`, 0);
}

function inWords(nothing: NothingToCompact, keepRecentTokens: number): string {
  if (nothing.reason === 'ended') return 'there are no messages since the last compaction';
  if (nothing.reason === 'kept')
    return `keeping at least ${plural(keepRecentTokens, 'recent token')} keeps all messages`;
  const { messages, hasSummary } = nothing;
  if (messages > 1) return `there is no place to cut between the ${count(messages)} messages`;
  const what = messages === 0 ? 'no message' : 'only one message';
  return `the context holds ${what}${hasSummary ? ' beside the summary' : ''}`;
}

interface NeedQuery {
  readonly path: readonly Head[];
  readonly inForce: PolicyInForce;
  readonly maxOutput: number | null;
  readonly settings: CompactionSettings;
}

/** Whether a compaction is due, the reason, and Pi's figures. */
export type Need = { readonly needed: boolean; readonly why: string } & Pick<Trigger, 'tokens' | 'threshold' | 'cutAt'>;

/**
 * Whether the policy asks for a compaction now, or Pi would compact. Throws a CtxError (usage) if that depends on the
 * context window and its size is unknown.
 */
function neededNow(session: OpenSession, { inForce, ...query }: NeedQuery): Need {
  const window = windowAt(session, query.path, inForce.window);
  const byPi = neededByPi(session, { ...query, window });
  if (byPi.needed || !isKnown(window)) return byPi;
  const { request, why } = dueAt(session, query.path, { ...inForce, window });
  return { ...byPi, needed: request === 'compact', why: `${byPi.why}; ${why}` };
}

type PiQuery = Omit<NeedQuery, 'inForce'> & { readonly window: ContextWindow };

function neededByPi(session: OpenSession, { settings, window, ...asked }: PiQuery): Need {
  if (!settings.enabled) return { ...NOT_NEEDED, why: "Pi's settings switch automatic compaction off" };
  const { readPatch } = session;
  const trigger = triggerAt(session, { ...asked, contextWindow: window.tokens, settings, readPatch });
  const { reason, tokens, threshold, cutAt } = trigger;
  if (reason !== null) return { needed: true, why: reason, tokens, threshold, cutAt };
  const notNeeded = { needed: false, tokens, threshold, cutAt };
  if (tokens === null) return { ...notNeeded, why: 'no request was answered since the last compaction' };
  if (threshold !== null) return { ...notNeeded, why: `${count(tokens)} of ${count(threshold)} tokens are used` };
  throw new CtxError('usage', unknownWindow(window.model), { where: session.file, hint: SUPPLY_WINDOW });
}

/** A compaction that is not due, without figures. */
const NOT_NEEDED = { needed: false, tokens: null, threshold: null, cutAt: null } as const;

/** A sentence, and the same for programs. */
function nothingToDo(
  session: OpenSession,
  { why, tokens, threshold, cutAt }: Need,
  said: string,
  exitCode: 0 | 1,
): Outcome {
  const data: JsonOf<'compaction-check'> = {
    schema: 'ctx/compaction-check',
    schemaVersion: 1,
    file: session.file,
    needed: false,
    why,
    tokens,
    threshold,
    cutOffAt: cutAt,
  };
  const doc = [line(said), ...(cutAt === null ? [] : unknownCut(cutAt))];
  return reported({ data, doc: () => doc }, session, exitCode);
}

/** Pi looks up how much the model can write. */
function unknownCut(output: number): readonly Block[] {
  return [
    noteLine(`the last answer was cut off after ${plural(output, 'token')}`),
    noteLine('Pi compacts if the model can write more: say how much with --max-output N'),
  ];
}
