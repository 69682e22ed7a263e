import { measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest } from '#analysis/cache/last-request.js';
import { CtxError } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { introduceSummary, measureAsCopy } from '#change/copy/copy-draft.js';
import { buildDraft, buildPlan, countSavedTokens, type Draft } from '#change/plan/draft.js';
import { buildPruneDocument, type PruneCheck } from '#change/prune/document.js';
import { describeDroppedSummaries } from '#change/prune/dropped-summaries.js';
import { PRUNE_FORMS } from '#change/prune/forms.js';
import { type PreparedPrune, preparePrune } from '#change/prune/prepare.js';
import { buildPruneEntries } from '#change/prune/prune-entries.js';
import { ZONES } from '#change/prune/zones.js';
import { refuseUntrusted } from '#cli/config/read-config.js';
import { locateToWrite } from '#cli/locate.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { resolvePath } from '#session/tree/revision.js';
import { commandLine, type Doc, line } from '#ui/doc/doc.js';
import { executePlan } from '../apply/execute-plan.js';
import { describeBranch } from '../apply/plan-remarks.js';
import { addRequestedFile } from '../apply/requested-file.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { choiceFlag, numberFlag, textFlag, toggleFlag } from '../flags.js';
import { openToPlan, type SessionToPlan } from '../session-to-plan.js';
import { revisionArgument, sessionToWriteArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { findDueRequest } from './due-request.js';
import {
  type ActivePolicy,
  chooseStrategies,
  type ChosenStrategies,
  policyFlags,
  readActivePolicy,
  requireEnvelopeWindow,
} from './policy.js';
import { findMissingSideFiles, writeSideFiles } from './side-files.js';
import { describeActions, renderPrune } from './view.js';

const FLAGS = {
  ...shared.planningFlags,
  strategy: textFlag('NAMES', 'run these strategies in this order, separated by commas (default: those of the zone)'),
  'if-needed': toggleFlag('prune only if the policy asks for it now; otherwise exit with 1'),
  at: shared.at,
  zone: choiceFlag('ZONE', ZONES, 'use the strategies of this zone (default: the zone of the context)'),
  'recent-turns': numberFlag('N', 'the number of recent turns that the "turns" strategy keeps'),
  as: choiceFlag(
    'FORM',
    PRUNE_FORMS,
    'the kind of entries to write: those that stock Pi understands, edits only, or a transform (default: a transform where the session has one, else stock)',
  ),
  'only-if-worth': numberFlag('N', 'prune only if it pays off within N requests'),
  'side-files': textFlag('DIR', 'save the results that the strategy compress shortens in this folder'),
  list: toggleFlag('list the strategies'),
  explain: textFlag('STRATEGY', 'describe a strategy'),
  ...policyFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'prune',
  summary: 'Drop or shorten messages the model no longer needs',
  description:
    'Makes the context at the leaf smaller without a model, by appending entries. Nothing is removed from the file, ' +
    'and ctx revert undoes it. The newest turn stays unchanged, and tool calls stay with their results.',
  args: [
    sessionToWriteArgument,
    {
      ...revisionArgument,
      help: 'prune the context at this entry, on a new branch (default: HEAD); see ctx help revisions',
    },
  ],
  flags: FLAGS,
  takesRedact: { needs: ['dry-run'], excludes: ['plan'] },
  examples: [
    'ctx prune session.jsonl --limit 200k --dry-run',
    'ctx prune latest:claude --strategy distill --install',
    'ctx prune session.jsonl --strategy dedupe,images,distill',
    'ctx prune session.jsonl --zone red --only-if-worth 5',
    'ctx prune session.jsonl --if-needed --limit 3k',
    'ctx prune --explain distill',
  ],
  async run(input) {
    const { io, args, flags } = input;
    if (flags.list) return (await import('./strategy-pages.js')).listStrategies();
    if (flags.explain !== undefined) return (await import('./strategy-pages.js')).explainStrategy(flags.explain);
    return pruneSession(input, await openToPlan(input, await locateToWrite(io, args[0]), flags));
  },
});

/** The context to prune. */
interface ContextToPrune {
  readonly session: SessionToPlan;
  /** The entry at which the context is pruned; null for an empty path. */
  readonly at: Head | null;
  readonly path: readonly Head[];
  readonly envelope: ContextEnvelope;
  readonly active: ActivePolicy;
}

