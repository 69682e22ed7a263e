import { findCacheState } from '#analysis/cache/cache-state.js';
import { listLargest } from '#analysis/composition/largest.js';
import { toShellWord } from '#base/shell.js';
import { findTrigger } from '#change/compact/trigger.js';
import { type GateEvent, type GateTurn, toPressure } from '#change/prune/gate/document.js';
import { countCooldownTurns } from '#change/prune/gate/gate.js';
import { type GateOutcome, replayGateOnPath } from '#change/prune/gate/replay-gate.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import { buildHistory, type HistoryItem } from '#change/prune/history.js';
import { modeIn, nameStrategy, type Policy } from '#change/prune/policy.js';
import { findZoneStart, isFuller, type Zone, zoneOf, ZONES } from '#change/prune/zones.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { findResumeLine } from '#cli/resume-command.js';
import { findMaxOutput } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import { toOverview } from '#context/replay/overview.js';
import { type ContextWindow, isWindowKnown, type KnownWindow, toWindow } from '#context/size/window.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Io } from '#platform/io.js';
import { findCopier } from '#session/agents/index.js';
import { formatId, type Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { fileSpan, type Span, span } from '#ui/doc/doc.js';
import { suggestLook } from '#ui/parts/composition-view.js';
import type { ActivePolicy } from '../prune/policy.js';
import { describeFile } from '../session.js';
import type { ContextStatus, ZoneStatus } from './context-status.js';

/** A context, and the session and the revision as the user named them. */
interface NamedContext {
  readonly at: Head | null;
  readonly envelope: ContextEnvelope;
  readonly where: readonly string[];
}

/** Finds how full a context is, and what Pi and a policy do about it. */
export async function buildStatus(
  io: Io,
  session: OpenSession,
  { at, envelope, where }: NamedContext,
  active: ActivePolicy,
): Promise<ContextStatus> {
  const path = at ? pathTo(session.tree, at) : [];
  const window = toWindow(envelope.meta);
  const { size, model, unseen } = envelope.meta;
  const { items } = buildHistory(session, envelope, at);
  const zoned = isWindowKnown(window) ? buildZoneStatus(session, path, { active, window, size }) : null;
  const pi = session.agent ? null : await readPiStatus(io, session, path, window);
  const overview = toOverview(envelope);
  const largest = listLargest(overview);
  return {
    document: buildDocument(io, session, { at, path, envelope, window, items, zoned, pi }),
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
    packet: findPacket(items),
    agent: session.agent?.title ?? null,
    hasCopies: findCopier(session) !== null,
  };
}

/** All that the document of a status is made of. */
interface StatusParts {
  readonly at: Head | null;
  readonly path: readonly Head[];
  readonly envelope: ContextEnvelope;
  readonly window: ContextWindow;
  readonly items: readonly HistoryItem[];
  readonly zoned: ZoneStatus | null;
  readonly pi: StatusDocument['pi'];
}

function buildDocument(io: Io, session: OpenSession, parts: StatusParts): StatusDocument {
  const { at, path, envelope, window, items, zoned, pi } = parts;
  const { size, unseen } = envelope.meta;
  const { messages: shares, ...composition } = envelope.meta.composition;
  const tokensOf = ({ place }: HistoryItem): number => shares[place]?.tokens ?? 0;
  const packet = findPacket(items);
  return {
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
    pi,
    gate: zoned?.gate ?? null,
  };
}

/** The packet that replaces the messages that a prune removed; null if there is none. */
function findPacket(items: readonly HistoryItem[]): HistoryItem | null {
  return items.find(({ kind }) => kind === 'packet') ?? null;
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

/** The fill of a known window, which a policy watches. */
interface WindowUse {
  readonly active: ActivePolicy;
  readonly window: KnownWindow;
  readonly size: ContextSize;
}

function buildZoneStatus(session: OpenSession, path: readonly Head[], { active, window, size }: WindowUse): ZoneStatus {
  const { policy, baseline } = active;
  const { thresholds, checkAt: every } = policy;
  const zone = zoneOf(size.tokens, window.tokens, thresholds);
  const replay = replayGateOnPath(session, { path, baseline, every }, { policy, limit: window.tokens });
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
