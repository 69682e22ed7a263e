import type { Divergence } from './prompt.js';
import type { PromptUsage } from './recorded.js';

/** Why a request could not use what was cached of the request before it. */
export const CLASSES = [
  'compaction',
  'transform',
  'edit',
  'system',
  'tools',
  'tool order',
  'model switch',
  'thinking level',
  'ttl',
  'image',
  'branch',
  'unexplained',
] as const;

export type BreakClass = (typeof CLASSES)[number];

/** One place where the cache broke. */
export interface CacheBreak {
  readonly class: BreakClass;
  /** The entry that caused it; null where none is to blame. */
  readonly entryId: string | null;
  readonly line: number | null;
  /** Other causes that would have broken it too, or broke more of it. */
  readonly also: readonly BreakClass[];
  /** The `invalidateCacheReason`s of the entry that caused it. */
  readonly declared: readonly string[];
  /** Where the request differs from the one before it; null where what is sent begins with all of that. */
  readonly divergence: Divergence | null;
  /** The kind of volatile text at that place: a date, a time, an id and so on. */
  readonly volatile: string | null;
  /** Whether the provider's numbers show a miss; null where it reported none. */
  readonly isRecorded: boolean | null;
  /** Tokens of the request before that had to be read anew. */
  readonly rebilled: { readonly tokens: number; readonly cost: number | null; readonly isRecorded: boolean };
}

/** A reason that was declared, although nothing that had been sent changed. */
export interface IdleDeclaration {
  readonly entryId: string | null;
  readonly line: number;
  readonly reasons: readonly string[];
}

/** One request of the path. */
export interface CacheRequest {
  /** Of the assistant message that answers it. */
  readonly entryId: string | null;
  readonly line: number;
  /** Counted from 1 along the path. */
  readonly number: number;
  /** In milliseconds since 1970, NaN where nothing says it. */
  readonly time: number;
  readonly model: string;
  /** It failed before anything of it was billed: the next one is compared with the one before it. */
  readonly isUnbilled: boolean;
  /** Estimated: of the whole prompt. */
  readonly prompt: number;
  /** Estimated: of what the request before it and this one both begin with; null for the first. */
  readonly prefix: number | null;
  /** Estimated from the tokens that were recorded for the request before: what the cache could give; null where nothing is recorded. */
  readonly expectedRead: number | null;
  readonly usage: PromptUsage | null;
  /** Tokens of a miss by Pi's own rule, which takes the requests of all branches in file order. */
  readonly piMiss: number | null;
  readonly piMissCost: number | null;
  /** Tokens that were read are fewer than those that had been read and written: the rule of thumb. */
  readonly isNaiveMiss: boolean;
  /** Milliseconds since the request before; null for the first. */
  readonly idle: number | null;
  readonly broken: CacheBreak | null;
}

export interface CacheOptions {
  /** The provider caches so many tokens at once. */
  readonly block: number;
  /** The provider caches nothing that is shorter. */
  readonly minimum: number;
  /** After so many minutes without a request nothing is left in the cache. */
  readonly retention: number;
}

export const DEFAULTS: CacheOptions = { block: 1, minimum: 1024, retention: 5 };
