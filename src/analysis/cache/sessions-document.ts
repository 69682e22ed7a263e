import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';
import { BREAK_CLASSES } from './break-classes.js';

const nullableNumber = z.nullable(z.number());

/** The sums of requests and of their cache breaks. */
const sums = {
  /** Requests that were billed, or may have been; one that forks share counts once. */
  requests: z.int(),
  /** Their recorded prompt tokens, and those of them that were read from a cache. */
  promptTokens: z.number(),
  cacheRead: z.number(),
  breaks: z.int(),
  /** Breaks that neither the session nor the time explains. */
  unexplained: z.int(),
  /** Breaks at which only tools and prompt were read. */
  floors: z.int(),
  rebilledTokens: z.number(),
  rebilledTokensEstimated: z.number(),
  /** Dollars at the recorded rates; null if those of a model are not recorded. */
  rebilledCost: nullableNumber,
  /** The re-billed cost by listed prices; null if a model is not listed. */
  rebilledCostListed: nullableNumber,
};

/** The output of `ctx cache FOLDER --json`. */
export const cacheSessions = jsonDocument('ctx/cache-sessions', {
  /** Sessions with a request. */
  sessions: z.int(),
  unreadable: z.array(z.object({ file: z.string(), error: z.string() })),
  ...sums,
  /** The most expensive cause first; `sessions` have it. */
  byClass: z.array(z.object({ class: z.enum(BREAK_CLASSES), sessions: z.int(), ...sums })),
  /**
   * The sums by program and version, such as `claude-code 2.1.332`. A program that records no version is listed by its
   * name.
   */
  byClient: z.array(z.object({ client: z.string(), ...sums })),
  /** The sums by UTC date, in order; null for requests without a time. */
  byDay: z.array(z.object({ day: z.nullable(z.string()), ...sums })),
  /** The sums by working directory, the most expensive first; null if it is not recorded. */
  byProject: z.array(z.object({ project: z.nullable(z.string()), ...sums })),
});

export type CacheSessions = z.infer<typeof cacheSessions>;
export type MissSums = Pick<CacheSessions, keyof typeof sums>;
