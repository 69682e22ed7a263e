import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';

/** The description that an engine gives of itself. */
export type EngineInfo = DeepReadonly<z.infer<typeof engineInfo>>;

const engineInfo = z.object({
  id: z.string(),
  name: z.string(),
  version: z.nullable(z.string()),
  ownsCompaction: z.boolean(),
  turnMaintenanceMode: z.enum(['foreground', 'background']),
});

/** A subagent that an engine was told of, and how it ended. */
export type CheckedSubagent = DeepReadonly<z.infer<typeof checkedSubagent>>;

const checkedSubagent = z.object({
  childSessionKey: z.string(),
  /** The recorded session of the subagent; null: the subagent is invented. */
  file: z.nullable(z.string()),
  contextMode: z.enum(['isolated', 'fork']),
  /** `failed`: it could not be started, and the preparation was rolled back. */
  ends: z.enum(['completed', 'deleted', 'swept', 'released', 'failed']),
});

/** The violation of the contract that ended a check. */
export type CheckFailure = DeepReadonly<z.infer<typeof checkFailure>>;

const checkFailure = z.object({
  kind: z.string(),
  method: z.string(),
  message: z.string(),
  /** The request that was at work, from 1. */
  request: z.int(),
  /** The sentence of the contract; null where the user interrupted it. */
  clause: z.nullable(z.string()),
  sentence: z.nullable(z.string()),
});

/** A sentence of the contract that an engine broke, without an end of the check. */
export type CheckBreach = DeepReadonly<z.infer<typeof checkBreach>>;

const checkBreach = z.object({
  clause: z.string(),
  sentence: z.string(),
  method: z.string(),
  /** The breach, in a sentence. */
  message: z.string(),
  request: z.int(),
  times: z.int(),
});

/** Whether an engine keeps the contract over a recorded session. */
export const engineCheck = jsonDocument('ctx/engine-check', {
  engine: z.string(),
  file: z.string(),
  /** The engine's description of itself; null: the engine could not be created. */
  info: z.nullable(engineInfo),
  requests: z.int(),
  /** The number of calls of each method. */
  calls: z.array(z.object({ method: z.string(), times: z.int() })),
  /** All calls in order; those of one kind that follow one another are one. */
  order: z.array(z.object({ call: z.string(), times: z.int() })),
  compactions: z.int(),
  rewrites: z.int(),
  /** Requests that were over the budget. */
  overflows: z.int(),
  /** Estimated, of the largest request. */
  peakTokens: z.int(),
  /** Methods that changed what they were given, which are copies. */
  changedInput: z.array(z.string()),
  /** Mistyped methods and keys, and messages of an unknown role: they have no effect. */
  notes: z.array(z.string()),
  /** The subagents that it was told of, if it has the methods. */
  subagents: z.array(checkedSubagent),
  /** The violation of the contract that ended the run; null if there was none. */
  failure: z.nullable(checkFailure),
  /** The sentences of the contract that it broke and went on, each with the first time. */
  breaches: z.array(checkBreach),
  /**
   * The entry from which on an engine with `bootstrap` was checked once more, with all before as its past; null: it was
   * not.
   */
  resumedAt: z.nullable(z.string()),
});

export type EngineCheck = DeepReadonly<z.infer<typeof engineCheck>>;
