import * as z from 'zod/mini';
import { cacheStateDocument } from '#analysis/cache/break-even.js';
import { jsonDocument } from '#base/schema.js';
import { composition, contextSize, unseen } from '#context/replay/envelope.js';
import type { CountedSize } from '#context/size/context-size.js';
import type { KnownWindow } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import { findZoneStart, ZONES } from '../policy-schema.js';
import type { Policy } from '../policy.js';
import type { GatePath } from './path-events.js';

/**
 * Why something is asked for or not. `crossed`: the context has got into a worse zone than before, or is in one still
 * and may be asked about again. `watch`: the policy does nothing in this zone. `latched`: it was asked for before, and
 * since then it was not done and the tokens have not fallen back. `cooldown`: it was asked for too few turns ago. `every`:
 * the policy prunes at the end of every turn.
 */
const WHYS = ['crossed', 'watch', 'latched', 'cooldown', 'every'] as const;

const zone = z.enum(ZONES);
const request = z.enum(['prune', 'compact']);
const entryId = z.nullable(z.string());

const { shape: sizeFields } = contextSize;

/** The size of the context in tokens, as `meta.size` of an envelope gives it: `recorded` and `estimated` add up to `total`. */
const pressureDocument = z.object({
  total: z.int(),
  recorded: sizeFields.recorded,
  estimated: sizeFields.estimated,
  factor: sizeFields.factor,
  error: sizeFields.error,
  method: sizeFields.method,
});

/** A turn end at which a gate has asked for something. */
const askedDocument = z.object({
  /** The change that was asked for. */
  request,
  /** The last message of that turn. */
  entryId,
  /** As `@{turn:N}` counts. */
  turn: z.int(),
  /** The size of the context then. */
  tokens: pressureDocument,
});

/** A line of `ctx status --history`: the end of a turn, and what the policy would have asked for. */
export const gateTurn = jsonDocument('ctx/gate-turn', {
  /** The last message of the turn. */
  entryId,
  line: z.int(),
  /** As `@{turn:N}` counts. */
  turn: z.int(),
  tokens: pressureDocument,
  zone,
  /** Of the turn end before it. */
  zoneBefore: zone,
  /** The mode of the policy in this zone. */
  mode: z.enum(['watch', 'prune', 'compact']),
  /** null: nothing. */
  asks: z.nullable(request),
  why: z.enum(WHYS),
  /** The request that the gate waits for, this one included; null: none. */
  waitsFor: z.nullable(askedDocument),
});

/** A line of `ctx status --history`: an entry that has made the context smaller. */
export const gateRelief = jsonDocument('ctx/gate-relief', {
  entryId,
  line: z.int(),
  by: request,
  /** Of the context, as the entry records it, else at the turn end before it; null: no turn had ended. */
  tokensBefore: z.nullable(z.number()),
  /** The request that the gate was waiting for; null: none. */
  asked: z.nullable(askedDocument),
  /** The last request of the gate: how much smaller the context was then, and the turns ended since; null if there was none. */
  tokensEarlier: z.nullable(z.number()),
  turnEndsEarlier: z.nullable(z.int()),
});

/** The last line of `ctx status --history`. */
export const gateSummary = jsonDocument('ctx/gate-summary', {
  /** The session that was read. */
  session: z.object({
    /** The id in the header of the session. */
    id: z.string(),
    /** The file, as it was passed. */
    file: z.string(),
  }),
  limit: z.int(),
  limitSource: z.enum(['supplied', 'configured', 'recorded', 'assumed']),
  /** The tokens at which each zone begins. */
  begins: z.object({ yellow: z.int(), red: z.int(), compact: z.int() }),
  compactFrom: z.enum(['red', 'compact']),
  cooldownTurns: z.int(),
  /** The event that counts as the end of a turn. */
  every: z.enum(['turn', 'answer']),
  turnEnds: z.int(),
  /** The number of requests of each kind. */
  asked: z.object({ prune: z.int(), compact: z.int() }),
  /** Entries that have made the context smaller, and how many of them the gate had asked for before. */
  reliefs: z.int(),
  reliefsAskedFor: z.int(),
});

