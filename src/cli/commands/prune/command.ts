import { dirname, isAbsolute } from 'node:path';
import { measureBreakEven } from '#analysis/cache/break-even.js';
import { findLastRequest } from '#analysis/cache/last-request.js';
import { CtxError } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { introduceSummary, measureAsCopy } from '#change/copy/copy-draft.js';
import { buildDraft, buildPlan, type Draft } from '#change/plan/draft.js';
import { buildPruneDocument, type PruneCheck } from '#change/prune/document.js';
import { describeDroppedSummaries } from '#change/prune/dropped-summaries.js';
import { PRUNE_FORMS, type PruneForm } from '#change/prune/forms.js';
import { preparePolicyPrune } from '#change/prune/plan-prune.js';
import type { PreparedHistory } from '#change/prune/prepare.js';
import { buildPruneEntries } from '#change/prune/prune-entries.js';
import { ZONES } from '#change/prune/zones.js';
import { refuseUntrusted } from '#cli/config/read-config.js';
import { locateToWrite } from '#cli/locate.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { resolvePath } from '#session/tree/revision.js';
import { commandLine, type Doc, line } from '#ui/doc/doc.js';
import { addRequestedFile, describeBranch, executePlan } from '../apply/execute-plan.js';
import { type CommandInput, defineCommand, type Outcome, toOutcome } from '../define.js';
import { choiceFlag, numberFlag, textFlag, toggleFlag } from '../flags.js';
import { hasSameBytes } from '../new-session.js';
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
import { describeDecisions, renderPrune } from './view.js';

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
    return planPrune(input, await openToPlan(input, await locateToWrite(io, args[0]), flags));
  },
});

async function planPrune(input: Input, session: SessionToPlan): Promise<Outcome> {
  const { io, flags } = input;
  const { at, path } = resolvePath(session, flags.at);
  const active = await readActivePolicy(io, flags);
  const envelope = buildEnvelope(session, at, active.window);
  const chosen = chooseStrategies(active, envelope, flags);
  const finishWithNothing = (why: string): Promise<Outcome> => {
    const next = flags.strategy === undefined ? null : findPolicyPrune(input, { session, path, envelope, active });
    const outcome = reportNothing(session, chosen, { why, next, exitCode: flags['if-needed'] ? 1 : 0 });
    return addRequestedFile(io, { session, outcome, command: 'prune' }, flags);
  };
  const due = flags['if-needed']
    ? findDueRequest(session, path, { ...active, window: requireEnvelopeWindow(envelope) })
    : null;
  if (due?.request === null) return finishWithNothing(due.why);
  if (chosen.strategies.length === 0)
    return finishWithNothing('the policy does nothing there; --strategy distill prunes in any zone');
  const prune = preparePolicyPrune(session, { ...chosen, path, envelope, form: chooseForm(session, flags) });
  if (prune.saved <= 0) return finishWithNothing(describeNothing(prune));
  const draft = draftPrune(io, { session, prune, at });
  const why = findWorthComplaint(draft, { path, now: io.now(), most: flags['only-if-worth'] });
  if (why !== null) return finishWithNothing(why);
  const isFolderConfigured = flags['side-files'] === undefined;
  if (isFolderConfigured && prune.pruned.decisions.some(({ spill }) => spill))
    refuseUntrusted(active.configuration, 'the option "spill" of compress writes files');
  const missingFiles = await findMissingSideFiles(io, prune);
  if (missingFiles.length > 0 && flags.plan !== undefined)
    throw new CtxError('usage', '--plan writes no side files, which the messages would name', {
      hint: 'leave --plan or the side files out',
    });
  const before = draft.before.meta.size;
  const after = draft.after.meta.size;
  const about = buildPruneDocument(prune, { ...prune.details, tokensSaved: before.tokens - after.tokens });
  const doc = renderPrune(about);
  const remarks = [
    ...(at && flags.at !== undefined ? [describeBranch(at, session)] : []),
    ...describeWholeResults(session, prune),
  ];
  const caution = describeDroppedSummaries(prune, path);
  const options = { remarks, caution, about: { key: 'prune', data: about, doc }, honouredBy: '--as stock' };
  const outcome = await executePlan(
    io,
    { session, draft, plan: buildPlan(draft, 'prune') },
    { ...flags, configuredLimit: input.configuredLimit, ...options },
  );
  if (!flags['dry-run']) await writeSideFiles(io, missingFiles);
  return outcome;
}

/** Says which results stay whole, although a strategy would have made them shorter. */
function describeWholeResults({ copier }: SessionToPlan, { pruned: { refusals } }: PreparedHistory): readonly string[] {
  return [...(copier?.wholeResults ?? [])].flatMap(([tool, why]) => {
    const items = refusals.flatMap((refusal) => (refusal.because === why ? refusal.items : []));
    const count = new Set(items.flatMap(({ place, message }) => (message.toolName === tool ? [place] : []))).size;
    return count === 0
      ? []
      : [`${pluralize(count, 'result')} of ${tool} left as ${count === 1 ? 'it is' : 'they are'}: ${why}`];
  });
}

