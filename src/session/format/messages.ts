import * as z from 'zod/mini';

/** Defines an object of the format, which may have more keys, under the name of its JSON schema. */
function defineObject<Shape extends z.core.$ZodShape>(id: string, shape: Shape): z.ZodMiniObject<Shape, z.core.$loose> {
  return z.looseObject(shape).register(z.globalRegistry, { id });
}

/** `textSignature` belongs to a provider, and is sent back unchanged. */
const text = defineObject('text-block', {
  type: z.literal('text'),
  text: z.string(),
  textSignature: z.nullish(z.string()),
  /** The estimated tokens of the document that a text describes, such as a PDF, at four characters each. */
  documentTokensEstimated: z.optional(z.number().check(z.nonnegative())),
  /** The reason why a provider refuses that document. */
  documentFault: z.optional(z.string()),
});

/** The thinking of a model before its answer. Redacted thinking is contained in its signature. */
const thinking = defineObject('thinking-block', {
  type: z.literal('thinking'),
  thinking: z.string(),
  thinkingSignature: z.nullish(z.string()),
  redacted: z.nullish(z.boolean()),
});

const toolCall = defineObject('tool-call-block', {
  type: z.literal('toolCall'),
  id: z.string(),
  name: z.string(),
  arguments: z.looseObject({}),
  thoughtSignature: z.nullish(z.string()),
  namespace: z.nullish(z.string()),
});

const image = defineObject('image-block', {
  type: z.literal('image'),
  data: z.string().register(z.globalRegistry, { description: 'base64' }),
  mimeType: z.string(),
});

/** The content of messages of users, tools and extensions. */
export const textAndImages = z.array(z.discriminatedUnion('type', [text, image]));

/** The content of answers. */
const answer = z.array(z.discriminatedUnion('type', [text, thinking, toolCall]));

/** The content of system messages. */
const texts = z.array(z.discriminatedUnion('type', [text]));

/** The replacement content of a context edit. */
export const contentBlocks = z.array(z.discriminatedUnion('type', [text, thinking, toolCall, image]));

/** The types of all content blocks that Pi knows. */
export const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall', 'image']);

const count = z.optional(z.number().check(z.nonnegative()));

/** Tokens and dollars of one call, as a provider reported them. Old versions omit some of the counts. */
export const callUsage = defineObject('usage', {
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
});

/** Milliseconds since 1970; some programs omit it. */
const timestamp = z.optional(z.number());
const textOrBlocks = z.union([z.string(), textAndImages]);
const promptText = z.union([z.string(), texts]);

/** A tool as it is declared to the model. */
const tool = defineObject('tool', {
  name: z.string(),
  description: z.optional(z.string()),
  /** A JSON Schema. */
  parameters: z.optional(z.looseObject({})),
});

/** A message that declares the prompt and the tools, or changes them. Pi writes it since 0.86. */
export const systemMessage = defineObject('system-message', {
  role: z.literal('system'),
  content: z.nullish(promptText),
  /** The changed sections by name, in order. null removes a section. */
  sections: z.nullish(z.record(z.string(), z.nullable(z.string()))),
  toolsAdded: z.nullish(z.array(tool)),
  toolsRemoved: z.nullish(z.array(z.looseObject({ name: z.string() }))),
  timestamp,
});

/** A system message in a compaction, which Pi validates less strictly. */
export const checkpointMessage = z.extend(systemMessage, { content: promptText });

export const userMessage = defineObject('user-message', { role: z.literal('user'), content: textOrBlocks, timestamp });

export const assistantMessage = defineObject('assistant-message', {
  role: z.literal('assistant'),
  content: answer,
  api: z.optional(z.string()),
  provider: z.string(),
  model: z.string(),
  responseModel: z.nullish(z.string()),
  responseId: z.nullish(z.string()),
  thinkingLevel: z.nullish(z.string()),
  usage: callUsage,
  /** stop, length, toolUse, error, aborted or deferred. */
  stopReason: z.optional(z.string()),
  errorMessage: z.nullish(z.string()),
  timestamp,
  durationMs: z.optional(z.number()),
});

export const toolResultMessage = defineObject('tool-result-message', {
  role: z.literal('toolResult'),
  toolCallId: z.string(),
  toolName: z.string(),
  content: textAndImages,
  isError: z.optional(z.boolean()),
  details: z.optional(z.unknown()),
  usage: z.nullish(callUsage),
  timestamp,
  durationMs: z.optional(z.number()),
});

/** A command that the user ran. */
export const bashExecutionMessage = defineObject('bash-execution-message', {
  role: z.literal('bashExecution'),
  command: z.string(),
  output: z.string(),
  exitCode: z.nullish(z.number()),
  cancelled: z.optional(z.boolean()),
  truncated: z.optional(z.boolean()),
  fullOutputPath: z.nullish(z.string()),
  excludeFromContext: z.nullish(z.boolean()),
  timestamp,
});

/** The fields of a message that an extension added. */
const extensionFields = {
  customType: z.string(),
  content: textOrBlocks,
  display: z.optional(z.boolean()),
  details: z.optional(z.unknown()),
  timestamp,
};
export const extensionMessage = defineObject('custom-message', { role: z.literal('custom'), ...extensionFields });
/** The name of `custom` before version 3. */
const hookMessage = defineObject('hook-message', { role: z.literal('hookMessage'), ...extensionFields });

export const branchSummaryMessage = defineObject('branch-summary-message', {
  role: z.literal('branchSummary'),
  summary: z.string(),
  fromId: z.nullish(z.string()),
  timestamp,
});

export const compactionSummaryMessage = defineObject('compaction-summary-message', {
  role: z.literal('compactionSummary'),
  summary: z.string(),
  tokensBefore: z.optional(z.number()),
  timestamp,
});

const messagesByRole = [
  systemMessage,
  userMessage,
  assistantMessage,
  toolResultMessage,
  bashExecutionMessage,
  extensionMessage,
  branchSummaryMessage,
  compactionSummaryMessage,
] as const;

/** A message of version 3. */
export const storedMessage = z.discriminatedUnion('role', [...messagesByRole]);

export const anyVersionMessage = z.discriminatedUnion('role', [...messagesByRole, hookMessage]);
