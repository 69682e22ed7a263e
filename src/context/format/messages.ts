import * as z from 'zod/mini';

/** `textSignature` belongs to a provider, and is sent back unchanged. */
const text = z
  .looseObject({ type: z.literal('text'), text: z.string(), textSignature: z.nullish(z.string()) })
  .register(z.globalRegistry, { id: 'text-block' });

/** The thinking of a model before its answer. Redacted thinking is contained in its signature. */
const thinking = z
  .looseObject({
    type: z.literal('thinking'),
    thinking: z.string(),
    thinkingSignature: z.nullish(z.string()),
    redacted: z.nullish(z.boolean()),
  })
  .register(z.globalRegistry, { id: 'thinking-block' });

const toolCall = z
  .looseObject({
    type: z.literal('toolCall'),
    id: z.string(),
    name: z.string(),
    arguments: z.looseObject({}),
    thoughtSignature: z.nullish(z.string()),
    namespace: z.nullish(z.string()),
  })
  .register(z.globalRegistry, { id: 'tool-call-block' });

const image = z
  .looseObject({
    type: z.literal('image'),
    data: z.string().register(z.globalRegistry, { description: 'base64' }),
    mimeType: z.string(),
  })
  .register(z.globalRegistry, { id: 'image-block' });

/** The content of messages of users, tools and extensions. */
export const textAndImages = z.array(z.discriminatedUnion('type', [text, image]));

/** The content of answers. */
const answer = z.array(z.discriminatedUnion('type', [text, thinking, toolCall]));

/** The content of system messages. */
const texts = z.array(z.discriminatedUnion('type', [text]));

/** The replacement content of a context edit. */
export const anyBlocks = z.array(z.discriminatedUnion('type', [text, thinking, toolCall, image]));

/** The types of all content blocks that Pi knows. */
export const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall', 'image']);

const count = z.optional(z.number().check(z.nonnegative()));

/** Tokens and dollars of one call, as a provider reported them. Old versions omit some of the counts. */
export const usage = z
  .looseObject({
    input: count,
    output: count,
    cacheRead: count,
    /** Part of `cacheWrite`. */
    cacheWrite1h: count,
    cacheWrite: count,
    /** Part of `output`. */
    reasoning: count,
    totalTokens: count,
    cost: z.looseObject({
      input: count,
      output: count,
      cacheRead: count,
      cacheWrite: count,
      total: count,
      totalFromProvider: z.optional(z.boolean()),
    }),
  })
  .register(z.globalRegistry, { id: 'usage' });

/** Milliseconds since 1970; some programs omit it. */
const timestamp = z.optional(z.number());
const textOrBlocks = z.union([z.string(), textAndImages]);
const promptText = z.union([z.string(), texts]);

/** A tool as it is declared to the model. */
const tool = z
  .looseObject({
    name: z.string(),
    description: z.optional(z.string()),
    /** A JSON Schema. */
    parameters: z.optional(z.looseObject({})),
  })
  .register(z.globalRegistry, { id: 'tool' });

/** Since 0.86: declares the prompt and the tools, or changes them. */
const systemMessage = z
  .looseObject({
    role: z.literal('system'),
    content: z.nullish(promptText),
    /** By name, in order; null removes one. */
    sections: z.nullish(z.record(z.string(), z.nullable(z.string()))),
    toolsAdded: z.nullish(z.array(tool)),
    toolsRemoved: z.nullish(z.array(z.looseObject({ name: z.string() }))),
    timestamp,
  })
  .register(z.globalRegistry, { id: 'system-message' });

/** A system message in a compaction, which Pi validates less strictly. */
export const checkpoint = z.extend(systemMessage, { content: promptText });

const user = z
  .looseObject({ role: z.literal('user'), content: textOrBlocks, timestamp })
  .register(z.globalRegistry, { id: 'user-message' });

const assistant = z
  .looseObject({
    role: z.literal('assistant'),
    content: answer,
    api: z.optional(z.string()),
    provider: z.string(),
    model: z.string(),
    responseModel: z.nullish(z.string()),
    responseId: z.nullish(z.string()),
    thinkingLevel: z.nullish(z.string()),
    usage,
    /** stop, length, toolUse, error, aborted or deferred. */
    stopReason: z.optional(z.string()),
    errorMessage: z.nullish(z.string()),
    timestamp,
    durationMs: z.optional(z.number()),
  })
  .register(z.globalRegistry, { id: 'assistant-message' });

const toolResult = z
  .looseObject({
    role: z.literal('toolResult'),
    toolCallId: z.string(),
    toolName: z.string(),
    content: textAndImages,
    isError: z.optional(z.boolean()),
    details: z.optional(z.unknown()),
    usage: z.nullish(usage),
    timestamp,
    durationMs: z.optional(z.number()),
  })
  .register(z.globalRegistry, { id: 'tool-result-message' });

/** A command that the user ran. */
const bashExecution = z
  .looseObject({
    role: z.literal('bashExecution'),
    command: z.string(),
    output: z.string(),
    exitCode: z.nullish(z.number()),
    cancelled: z.optional(z.boolean()),
    truncated: z.optional(z.boolean()),
    fullOutputPath: z.nullish(z.string()),
    excludeFromContext: z.nullish(z.boolean()),
    timestamp,
  })
  .register(z.globalRegistry, { id: 'bash-execution-message' });

const byExtension = {
  customType: z.string(),
  content: textOrBlocks,
  display: z.optional(z.boolean()),
  details: z.optional(z.unknown()),
  timestamp,
};
const custom = z
  .looseObject({ role: z.literal('custom'), ...byExtension })
  .register(z.globalRegistry, { id: 'custom-message' });
/** The name of `custom` before version 3. */
const hookMessage = z
  .looseObject({ role: z.literal('hookMessage'), ...byExtension })
  .register(z.globalRegistry, { id: 'hook-message' });

const branchSummary = z
  .looseObject({ role: z.literal('branchSummary'), summary: z.string(), fromId: z.nullish(z.string()), timestamp })
  .register(z.globalRegistry, { id: 'branch-summary-message' });

const compactionSummary = z
  .looseObject({
    role: z.literal('compactionSummary'),
    summary: z.string(),
    tokensBefore: z.optional(z.number()),
    timestamp,
  })
  .register(z.globalRegistry, { id: 'compaction-summary-message' });

const roles = [
  systemMessage,
  user,
  assistant,
  toolResult,
  bashExecution,
  custom,
  branchSummary,
  compactionSummary,
] as const;

/** A message of version 3. */
export const message = z.discriminatedUnion('role', [...roles]);

export const messageOfAnyVersion = z.discriminatedUnion('role', [...roles, hookMessage]);
