import * as z from 'zod/mini';
import { KINDS } from './fact.js';

const fact = z.object({
  /** One line; at most 400 characters. */
  text: z.string(),
  /** The outcome in the answer; null if it reports none. */
  outcome: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** The newest entry that states it. */
  source: z.object({ entryId: z.nullable(z.string()), line: z.int(), kind: z.enum(KINDS) }),
});

/** The newest facts, oldest first, and the number of older ones that are omitted. */
const listing = z.object({ facts: z.array(fact), more: z.int() });

/** An event after which the next request needs a packet: a compaction, or a move in the tree. */
const resumeCause = z.object({ by: z.enum(['compaction', 'move']), entryId: z.nullable(z.string()), line: z.int() });

/** The goal, constraints, decisions and tasks of a conversation. */
export const ledgerDocument = z.object({
  schema: z.literal('ctx/ledger'),
  schemaVersion: z.literal(1),
  session: z.object({ id: z.string(), file: z.string() }),
  at: z.object({ entryId: z.nullable(z.string()), line: z.nullable(z.int()) }),
  goal: z.nullable(fact),
  constraints: listing,
  decisions: listing,
  /** Open tasks. */
  tasks: listing,
  /** Failures without a later success. */
  blockers: listing,
  /** Tasks that were done or answered. */
  done: listing,
  /** The reason why the next request needs a packet; null: it needs none. */
  resume: z.nullable(resumeCause),
  /** The ledger as text for a model; its tokens are estimated. */
  packet: z.object({ text: z.string(), tokens: z.int() }),
});

export type LedgerDocument = z.infer<typeof ledgerDocument>;
export type ResumeCause = z.infer<typeof resumeCause>;
export type LedgerFact = z.infer<typeof fact>;
export type LedgerListing = z.infer<typeof listing>;
