import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { buildPlan, countSavedTokens } from '#change/plan/draft.js';
import { buildPruneDocument } from '#change/prune/document.js';
import { describeDroppedSummaries } from '#change/prune/dropped-summaries.js';
import type { PreparedPrune } from '#change/prune/prepare.js';
import { refuseUntrusted } from '#cli/config/read-config.js';
import { locateToWrite } from '#cli/locate.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { resolvePath } from '#session/tree/revision.js';
import { executePlan } from '../apply/execute-plan.js';
import { describeBranch } from '../apply/plan-remarks.js';
import { addRequestedFile } from '../apply/requested-file.js';
import { defineCommand, type Outcome } from '../define.js';
import { openToPlan, type SessionToPlan } from '../session-to-plan.js';
import { revisionArgument, sessionToWriteArgument } from '../session.js';
import { pruneFlags, type PruneInput } from './flags.js';
import { reportNothingToPrune } from './nothing-to-prune.js';
import { type ContextToPrune, type PlannedPrune, planPrune } from './plan-prune.js';
import { chooseStrategies, readActivePolicy } from './policy.js';
import { findMissingSideFiles, writeSideFiles } from './side-files.js';
import { renderPrune } from './view.js';

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
  flags: pruneFlags,
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

async function pruneSession(input: PruneInput, session: SessionToPlan): Promise<Outcome> {
  const { io, flags } = input;
  const { at, path } = resolvePath(session, flags.at);
  const active = await readActivePolicy(io, flags);
  const envelope = buildEnvelope(session, at, active.window);
  const context: ContextToPrune = { session, at, path, envelope, active };
  const chosen = chooseStrategies(active.policy, envelope, flags);
  const planned = planPrune(input, context, chosen);
  if (!('why' in planned)) return executePrune(input, context, planned);
  const outcome = reportNothingToPrune(input, context, { why: planned.why, zone: chosen.zone });
  return addRequestedFile(io, { session, outcome, command: 'prune' }, flags);
}

/** Writes a planned prune, its side files last. */
async function executePrune(
  { io, flags, configuredLimit }: PruneInput,
  { session, at, path, active }: ContextToPrune,
  { prune, draft }: PlannedPrune,
): Promise<Outcome> {
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
  const branch = at && flags.at !== undefined ? [describeBranch(at, session)] : [];
  const outcome = await executePlan(io, planned, {
    ...flags,
    configuredLimit,
    remarks: [...branch, ...describeWholeResults(session, prune)],
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
  for (const [tool, why] of copier?.client.wholeResults ?? []) {
    const refused = refusals.filter(({ because }) => because === why).flatMap(({ items }) => items);
    const results = refused.filter(({ message }) => message.toolName === tool);
    const count = new Set(results.map(({ place }) => place)).size;
    const state = count === 1 ? 'it is' : 'they are';
    if (count > 0) remarks.push(`${pluralize(count, 'result')} of ${tool} left as ${state}: ${why}`);
  }
  return remarks;
}
