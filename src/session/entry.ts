import { asString, isObject, type JsonObject } from '#base/json.js';
import type * as entries from './format/entries.js';
import type * as messages from './format/messages.js';

/**
 * The fields of a shape and of its variants in other programs. Files are not checked when they are read, so a field may
 * hold any value: it is checked where it is used. Fields that no shape names are kept.
 */
type Loose<Shape extends { readonly shape: object }, More extends string = never> = JsonObject & {
  readonly [Field in keyof Shape['shape'] | More]?: unknown;
};

/** An entry of one type. */
type EntryOf<Type extends string, Shape extends { readonly shape: object }, More extends string = never> = Loose<
  Shape,
  More
> & { readonly type: Type };

/** A message of one role. */
type MessageOf<Role extends string, Shape extends { readonly shape: object }, More extends string = never> = Loose<
  Shape,
  More
> & { readonly role: Role };

/**
 * Represents every text that is no known type or role, so that a comparison with a known one tells which entry it is.
 */
type UnknownName = '(unknown)';

/** An entry that adds a message, which `messageOf` returns. */
type MessageEntry = EntryOf<'message', typeof entries.messageEntry>;

/** A message of an extension. */
type CustomMessageEntry = EntryOf<'custom_message', typeof entries.customMessage, 'sentRole'>;

/** The summary of a branch that the conversation left. `sentVerbatim`: it is sent without an introduction. */
type BranchSummaryEntry = EntryOf<'branch_summary', typeof entries.branchSummary, 'sentVerbatim'>;

/**
 * Replaces older messages with a summary. `sentVerbatim`: the summary is sent without an introduction. `history`: the
 * messages that are sent instead of the summary. `keepsAfter`: the entry after which messages are kept, instead of
 * those from `firstKeptEntryId` on.
 */
export type CompactionEntry = EntryOf<
  'compaction',
  typeof entries.compaction,
  'sentVerbatim' | 'history' | 'keepsAfter'
>;

/** Changes or omits one earlier message. */
export type EditEntry = EntryOf<'context_edit', typeof entries.contextEdit>;

/** Changes the context with a patch. `writtenBy`: the hook or the engine that did. */
export type TransformEntry = EntryOf<'context_transform', typeof entries.contextTransform, 'writtenBy'>;

/** Sets the model. */
type ModelChangeEntry = EntryOf<'model_change', typeof entries.modelChange>;

type ThinkingLevelEntry = EntryOf<'thinking_level_change', typeof entries.thinkingLevelChange>;

/** Data of an extension, which adds nothing to the context. */
type CustomEntry = EntryOf<'custom', typeof entries.custom>;

type LabelEntry = EntryOf<'label', typeof entries.label>;

/** Names the session. */
type SessionInfoEntry = EntryOf<'session_info', typeof entries.sessionInfo>;

/** A call of a model beside the conversation. */
type UsageEntry = EntryOf<'usage', typeof entries.usageEntry>;

/** Messages that were sent with one request only. */
type EphemeralEntry = EntryOf<'ephemeral', typeof entries.ephemeral>;

/** The messages before it are not sent again, but for those from its target on. */
type ResetEntry = JsonObject & { readonly type: 'reset_boundary' };

/** A call of a model beside the conversation, with its purpose. */
type ModelUsageEntry = JsonObject & {
  readonly type: 'model_usage';
  readonly purpose?: unknown;
  readonly usage?: unknown;
};

/** An entry of another type, or without one. */
type UnknownEntry = JsonObject & { readonly type?: UnknownName | null | undefined };

/** The types of entries that only sessions of other agents have. */
export const AGENT_TYPES: readonly string[] = ['reset_boundary', 'model_usage'];

/** A line of a session after its header, in version 3. */
export type Entry =
  | MessageEntry
  | CustomMessageEntry
  | BranchSummaryEntry
  | CompactionEntry
  | EditEntry
  | TransformEntry
  | ModelChangeEntry
  | ThinkingLevelEntry
  | CustomEntry
  | LabelEntry
  | SessionInfoEntry
  | UsageEntry
  | EphemeralEntry
  | ResetEntry
  | ModelUsageEntry
  | UnknownEntry;

export type SystemMessage = MessageOf<'system', typeof messages.systemMessage>;

/** `sentRole`: the role with which it is sent, if it is another one. */
export type UserMessage = MessageOf<'user', typeof messages.userMessage, 'sentRole'>;

export type AssistantMessage = MessageOf<'assistant', typeof messages.assistantMessage>;

export type ToolResultMessage = MessageOf<'toolResult', typeof messages.toolResultMessage>;

/** A command that the user ran. */
export type BashExecutionMessage = MessageOf<'bashExecution', typeof messages.bashExecutionMessage>;

/** A message of an extension. */
type ExtensionMessage = MessageOf<'custom', typeof messages.extensionMessage, 'sentRole'>;

/** `sentVerbatim`: the summary is the whole message. */
type BranchSummaryMessage = MessageOf<'branchSummary', typeof messages.branchSummaryMessage, 'sentVerbatim'>;

/** `sentVerbatim`: the summary is the whole message. */
type CompactionSummaryMessage = MessageOf<
  'compactionSummary',
  typeof messages.compactionSummaryMessage,
  'sentVerbatim'
>;

/** A message of another role, or without one. */
type UnknownMessage = JsonObject & { readonly role?: UnknownName | null | undefined };

/** A message as a session stores it: an LLM message, or one of a role that is converted to one when it is sent. */
export type StoredMessage =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | ExtensionMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage
  | UnknownMessage;

/** Types an object as an entry. Its `type` decides which one it is; no other field is checked. */
export function toEntry(line: JsonObject): Entry {
  return line;
}

/** Types an object as a message. Its `role` decides which one it is; no other field is checked. */
export function toMessage(message: JsonObject): StoredMessage {
  return message;
}

/** The message of an entry as it is stored; null for an entry without one. */
export function messageOf(entry: Entry): StoredMessage | null {
  return entry.type === 'message' && isObject(entry.message) ? toMessage(entry.message) : null;
}

/** The name of the program that wrote a transform; `unknown` if it gave none. */
export function readTransformerName(entry: Entry): string {
  return asString(entry.transformerName) ?? 'unknown';
}

/** A content block of one type. */
type BlockOf<Type extends string, Field extends string> = JsonObject & { readonly type: Type } & {
  readonly [Name in Field]?: unknown;
};

type TextBlock = BlockOf<'text', 'text'>;

export type ThinkingBlock = BlockOf<'thinking', 'thinking' | 'thinkingSignature' | 'redacted'>;

type ToolCallBlock = BlockOf<'toolCall', 'id' | 'name' | 'arguments'>;

/** `data` is base64. */
export type ImageBlock = BlockOf<'image', 'data' | 'mimeType'>;

/** A content block of another type, or without one. */
type UnknownBlock = JsonObject & { readonly type?: UnknownName | null | undefined };

/** A content block of a message. */
export type ContentBlock = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock | UnknownBlock;

/** Types an object as a content block. Its `type` decides which one it is; no other field is checked. */
export function toBlock(block: JsonObject): ContentBlock {
  return block;
}
