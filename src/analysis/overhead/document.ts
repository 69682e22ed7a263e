import * as z from 'zod/mini';
import { jsonDocument } from '#base/schema.js';

/** The kinds of things that an agent sends with its requests by itself. */
export const OVERHEAD_KINDS = ['memory file', 'mcp server', 'tool', 'skill', 'agent', 'hook'] as const;
export type OverheadKind = (typeof OVERHEAD_KINDS)[number];

/** The parts of a request that a session may lack. */
export const MISSING_PARTS = ['system prompt', 'tool definitions'] as const;
export type MissingPart = (typeof MISSING_PARTS)[number];

const nullableNumber = z.nullable(z.number());

/** The tokens and the dollars of a thing in the requests that carried it. */
const sums = {
  /** The measured tokens of all requests together, some of which were read from the cache. */
  tokens: z.int(),
  tokensCached: z.number(),
  /** The mean of the requests that carried it; null for what is used, but not recorded in any request. */
  tokensPerRequest: nullableNumber,
  /** The requests that carried it. */
  requests: z.int(),
  /** Dollars of the tokens that were read from the cache; null if no request has a price. */
  costCached: nullableNumber,
  /** Dollars of the other tokens, written to the cache or not; null like `costCached`. */
  costUncached: nullableNumber,
  /** Whether listed prices replace costs that are not recorded. */
  isCostListed: z.boolean(),
};

/** An edit that removes a thing. */
const edit = z.object({
  /** The file to change; null for a command of a shell. */
  file: z.nullable(z.string()),
  /** The setting; null for a command, or for a file that is not of settings. */
  key: z.nullable(z.string()),
  /** The text to add to the file, or the command. */
  text: z.string(),
  /** The condition under which the edit applies; null if it always does. */
  when: z.nullable(z.string()),
});

const item = z.object({
  /** The program that sent it, such as `claude-code`. */
  agent: z.string(),
  kind: z.enum(OVERHEAD_KINDS),
  /** Its name, or the path of a file; null for what belongs to a list as a whole. */
  name: z.nullable(z.string()),
  ...sums,
  /** The number of uses: calls, loaded skills, started agents, texts of a hook; null where none can be seen. */
  uses: z.nullable(z.int()),
  /** The sessions that carried it, and those that used it. */
  sessions: z.int(),
  sessionsUsing: z.int(),
  /** The tools of a server; null has its own instructions. Their tokens add up to those of the server. */
  tools: z.array(z.object({ name: z.nullable(z.string()), ...sums, uses: z.nullable(z.int()) })),
  /** The ways to remove it, the first one preferred; empty where none is known. */
  remove: z.array(edit),
});

/** The output of `ctx overhead --json`. */
export const overhead = jsonDocument('ctx/overhead', {
  /** Sessions with a request, and those of them that are of subagents. */
  sessions: z.int(),
  subagents: z.int(),
  unreadable: z.array(z.object({ file: z.string(), error: z.string() })),
  /** Requests of active paths; one that forks share counts once. */
  requests: z.int(),
  /** The requests whose prompt a provider counted. The others are estimated. */
  requestsRecorded: z.int(),
  /** The tokens of the prompts of these requests, some of which were read from the cache. */
  promptTokens: z.int(),
  cacheRead: z.int(),
  /** Dollars of all prompts, without answers; null if no request has a price. */
  cost: nullableNumber,
  isCostListed: z.boolean(),
  /** The requests without a recorded cost and without listed prices. */
  requestsUnpriced: z.int(),
  /** The things that were never used come first; then by cost, then by tokens. */
  items: z.array(item),
  /** The number of things of each kind that can be used, and of those that never were. */
  unused: z.array(
    z.object({
      kind: z.enum(OVERHEAD_KINDS),
      things: z.int(),
      neverUsed: z.int(),
      tokens: z.int(),
      cost: nullableNumber,
      isCostListed: z.boolean(),
    }),
  ),
  /**
   * The tokens of each agent that its provider counted and its sessions do not contain, with the parts that they lack.
   */
  notRecorded: z.array(
    z.object({
      agent: z.string(),
      title: z.string(),
      sessions: z.int(),
      requests: z.int(),
      tokens: z.int(),
      /** Dollars of these tokens; null if no request has a price. */
      cost: nullableNumber,
      parts: z.array(z.enum(MISSING_PARTS)),
    }),
  ),
});

export type Overhead = z.infer<typeof overhead>;
export type OverheadItem = z.infer<typeof item>;
export type OverheadSums = Pick<OverheadItem, keyof typeof sums>;
export type RemovingEdit = z.infer<typeof edit>;
