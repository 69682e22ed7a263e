import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import { callUsage, checkpointMessage, contentBlocks, storedMessage, textAndImages } from './messages.js';

// The shapes of the lines of a session. `entry.ts` derives the types of entries from them.

/** Version 1 has neither ids nor parents. */
const base = {
  id: z.optional(z.string()),
  parentId: z.nullish(z.string()),
  /** ISO 8601. */
  timestamp: z.string(),
};
const text = z.optional(z.string());
const summary = {
  summary: z.string(),
  details: z.optional(z.unknown()),
  /** Whether an extension created it. */
  fromHook: z.nullish(z.boolean()),
  usage: z.nullish(callUsage),
};

export const compaction = z.looseObject({
  type: z.literal('compaction'),
  ...base,
  ...summary,
  tokensBefore: z.number(),
  /** Its own id keeps nothing. */
  firstKeptEntryId: z.nullish(z.string()),
  /** Version 1. */
  firstKeptEntryIndex: z.nullish(z.number()),
  /** The prompt and tools in force, since earlier system messages no longer apply. */
  systemMessage: z.nullish(checkpointMessage),
});

export const branchSummary = z.looseObject({
  type: z.literal('branch_summary'),
  ...base,
  ...summary,
  fromId: z.nullish(z.string()),
});

export const customMessage = z.looseObject({
  type: z.literal('custom_message'),
  ...base,
  customType: z.string(),
  content: z.union([z.string(), textAndImages]),
  display: z.optional(z.boolean()),
  details: z.optional(z.unknown()),
});

export const contextEdit = z.looseObject({
  type: z.literal('context_edit'),
  ...base,
  targetId: z.string(),
  /** null omits the target. */
  replacement: z.nullable(z.looseObject({ content: z.union([z.string(), contentBlocks]) })),
});

export const modelChange = z.looseObject({
  type: z.literal('model_change'),
  ...base,
  provider: z.string(),
  modelId: z.string(),
});
export const thinkingLevelChange = z.looseObject({
  type: z.literal('thinking_level_change'),
  ...base,
  thinkingLevel: z.string(),
});
export const custom = z.looseObject({
  type: z.literal('custom'),
  ...base,
  customType: z.string(),
  data: z.optional(z.unknown()),
});
export const label = z.looseObject({
  type: z.literal('label'),
  ...base,
  targetId: z.string(),
  /** None, or an empty one, removes the label. */
  label: z.nullish(z.string()),
});
export const sessionInfo = z.looseObject({ type: z.literal('session_info'), ...base, name: z.nullish(z.string()) });
export const usageEntry = z.looseObject({
  type: z.literal('usage'),
  ...base,
  kind: text,
  provider: text,
  model: text,
  usage: callUsage,
  note: z.nullish(z.string()),
});

export const contextTransform = z.looseObject({
  type: z.literal('context_transform'),
  ...base,
  schemaVersion: z.literal(1),
  transformerName: text,
  /** The ops, which the room context checks. */
  patch: z.unknown(),
  display: z.nullish(z.looseObject({ title: text, summary: text, markdown: text })),
});

export const ephemeral = z.looseObject({ type: z.literal('ephemeral'), ...base, messages: z.array(storedMessage) });

/** Its message is checked on its own, since there are more roles in old versions. */
export const messageEntry = z.looseObject({ type: z.literal('message'), ...base, message: storedMessage });

const optionalText = z.optional(z.string());

/** The first line of a session. */
export const sessionHeader = z.looseObject({
  type: z.literal('session'),
  /** Missing in version 1. */
  version: z.optional(z.int().check(z.positive())),
  id: z.string(),
  timestamp: z.string(),
  /** The working directory of the session. */
  cwd: optionalText,
  /** The file from which this session was forked. */
  parentSession: optionalText,
  /** The name of `parentSession` in version 1. */
  branchedFrom: optionalText,
  /** Version 1. */
  provider: optionalText,
  modelId: optionalText,
  thinkingLevel: optionalText,
});

export type SessionHeader = DeepReadonly<z.infer<typeof sessionHeader>>;
