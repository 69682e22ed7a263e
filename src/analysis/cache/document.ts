import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { BREAK_CLASSES } from './break-classes.js';
import { LIFETIME_BASES } from './lifetime.js';

const nullableNumber = z.nullable(z.number());

const firstDifference = z.object({
  /** The section of a request. Providers cache them in this order. */
  section: z.enum(['tools', 'system', 'messages']),
  /** The index of the tool, system part or message in the previous request, from 0. */
  index: z.int(),
  /**
   * The name of the tool or part, or the role of the message; from the later request if the previous one has none
   * there.
   */
  name: z.string(),
  /** The source entry of the message in the previous request. */
  entryId: z.nullable(z.string()),
  /** The block of the message, from 0; null outside messages, and if the whole message differs. */
  block: z.nullable(z.int()),
  /** The offset in the text that differs, or its canonical JSON, in UTF-16 code units. */
  offset: z.int(),
  /** Estimated tokens of the prefix. */
  prefixTokensEstimated: z.number(),
});

const costs = {
  /** Dollars at the recorded rates; null if none are recorded. */
  rebilledCost: nullableNumber,
  /** The re-billed cost, by listed prices for models whose rates are not recorded; null if a model is not listed. */
  rebilledCostListed: nullableNumber,
};

const cacheBreak = z.object({
  /** The cause. */
  class: z.enum(BREAK_CLASSES),
  /** The entry that caused it. */
  entryId: z.nullable(z.string()),
  /** The line of that entry in the file; null without one. */
  line: z.nullable(z.int()),
  /** Other causes that would have broken the cache too. */
  also: z.array(z.enum(BREAK_CLASSES)),
  /** The `invalidateCacheReason`s of that entry. */
  declaredReasons: z.array(z.string()),
  /** Whether the change should give a reason, and does not. */
  undeclared: z.boolean(),
  /** The place where the request diverges from the previous one; null if it begins with all of it. */
  divergence: z.nullable(firstDifference),
  /** The kind of volatile text at that place, such as a date or a time. */
  volatile: z.nullable(z.string()),
  /** The words of the session about the cause: the agents, the tool server, the sign of a resume, the lifetime. */
  detail: z.nullable(z.string()),
  /** The evidence of the cause: the content that was sent, a record or a time that makes it likely, or the provider. */
  evidence: z.enum(['proven', 'likely', 'reported', 'none']),
  /** Whether the request read only tools and prompt: as many tokens as other requests read that read no messages. */
  isFloor: z.boolean(),
  /** The entries between the two requests, the last ones of many. */
  between: z.array(
    z.object({
      entryId: z.nullable(z.string()),
      line: z.int(),
      /** The role of a message, else the type of the entry. */
      type: z.string(),
    }),
  ),
  /** Whether the provider's numbers show a miss; null if it reported none. */
  recordedMiss: z.nullable(z.boolean()),
  /** Recorded tokens of the previous request that were not read from the cache; null if nothing is recorded. */
  rebilledTokens: nullableNumber,
  /** Estimated, if nothing is recorded. */
  rebilledTokensEstimated: nullableNumber,
  ...costs,
});

/** The sums of breaks: recorded ones for some, estimated ones for the others. */
const rebilled = { rebilledTokens: z.number(), rebilledTokensEstimated: z.number(), ...costs };

/** The tokens of a prompt, as its provider counted them. */
export type RecordedPrompt = z.infer<typeof recordedPrompt>;

const recordedPrompt = z.object({
  promptTokens: z.number(),
  input: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /**
   * The part of `cacheWrite` that is kept for an hour, not for five minutes; left out if the split is not recorded.
   */
  cacheWrite1h: z.optional(z.number()),
});

/** The reason of a provider for a cache miss. */
export type ProviderReason = z.infer<typeof providerReason>;

const providerReason = z.object({ type: z.string(), missedTokens: nullableNumber });

/** The number of results and of thinking that a provider cleared from a request. */
export type ProviderEdits = z.infer<typeof providerEdits>;

const providerEdits = z.object({ toolUses: z.number(), thinkingTurns: z.number(), tokens: z.number() });

/** The number of blocks of thinking that a provider dropped from a request. */
export type ProviderDrops = z.infer<typeof providerDrops>;

const providerDrops = z.object({ thinkingBlocks: z.int(), reasons: z.array(z.string()) });

/**
 * A line of `ctx cache --json` for each request that broke the cache, or about which the provider reports something;
 * with `--each`, for each request of the path.
 */