function chooseForm({ copier }: SessionToPlan, { as: form }: Pick<Input['flags'], 'as'>): PruneForm | undefined {
  return copier ? 'stock' : form;
}

interface PruneToDraft {
  readonly session: SessionToPlan;
  readonly prune: ReturnType<typeof preparePolicyPrune>;
  /** The entry at which the context is pruned; null for an empty path. */
  readonly at: Head | null;
}

function draftPrune(io: Io, { session, prune, at }: PruneToDraft): Draft {
  const summary = describeDecisions(
    prune.pruned.decisions.map(({ message }) => ({ action: message === null ? 'drop' : 'shorten' })),
  );
  const planned = buildDraft(session, buildPruneEntries(session, { ...prune, summary }, io), at);
  return session.copier ? measureAsCopy(introduceSummary(planned)) : planned;
}

interface ContextToPrune {
  readonly session: SessionToPlan;
  readonly path: readonly Head[];
  readonly envelope: ContextEnvelope;
  readonly active: ActivePolicy;
}

/** Finds the tokens that the strategies of the policy would save where the named ones found nothing; null if they save none. */
function findPolicyPrune(
  { io, args, flags }: Input,
  { session, path, envelope, active }: ContextToPrune,
): PruneCheck['next'] {
  if (flags.zone === undefined && envelope.meta.limit === null) return null;
  const chosen = chooseStrategies(active, envelope, { ...flags, strategy: undefined });
  if (chosen.strategies.length === 0) return null;
  const prune = preparePolicyPrune(session, { ...chosen, path, envelope, form: chooseForm(session, flags) });
  if (prune.saved <= 0) return null;
  const { before, after } = draftPrune(io, { session, prune, at: path.at(-1) ?? null });
  const options = [
    ...KEPT_FLAGS.flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, String(flags[name])])),
    ...(flags['no-config'] ? ['--no-config'] : []),
  ];
  return {
    tokensSaved: before.meta.size.tokens - after.meta.size.tokens,
    command: ['ctx', 'prune', ...(args[0] === undefined ? [] : [args[0]]), ...options, '--dry-run']
      .map(toShellWord)
      .join(' '),
  };
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

function describeNothing({ pruned: { decisions, refusals } }: PreparedHistory): string {
  if (decisions.length > 0) return 'the replacements would take more tokens than they save';
  if (refusals.length > 0) return `all that could go has to stay: ${refusals[0]?.because ?? ''}`;
  return 'the strategies found nothing that could go';
}

function reportNothing(
  session: OpenSession,
  { zone, size, limit }: ChosenStrategies,
  { why, next, exitCode }: Pick<PruneCheck, 'why' | 'next'> & { readonly exitCode: 0 | 1 },
): Outcome {
  const { file } = session;
  const { tokens } = size;
  const data: PruneCheck = {
    schema: 'ctx/prune-check',
    schemaVersion: 1,
    file,
    pruned: false,
    why,
    zone,
    tokens,
    limit,
    next,
  };
  const inZone = zone === null ? '' : ` in zone ${zone}`;
  const doc: Doc = [line(`nothing to prune${inZone}: ${why}`), ...renderPolicyPrune(next)];
  return toOutcome({ data, doc: () => doc }, session, exitCode);
}

function renderPolicyPrune(next: PruneCheck['next']): Doc {
  if (next === null) return [];
  return [
    line(`the strategies of the policy would save ~${pluralize(next.tokensSaved, 'token')}:`),
    commandLine('  ', next.command),
  ];
}

/** A file with the full text of a shortened result. */
interface SideFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The side files that a prune names and that do not exist yet. Throws a CtxError (refused) if one has other contents. */
async function findMissingSideFiles(io: Io, prepared: PreparedHistory): Promise<readonly SideFile[]> {
  const missing: SideFile[] = [];
  for (const { spill } of prepared.pruned.decisions) {
    if (!spill) continue;
    await refuseElsewhere(io, spill.name);
    const file = { name: spill.name, bytes: new TextEncoder().encode(spill.text) };
    if (!io.files.exists(file.name)) missing.push(file);
    else if (!(await hasSameBytes(io.files, file.name, toByteSource(file.bytes)))) {
      throw new CtxError('refused', 'a side file would replace something else', {
        where: file.name,
        hint: 'name another folder with --side-files',
      });
    }
  }
  return missing;
}

/** Throws a CtxError (refused) for a file that seems to be below the working directory, but that a link takes elsewhere. */
async function refuseElsewhere({ files, cwd }: Io, name: string): Promise<void> {
  if (isAbsolute(name) || name.startsWith('..') || (await files.isWithin(name, cwd))) return;
  throw new CtxError('refused', 'a symbolic link takes this file out of the working directory', {
    where: name,
    hint: 'name the real folder: --side-files /PATH',
  });
}

async function writeSideFiles(io: Io, files: readonly SideFile[]): Promise<void> {
  for (const { name, bytes } of files) {
    await io.files.makeFolder(dirname(name));
    await writeNewFile(io.files.createNew, name, bytes, { force: false, like: null });
  }
}
