import * as z from 'zod/mini';
import { CLASSES } from './breaks.js';

const nullableNumber = z.nullable(z.number());

const divergence = z.object({
  /** In the order in which providers cache a request. */
  section: z.enum(['tools', 'system', 'messages']),
  /** Of the tool, system part or message in the request before, from 0. */
  index: z.int(),
  /** Of the tool or part; of a message its role. Where the request before has nothing there, that of the later one. */
  name: z.string(),
  /** Of the message in the request before. */
  entryId: z.nullable(z.string()),
  /** Of the message, from 0; null outside messages, and where the whole message differs. */
  block: z.nullable(z.int()),
  /** In the text that differs, or its canonical JSON, in UTF-16 code units. */
  offset: z.int(),
  /** Of what stands before it. */
  prefixTokensEstimated: z.number(),
});

/** In dollars, at the rates that the session records; null where it does not. */
const rebilledCost = nullableNumber;

const cacheBreak = z.object({
  class: z.enum(CLASSES),
  /** The entry that caused it. */
  entryId: z.nullable(z.string()),
  line: z.nullable(z.int()),
  /** Other causes that would have broken it too. */
  also: z.array(z.enum(CLASSES)),
  /** The `invalidateCacheReason`s of that entry. */
  declaredReasons: z.array(z.string()),
  /** A change that should have said why, and did not. */
  undeclared: z.boolean(),
  /** Where the request stops being what the one before it was; null where it begins with all of it. */
  divergence: z.nullable(divergence),
  /** The kind of volatile text at that place: a date, a time, and so on. */
  volatile: z.nullable(z.string()),
  /** Whether the provider's numbers show a miss; null where it reported none. */
  recordedMiss: z.nullable(z.boolean()),
  /** Recorded tokens of the request before that were not read from the cache; null where nothing is recorded. */
  rebilledTokens: nullableNumber,
  /** Estimated, where nothing is recorded. */
  rebilledTokensEstimated: nullableNumber,
  rebilledCost,
});

/** The sums of breaks: what is recorded of some, what is estimated of the others. */
const rebilled = { rebilledTokens: z.number(), rebilledTokensEstimated: z.number(), rebilledCost };

/** A line of `ctx cache --json` for each request of the path. */
export const cacheRequest = z.object({
  schema: z.literal('ctx/cache-request'),
  schemaVersion: z.literal(1),
  /** The assistant message that answers it. */
  entryId: z.nullable(z.string()),
  line: z.int(),
  /** Along the path, from 1. */
  request: z.int(),
  /** UTC, as ISO 8601. */
  time: z.nullable(z.string()),
  model: z.string(),
  /** It failed before anything was billed, and is not compared. */
  unbilled: z.boolean(),
  promptTokensEstimated: z.number(),
  /** Of what the request before it and this one both begin with; null for the first. */
  prefixTokensEstimated: nullableNumber,
  /** Tokens that could be read from the cache: the recorded tokens of the request before it, or the share of them that is the same. */
  expectedCacheReadEstimated: nullableNumber,
  /** Recorded, null where nothing is. */
  recorded: z.nullable(
    z.object({ promptTokens: z.number(), input: z.number(), cacheRead: z.number(), cacheWrite: z.number() }),
  ),
  /** A miss by Pi's own rule, which takes the requests of all branches in the order of the file. */
  piMiss: z.nullable(z.object({ tokens: z.number(), cost: nullableNumber })),
  /** By the rule of thumb: fewer tokens were read than the request before had read and written. */
  naiveMiss: z.boolean(),
  /** Since the request before it. */
  idleMilliseconds: nullableNumber,
  break: z.nullable(cacheBreak),
});

/** The last line of `ctx cache --json`. */
export const cacheSummary = z.object({
  schema: z.literal('ctx/cache-summary'),
  schemaVersion: z.literal(1),
  session: z.object({ id: z.string(), file: z.string() }),
  options: z.object({ block: z.int(), minimum: z.int(), retentionMinutes: z.number() }),
  requests: z.int(),
  /** Requests of which a provider reported tokens. */
  requestsRecorded: z.int(),
  /** Recorded tokens of them. */
  promptTokens: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  breaks: z.int(),
  undeclared: z.int(),
  ...rebilled,
  byClass: z.array(z.object({ class: z.enum(CLASSES), breaks: z.int(), ...rebilled })),
  piMisses: z.object({ requests: z.int(), tokens: z.number() }),
  naiveMisses: z.int(),
  /** Reasons that were declared although nothing that had been sent changed. */
  declaredForNothing: z.array(
    z.object({ entryId: z.nullable(z.string()), line: z.int(), reasons: z.array(z.string()) }),
  ),
  /** Texts in tools and system prompt at the end that change from one session to the next. */
  volatile: z.array(
    z.object({
      section: z.enum(['tools', 'system']),
      name: z.string(),
      kind: z.string(),
      text: z.string(),
      offset: z.int(),
    }),
  ),
});

export type CacheRequest = z.infer<typeof cacheRequest>;
export type CacheBreak = z.infer<typeof cacheBreak>;
/** The first place at which a request differs from the one before it. */
export type Divergence = z.infer<typeof divergence>;
export type CacheSummary = z.infer<typeof cacheSummary>;