export const cacheRequest = jsonDocument('ctx/cache-request', {
  /** The assistant message of the request. */
  entryId: z.nullable(z.string()),
  line: z.int(),
  /** Its number along the path, from 1. */
  request: z.int(),
  /** UTC, as ISO 8601. */
  time: z.nullable(z.string()),
  /** The model as `provider/id`; `?` replaces a part that is not recorded. */
  model: z.string(),
  /** Whether it failed before anything was billed; then it is not compared. */
  unbilled: z.boolean(),
  /** The estimated tokens of the whole request: tools, system prompt and messages. */
  promptTokensEstimated: z.number(),
  /** The common prefix with the previous request; null for the first. */
  prefixTokensEstimated: nullableNumber,
  /** The tokens that could be read from the cache: the previous request's recorded tokens, or their unchanged share. */
  expectedCacheReadEstimated: nullableNumber,
  /** The recorded usage, null if there is none. */
  recorded: z.nullable(recordedPrompt),
  /** A miss by Pi's own rule, which uses the requests of all branches in the order of the file. */
  piMiss: z.nullable(z.object({ tokens: z.number(), cost: nullableNumber })),
  /** Whether the rule of thumb finds a miss: fewer tokens were read than the previous request had read and written. */
  naiveMiss: z.boolean(),
  /** The time since the previous request. */
  idleMilliseconds: nullableNumber,
  /** The lifetime in minutes of the cache that the request left, by what it wrote; null if nothing is recorded. */
  retentionMinutes: nullableNumber,
  /** Tokens of the previous prompt whose lifetime had ended at this request; null for the first one. */
  expiredTokens: nullableNumber,
  /** null if the cache was not broken. */
  break: z.nullable(cacheBreak),
  /** The provider's own reason for a miss, if it reports one, and the tokens that it counts. */
  providerReason: z.optional(providerReason),
  /** The results of tools and the thinking that the provider cleared from the request, and their tokens, if it did. */
  providerEdits: z.optional(providerEdits),
  /** The thinking of earlier answers that the provider dropped from the request, and its reasons, if it did. */
  providerDrops: z.optional(providerDrops),
});

/** The agreement of the found causes with the provider's own reasons. */
export type ProviderAgreement = z.infer<typeof providerAgreement>;

const providerAgreement = z.object({
  reported: z.int(),
  compared: z.int(),
  agreed: z.int(),
  /** The reported misses, with the class of the break at the request; null where `ctx` finds no break. */
  misses: z.array(
    z.object({
      request: z.int(),
      entryId: z.nullable(z.string()),
      type: z.string(),
      missedTokens: nullableNumber,
      class: z.nullable(z.enum(BREAK_CLASSES)),
    }),
  ),
});

/** A text in tools or system prompt that changes between sessions. */
export type VolatileText = z.infer<typeof volatileText>;

const volatileText = z.object({
  section: z.enum(['tools', 'system']),
  name: z.string(),
  /** The kind of the value, such as a date, a time or a UUID. */
  kind: z.string(),
  text: z.string(),
  /** The place of `text` in the part or the tool, in UTF-16 code units. */
  offset: z.int(),
});

/** The last line of `ctx cache --json`. */
export const cacheSummary = jsonDocument('ctx/cache-summary', {
  /** `agent`: the one that wrote the session, if it is not Pi. */
  session: z.object({ id: z.string(), file: z.string(), agent: z.optional(z.string()) }),
  /**
   * The assumed cache: its block and minimum prompt in tokens, and the lifetime in minutes that the last request left.
   */
  options: z.object({
    block: z.int(),
    minimum: z.int(),
    retentionMinutes: z.number(),
    /** The lifetime is that of the recorded writes, that of `--retention`, or assumed. */
    retentionBasis: z.enum(LIFETIME_BASES),
  }),
  /** Requests of the path, with those that failed. */
  requests: z.int(),
  /** Requests without a line, which `--each` lists; left out if all have one. */
  requestsLeftOut: z.optional(z.int()),
  /** The number of requests with tokens reported by a provider. */
  requestsRecorded: z.int(),
  /** Their recorded tokens. */
  promptTokens: z.number(),
  /** The part of them that was read from a cache. */
  cacheRead: z.number(),
  /** The part of them that was written to a cache. */
  cacheWrite: z.number(),
  /** The parts of it that were written for five minutes and for an hour; the rest does not record which. */
  cacheWrite5m: z.number(),
  cacheWrite1h: z.number(),
  breaks: z.int(),
  /** Breaks by an entry that should declare a reason, and declares none. */
  undeclared: z.int(),
  ...rebilled,
  /** The breaks by cause; a cause without breaks is left out. */
  byClass: z.array(z.object({ class: z.enum(BREAK_CLASSES), breaks: z.int(), ...rebilled })),
  /** Misses by Pi's own rule, and the tokens that were not read. */
  piMisses: z.object({ requests: z.int(), tokens: z.number() }),
  /** Misses by the rule of thumb: see `naiveMiss` of a request. */
  naiveMisses: z.int(),
  /**
   * The requests with a reason of the provider, those whose reason names a cause, and those whose break has this cause;
   * only if a provider reports reasons.
   */
  providerReasons: z.optional(providerAgreement),
  /**
   * The number of requests from which the provider cleared content, and the most tokens that it cleared from one; left
   * out if it cleared none.
   */
  providerEdits: z.optional(z.object({ requests: z.int(), mostTokens: z.number() })),
  /**
   * The number of requests from which the provider dropped thinking, the most blocks dropped from one, and all reasons;
   * left out if it dropped none.
   */
  providerDrops: z.optional(z.object({ requests: z.int(), mostThinkingBlocks: z.int(), reasons: z.array(z.string()) })),
  /** Reasons that were declared although no sent content changed. */
  declaredForNothing: z.array(
    z.object({ entryId: z.nullable(z.string()), line: z.int(), reasons: z.array(z.string()) }),
  ),
  /** Texts in tools and system prompt at the end that change between sessions. */
  volatile: z.array(volatileText),
});

export type CacheRequest = z.infer<typeof cacheRequest>;

export type CacheBreak = z.infer<typeof cacheBreak>;

/** The cost of re-billed tokens. */
export type RebilledCost = Pick<CacheBreak, keyof typeof costs>;

/** The first place at which a request differs from the previous one. */
export type Divergence = z.infer<typeof firstDifference>;

export type CacheSummary = z.infer<typeof cacheSummary>;
