import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';
import { CONTENT_KINDS } from '../contents/kinds.js';
import { CATEGORIES } from '../size/categories.js';
import { envelopeContent } from './content.js';

/** The source of a region of the envelope: the session, the command line, both, or unknown. */
const source = z.enum(['recorded', 'supplied', 'derived', 'unknown']);

/** The source of the context window: the command line, the configuration, a list of models, or unknown. */
const limitSource = z.enum(['supplied', 'configured', 'recorded', 'assumed', 'unknown']);

const display = z.looseObject({
  /** A short title of the transform, for people. */
  title: z.optional(z.string()),
  /** One sentence about it. */
  summary: z.optional(z.string()),
  /** A longer text about it, in Markdown. */
  markdown: z.optional(z.string()),
});

/** Estimated tokens by category; they add up to `total`. */
export const tokenCount = z.object({
  /** Estimated tokens of the system prompt. */
  system: z.int(),
  /** Estimated tokens of the tool definitions. */
  tools: z.int(),
  /** Estimated tokens of the messages of the session. */
  cached: z.int(),
  /** Estimated tokens of messages that are sent with this request only. */
  uncached: z.int(),
  /** The sum of the four. */
  total: z.int(),
  /** The estimate: `chars/4`, as in Pi, or the name of a tokenizer. */
  method: z.string(),
});

const diagnostic = z.object({
  /** The kind of problem, such as `torn-tail`. */
  code: z.string(),
  /** `error`: something is lost or cannot be replayed. */
  severity: z.enum(['error', 'warning', 'note']),
  /** The problem, as a sentence. */
  message: z.string(),
  /** The line of the problem, from 1; null for the session as a whole. */
  line: z.nullable(z.int()),
  /** The entry that has it; null without one. */
  entryId: z.nullable(z.string()),
  /** The first byte of the damage in the file. */
  offset: z.exactOptional(z.int()),
  /** The number of damaged bytes. */
  length: z.exactOptional(z.int()),
});

/** The source of one message; the records follow the order of `cached`, then `uncached`. */
const provenance = z.object({
  /** The entry that the message comes from, such as a transform; null if that has no id. */
  entryId: z.nullable(z.string()),
  /** The kind of entry that gave the message its content. */
  origin: z.enum(['entry', 'edit', 'compaction', 'transform']),
  /** The line of that entry, from 1. */
  line: z.int(),
  /** The `context_edit` that gave the message its content. */
  editId: z.optional(z.nullable(z.string())),
  /** The name of the transform that added the message, such as `compaction`. */
  transformerName: z.optional(z.string()),
});

const appliedTransform = z.object({
  /** The id of the entry; null if it has none. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** The name that the transform recorded for itself. */
  transformerName: z.string(),
  /** The names of its operations, in order. */
  ops: z.array(z.string()),
  /** The reasons that it declares for breaking the prompt cache. */
  invalidateCacheReasons: z.array(z.string()),
  /** Texts that describe it to people. */
  display: z.optional(display),
});

const appliedEdit = z.object({
  /** The entry of the edit. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** The entry whose message it omits or replaces. */
  targetId: z.nullable(z.string()),
  /** `none`: a later edit of the same entry replaced it, or its target is not in the context. */
  effect: z.enum(['omit', 'replace', 'none']),
});

const appliedCompaction = z.object({
  /** The entry of the compaction. */
  entryId: z.nullable(z.string()),
  /** The line of the entry in the file, from 1. */
  line: z.int(),
  /** Whether the transform before it already applied the compaction. */
  shadowed: z.boolean(),
  /** The first entry that it keeps; null if it names none. */
  firstKeptEntryId: z.nullable(z.string()),
  /** The size of the context before it in tokens, as recorded; null if it is not. */
  tokensBefore: z.nullable(z.number()),
});

/** The provider's token count of the newest request on the path. */
const recordedUsage = z.object({
  /** The answer of that request. */
  entryId: z.nullable(z.string()),
  /** Tokens of that request and its answer. */
  tokens: z.number(),
  /** false: an edit, a compaction or a transform changed the context since. */
  current: z.boolean(),
});