interface PlannedPrune {
  readonly prune: PreparedPrune;
  readonly draft: Draft;
}

interface NothingToPrune {
  /** The reason, in words. */
  readonly why: string;
}

async function pruneSession(input: Input, session: SessionToPlan): Promise<Outcome> {
  const { io, flags } = input;
  const { at, path } = resolvePath(session, flags.at);
  const active = await readActivePolicy(io, flags);
  const envelope = buildEnvelope(session, at, active.window);
  const context: ContextToPrune = { session, at, path, envelope, active };
  const chosen = chooseStrategies(active.policy, envelope, flags);
  const planned = planPrune(input, context, chosen);
  if (!('why' in planned)) return executePrune(input, context, planned);
  const outcome = reportNothing(input, context, { why: planned.why, zone: chosen.zone });
  return addRequestedFile(io, { session, outcome, command: 'prune' }, flags);
}

function planPrune(input: Input, context: ContextToPrune, chosen: ChosenStrategies): PlannedPrune | NothingToPrune {
  const { io, flags } = input;
  const { session, path, envelope, active } = context;
  if (flags['if-needed']) {
    const { policy, baseline } = active;
    const { tokens: limit } = requireEnvelopeWindow(envelope);
    const { request, why } = findDueRequest(session, path, { policy, baseline, limit });
    if (request === null) return { why };
  }
  if (chosen.strategies.length === 0)
    return { why: 'the policy does nothing there; --strategy distill prunes in any zone' };
  const prune = prepareChosen(context, chosen, flags);
  if (prune.saved <= 0) return { why: describeNothing(prune) };
  const draft = draftPrune(io, context, prune);
  const why = findWorthComplaint(draft, { path, now: io.now(), most: flags['only-if-worth'] });
  return why === null ? { prune, draft } : { why };
}

/** Writes a planned prune, its side files last. */
async function executePrune(
  input: Input,
  { session, at, path, active }: ContextToPrune,
  { prune, draft }: PlannedPrune,
): Promise<Outcome> {
  const { io, flags } = input;
  const isFolderConfigured = flags['side-files'] === undefined;
  if (isFolderConfigured && prune.pruned.decisions.some(({ spill }) => spill))
    refuseUntrusted(active.configuration, 'the option "spill" of compress writes files');
  const missingFiles = await findMissingSideFiles(io, prune);
  if (missingFiles.length > 0 && flags.plan !== undefined)
    throw new CtxError('usage', '--plan writes no side files, which the messages would name', {
      hint: 'leave --plan or the side files out',
    });

  const document = buildPruneDocument(prune, countSavedTokens(draft));
  const planned = { session, draft, plan: buildPlan(draft, 'prune') };
  const outcome = await executePlan(io, planned, {
    ...flags,
    configuredLimit: input.configuredLimit,
    remarks: [
      ...(at && flags.at !== undefined ? [describeBranch(at, session)] : []),
      ...describeWholeResults(session, prune),
    ],
    caution: describeDroppedSummaries(prune, path),
    about: { key: 'prune', data: document, doc: renderPrune(document) },
    honouredBy: '--as stock',
  });
  if (!flags['dry-run']) await writeSideFiles(io, missingFiles);
  return outcome;
}

/** Tells which results stay whole, although a strategy would have made them shorter. */
function describeWholeResults({ copier }: SessionToPlan, { pruned: { refusals } }: PreparedPrune): readonly string[] {
  const remarks: string[] = [];
  for (const [tool, why] of copier?.wholeResults ?? []) {
    const refused = refusals.filter(({ because }) => because === why).flatMap(({ items }) => items);
    const results = refused.filter(({ message }) => message.toolName === tool);
    const count = new Set(results.map(({ place }) => place)).size;
    const state = count === 1 ? 'it is' : 'they are';
    if (count > 0) remarks.push(`${pluralize(count, 'result')} of ${tool} left as ${state}: ${why}`);
  }
  return remarks;
}

function prepareChosen(
  { session, path, envelope }: ContextToPrune,
  { policy, zone, strategies }: ChosenStrategies,
  { as }: Pick<Input['flags'], 'as'>,
): PreparedPrune {
  // A copy holds what stock Pi understands.
  const form = session.copier ? 'stock' : as;
  return preparePrune(session, { path, envelope, policy, zone, strategies, form });
}

