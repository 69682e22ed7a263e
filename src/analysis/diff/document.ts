import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { jsonDocument } from '#base/schema.js';
import { llmMessage, systemPart, toolDefinition } from '#context/replay/content.js';
import { contextSize, tokenCount } from '#context/replay/envelope.js';

const side = z.object({
  /** The file, as it was passed. */
  file: z.string(),
  /** The id of the session. */
  sessionId: z.string(),
  /** The entry with which this context ends; null for an empty path. */
  entryId: z.nullable(z.string()),
  /** Its line in the file, from 1. */
  line: z.nullable(z.int()),
  /** Estimated tokens by category. */
  tokens: tokenCount,
  /** The size of the context. */
  size: contextSize,
});

/** Paths in JavaScript notation: `content[0].text`; empty for the value as a whole. */
const valueChange = z.object({
  /** The place in the value. */
  place: z.string(),
  /** `form`: written differently, with one meaning; `order`: only the order of keys differs. */
  kind: z.enum(['added', 'removed', 'moved', 'changed', 'form', 'order']),
  /** The earlier value; absent if it was added. */
  before: z.optional(z.unknown()),
  /** The later value; absent if it was removed. */
  after: z.optional(z.unknown()),
});

/** `from` and `to` count from 0 in the lists before and after. */
function buildChangesSchema<Item extends z.core.$ZodType>(item: Item) {
  const from = z.int();
  const to = z.int();
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
  /** The name of the option. */
  name: z.string(),
  /** The earlier value; absent if there was none. */
  before: z.optional(z.unknown()),
  /** The later value; absent if there is none. */
  after: z.optional(z.unknown()),
});

/**
 * The output of `ctx diff --json`. Items that are not listed are unchanged, in their order. The time of a message, the
 * usage of an answer and other fields that are not sent do not count.
 */
export const diffDocument = jsonDocument('ctx/diff', {
  /** The earlier context. */
  before: side,
  /** The later context. */
  after: side,
  /** Whether both contexts are equal. */
  same: z.boolean(),
  /**
   * The common prefix of both, in the order tools, system prompt, messages; `end` is null if one is a prefix of the
   * other.
   */
  prefix: z.object({
    /** Estimated tokens. */
    tokens: z.int(),
    end: z.nullable(
      z.object({
        /** The part of the request in which they first differ. */
        section: z.enum(['tools', 'system', 'messages']),
        /** The index of the tool, part or message that differs, from 0. */
        index: z.int(),
        /** Its name or role in the later request; null if that has no item there. */
        name: z.nullable(z.string()),
      }),
    ),
  }),
  /** Settings of the request that differ. */
  settings: z.array(
    z.object({ name: z.enum(['model', 'thinkingLevel', 'limit']), before: z.unknown(), after: z.unknown() }),
  ),
  /** Changes of system parts. */
  parts: buildChangesSchema(systemPart),
  /** Changes of tool definitions. */
  tools: buildChangesSchema(toolDefinition),
  /** Changes of provider options. */
  options: z.array(optionChange),
  /** Changes of the messages of the session. */
  cached: buildChangesSchema(llmMessage),
  /** Changes of messages that are sent with one request only. */
  uncached: buildChangesSchema(llmMessage),
});

export type DiffDocument = DeepReadonly<z.infer<typeof diffDocument>>;
export type DiffSide = DiffDocument['before'];
