import { shellWord } from '#base/visible.js';
import { triggerAt } from '#change/compact/triggers.js';
import { type GateEvent, type GateTurn, pressureOf, type StatusDocument } from '#change/prune/gate/document.js';
import { cooldownLeft, type GateReport, gateSession } from '#change/prune/gate/gate.js';
import { historyOf, type Item } from '#change/prune/history.js';
import { isWorse, type Zone, zoneOf } from '#change/prune/policy-schema.js';
import { modeIn, nameIn, type Policy } from '#change/prune/policy.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { ContextSize } from '#context/replay/envelope.js';
import { type ContextWindow, isKnown, type KnownWindow, windowIn } from '#context/size/window.js';
import { titleOf } from '#context/words/title.js';
import type { Io } from '#platform/io.js';
import { type Head, idText } from '#session/table/head.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { readSettings } from '../compact/settings.js';
import { type CommandInput, defineCommand } from '../define.js';
import { choice, flagsWith, toggle } from '../flags.js';
import { policyFlags, policyFor, type PolicyInForce } from '../prune/policy.js';
import { openNamed, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { maxOutputAt, neededWindow } from '../window.js';
import { type PiStatus, type Standing, type Status, statusDoc, type ZonedStatus, zonesAhead } from './view.js';

const FLAGS = {
  at: shared.at,
  history: toggle('list where the policy would have asked for pruning or compaction'),
  ...flagsWith(
    { needs: ['history'] },
    {
      each: toggle('list every turn end, also those where nothing happens'),
      answers: toggle("check after each answer and its tool results, as Pi's turn_end does, instead of at turn ends"),
    },
  ),
  'fail-on': {
    ...choice('ZONE', ['yellow', 'red', 'compact'], 'exit with 1 if the context is in this zone, or in a worse one'),
    excludes: ['history'],
  },
  ...policyFlags,
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
    "ctx status session.jsonl --at '@{turn:3}'",
    'ctx status session.jsonl --limit 200k --json',
    'ctx status latest --history --each',
    'ctx status session.jsonl --limit 200k --fail-on red',
  ],
  async run(input) {
    const { io, args, flags } = input;
    if (flags.history) return (await import('./history.js')).statusHistory(input);
    const inForce = await policyFor(io, flags);
    const session = await openNamed(input, args[0]);
    const at = resolveRevision(session, flags.at ?? 'HEAD');
    const status = await statusOf(io, session, at, { inForce, name: args[0] ?? session.file });
    const worst = flags['fail-on'];
    if (worst !== undefined) neededWindow(status.window, session.file);
    return {
      kind: 'report',
      report: { data: documentOf(session, at, status), doc: () => statusDoc(status) },
      problems: session.problems,
      file: session.file,
      exitCode: worst !== undefined && status.zoned && !isWorse(worst, status.zoned.zone) ? 1 : 0,
    };
  },
});

interface Asked {
  readonly inForce: PolicyInForce;
  /** The session, as the user may type it. */
  readonly name: string;
}

async function statusOf(io: Io, session: OpenSession, at: Head | null, { inForce, name }: Asked): Promise<Status> {
  const { readPatch } = session;
  const path = at ? pathTo(session.tree, at) : [];
  const envelope = buildEnvelope(session, at, readPatch, inForce.window);
  const window = windowIn(envelope.meta);
  const { size, model } = envelope.meta;
  const { items } = historyOf(session, envelope, at);
  const zoned = isKnown(window) ? zonedOf(session, path, { inForce, window, size }) : null;
  return {
    title: titleOf(session),
    window,
    size,
    model,
    zoned,
    packet: items.filter(({ kind }) => kind === 'packet').map(standingOf)[0] ?? null,
    summaries: items.filter(({ kind }) => kind.endsWith('-summary')).map(standingOf),
    pi: session.foreign ? null : await piStatus(io, session, path, window),
    agent: session.foreign?.title ?? null,
    tries: at?.index === session.tree.leaf?.index && zoned ? triesFor(name, zoned) : [],
  };
}

