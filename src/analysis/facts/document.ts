import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { SOURCE_KINDS } from './fact.js';

const fact = z.object({
  /** One line; at most 400 characters. */
  text: z.string(),
  /** The outcome in the answer; null if it reports none. */
  outcome: z.nullable(z.string()),
  time: z.nullable(z.string()),
  /** The newest entry that states it. */
  source: z.object({ entryId: z.nullable(z.string()), line: z.int(), kind: z.enum(SOURCE_KINDS) }),
});

/** The newest facts, oldest first, and the number of older ones that are omitted. */
const factList = z.object({ facts: z.array(fact), more: z.int() });

/** An event after which the next request needs a packet: a compaction, or a move in the tree. */
const resumeCause = z.object({ by: z.enum(['compaction', 'move']), entryId: z.nullable(z.string()), line: z.int() });

/** The goal, constraints, decisions and tasks of a conversation. */
export const factsDocument = jsonDocument('ctx/ledger', {
  session: z.object({ id: z.string(), file: z.string() }),
  at: z.object({ entryId: z.nullable(z.string()), line: z.nullable(z.int()) }),
  goal: z.nullable(fact),
  constraints: factList,
  decisions: factList,
  /** Open tasks. */
  tasks: factList,
  /** Failures without a later success. */
  blockers: factList,
  /** Tasks that were done or answered. */
  done: factList,
  /** The reason why the next request needs a packet; null: it needs none. */
  resume: z.nullable(resumeCause),
  /** The facts as a text for a model; its tokens are estimated. */
  packet: z.object({ text: z.string(), tokens: z.int() }),
});

export type FactsDocument = z.infer<typeof factsDocument>;
export type ResumeCause = z.infer<typeof resumeCause>;
export type ListedFact = z.infer<typeof fact>;
export type FactList = z.infer<typeof factList>;
