import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { contextSize } from '#context/replay/envelope.js';
import type { CountedSize } from '#context/size/counted-size.js';
import { ZONES } from '../zones.js';

/**
 * Why something is asked for or not. `crossed`: the context has got into a worse zone than before, or is in one still
 * and may be asked about again. `watch`: the policy does nothing in this zone. `latched`: it was asked for before, and
 * since then it was not done and the tokens have not fallen back. `cooldown`: it was asked for too few turns ago. `every`:
 * the policy prunes at the end of every turn.
 */
const WHYS = ['crossed', 'watch', 'latched', 'cooldown', 'every'] as const;

export const zone = z.enum(ZONES);

const request = z.enum(['prune', 'compact']);

export const entryId = z.nullable(z.string());

const { shape: sizeFields } = contextSize;

/**
 * The size of the context in tokens, as `meta.size` of an envelope gives it: `recorded` and `estimated` add up to
 * `total`.
 */
export const pressureDocument = z.object({
  total: z.int(),
  recorded: sizeFields.recorded,
  estimated: sizeFields.estimated,
  factor: sizeFields.factor,
  error: sizeFields.error,
  method: sizeFields.method,
});

/** A turn end at which a gate has asked for something. */
export const askedDocument = z.object({
  /** The change that was asked for. */
  request,
  /** The last message of that turn. */
  entryId,
  /** The number of the turn in `@{turn:N}`. */
  turn: z.int(),
  /** The size of the context then. */
  tokens: pressureDocument,
});

/** A line of `ctx status --history`: the end of a turn, and what the policy would have asked for. */
export const gateTurn = jsonDocument('ctx/gate-turn', {
  /** The last message of the turn. */
  entryId,
  line: z.int(),
  /** The number of the turn in `@{turn:N}`. */
  turn: z.int(),
  tokens: pressureDocument,
  zone,
  /** The zone at the turn end before it. */
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
  /** The size of the context before, as the entry records it, else at the last turn end; null: no turn had ended. */
  tokensBefore: z.nullable(z.number()),
  /** The request that the gate was waiting for; null: none. */
  asked: z.nullable(askedDocument),
  /**
   * The last request of the gate: how much smaller the context was then, and the turns ended since; null if there was
   * none.
   */
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

export type GateTurn = z.infer<typeof gateTurn>;

export type GateRelief = z.infer<typeof gateRelief>;

export type GateSummary = z.infer<typeof gateSummary>;

export type AskedDocument = z.infer<typeof askedDocument>;

export type PressureDocument = z.infer<typeof pressureDocument>;

/** A line of `ctx status --history` on one thing that happened. */
export type GateEvent = GateTurn | GateRelief;

export function toPressure(size: CountedSize): PressureDocument {
  const { tokens, recorded, estimated, factor, error, method } = size;
  return { total: tokens, recorded, estimated, factor, error, method };
}
