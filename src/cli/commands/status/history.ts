import { batchItems } from '#base/batches.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { AskedDocument, GateEvent, GateRelief, GateTurn } from '#change/prune/gate/document.js';
import { GateTally } from '#change/prune/gate/gate-tally.js';
import type { GateRequest, GateRules } from '#change/prune/gate/gate.js';
import type { GatePath } from '#change/prune/gate/path-events.js';
import { replayGateOnPath } from '#change/prune/gate/replay-gate.js';
import { modeIn } from '#change/prune/policy.js';
import { findZoneStart, type Zone, ZONES } from '#change/prune/zones.js';
import { requireWindow } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { describeAssumedWindow, findWindow, type KnownWindow } from '#context/size/window.js';
import { resolvePath } from '#session/tree/revision.js';
import { type Doc, fileSpan, gap, line, listingRow, type Span, span } from '#ui/doc/doc.js';
import { buildRowCells, buildTitleCells, type ListingColumn } from '#ui/doc/listing.js';
import type { Printable } from '#ui/doc/renderer.js';
import { formatSize } from '#ui/parts/size-words.js';
import { ZONE_TONES } from '#ui/parts/zone-tones.js';
import type { Outcome } from '../define.js';
import { readActivePolicy } from '../prune/policy.js';
import { openNamedSession } from '../session.js';
import type { StatusInput } from './command.js';

/** The zones and requests of the policy at the turn ends of a path. */
export async function showStatusHistory(input: StatusInput): Promise<Outcome> {
  const { io, args, flags, format } = input;
  const active = await readActivePolicy(io, flags);
  const session = await openNamedSession(input, args[0]);
  const { path } = resolvePath(session, flags.at);
  const window = requireWindow(findWindow(session, path, active.window), session.file);
  const replay: GateReplay = {
    session,
    window,
    rules: { policy: active.policy, limit: window.tokens },
    recording: {
      path,
      baseline: active.baseline,
      every: flags.answers ? 'answer' : active.policy.checkAt,
    },
  };
  const events = listEvents(replay, { isJson: format === 'json', isEach: flags.each ?? false });
  return {
    kind: 'stream',
    batches: batchItems(events),
    end: () => ({ problems: session.problems, file: session.file }),
  };
}

interface GateReplay {
  readonly session: OpenSession;
  readonly window: KnownWindow;
  readonly recording: GatePath;
  readonly rules: GateRules;
}

/**
 * The events and their summary. Text has a title, and only the events at which something happens, unless all are
 * wanted.
 */
function* listEvents(
  { session, window, recording, rules }: GateReplay,
  { isJson, isEach }: { readonly isJson: boolean; readonly isEach: boolean },
): Generator<Printable> {
  const { every } = recording;
  const tally = new GateTally();
  if (!isJson) yield { data: null, doc: () => renderGateTitle(rules, window, session.file) };
  let titles: Doc = [gap, listingRow(buildTitleCells(buildColumns('turn')))];
  for (const event of replayGateOnPath(session, recording, rules)) {
    tally.add(event);
    const hasHappened = isRelief(event) || event.asks !== null || event.zone !== event.zoneBefore;
    if (!isJson && !isEach && !hasHappened) continue;
    const above = titles;
    titles = [];
    yield { data: event, doc: () => [...above, listingRow(buildRowCells(buildColumns(every), event))] };
  }
  yield { data: tally.buildSummary(session, rules.policy, window, every), doc: () => renderGateSummary(tally, every) };
}

type Every = GatePath['every'];

/** The noun for each request of the policy. */
const REQUESTS: Readonly<Record<GateRequest, string>> = { prune: 'pruning', compact: 'compaction' };

/**
 * The thresholds of the zones, and those at which the policy asks for something: a compaction may begin in another
 * zone.
 */
function renderGateTitle({ policy, limit }: GateRules, window: KnownWindow, file: string): Doc {
  const describeStart = (zone: Zone): string => ` from ${formatCount(findZoneStart(zone, limit, policy.thresholds))}`;
  const zones = ZONES.filter((zone) => zone !== 'green');
  const begins = zones.flatMap((zone, at): (Span | string)[] => [
    at === 0 ? 'zones: ' : ', ',
    span(zone, ZONE_TONES[zone]),
    describeStart(zone),
  ]);
  const asks = (['prune', 'compact'] as const).flatMap((request) => {
    const first = zones.find((zone) => modeIn(policy, zone) === request);
    return first === undefined ? [] : [`for ${REQUESTS[request]}${describeStart(first)}`];
  });
  const size = span(`${pluralize(limit, 'token')}${describeAssumedWindow(window)}`, 'strong');
  const title = [line(size, ', ', fileSpan(file, file, 'faint')), line(...begins)];
  return asks.length === 0 ? title : [...title, line(`asks ${asks.join(', ')}`)];
}

