import { findCacheState } from '#analysis/cache/cache-state.js';
import { listLargest } from '#analysis/composition/largest.js';
import { toShellWord } from '#base/shell.js';
import { findTrigger } from '#change/compact/trigger.js';
import { findCopier } from '#change/copy/session-to-copy.js';
import { type GateEvent, type GateTurn, toPressure } from '#change/prune/gate/document.js';
import { countCooldownTurns, type GateOutcome, replayGateOnPath } from '#change/prune/gate/gate.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import { buildHistory, type HistoryItem } from '#change/prune/history.js';
import { modeIn, nameStrategy, type Policy } from '#change/prune/policy.js';
import { findZoneStart, isFuller, type Zone, zoneOf, ZONES } from '#change/prune/zones.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { explainChoice } from '#cli/locate.js';
import { findResumeLine } from '#cli/resume-command.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { toOverview } from '#context/replay/overview.js';
import { type ContextWindow, isWindowKnown, type KnownWindow, toWindow } from '#context/size/window.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { fileSpan, type Span, span } from '#ui/doc/doc.js';
import { suggestLook } from '#ui/parts/composition-view.js';
import { type CommandInput, defineCommand, toOutcome } from '../define.js';
import { addFlagRule, choiceFlag, rareFlag, toggleFlag } from '../flags.js';
import { type ActivePolicy, chooseStrategies, policyFlags, readActivePolicy } from '../prune/policy.js';
import {
  describeFile,
  findMaxOutput,
  openNamedSession,
  renderChoice,
  requireWindow,
  revisionArgument,
  sessionArgument,
} from '../session.js';
import * as shared from '../shared-flags.js';
import { suggestCommands } from './suggestions.js';
import { type ContextStatus, renderStatus, type ZoneStatus } from './view.js';

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
    const { document: data, zoned } = status;
    const worst = flags['fail-on'];
    if (worst !== undefined) requireWindow(status.window, session.file);
    const isLeaf = at !== null && at.index === session.tree.leaf?.index;
    const suggestions =
      isLeaf && zoned
        ? await suggestCommands(io, {
            name: args[0] ?? 'latest',
            session,
            path: pathTo(session.tree, at),
            envelope,
            zoned,
            chosen: chooseStrategies(active.policy, envelope, {}),
            flags,
          })
        : null;
    const isBad = worst !== undefined && zoned && !isFuller(worst, zoned.zone);
    const choice = args[0] === undefined ? await explainChoice(io, session) : null;
    return toOutcome(
      { data, doc: () => [...renderChoice(choice), ...renderStatus(status, suggestions)] },
      session,
      isBad ? 1 : 0,
    );
  },
});

async function buildStatus(
  io: Io,
  session: OpenSession,
  {
    at,
    envelope,
    where,
  }: { readonly at: Head | null; readonly envelope: ContextEnvelope; readonly where: readonly string[] },
  active: ActivePolicy,
): Promise<ContextStatus> {
  const path = at ? pathTo(session.tree, at) : [];
  const window = toWindow(envelope.meta);
  const { size, model, unseen } = envelope.meta;
  const { messages: shares, ...composition } = envelope.meta.composition;
  const tokensOf = ({ place }: HistoryItem): number => shares[place]?.tokens ?? 0;
  const { items } = buildHistory(session, envelope, at);
  const packet = items.find(({ kind }) => kind === 'packet') ?? null;
  const zoned = isWindowKnown(window) ? buildZoneStatus(session, path, { active, window, size }) : null;
  const document: StatusDocument = {
    schema: 'ctx/status',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    resume: findResumeLine(io, session),
    at: { entryId: formatId(at?.id), line: at?.line ?? null },
    model: window.model,
    mode: zoned?.mode ?? null,
    zone: zoned?.zone ?? null,
    strategies: zoned ? zoned.policy.zones[zoned.zone].map(nameStrategy) : [],
    tokens: toPressure(size),
    unseen,
    composition: structuredClone(composition) as StatusDocument['composition'],
    limit: window.tokens,
    limitSource: window.source,
    packet: {
      tokens: packet ? tokensOf(packet) : 0,
      tokensEstimated: packet?.tokens ?? 0,
      entryId: packet?.from.entryId ?? null,
    },
    summaries: items
      .filter(({ kind }) => kind.endsWith('-summary'))
      .map((item) => ({ ...toSummary(item), tokens: tokensOf(item) })),
    cache: findCacheState(session, path, io.now()),
    next: [...(zoned?.next ?? [])],
    pi: session.agent ? null : await readPiStatus(io, session, path, window),
    gate: zoned && zoned.gate,
  };
  const overview = toOverview(envelope);
  const largest = listLargest(overview);
  return {
    document,
    title: findSessionTitle(session),
    overview,
    largest,
    next: suggestNext(suggestLook(largest, where) ?? suggestShow(where), where.length === 0),
    place: where.length === 0 ? describePlace(session, io) : null,
    window,
    size,
    model,
    unseen,
    zoned,
    packet,
    agent: session.agent?.title ?? null,
    hasCopies: findCopier(session) !== null,
  };
}

