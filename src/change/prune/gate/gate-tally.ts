import type { KnownWindow } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import type { Policy } from '../policy.js';
import { findZoneStart } from '../zones.js';
import type { GateEvent, GateRelief, GateSummary } from './document.js';
import type { GatePath } from './path-events.js';

/** Adds up the events of a gate. */
export class GateTally {
  turnEnds = 0;
  readonly asked = { prune: 0, compact: 0 };
  readonly reliefs: GateRelief[] = [];

  add(event: GateEvent): void {
    if (event.schema === 'ctx/gate-relief') {
      this.reliefs.push(event);
      return;
    }
    this.turnEnds += 1;
    if (event.asks !== null) this.asked[event.asks] += 1;
  }

  /** Builds the last line of `ctx status --history`. */
  buildSummary(session: Session, policy: Policy, window: KnownWindow, every: GatePath['every']): GateSummary {
    const { thresholds, compactFrom, cooldownTurns } = policy;
    const { tokens: limit, source: limitSource } = window;
    return {
      schema: 'ctx/gate-summary',
      schemaVersion: 1,
      session: { id: session.header.id, file: session.file },
      limit,
      limitSource,
      begins: {
        yellow: findZoneStart('yellow', limit, thresholds),
        red: findZoneStart('red', limit, thresholds),
        compact: findZoneStart('compact', limit, thresholds),
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
