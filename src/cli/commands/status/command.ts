import { isFuller } from '#change/prune/zones.js';
import { explainChoice } from '#cli/latest.js';
import { requireWindow } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Head } from '#session/heads/head.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import type { Doc } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, toOutcome } from '../define.js';
import { addFlagRule, choiceFlag, rareFlag, toggleFlag } from '../flags.js';
import { type ActivePolicy, chooseStrategies, policyFlags, readActivePolicy } from '../prune/policy.js';
import { openNamedSession, renderChoice, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { buildStatus } from './build-status.js';
import type { Suggestion, ZoneStatus } from './context-status.js';
import { suggestCommands } from './suggestions.js';
import { renderStatus } from './view.js';

const FLAGS = {
  history: toggleFlag('list where the policy would have asked for pruning or compaction'),
  'fail-on': {
    ...choiceFlag(
      'ZONE',
      ['yellow', 'red', 'compact'],
      'exit with 1 if the context is in this zone, or in a worse one',
    ),
    excludes: ['history'],
  },
  ...policyFlags,
  at: shared.at,
  ...addFlagRule(
    { needs: ['history'] },
    {
      each: rareFlag(toggleFlag('list every turn end, also those where nothing happens')),
      answers: rareFlag(
        toggleFlag("check after each answer and its tool results, as Pi's turn_end does, instead of at turn ends"),
      ),
    },
  ),
};

export type StatusInput = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'status',
  summary: 'Show how full the context is, and what to do about it',
  description:
    "Shows how much of the model's context window is used, in which zone of the policy that is, when Pi compacts by " +
    'itself, and which commands make the context smaller. With --history it replays the policy at every turn end and ' +
    'shows when it would have asked for pruning or compaction, and how much earlier than the recorded compactions. ' +
    'Changes nothing.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx status',
    "ctx status session.jsonl '@{turn:3}'",
    'ctx status latest --history --each',
    'ctx status session.jsonl --limit 200k --json',
    'ctx status session.jsonl --limit 200k --fail-on red',
  ],
  async run(input) {
    const { io, args, flags } = input;
    if (flags.history) return (await import('./history.js')).showStatusHistory(input);
    const active = await readActivePolicy(io, flags);
    const session = await openNamedSession(input, args[0]);
    const at = resolveRevision(session, flags.at ?? 'HEAD');
    const envelope = buildEnvelope(session, at, active.window);
    const where = [args[0], flags.at].flatMap((word) => word ?? []);
    const status = await buildStatus(io, session, { at, envelope, where }, active);
    const { document: data, zoned, window } = status;
    const worst = flags['fail-on'];
    if (worst !== undefined) requireWindow(window, session.file);

    const isLeaf = at !== null && at.index === session.tree.leaf?.index;
    const suggestions = isLeaf && zoned ? await suggest(input, active, { session, at, envelope, zoned }) : null;
    const isBad = worst !== undefined && zoned !== null && !isFuller(worst, zoned.zone);
    const choice = args[0] === undefined ? await explainChoice(io, session) : null;
    const doc = (): Doc => [...renderChoice(choice), ...renderStatus(status, suggestions)];
    return toOutcome({ data, doc }, session, isBad ? 1 : 0);
  },
});

/** The context at the leaf, in a known window. */
interface ZonedContext {
  readonly session: OpenSession;
  readonly at: Head;
  readonly envelope: ContextEnvelope;
  readonly zoned: ZoneStatus;
}

/** The commands that make the context at the leaf smaller. */
function suggest(
  { io, args, flags }: StatusInput,
  { policy }: ActivePolicy,
  { session, at, envelope, zoned }: ZonedContext,
): Promise<readonly Suggestion[] | null> {
  return suggestCommands(io, {
    name: args[0] ?? 'latest',
    session,
    path: pathTo(session.tree, at),
    envelope,
    zoned,
    chosen: chooseStrategies(policy, envelope, {}),
    flags,
  });
}