function buildColumns(every: Every): readonly ListingColumn<GateEvent>[] {
  return [
    { title: 'turn', width: -4, tone: 'plain', text: (event) => (isRelief(event) ? '' : String(event.turn)) },
    { title: 'entry', width: 8, tone: 'id', text: ({ entryId, line: at }) => entryId ?? `line ${at}` },
    { title: 'tokens', width: -10, tone: 'plain', text: formatTokens },
    {
      title: 'zone',
      width: 7,
      tone: (event) => (isRelief(event) ? 'plain' : ZONE_TONES[event.zone]),
      text: (event) => (isRelief(event) ? '' : event.zone),
    },
    {
      title: 'what the policy does',
      width: 0,
      tone: (event) => (isRelief(event) ? 'plain' : chooseTone(event)),
      text: (event) => (isRelief(event) ? describeRelief(event, every) : describeTurn(event)),
    },
  ];
}

function chooseTone(turn: GateTurn): 'faint' | 'strong' {
  return turn.asks === null ? 'faint' : 'strong';
}

function isRelief(event: GateEvent): event is GateRelief {
  return event.schema === 'ctx/gate-relief';
}

function formatTokens(event: GateEvent): string {
  if (isRelief(event)) return event.tokensBefore === null ? '' : formatCount(event.tokensBefore);
  return formatSize({ tokens: event.tokens.total, estimated: event.tokens.estimated });
}

function describeTurn({ zone, zoneBefore, asks, why, waitsFor }: GateTurn): string {
  if (asks !== null)
    return `asks for ${REQUESTS[asks]}${why === 'crossed' && zone === zoneBefore ? `, still in ${zone}` : ''}`;
  switch (why) {
    case 'crossed':
    case 'every':
    case 'watch':
      return '';
    case 'cooldown':
      return 'waits: asked for a few turns ago';
    case 'latched':
      return waitsFor === null ? 'waits: the tokens are falling' : `waits: ${describeAsked(waitsFor)}`;
  }
}

/** `asked for compaction in turn 3`. */
function describeAsked({ request, turn }: AskedDocument): string {
  return `asked for ${REQUESTS[request]} in turn ${turn}`;
}

function describeRelief(event: GateRelief, every: Every): string {
  if (isMoreThanAsked(event)) return 'compacted; only pruning was asked for';
  return `${event.by === 'compact' ? 'compacted' : 'pruned'}, ${describeDelay(event, every)}`;
}

/** A compaction for which nothing was asked cannot be late. */
function isMoreThanAsked({ by, asked }: GateRelief): boolean {
  return by === 'compact' && asked?.request === 'prune';
}

function describeDelay({ asked, tokensEarlier, turnEndsEarlier }: GateRelief, every: Every): string {
  if (asked === null) return 'not asked for';
  const tokens = tokensEarlier ?? 0;
  const late: string[] = [];
  if (tokens > 0) late.push(pluralize(tokens, 'token'));
  if (turnEndsEarlier !== null && turnEndsEarlier !== 0) late.push(pluralize(turnEndsEarlier, every));
  return late.length === 0 ? 'as asked for' : `${late.join(' and ')} late`;
}

/** The totals in a line or two. */
export function renderGateSummary({ turnEnds, asked, reliefs }: GateTally, every: Every): Doc {
  const ended = pluralize(turnEnds, every === 'turn' ? 'turn end' : 'answer');
  const totals = [gap, line(`${ended}: would have asked for ${describeRequests(asked)}`)];
  const compactions = reliefs.filter(({ by }) => by === 'compact');
  return compactions.length === 0 ? totals : [...totals, line(describeCompactions(compactions))];
}

function describeRequests(asked: GateTally['asked']): string {
  const parts = (['prune', 'compact'] as const).flatMap((request) =>
    asked[request] === 0 ? [] : [`${REQUESTS[request]} ${formatTimes(asked[request])}`],
  );
  return parts.length === 0 ? 'nothing' : parts.join(', for ');
}

function formatTimes(times: number): string {
  if (times === 1) return 'once';
  return times === 2 ? 'twice' : `${formatCount(times)} times`;
}

function describeCompactions(compactions: readonly GateRelief[]): string {
  const compacted = `compacted ${formatTimes(compactions.length)}`;
  const asked = compactions.filter((event) => !isMoreThanAsked(event));
  const late = asked.flatMap(({ tokensEarlier }) => tokensEarlier ?? []).filter((tokens) => tokens > 0);
  if (late.length === 0) return compacted;
  const least = late.reduce((one, other) => Math.min(one, other), Infinity);
  const most = late.reduce((one, other) => Math.max(one, other), 0);
  const which = late.length === compactions.length ? '' : `${formatCount(late.length)} of them `;
  return `${compacted}, ${which}${least === most ? '' : `${formatCount(least)} to `}${pluralize(most, 'token')} after it would have asked`;
}
