import * as z from 'zod/mini';
import { describeIssue } from '#base/explain.js';
import { isObject, type JsonObject } from '#base/json.js';
import { didYouMean, findNearest } from '#base/suggestion.js';

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

/** Of `rewriteTranscriptEntries` as well. A branch can also become longer. */
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

const compaction = z.looseObject({
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

/** Of `rollback` nothing can be said before it is called. */
const prepareSubagentSpawn = z.optional(z.looseObject({ rollback: z.unknown() }));

const callTool = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.optional(z.boolean()),
});

const anything = z.unknown();

/** By the name of the method; `info` is a field. */
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

/** The methods that an engine must have. */
export const REQUIRED_METHODS = ['ingest', 'assemble', 'compact'] as const;
/** All methods of the contract. */
export const ENGINE_METHODS = [
  ...REQUIRED_METHODS,
  'bootstrap',
  'maintain',
  'ingestBatch',
  'afterTurn',
  'prepareSubagentSpawn',
  'onSubagentEnded',
  'callTool',
  'dispose',
] as const;

export type EngineMethod = (typeof ENGINE_METHODS)[number];

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
  for (const each of answer.messages as readonly unknown[])
    if (!isObject(each) || typeof each.role !== 'string') return false;
  return true;
}

/** The request to `rewriteTranscriptEntries`. */
export const rewriteRequest = z.looseObject({
  replacements: z.array(z.looseObject({ entryId: z.string(), message: z.looseObject({ role: z.string() }) })),
});

/** Names of methods that the contract does not have, each with the one that it may mean and that is missing. */
export function findMistypedMethods(names: ReadonlySet<unknown>): readonly string[] {
  const missing = ENGINE_METHODS.filter((method) => method === 'dispose' || !names.has(method));
  return [...names].flatMap((name) =>
    typeof name === 'string' && !ENGINE_METHODS.some((method) => method === name) && findNearest(name, missing) !== null
      ? name
      : [],
  );
}

/** The sentence about a mistyped method. */
export function describeMistypedMethod(name: string): string {
  return `${name} is not a method of the contract: ${didYouMean(name, ENGINE_METHODS, 'it is not called')}`;
}

/** The keys of the answers; those of `assemble` that are not in its schema come from a whole assembly. */
const ANSWER_KEYS: Partial<Record<EngineMethod, readonly string[]>> = {
  bootstrap: Object.keys(bootstrap.shape),
  maintain: Object.keys(maintain.shape),
  assemble: [...Object.keys(assemble.shape), 'system', 'tools'],
  compact: Object.keys(compact.shape),
  callTool: Object.keys(callTool.shape),
};

/** The roles of the agent's messages. */
const ROLES: ReadonlySet<unknown> = new Set(
  'system user assistant toolResult bashExecution custom branchSummary compactionSummary'.split(' '),
);

/** Sentences about the parts of an allowed answer that have no effect, each after what it is about. */
export function* listAnswerNotes(
  method: EngineMethod,
  answer: unknown,
): Generator<readonly [about: string, note: string]> {
  if (!isObject(answer)) return;
  yield* listMistypedKeys(method, answer, ANSWER_KEYS[method] ?? []);
  const { result, messages } = answer;
  if (method === 'compact' && isObject(result)) yield* listMistypedKeys(method, result, Object.keys(compaction.shape));
  if (method !== 'assemble' || !Array.isArray(messages)) return;
  const at = messages.findIndex((each) => isObject(each) && typeof each.role === 'string' && !ROLES.has(each.role));
  if (at !== -1) {
    const role = JSON.stringify((messages[at] as JsonObject).role);
    yield [role, `assemble: message ${at + 1} has the unknown role ${role}, so it is not sent`];
  }
}

function* listMistypedKeys(
  method: EngineMethod,
  answer: JsonObject,
  known: readonly string[],
): Generator<readonly [string, string]> {
  const missing = known.filter((key) => !(key in answer));
  for (const key of Object.keys(answer)) {
    const near = known.includes(key) ? null : findNearest(key, missing);
    if (near !== null) yield [key, `${method}: unknown key ${JSON.stringify(key)}: did you mean "${near}"?`];
  }
}