/** A request whose recorded prompt is smaller than the messages that are shown for it. */
export const unseen = z.object({
  /** The answer of that request. */
  entryId: z.nullable(z.string()),
  /** Its line in the file, from 1. */
  line: z.int(),
  /**
   * `smaller`: the messages have more tokens at least. `fell`: the prompt before it was much larger, and nothing in the
   * file removed messages. `constant`: the prompt before it had the same number of tokens, though messages were added.
   */
  reason: z.enum(['smaller', 'fell', 'constant']),
  /** Tokens of its prompt, as the provider counted them. */
  promptTokens: z.number(),
  /** The estimated tokens of the texts since the last change of the context. */
  shownTokensEstimated: z.int(),
  /** Tokens of the prompt before it; null for `smaller`. */
  beforeTokens: z.nullable(z.number()),
  /** The number of such requests since the last change of the context. */
  requests: z.int(),
  /** Whether no prompt since that change was smaller, so that the tokens of system prompt and tools are unknown. */
  isPreambleUnknown: z.boolean(),
});

/** The size of the context, in tokens of the model's provider. */
export const contextSize = z.object({
  /** The sum of `recorded` and `estimated`. */
  tokens: z.int(),
  /** The last recorded request of the path with its answer; 0 if no provider reported one. */
  recorded: z.int(),
  /** The estimate of later changes, or of everything; negative if a compaction, an edit or a transform removed more. */
  estimated: z.int(),
  /** Provider tokens per token of the estimate `meta.tokens`, for messages. */
  factor: z.number(),
  /**
   * Provider tokens per estimated token of the system prompt and the tools, by the first recorded request of the path.
   */
  declaredFactor: z.number(),
  /**
   * The part of `tokens` that the session does not record: its system prompt and tools; null if it does, or has no
   * request.
   */
  notItemised: z.nullable(z.int()),
  /**
   * The median error of this rule on the last 40 recorded requests, as a share of each; null without any, and for
   * `changed`.
   */
  error: z.nullable(z.number()),
  /**
   * `recorded`: nothing was added since. `derived`: neither, but the count of that request follows from totals of the
   * session. `appended`: messages were added since. `changed`: a compaction, an edit, a
   * transform or a system message was added since. Without a recorded request: `family`, by the factor of the model's
   * family; `median`, by that of all families; `tokenizer`, as the tokenizer counts.
   */
  method: z.enum(['recorded', 'derived', 'appended', 'changed', 'family', 'median', 'tokenizer']),
});

const share = {
  /** The tokens in the unit of the model's provider: a share of `size`, rounded so that all shares add up. */
  tokens: z.int(),
  /** The tokens as `tokens.method` estimates them. */
  tokensEstimated: z.int(),
};
const namedShare = z.object({ name: z.string(), ...share });

/** The parts of the context, in shares of its size. */
export const composition = z.object({
  /** The categories that have something. With `notItemised` they add up to `size.tokens`. */
  categories: z.array(z.object({ category: z.enum(CATEGORIES), ...share })),
  /** Counted by the provider, but not in the session; null where all is. */
  notItemised: z.nullable(z.int()),
  /** The texts of tool results by tool, the largest first. They add up to the category `tool results`. */
  results: z.array(namedShare),
  /** The shares in the order of the system parts. They add up to the category `system`. */
  systemParts: z.array(namedShare),
  /** The shares in the order of the tools. They add up to the category `tool definitions`. */
  tools: z.array(namedShare),
  /** The shares in the order of `cached`, then of `uncached`. They add up to the other categories. */
  messages: z.array(z.object(share)),
  /** The contents by kind, each kind the largest first. With `notItemised` they add up to `size.tokens`. */
  contents: z.array(
    z.object({
      kind: z.enum(CONTENT_KINDS),
      /**
       * The path of a memory file, the MCP server of tools (null: of none), the tool of results, the event of a hook,
       * the subject of a reminder, the part of the prompt, or the name that an extension gives; null if the kind says
       * all.
       */
      name: z.nullable(z.string()),
      ...share,
    }),
  ),
});

/** The degree to which a file records a part of the context: verbatim, approximately, or not at all. */
const recorded = z.enum(['recorded', 'approximate', 'missing']);

