import type { CountedSize } from '#context/size/size.js';
import type { KnownWindow } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import { idText } from '#session/table/head.js';
import type { Policy } from '../policy.js';
import type { Recording } from '../turn-ends.js';
import { beginOf } from '../zones.js';
import type { AskedDocument, GateReliefLine, GateSummary, GateTurn, PressureDocument } from './document.js';
import type { Asked, GatedRelief, GatedTurn, GateEvent } from './session.js';

export function pressureDocumentOf(size: CountedSize): PressureDocument {
  const { tokens, recorded, estimated, factor, error, method } = size;
  return { total: tokens, recorded, estimated, factor, error, method };
}

export function askedDocumentOf({ request, end }: Asked): AskedDocument {
  return { request, entryId: idText(end.head.id), turn: end.turn, tokens: pressureDocumentOf(end) };
}

/** An event as data. */
export function gateLine(event: GateEvent): GateTurn | GateReliefLine {
  return event.kind === 'turn-end' ? turnLine(event) : reliefLine(event);
}

function turnLine({ end, verdict, from, waitsFor }: GatedTurn): GateTurn {
  return {
    schema: 'ctx/gate-turn',
    schemaVersion: 1,
    entryId: idText(end.head.id),
    line: end.head.line,
    turn: end.turn,
    tokens: pressureDocumentOf(end),
    zone: verdict.zone,
    zoneBefore: from,
    mode: verdict.mode,
    asks: verdict.asks,
    why: verdict.why,
    waitsFor: waitsFor && askedDocumentOf(waitsFor),
  };
}

function reliefLine(event: GatedRelief): GateReliefLine {
  const { relief, tokensBefore, asked, turnEndsSince } = event;
  return {
    schema: 'ctx/gate-relief',
    schemaVersion: 1,
    entryId: idText(relief.head.id),
    line: relief.head.line,
    by: relief.by,
    tokensBefore,
    asked: asked && askedDocumentOf(asked),
    tokensEarlier: tokensEarlier(event),
    turnEndsEarlier: turnEndsSince,
  };
}

/** How much smaller the context was when the gate asked for what was done then; null where it had not asked. */
export function tokensEarlier({ tokensBefore, asked }: GatedRelief): number | null {
  return asked === null || tokensBefore === null ? null : tokensBefore - asked.end.tokens;
}

/** Adds up what a gate has said, event by event. */
export class GateTally {
  turnEnds = 0;
  readonly asked = { prune: 0, compact: 0 };
  readonly reliefs: GatedRelief[] = [];

  add(event: GateEvent): void {
    if (event.kind === 'relief') {
      this.reliefs.push(event);
      return;
    }
    this.turnEnds += 1;
    if (event.verdict.asks !== null) this.asked[event.verdict.asks] += 1;
  }

  /** As the last line. */
  summary(session: Session, policy: Policy, window: KnownWindow, every: Recording['every']): GateSummary {
    const { thresholds, compactFrom, cooldownTurns } = policy;
    const { tokens: limit, source: limitSource } = window;
    return {
      schema: 'ctx/gate-summary',
      schemaVersion: 1,
      session: { id: session.header.id, file: session.file },
      limit,
      limitSource,
      begins: {
        yellow: beginOf('yellow', limit, thresholds),
        red: beginOf('red', limit, thresholds),
        compact: beginOf('compact', limit, thresholds),
      },
      compactFrom,
      cooldownTurns,
      every,
      turnEnds: this.turnEnds,
      asked: this.asked,
      reliefs: this.reliefs.length,
      reliefsAskedFor: this.reliefs.filter(({ asked }) => asked !== null).length,
    };
  }
}
