import * as z from 'zod/mini';
import { isObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import type { EngineMethod } from './engine-methods.js';

// The results that an engine's methods may return. Fields outside of the contract pass.

const count = z.number().check(z.nonnegative());

const message = z.looseObject({ role: z.string() });

const info = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string().check(z.minLength(1)),
  version: z.optional(z.string()),
  ownsCompaction: z.optional(z.boolean()),
  turnMaintenanceMode: z.optional(z.enum(['foreground', 'background'])),
});

const bootstrap = z.looseObject({
  bootstrapped: z.boolean(),
  importedMessages: z.optional(count),
  reason: z.optional(z.string()),
});

/**
 * The answer of `maintain` and `rewriteTranscriptEntries`. A branch can also become longer, so bytes may be negative.
 */
const maintain = z.looseObject({
  changed: z.boolean(),
  bytesFreed: z.number(),
  rewrittenEntries: count,
  reason: z.optional(z.string()),
});

const assemble = z.looseObject({
  messages: z.array(message),
  estimatedTokens: count,
  promptAuthority: z.optional(z.enum(['assembled', 'preassembly_may_overflow'])),
  systemPromptAddition: z.optional(z.string()),
});

export const compaction = z.looseObject({
  summary: z.optional(z.string()),
  firstKeptEntryId: z.optional(z.string()),
  tokensBefore: count,
  tokensAfter: z.optional(count),
  details: z.optional(z.unknown()),
  sessionId: z.optional(z.string()),
  sessionFile: z.optional(z.string()),
});

const compact = z.looseObject({
  ok: z.boolean(),
  compacted: z.boolean(),
  reason: z.optional(z.string()),
  result: z.optional(compaction),
});

/** `rollback` is checked when it is called. */
const prepareSubagentSpawn = z.optional(z.looseObject({ rollback: z.unknown() }));

const callTool = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.optional(z.boolean()),
});

const anything = z.unknown();

/** The schemas of answers, by the name of the method; `info` is a field. */
export const resultSchemas = {
  info,
  bootstrap,
  maintain,
  ingest: z.looseObject({ ingested: z.boolean() }),
  ingestBatch: z.looseObject({ ingestedCount: count }),
  afterTurn: anything,
  assemble,
  compact,
  prepareSubagentSpawn,
  onSubagentEnded: anything,
  callTool,
  dispose: anything,
};

/** The fault in the answer of a method, in a few words; null: the contract allows it. */
export function findAnswerFault(method: EngineMethod, answer: unknown): string | null {
  const schema = method === 'assemble' && hasValidMessages(answer) ? assembleWithoutMessages : resultSchemas[method];
  const parsed = schema.safeParse(answer);
  return parsed.success ? null : describeIssue(parsed.error);
}

/** There may be very many messages, and a schema takes its time for each. */
const assembleWithoutMessages = z.omit(assemble, { messages: true });

function hasValidMessages(answer: unknown): boolean {
  if (!isObject(answer) || !Array.isArray(answer.messages)) return false;
  // `every` would pass over one that is missing.
  for (const each of answer.messages as readonly unknown[]) {
    if (!isObject(each) || typeof each.role !== 'string') return false;
  }
  return true;
}

/** The request to `rewriteTranscriptEntries`. */
export const rewriteRequest = z.looseObject({
  replacements: z.array(z.looseObject({ entryId: z.string(), message: z.looseObject({ role: z.string() }) })),
});