async function piStatus(
  io: Io,
  session: OpenSession,
  path: readonly Head[],
  { tokens: contextWindow }: ContextWindow,
): Promise<PiStatus> {
  const { readPatch } = session;
  const settings = await readSettings(io, session, path, {});
  const maxOutput = maxOutputAt(session, path);
  const { threshold, reason, tokens } = triggerAt(session, { path, contextWindow, maxOutput, settings, readPatch });
  const { enabled, reserveTokens: reserve } = settings;
  return { enabled, reserve, threshold, reason, tokens };
}

interface Zoning {
  readonly inForce: PolicyInForce;
  readonly window: KnownWindow;
  readonly size: ContextSize;
}

function zonedOf(session: OpenSession, path: readonly Head[], { inForce, window, size }: Zoning): ZonedStatus {
  const { policy, baseline } = inForce;
  const zone = zoneOf(size.tokens, window.tokens, policy.thresholds);
  const { readPatch } = session;
  const replay = gateSession(
    session,
    { path, readPatch, baseline, every: policy.checkAt },
    { policy, limit: window.tokens },
  );
  return {
    policy,
    window,
    zone,
    mode: modeIn(policy, zone),
    strategies: policy.zones[zone].map(nameIn),
    ahead: zonesAhead(size, { zone, window, policy }),
    ...gateOf(replay, zone, policy),
  };
}

/** The commands that show what the policy asks for, and write nothing. */
function triesFor(name: string, { mode, window }: ZonedStatus): readonly string[] {
  const limit = window.source === 'supplied' ? ` --limit ${window.tokens}` : '';
  const prune = `ctx prune ${shellWord(name)}${limit} --dry-run`;
  if (mode === 'watch') return [];
  return mode === 'prune' ? [prune] : [`ctx compact ${shellWord(name)} --dry-run`, prune];
}

function standingOf({ kind, from, tokens }: Item): Standing {
  return { kind, entryId: from.entryId, line: from.line, tokens };
}

/** Replays the gate to its end. */
function gateOf(
  replay: Generator<GateEvent, GateReport>,
  zone: Zone,
  policy: Policy,
): Pick<ZonedStatus, 'gate' | 'since'> {
  let reached: GateTurn | null = null;
  for (;;) {
    const { done, value } = replay.next();
    if (done) {
      const { state, waitsFor } = value;
      const cooldownTurns = modeIn(policy, zone) === 'watch' ? 0 : cooldownLeft(state, zone, policy);
      const since = reached?.zone === zone ? reached.turn : null;
      return { gate: { latch: state.latch, waitsFor, cooldownTurns }, since };
    }
    if (value.schema === 'ctx/gate-turn' && value.zone !== reached?.zone) reached = value;
  }
}

function documentOf(session: OpenSession, at: Head | null, status: Status): StatusDocument {
  const { packet, pi, zoned, window } = status;
  return {
    schema: 'ctx/status',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    at: { entryId: idText(at?.id), line: at?.line ?? null },
    model: window.model,
    mode: zoned?.mode ?? null,
    zone: zoned?.zone ?? null,
    strategies: [...(zoned?.strategies ?? [])],
    tokens: pressureOf(status.size),
    limit: window.tokens,
    limitSource: window.source,
    packet: { tokensEstimated: packet?.tokens ?? 0, entryId: packet?.entryId ?? null },
    summaries: status.summaries.map(({ kind, entryId, line, tokens: tokensEstimated }) => ({
      kind: kind === 'branch-summary' ? 'branch' : 'compaction',
      entryId,
      line,
      tokensEstimated,
    })),
    next: [...(zoned?.ahead ?? [])],
    pi: pi && piDocument(pi),
    gate: zoned && zoned.gate,
  };
}

function piDocument({ enabled, reserve, threshold, tokens, reason }: PiStatus): StatusDocument['pi'] {
  const away = tokens === null || threshold === null ? null : threshold - tokens;
  return { enabled, reserve, threshold, tokens, away, reason: enabled ? reason : null };
}
