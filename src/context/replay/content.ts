import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import type { AssistantMessage, ToolResultMessage, UserMessage } from '#session/entry.js';

/**
 * A system prompt part. `separator` precedes its text in the compiled prompt: `""`, and a blank line for stock
 * sections.
 */
export const systemPart = z.looseObject({
  name: z.string(),
  text: z.string(),
  separator: z.optional(z.string()),
  /**
   * `content` for the part in which the `content` of system messages accumulates, `supplied` for a part of a baseline
   * with its own separator. Other programs may write anything.
   */
  kind: z.optional(z.unknown()),
});

/** A system part in a patch of any program: fields other than name and text are not validated. */
export const patchPart = z.looseObject({ name: z.string(), text: z.string() });

/** A tool definition as the provider receives it. */
export const toolDefinition = z.looseObject({ name: z.string() });

/** A message as the provider receives it; its fields are passed on as stored. */
export const llmMessage = z.looseObject({ role: z.enum(['user', 'assistant', 'toolResult']) });

const generationOptions = z.looseObject({
  reasoning: z.optional(z.unknown()),
  temperature: z.optional(z.unknown()),
  maxTokens: z.optional(z.unknown()),
});

/** The content of a provider request. */
export const envelopeContent = z.object({
  system: z.object({ parts: z.array(systemPart), compiled: z.string() }),
  tools: z.array(toolDefinition),
  messages: z.object({ cached: z.array(llmMessage), uncached: z.array(llmMessage) }),
  options: generationOptions,
});

export type PatchPart = DeepReadonly<z.infer<typeof patchPart>>;
export type SystemPart = DeepReadonly<z.infer<typeof systemPart>>;
export type ToolDefinition = DeepReadonly<z.infer<typeof toolDefinition>>;

/** A message as the provider receives it. Its `role` decides which one it is; no other field is checked. */
export type LlmMessage = UserMessage | AssistantMessage | ToolResultMessage;

export type EnvelopeContent = DeepReadonly<z.infer<typeof envelopeContent>>;

/** Prompt, tools and options that a session does not record, supplied by the user. */
export const baselineSchema = z.strictObject({
  parts: z.optional(z.array(systemPart)),
  tools: z.optional(z.array(toolDefinition)),
  options: z.optional(generationOptions),
  limit: z.optional(z.int().check(z.positive())),
});

export type Baseline = DeepReadonly<z.infer<typeof baselineSchema>>;