function draftPrune(io: Io, { session, at }: ContextToPrune, prune: PreparedPrune): Draft {
  const actions = prune.pruned.decisions.map(({ message }) => (message === null ? 'drop' : 'shorten'));
  const draft = buildDraft(session, buildPruneEntries(session, prune, describeActions(actions), io), at);
  return session.copier ? measureAsCopy(introduceSummary(draft)) : draft;
}

/** Finds the tokens that the strategies of the policy would save where the named ones found nothing; null if they save none. */
function findPolicyPrune({ io, args, flags }: Input, context: ContextToPrune): PruneCheck['next'] {
  const { envelope, active } = context;
  if (flags.zone === undefined && envelope.meta.limit === null) return null;
  const { strategy: _named, ...others } = flags;
  const chosen = chooseStrategies(active.policy, envelope, others);
  if (chosen.strategies.length === 0) return null;
  const prune = prepareChosen(context, chosen, flags);
  if (prune.saved <= 0) return null;
  const tokensSaved = countSavedTokens(draftPrune(io, context, prune));
  return { tokensSaved, command: formatDryRun(args[0], flags) };
}

/** The command that shows what the strategies of the policy would do. */
function formatDryRun(name: string | undefined, flags: Input['flags']): string {
  const words = ['ctx', 'prune'];
  if (name !== undefined) words.push(name);
  for (const flag of KEPT_FLAGS) {
    const value = flags[flag];
    if (value !== undefined) words.push(`--${flag}`, String(value));
  }
  if (flags['no-config']) words.push('--no-config');
  words.push('--dry-run');
  return words.map(toShellWord).join(' ');
}

/** The flags with a value that decide what the strategies of the policy do. */
const KEPT_FLAGS = ['at', 'zone', 'policy', 'limit', 'recent-turns', 'as', 'baseline', 'config'] as const;

/** The reason why a change does not pay off soon enough; null if it does, or without `--only-if-worth`. */
function findWorthComplaint(
  { session, before, after }: Draft,
  { path, now, most }: { readonly path: readonly Head[]; readonly now: number; readonly most: number | undefined },
): string | null {
  if (most === undefined) return null;
  const { requests } = measureBreakEven({ before, after, last: findLastRequest(session, path), now });
  if (requests !== null && requests <= most) return null;
  return `it would pay for itself ${requests === null ? 'never' : `only after ${pluralize(requests, 'request')}`}, and --only-if-worth says ${formatCount(most)}`;
}

function describeNothing({ before, pruned: { decisions, refusals } }: PreparedPrune): string {
  if (decisions.length > 0) return 'the replacements would take more tokens than they save';
  if (refusals.length > 0) return `all that could go has to stay: ${refusals[0]?.because ?? ''}`;
  const newest = before.items.filter((item) => item.turn === before.turns - 1);
  const ofNewest = sumBy(newest, ({ tokens }) => tokens);
  const ofAll = sumBy(before.items, ({ tokens }) => tokens);
  if (before.turns === 0 || ofNewest <= ofAll / 2) return 'the strategies found nothing that could go';
  return `the newest turn stays whole, and is ${formatPercent(ofNewest, ofAll)} of the messages; ctx compact can shorten it`;
}

function reportNothing(
  input: Input,
  context: ContextToPrune,
  { why, zone }: NothingToPrune & Pick<ChosenStrategies, 'zone'>,
): Outcome {
  const { flags } = input;
  const { session, envelope } = context;
  const { size, limit } = envelope.meta;
  const next = flags.strategy === undefined ? null : findPolicyPrune(input, context);
  const data: PruneCheck = {
    schema: 'ctx/prune-check',
    schemaVersion: 1,
    file: session.file,
    pruned: false,
    why,
    zone,
    tokens: size.tokens,
    limit,
    next,
  };
  const inZone = zone === null ? '' : ` in zone ${zone}`;
  const doc: Doc = [line(`nothing to prune${inZone}: ${why}`), ...renderPolicyPrune(next)];
  return toOutcome({ data, doc: () => doc }, session, flags['if-needed'] ? 1 : 0);
}

function renderPolicyPrune(next: PruneCheck['next']): Doc {
  if (next === null) return [];
  return [
    line(`the strategies of the policy would save ~${pluralize(next.tokensSaved, 'token')}:`),
    commandLine('  ', next.command),
  ];
}
