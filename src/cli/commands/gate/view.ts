import { count, plural } from '#base/words.js';
import type { GateRules, Request } from '#change/prune/gate/gate.js';
import { type GateTally, tokensEarlier } from '#change/prune/gate/lines.js';
import type { Asked, GatedRelief, GatedTurn, GateEvent } from '#change/prune/gate/session.js';
import type { Recording } from '#change/prune/turn-ends.js';
import { beginOf, type Zone, ZONES } from '#change/prune/zones.js';
import type { KnownWindow } from '#context/size/window.js';
import { assumedNote } from '#context/size/window.js';
import { idText } from '#session/table/head.js';
import { type Block, cell, type Doc, gap, line, type Span, span, type Tone } from '#ui/doc/doc.js';
import { sizeText } from '#ui/parts/size-words.js';

type Every = Recording['every'];

export const ZONE_TONES: Readonly<Record<Zone, Tone>> = {
  green: 'good',
  yellow: 'warning',
  red: 'error',
  compact: 'error',
};

/** What is asked for, as a word. */
export const REQUESTS: Readonly<Record<Request, string>> = { prune: 'pruning', compact: 'compaction' };

/** Where the zones begin. */
export function gateTitle({ policy, limit }: GateRules, window: KnownWindow, file: string): Doc {
  const begins = ZONES.filter((zone) => zone !== 'green').flatMap((zone, at): (Span | string)[] => [
    at === 0 ? '' : ', ',
    span(zone, ZONE_TONES[zone]),
    ` from ${count(beginOf(zone, limit, policy.thresholds))}`,
  ]);
  return [
    line(span(`${plural(limit, 'token')}${assumedNote(window)}`, 'strong'), span(`, ${file}`, 'faint')),
    line(...begins),
  ];
}

/** Whether something happens at an event. */
export function isWorthALine(event: GateEvent): boolean {
  return event.kind === 'relief' || event.verdict.asks !== null || event.verdict.zone !== event.from;
}

/** The titles of the columns. */
export function gateColumns(): Doc {
  return [gap, row(['turn', 'entry', 'tokens', 'zone', 'what the gate does'].map((title) => span(title, 'faint')))];
}

export function gateRow(event: GateEvent, every: Every): Block {
  return event.kind === 'relief' ? reliefRow(event, every) : turnRow(event);
}

function turnRow(event: GatedTurn): Block {
  const { end, verdict } = event;
  return row([
    span(String(end.turn)),
    span(idText(end.head.id) ?? `line ${end.head.line}`, 'id'),
    span(sizeText(end)),
    span(verdict.zone, ZONE_TONES[verdict.zone]),
    span(wordsFor(event), verdict.asks === null ? 'faint' : 'strong'),
  ]);
}

function wordsFor({ verdict: { zone, asks, why }, from, waitsFor }: GatedTurn): string {
  if (asks !== null) return `asks for ${REQUESTS[asks]}${zone === from ? `, still in ${zone}` : ''}`;
  switch (why) {
    case 'crossed':
    case 'watch':
      return '';
    case 'cooldown':
      return 'cooldown: asked for a few turns ago';
    case 'latched':
      return waitsFor === null ? 'latched: the tokens are on their way down' : `latched: ${askedText(waitsFor)}`;
  }
}

/** `asked for compaction in turn 3`. */
function askedText({ request, end }: Asked): string {
  return `asked for ${REQUESTS[request]} in turn ${end.turn}`;
}

function reliefRow(event: GatedRelief, every: Every): Block {
  const { head, by } = event.relief;
  const done = by === 'compact' ? 'compacted' : 'pruned';
  return row([
    span(''),
    span(idText(head.id) ?? `line ${head.line}`, 'id'),
    span(event.tokensBefore === null ? '' : count(event.tokensBefore)),
    span(''),
    span(`${done}, ${howLate(event, every)}`),
  ]);
}

function howLate(event: GatedRelief, every: Every): string {
  const { asked, turnEndsSince } = event;
  if (asked === null) return 'not asked for';
  const tokens = tokensEarlier(event) ?? 0;
  const late = [
    ...(tokens > 0 ? [plural(tokens, 'token')] : []),
    ...(turnEndsSince === null || turnEndsSince === 0 ? [] : [plural(turnEndsSince, every)]),
  ];
  return late.length === 0 ? 'as asked for' : `${late.join(' and ')} late`;
}

const WIDTHS = [-4, 8, -10, 7, 0];

function row(spans: readonly Span[]): Block {
  return { kind: 'row', cells: spans.map(({ text, tone }, at) => cell(text, WIDTHS[at] ?? 0, tone)) };
}

/** What it comes to, in a line or two. */
export function gateSummaryDoc({ turnEnds, asked, reliefs }: GateTally, every: Every): Doc {
  const ended = plural(turnEnds, every === 'turn' ? 'turn end' : 'answer');
  const compactions = reliefs.filter(({ relief }) => relief.by === 'compact');
  return [
    gap,
    line(`${ended}: would have asked for ${requestsText(asked)}`),
    ...(compactions.length === 0 ? [] : [line(comparedWith(compactions))]),
  ];
}

function requestsText(asked: GateTally['asked']): string {
  const parts = (['prune', 'compact'] as const).flatMap((request) =>
    asked[request] === 0 ? [] : [`${REQUESTS[request]} ${timesText(asked[request])}`],
  );
  return parts.length === 0 ? 'nothing' : parts.join(', for ');
}

function timesText(times: number): string {
  return times === 1 ? 'once' : times === 2 ? 'twice' : `${count(times)} times`;
}

function comparedWith(compactions: readonly GatedRelief[]): string {
  const compacted = `compacted ${timesText(compactions.length)}`;
  const late = compactions.flatMap((event) => tokensEarlier(event) ?? []).filter((tokens) => tokens > 0);
  if (late.length === 0) return compacted;
  const least = late.reduce((one, other) => Math.min(one, other), Infinity);
  const most = late.reduce((one, other) => Math.max(one, other), 0);
  const which = late.length === compactions.length ? '' : `${count(late.length)} of them `;
  return `${compacted}, ${which}${least === most ? '' : `${count(least)} to `}${plural(most, 'token')} after it would have asked`;
}
