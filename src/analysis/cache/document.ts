import * as z from 'zod/mini';
import { formatDuration } from '#base/duration.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { jsonDocument } from '#base/schema.js';
import { shorten } from '#context/words/message-text.js';
import { BREAK_CLASSES, isUnexplained } from './breaks.js';
import { LIFETIME_BASES } from './lifetime.js';

const nullableNumber = z.nullable(z.number());

const firstDifference = z.object({
  /** In the order in which providers cache a request. */
  section: z.enum(['tools', 'system', 'messages']),
  /** The index of the tool, system part or message in the previous request, from 0. */
  index: z.int(),
  /** The name of the tool or part, or the role of the message; from the later request if the previous one has none there. */
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
  /** Like `rebilledCost`, with the listed prices of models whose rates are not recorded; null if a model is not listed. */
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
  /** How the cause is known: by the content that was sent, by a record or a time that makes it likely, by the provider. */
  evidence: z.enum(['proven', 'likely', 'reported', 'none']),
  /** Whether only tools and prompt were read: the number of tokens that other requests read where they read no messages. */
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

/** A line of `ctx cache --json` for each request of the path. */
export const cacheRequest = jsonDocument('ctx/cache-request', {
  /** The assistant message of the request. */
  entryId: z.nullable(z.string()),
  line: z.int(),
  /** Its number along the path, from 1. */
  request: z.int(),
  /** UTC, as ISO 8601. */
  time: z.nullable(z.string()),
  /** As `provider/id`; `?` replaces a part that is not recorded. */
  model: z.string(),
  /** Whether it failed before anything was billed; then it is not compared. */
  unbilled: z.boolean(),
  /** Of the whole request: tools, system prompt and messages. */
  promptTokensEstimated: z.number(),
  /** The common prefix with the previous request; null for the first. */
  prefixTokensEstimated: nullableNumber,
  /** The tokens that could be read from the cache: the previous request's recorded tokens, or their unchanged share. */
  expectedCacheReadEstimated: nullableNumber,
  /** The recorded usage, null if there is none. */
  recorded: z.nullable(
    z.object({
      promptTokens: z.number(),
      input: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      /** The part of `cacheWrite` that is kept for an hour, not for five minutes; left out if the split is not recorded. */
      cacheWrite1h: z.optional(z.number()),
    }),
  ),
  /** A miss by Pi's own rule, which uses the requests of all branches in the order of the file. */
  piMiss: z.nullable(z.object({ tokens: z.number(), cost: nullableNumber })),
  /** By the rule of thumb: fewer tokens were read than the previous request had read and written. */
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
  providerReason: z.optional(z.object({ type: z.string(), missedTokens: nullableNumber })),
  /** The results of tools and the thinking that the provider cleared from the request, and their tokens, if it did. */
  providerEdits: z.optional(z.object({ toolUses: z.number(), thinkingTurns: z.number(), tokens: z.number() })),
  /** The thinking of earlier answers that the provider dropped from the request, and its reasons, if it did. */
  providerDrops: z.optional(z.object({ thinkingBlocks: z.int(), reasons: z.array(z.string()) })),
});

/** The last line of `ctx cache --json`. */
export const cacheSummary = jsonDocument('ctx/cache-summary', {
  /** `agent`: the one that wrote the session, if it is not Pi. */
  session: z.object({ id: z.string(), file: z.string(), agent: z.optional(z.string()) }),
  /** The assumed cache: its block and minimum prompt in tokens, and the lifetime in minutes that the last request left. */
  options: z.object({
    block: z.int(),
    minimum: z.int(),
    retentionMinutes: z.number(),
    /** The lifetime is that of the recorded writes, that of `--retention`, or assumed. */
    retentionBasis: z.enum(LIFETIME_BASES),
  }),
  /** Requests of the path, with those that failed. */
  requests: z.int(),
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
  providerReasons: z.optional(
    z.object({
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
    }),
  ),
  /** The requests from which the provider cleared content, and the most tokens that it cleared from one; only if it did. */
  providerEdits: z.optional(z.object({ requests: z.int(), mostTokens: z.number() })),
  /** The requests from which the provider dropped thinking, the most blocks dropped from one, and all reasons; only if it did. */
  providerDrops: z.optional(z.object({ requests: z.int(), mostThinkingBlocks: z.int(), reasons: z.array(z.string()) })),
  /** Reasons that were declared although no sent content changed. */
  declaredForNothing: z.array(
    z.object({ entryId: z.nullable(z.string()), line: z.int(), reasons: z.array(z.string()) }),
  ),
  /** Texts in tools and system prompt at the end that change between sessions. */
  volatile: z.array(
    z.object({
      section: z.enum(['tools', 'system']),
      name: z.string(),
      /** Such as a date, a time or a UUID. */
      kind: z.string(),
      text: z.string(),
      /** Of `text` in the part or the tool, in UTF-16 code units. */
      offset: z.int(),
    }),
  ),
});

export type CacheRequest = z.infer<typeof cacheRequest>;
export type CacheBreak = z.infer<typeof cacheBreak>;
/** The cost of re-billed tokens. */
export type RebilledCost = Pick<CacheBreak, keyof typeof costs>;
/** The first place at which a request differs from the previous one. */
export type Divergence = z.infer<typeof firstDifference>;
export type CacheSummary = z.infer<typeof cacheSummary>;

/** Describes a cache break in one sentence. */
export function describeBreak(request: CacheRequest, broken: CacheBreak): string {
  const { providerReason: reason, providerEdits: edits, providerDrops: drops } = request;
  return [
    causeText(request, broken),
    ...floorTexts(request, broken),
    ...betweenTexts(broken),
    ...(reason ? [`the provider reports ${describeProviderReason(reason)}`] : []),
    ...(edits ? [`the provider cleared ${formatCount(edits.tokens)} tokens`] : []),
    ...(drops ? [`the provider dropped ${pluralize(drops.thinkingBlocks, 'thinking block')}`] : []),
  ].join('; ');
}

/** `messages_changed (53,002 tokens)`. */
export function describeProviderReason({ type, missedTokens }: NonNullable<CacheRequest['providerReason']>): string {
  return missedTokens === null ? type : `${type} (${pluralize(missedTokens, 'token')})`;
}

/** A miss of the messages alone. Where the time explains it, it needs no words. */
function floorTexts({ recorded }: CacheRequest, { class: name, isFloor }: CacheBreak): readonly string[] {
  if (!isFloor || name === 'ttl' || isUnexplained({ class: name })) return [];
  return [`only tools and prompt were read (${formatCount(recorded?.cacheRead ?? 0)} tokens)`];
}

/** The entries between the requests, where nothing explains the break. */
function betweenTexts(broken: CacheBreak): readonly string[] {
  if (!isUnexplained(broken) || broken.between.length === 0) return [];
  const named = broken.between
    .slice(-MOST_NAMED)
    .map(({ entryId, line, type }) => `${entryId ?? `line ${line}`} ${type}`);
  const more = broken.between.length > MOST_NAMED ? '… ' : '';
  return [`between: ${more}${named.join(', ')}`];
}

const MOST_NAMED = 4;

function causeText({ idleMilliseconds, piMiss, model, recorded }: CacheRequest, broken: CacheBreak): string {
  const { divergence, declaredReasons: declared, undeclared, also, entryId } = broken;
  const by = entryId === null ? '' : entryId;
  const said =
    declared.length > 0 ? `, declared: ${shorten(declared.join('; '))}` : undeclared ? ', declares no reason' : '';
  const others = also.length > 0 ? `; also ${also.join(', ')}` : '';
  const place = divergence
    ? `${by === '' ? '' : `${by}: `}${placeText(broken.class === 'tool order' ? { ...divergence, offset: 0 } : divergence)}`
    : by;
  const at = by === '' && broken.line !== null ? `line ${broken.line}: ` : by === '' ? '' : `${by}: `;
  const pause = idleMilliseconds === null ? '' : ` after ${formatDuration(idleMilliseconds / 1000)}`;
  switch (broken.class) {
    case 'model switch':
      return `${by === '' ? '' : `${by}: `}now ${model}${others}`;
    case 'ttl':
      return `${pauseText(idleMilliseconds ?? 0)} since the previous request (lifetime ${broken.detail ?? 'unknown'})${others}`;
    case 'thinking level':
      return `${by} changed it${others}`;
    case 'image':
      return `${by} adds the first image${others}`;
    case 'extension':
      return `${by} records that an extension changed the request${others}`;
    case 'branch':
      return `${by} starts a branch; Pi compares with the other branch${piMiss === null ? '' : ` (${formatCount(piMiss.tokens)} tokens)`}`;
    case 'agent':
      return `${by === '' ? '' : `${by}: `}${broken.detail ?? ''}${others}`;
    case 'resume':
      return `${at}the session was resumed (${broken.detail ?? ''})${others}`;
    case 'hook context':
      return `${at}a resume leaves out what ${broken.detail ?? 'a hook'} added${others}`;
    case 'tool server':
      return `${at}${broken.detail ?? 'a tool server was connected'}${others}`;
    case 'task notification':
      return `${at}a task notification began the turn${broken.detail === null ? '' : ` (${shorten(broken.detail)})`}${others}`;
    case 'messages':
      return `messages that were sent before have changed${divergence ? `: ${placeText(divergence)}` : ''}${others}`;
    case 'floor':
      return `only tools and prompt were read (${formatCount(recorded?.cacheRead ?? 0)} tokens, as by other requests)${pause}`;
    case 'provider miss':
      return `same prefix, ${readText(recorded, idleMilliseconds)}${broken.isFloor ? ', which is tools and prompt' : ''}`;
    case 'unexplained':
      return divergence ? `${placeText(divergence)} differs` : `same messages, ${readText(recorded, idleMilliseconds)}`;
    default:
      return `${place}${broken.volatile === null ? '' : ` (a ${broken.volatile})`}${said}${others}`;
  }
}

/** A pause, exact where a rounded one could equal the lifetime of a cache: five minutes or an hour. */
function pauseText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds >= 60 && seconds < 600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return seconds >= 3600 && seconds < 7200 ? `1 h ${Math.floor(seconds / 60) - 60} min` : formatDuration(seconds);
}

/** Describes what the provider removed from requests, with the verb for it. */
export function describeRemovals({ providerEdits: edits, providerDrops: drops }: CacheSummary): readonly Removal[] {
  const why = drops && drops.reasons.length > 0 ? ` (${shorten(drops.reasons.join(', '))})` : '';
  const blocks = drops && `${pluralize(drops.mostThinkingBlocks, 'thinking block')}${why}`;
  return [
    ...(edits
      ? [{ verb: 'cleared', text: removedText(edits.requests, `${formatCount(edits.mostTokens)} tokens`) }]
      : []),
    ...(drops && blocks ? [{ verb: 'dropped', text: removedText(drops.requests, blocks) }] : []),
  ];
}

function removedText(requests: number, most: string): string {
  return `by the provider from ${pluralize(requests, 'request')}, up to ${most}; the model did not see them`;
}

interface Removal {
  readonly verb: string;
  readonly text: string;
}

/** The tokens that a request without a recorded change read; of a full miss also the pause before it. */
function readText(recorded: CacheRequest['recorded'], idle: number | null): string {
  const read = recorded?.cacheRead ?? 0;
  return read > 0 || idle === null ? `${formatCount(read)} read` : `0 read after ${formatDuration(idle / 1000)}`;
}

function placeText({ section, index, name, block, offset }: Divergence): string {
  const at = offset === 0 ? '' : ` from character ${formatCount(offset + 1)} on`;
  if (section === 'tools') return `tool ${index + 1} (${name})${at}`;
  if (section === 'system') return `system part ${name}${at}`;
  return `message ${index + 1} (${name})${block === null ? '' : `, block ${block + 1}`}${at}`;
}