/** The output of `ctx status`. */
export const statusDocument = jsonDocument('ctx/status', {
  /** The session that was read. */
  session: z.object({
    /** The id in the header of the session. */
    id: z.string(),
    /** The file, as it was passed. */
    file: z.string(),
  }),
  /** The entry at which the context is measured; both are null without entries. */
  at: z.object({
    /** Its id. */
    entryId,
    /** Its line in the file, from 1. */
    line: z.nullable(z.int()),
  }),
  /** The model's id; null where the session names none. */
  model: z.nullable(z.string()),
  /** null where the context window is unknown, as are zone, limit and gate; then no strategy and no next zone is listed. */
  mode: z.nullable(z.enum(['watch', 'prune', 'compact'])),
  /** The zone of the context by its share of the limit, from green to compact. */
  zone: z.nullable(zone),
  /** The names of the strategies of this zone. */
  strategies: z.array(z.string()),
  tokens: pressureDocument,
  /** The newest request that shows that the model did not see all messages of the context; null if none does. */
  unseen: z.nullable(unseen),
  /** The parts of the context: categories and `notItemised` add up to `tokens.total`. */
  composition: z.omit(composition, { messages: true }),
  /** The context window in tokens. */
  limit: z.nullable(z.int()),
  /** Where `limit` is from: a flag, the configuration, the session, or a list of models. */
  limitSource: z.enum(['supplied', 'configured', 'recorded', 'assumed', 'unknown']),
  /** The packet that replaces dropped messages: 0 and null where there is none. */
  packet: z.object({
    /** Its share of `tokens.total`. */
    tokens: z.int(),
    /** Estimated tokens of its text. */
    tokensEstimated: z.int(),
    /** The entry that wrote it. */
    entryId,
  }),
  /** The summaries that the context holds. */
  summaries: z.array(
    z.object({
      /** The kind of summary: of a compaction, or of a branch that was left. */
      kind: z.enum(['compaction', 'branch']),
      /** The entry of the summary. */
      entryId,
      /** Its line in the file, from 1. */
      line: z.int(),
      /** Its share of `tokens.total`. */
      tokens: z.int(),
      /** Estimated tokens of its text. */
      tokensEstimated: z.int(),
    }),
  ),
  /** The prompt cache after the last request; null without one. */
  cache: z.nullable(cacheStateDocument),
  /** The zones that are still to come, the next one first. */
  next: z.array(
    z.object({
      /** The name of the zone. */
      zone,
      /** The tokens at which it begins. */
      begins: z.int(),
      /** The tokens from the size of the context to there. */
      away: z.number(),
    }),
  ),
  /** The point at which Pi compacts by itself, by its settings; null for a session of another agent. */
  pi: z.nullable(
    z.object({
      enabled: z.boolean(),
      /** The tokens to keep free. */
      reserve: z.int(),
      /** More than that is too much; negative where more is to stay free than there is; null: the context window is unknown. */
      threshold: z.nullable(z.int()),
      /** As Pi counts; null: it waits for the next answer. */
      tokens: z.nullable(z.number()),
      away: z.nullable(z.number()),
      /** The reason for a compaction before the next prompt; null if there would be none. */
      reason: z.nullable(z.enum(['overflow', 'threshold'])),
      /** Whether it is an overflow because the last answer was cut off, for lack of room. */
      answerCutOff: z.boolean(),
      /** The last request, if it was refused only because the tokens reserved for its answer did not fit; else null. */
      outputReserve: z.nullable(
        z.object({
          /** Tokens of the prompt. */
          input: z.int(),
          /** Tokens reserved for the answer. */
          output: z.int(),
          /** Tokens of the context window. */
          window: z.int(),
        }),
      ),
    }),
  ),
  /** The state of the gate, which asks for a prune or a compaction; null if the limit is unknown. */
  gate: z.nullable(
    z.object({
      /** Nothing is asked for in this zone and those before it; green: the gate is open. */
      latch: zone,
      /** The request that was not followed yet; null if there is none. */
      waitsFor: z.nullable(askedDocument),
      /** The number of turn ends before the request of this zone is repeated. */
      cooldownTurns: z.int(),
    }),
  ),
});

export type GateTurn = z.infer<typeof gateTurn>;
export type GateRelief = z.infer<typeof gateRelief>;
export type GateSummary = z.infer<typeof gateSummary>;
export type StatusDocument = z.infer<typeof statusDocument>;
export type AskedDocument = z.infer<typeof askedDocument>;
export type PressureDocument = z.infer<typeof pressureDocument>;

/** A line of `ctx status --history` on one thing that happened. */
export type GateEvent = GateTurn | GateRelief;

export function toPressure(size: CountedSize): PressureDocument {
  const { tokens, recorded, estimated, factor, error, method } = size;
  return { total: tokens, recorded, estimated, factor, error, method };
}

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

  /** As the last line. */
  summary(session: Session, policy: Policy, window: KnownWindow, every: GatePath['every']): GateSummary {
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
