import * as z from 'zod/mini';
import type { DeepReadonly } from '#base/json.js';
import {
  branchSummary,
  compaction,
  contextEdit,
  contextTransform,
  custom,
  customMessage,
  ephemeral,
  label,
  messageEntry,
  modelChange,
  sessionInfo,
  thinkingLevelChange,
  usageEntry,
} from '#session/format/entries.js';
import { anyVersionMessage } from '#session/format/messages.js';
import { patch } from '../ops/index.js';

const withoutMessage = [
  compaction,
  branchSummary,
  customMessage,
  contextEdit,
  modelChange,
  thinkingLevelChange,
  custom,
  label,
  sessionInfo,
  usageEntry,
  z.extend(contextTransform, { patch }),
  ephemeral,
] as const;

/** An entry of version 3; older entries are migrated to it when they are read. */
export const version3Entry = z.discriminatedUnion('type', [messageEntry, ...withoutMessage]);

/** An entry of any version, as stored in a file. */
export const sessionEntry = z.discriminatedUnion('type', [
  z.extend(messageEntry, { message: anyVersionMessage }),
  ...withoutMessage,
]);

export type SessionEntry = DeepReadonly<z.infer<typeof sessionEntry>>;