function toSummary({
  kind,
  from: { entryId, line },
  tokens: tokensEstimated,
}: HistoryItem): Omit<StatusDocument['summaries'][number], 'tokens'> {
  return { kind: kind === 'branch-summary' ? 'branch' : 'compaction', entryId, line, tokensEstimated };
}

/** The session that was not named, so that people see which one it is. */
function describePlace({ file, agent }: OpenSession, io: Io): readonly Span[] {
  const writer = agent ? `${agent.title}${agent.version === null ? '' : ` ${agent.version}`}` : 'Pi';
  return [span(`${writer}, `), fileSpan(describeFile(file, io), file)];
}

/** The command that shows the context, where nothing in it is large. */
function suggestShow(where: readonly string[]): string {
  return ['ctx show', ...where.map(toShellWord)].join(' ');
}

/** The commands that look at the context; of a session that was not named, also those that most people want next. */
function suggestNext(look: string, isLatest: boolean): readonly string[] {
  return isLatest ? [look, 'ctx stats latest', 'ctx explore latest'] : [look];
}

/** Pi does not compact by itself. */
const NEVER = { reason: null, answerCutOff: false, outputReserve: null } as const;

async function readPiStatus(
  io: Io,
  session: OpenSession,
  path: readonly Head[],
  { tokens: contextWindow }: ContextWindow,
): Promise<StatusDocument['pi']> {
  const settings = await readCompactionSettings(io, session, path, {});
  const maxOutput = findMaxOutput(session, path);
  const trigger = findTrigger(session, { path, contextWindow, maxOutput, settings });
  const { threshold, reason, isCutOff, outputReserve, tokens } = trigger;
  const { enabled, reserveTokens: reserve } = settings;
  const away = tokens === null || threshold === null ? null : threshold - tokens;
  const why = enabled ? { reason, answerCutOff: isCutOff, outputReserve } : NEVER;
  return { enabled, reserve, threshold, tokens, away, ...why };
}

function buildZoneStatus(
  session: OpenSession,
  path: readonly Head[],
  {
    active,
    window,
    size,
  }: Pick<ContextStatus, 'size'> & { readonly active: ActivePolicy; readonly window: KnownWindow },
): ZoneStatus {
  const { policy, baseline } = active;
  const { thresholds, checkAt: every } = policy;
  const zone = zoneOf(size.tokens, window.tokens, thresholds);
  const recording = { path, baseline, every };
  const replay = replayGateOnPath(session, recording, { policy, limit: window.tokens });
  const next = ZONES.filter((each) => isFuller(each, zone)).map((each) => {
    const begins = findZoneStart(each, window.tokens, thresholds);
    return { zone: each, begins, away: begins - size.tokens };
  });
  return { policy, window, zone, mode: modeIn(policy, zone), next, ...runGate(replay, zone, policy) };
}

/** Replays the gate to its end. */
function runGate(
  replay: Generator<GateEvent, GateOutcome>,
  zone: Zone,
  policy: Policy,
): Pick<ZoneStatus, 'gate' | 'since'> {
  let reached: GateTurn | null = null;
  for (;;) {
    const { done, value } = replay.next();
    if (done) {
      const { state, waitsFor } = value;
      const cooldownTurns = modeIn(policy, zone) === 'watch' ? 0 : countCooldownTurns(state, zone, policy);
      const since = reached?.zone === zone ? reached.turn : null;
      return { gate: { latch: state.latch, waitsFor, cooldownTurns }, since };
    }
    if (value.schema === 'ctx/gate-turn' && value.zone !== reached?.zone) reached = value;
  }
}
