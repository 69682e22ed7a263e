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
export const answer = z.array(z.discriminatedUnion('type', [text, thinking, toolCall]));

/** The content of system messages. */
export const texts = z.array(z.discriminatedUnion('type', [text]));

/** The replacement content of a context edit. */
export const anyBlocks = z.array(z.discriminatedUnion('type', [text, thinking, toolCall, image]));

/** The types of all content blocks that Pi knows. */
export const BLOCK_TYPES: ReadonlySet<unknown> = new Set(['text', 'thinking', 'toolCall', 'image']);

const count = z.optional(z.number());

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
