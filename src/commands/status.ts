import { triggerAt } from '../compact/triggers.js';
import { buildEnvelope } from '../context/build.js';
import { locateSession } from '../locate.js';
import { openHere, type OpenSession } from '../open.js';
import { cooldownLeft } from '../prune/gate.js';
import type { StatusDocument } from '../prune/gate-document.js';
import { askedDocumentOf, pressureDocumentOf } from '../prune/gate-lines.js';
import { gateSession, type GateReport } from '../prune/gate-session.js';
import { historyOf, type Item } from '../prune/history.js';
import { modeIn, nameIn, type Policy } from '../prune/policy.js';
import { type Zone, zoneOf } from '../prune/zones.js';
import { type Head, idText } from '../session/head.js';
import { resolveRevision } from '../session/revision.js';
import { pathTo } from '../session/tree.js';
import { type PiStatus, type Standing, type Status, statusDoc, zonesAhead } from '../views/status-view.js';
import { titleOf } from '../views/title.js';
import { readSettings } from './compact-settings.js';
import { type CommandInput, defineCommand } from './define.js';
import { text } from './flags.js';
import { neededLimit, policyFlags, policyFor, type PolicyInForce } from './prune-policy.js';

const FLAGS = {
  at: text('REV', 'the entry to look at: HEAD (the default), an id, a label, REV~N, @{turn:N}, @{request:N}'),
  ...policyFlags,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'status',
  summary: 'Show how full the context is, and what the policy does about it',
  description:
    'Says in which zone of the policy the context is, what is done there, what stands for messages that were left out, ' +
    'when the next zone begins, and whether something was asked for that is waited for. Changes nothing.',
  args: [
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, "latest" (the default), or - for standard input',
    },
  ],
  flags: FLAGS,
  examples: [
    'ctx status latest --limit 200k',
    "ctx status session.jsonl --at '@{turn:3}'",
    'ctx status session.jsonl --limit 200k --json',
  ],
  async run({ io, args, flags }) {
    const inForce = await policyFor(io, flags);
    const session = await openHere(io, locateSession(io, args[0] ?? 'latest'));
    const limit = neededLimit(inForce, session.file);
    const at = resolveRevision(session, flags.at ?? 'HEAD');
    const status = await statusOf(io, session, { at, inForce, limit });
    return {
      kind: 'report',
      report: { data: documentOf(session, at, status), doc: () => statusDoc(status) },
      problems: session.problems,
      file: session.file,
    };
  },
});

interface Asking {
  readonly at: Head | null;
  readonly inForce: PolicyInForce;
  readonly limit: number;
}

async function statusOf(io: Input['io'], session: OpenSession, { at, inForce, limit }: Asking): Promise<Status> {
  const { policy, baseline } = inForce;
  const { readPatch } = session;
  const path = at ? pathTo(session.tree, at) : [];
  const envelope = buildEnvelope(session, at, readPatch, { baseline, limit });
  const { size, model } = envelope.meta;
  const zone = zoneOf(size.tokens, limit, policy.thresholds);
  const mode = modeIn(policy, zone);
  const { items } = historyOf(session, envelope, at);
  const settings = await readSettings(io, session, path, {});
  const trigger = triggerAt(session, { path, contextWindow: limit, maxOutput: null, settings, readPatch });
  const { reason, tokens } = trigger;
  const { enabled, reserveTokens: reserve } = settings;
  const pi: PiStatus = { enabled, reserve, threshold: limit - reserve, reason, tokens };
  const replay = gateSession(session, { path, readPatch, baseline, every: 'turn' }, { policy, limit });
  return {
    title: titleOf(session),
    policy,
    limit,
    size,
    model,
    zone,
    mode,
    strategies: policy.zones[zone].map(nameIn),
    packet: items.filter(({ kind }) => kind === 'packet').map(standingOf)[0] ?? null,
    summaries: items.filter(({ kind }) => kind.endsWith('-summary')).map(standingOf),
    pi,
    gate: gateOf(replay, zone, policy),
  };
}

function standingOf({ kind, from, tokens }: Item): Standing {
  return { kind, entryId: from.entryId, line: from.line, tokens };
}

function gateOf(replay: Generator<unknown, GateReport>, zone: Zone, policy: Policy): Status['gate'] {
  const { state, waitsFor } = endOf(replay);
  const cooldownTurns = modeIn(policy, zone) === 'watch' ? 0 : cooldownLeft(state, zone, policy);
  return { latch: state.latch, waitsFor, cooldownTurns };
}

/** What a generator returns, whatever it yields. */
function endOf<Result>(generator: Generator<unknown, Result>): Result {
  for (;;) {
    const next = generator.next();
    if (next.done) return next.value;
  }
}

function documentOf(session: OpenSession, at: Head | null, status: Status): StatusDocument {
  const { packet, pi, gate } = status;
  const { tokens, reason } = pi;
  return {
    schema: 'ctx/status',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    at: { entryId: idText(at?.id), line: at?.line ?? null },
    mode: status.mode,
    zone: status.zone,
    strategies: [...status.strategies],
    tokens: pressureDocumentOf(status.size),
    limit: status.limit,
    packet: { tokensEstimated: packet?.tokens ?? 0, entryId: packet?.entryId ?? null },
    summaries: status.summaries.map(({ kind, entryId, line, tokens: tokensEstimated }) => ({
      kind: kind === 'branch-summary' ? 'branch' : 'compaction',
      entryId,
      line,
      tokensEstimated,
    })),
    next: [...zonesAhead(status)],
    pi: {
      enabled: pi.enabled,
      reserve: pi.reserve,
      threshold: pi.threshold,
      tokens,
      away: tokens === null ? null : pi.threshold - tokens,
      reason: pi.enabled ? reason : null,
    },
    gate: { ...gate, waitsFor: gate.waitsFor && askedDocumentOf(gate.waitsFor) },
  };
}
