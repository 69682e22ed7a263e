import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';
import { llmMessage, systemPart, toolDefinition } from '#context/replay/content.js';
import { contextSize, tokenCount } from '#context/replay/envelope.js';

const side = z.object({
  file: z.string(),
  sessionId: z.string(),
  entryId: z.nullable(z.string()),
  line: z.nullable(z.int()),
  /** Estimated tokens by category. */
  tokens: tokenCount,
  /** The size of the context. */
  size: contextSize,
});

/** Paths in JavaScript notation: `content[0].text`; empty for the value as a whole. */
const valueChange = z.object({
  place: z.string(),
  kind: z.enum(['added', 'removed', 'moved', 'changed', 'form', 'order']),
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});

/** `from` and `to` count from 0 in the lists before and after. */
function changesOf<Item extends z.core.$ZodType>(item: Item) {
  const [from, to] = [z.int(), z.int()];
  return z.array(
    z.union([
      z.object({ kind: z.literal('added'), to, after: item }),
      z.object({ kind: z.literal('removed'), from, before: item }),
      z.object({ kind: z.literal('moved'), from, to, item }),
      z.object({
        kind: z.literal('changed'),
        from,
        to,
        before: item,
        after: item,
        isMoved: z.boolean(),
        values: z.array(valueChange),
      }),
    ]),
  );
}

const optionChange = z.object({
  name: z.string(),
  before: z.optional(z.unknown()),
  after: z.optional(z.unknown()),
});

/** The output of `ctx diff --json`. Items that are not listed are unchanged, in their order. */
export const diffDocument = jsonDocument('ctx/diff', {
  before: side,
  after: side,
  same: z.boolean(),
  /** The common prefix of both, in the order tools, system prompt, messages; `end` is null if one is a prefix of the other. */
  prefix: z.object({
    /** Estimated tokens. */
    tokens: z.int(),
    end: z.nullable(
      z.object({
        section: z.enum(['tools', 'system', 'messages']),
        /** Of the tool, part or message that differs, from 0. */
        index: z.int(),
        /** Its name or role in the later request; null if that has no item there. */
        name: z.nullable(z.string()),
      }),
    ),
  }),
  settings: z.array(
    z.object({ name: z.enum(['model', 'thinkingLevel', 'limit']), before: z.unknown(), after: z.unknown() }),
  ),
  parts: changesOf(systemPart),
  tools: changesOf(toolDefinition),
  options: z.array(optionChange),
  cached: changesOf(llmMessage),
  uncached: changesOf(llmMessage),
});

export type DiffDocument = DeepReadonly<z.infer<typeof diffDocument>>;
export type DiffSide = DiffDocument['before'];
