import * as z from 'zod/mini';
import { cacheStateDocument } from '#analysis/cache/cache-state.js';
import { jsonDocument } from '#base/schema.js';
import { composition, unseen } from '#context/replay/envelope.js';
import { askedDocument, entryId, pressureDocument, zone } from './document.js';

/** The output of `ctx status`. */
export const statusDocument = jsonDocument('ctx/status', {
  /** The session that was read. */
  session: z.object({
    /** The id in the header of the session. */
    id: z.string(),
    /** The file, as it was passed. */
    file: z.string(),
  }),
  /** The command line that goes on with the session in its agent; null if none is known. */
  resume: z.nullable(z.string()),
  /** The entry at which the context is measured; both are null without entries. */
  at: z.object({
    /** The id of the entry. */
    entryId,
    /** The line of the entry in the file, from 1. */
    line: z.nullable(z.int()),
  }),
  /** The model's id; null where the session names none. */
  model: z.nullable(z.string()),
  /**
   * null where the context window is unknown, as are zone, limit and gate; then no strategy and no next zone is listed.
   */
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
  /** The source of `limit`: a flag, the configuration, the session, or a list of models. */
  limitSource: z.enum(['supplied', 'configured', 'recorded', 'assumed', 'unknown']),
  /** The packet that replaces dropped messages: 0 and null where there is none. */
  packet: z.object({
    /** The tokens of this item in `tokens.total`. */
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
      /** The line of the entry in the file, from 1. */
      line: z.int(),
      /** The tokens of this item in `tokens.total`. */
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
      /**
       * More than that is too much; negative where more is to stay free than there is; null: the context window is
       * unknown.
       */
      threshold: z.nullable(z.int()),
      /** The size of the context as Pi counts it; null: Pi waits for the next answer. */
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

export type StatusDocument = z.infer<typeof statusDocument>;