/** The context at one entry of a session, and the sources of its parts. */
export const contextEnvelope = jsonDocument('ctx/envelope', {
  session: z.object({
    /** The id in the header of the session. */
    id: z.string(),
    /** The version of Pi's format, 1 to 3; null for a value that is no number, and for a file of another agent. */
    version: z.nullable(z.number()),
    /** The file, as it was passed. */
    file: z.string(),
    /** The name that the user gave; null without one. */
    name: z.nullable(z.string()),
    /** The working directory; null if it is not recorded. */
    cwd: z.nullable(z.string()),
    /** The agent that wrote the session, if it is not Pi, and how far it records each part of the context. */
    agent: z.optional(
      z.object({
        /** The name of the agent, as `--agent` takes it. */
        name: z.string(),
        /** The name of the agent, for people. */
        title: z.string(),
        version: z.nullable(z.string()),
        parts: z.record(z.enum(['system', 'tools', 'messages', 'compactions', 'usage']), recorded),
      }),
    ),
  }),
  /** The entry with which the context ends; `entryId` and `line` are null for an empty path. */
  at: z.object({
    /** The id of that entry. */
    entryId: z.nullable(z.string()),
    /** The active leaf of the file. */
    leafId: z.nullable(z.string()),
    /** Its line in the file, from 1. */
    line: z.nullable(z.int()),
    /** The number of entries on the path. */
    depth: z.int(),
  }),
  ...envelopeContent.shape,
  meta: z.object({
    /** The model of the next request; null if none is recorded. */
    model: z.nullable(z.object({ provider: z.optional(z.string()), modelId: z.optional(z.string()) })),
    /** The thinking level. Before the first change it is `off` in Pi, and `unknown` in other agents. */
    thinkingLevel: z.string(),
    /** The context window in tokens; null if it is unknown. */
    limit: z.nullable(z.number()),
    /** Turns started on the path: 1 inside the first one. */
    turnIndex: z.int(),
    /** Requests answered on the path: this envelope is the input of the next one. */
    requestIndex: z.int(),
    /** Estimates by region, as `method` counts; the size as the provider counts is `size`. */
    tokens: tokenCount,
    size: contextSize,
    /** The newest request that shows that the model did not see all of these messages; null if none does. */
    unseen: z.nullable(unseen),
    composition,
    /** null if no request of the path records its tokens. */
    usage: z.nullable(recordedUsage),
    /** The source of each message, in the order of `cached`, then `uncached`. */
    provenance: z.array(provenance),
    /** The transforms of the path, in order. */
    transforms: z.array(appliedTransform),
    /** The context edits of the path, in order. */
    edits: z.array(appliedEdit),
    /** The compactions of the path, in order. */
    compactions: z.array(appliedCompaction),
    /** Messages that the session logged for single requests; shown only when asked for. */
    ephemeralMessages: z.int(),
    /** Tools that are declared but have no implementation: Pi omits them at run time. */
    toolsWithoutImplementation: z.array(z.string()),
    /** The origin of each region: recorded, supplied by a baseline, derived, or unknown. */
    sources: z.object({ system: source, tools: source, options: source, limit: limitSource }),
    diagnostics: z.array(diagnostic),
  }),
});

export type ContextEnvelope = DeepReadonly<z.infer<typeof contextEnvelope>>;
/** The model of the next request, as far as its names are recorded; null if none is. */
export type RequestModel = ContextEnvelope['meta']['model'];
export type RegionSource = z.infer<typeof source>;
export type LimitSource = z.infer<typeof limitSource>;
export type TokenCount = DeepReadonly<z.infer<typeof tokenCount>>;
export type Provenance = DeepReadonly<z.infer<typeof provenance>>;
export type AppliedTransform = DeepReadonly<z.infer<typeof appliedTransform>>;
export type AppliedEdit = DeepReadonly<z.infer<typeof appliedEdit>>;
export type AppliedCompaction = DeepReadonly<z.infer<typeof appliedCompaction>>;
export type ContextSize = DeepReadonly<z.infer<typeof contextSize>>;
export type RecordedUsage = DeepReadonly<z.infer<typeof recordedUsage>>;
