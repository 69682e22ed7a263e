import type { JsonObject } from '#base/json.js';
import type { CopyStamps } from './copier.js';

/**
 * The messages of a session for the writer of another agent, without anything that only the session's own agent
 * understands.
 */
export interface Conversation {
  /** The working directory. */
  readonly cwd: string;
  /** The name that the user gave the session; null without one. */
  readonly title: string | null;
  readonly messages: readonly PortableMessage[];
}

/**
 * A message that every agent can hold. Its blocks are those of Pi: texts and images, and in answers texts and calls.
 */
export type PortableMessage = PortableInput | PortableAnswer | PortableResult;

interface PortableContent {
  readonly content: readonly JsonObject[];
  /** ISO 8601. */
  readonly timestamp: string;
}

interface PortableInput extends PortableContent {
  readonly role: 'user';
  /** Whether it is the summary of a compaction. Only the first message may be one, of a single text. */
  readonly isSummary: boolean;
}

interface PortableAnswer extends PortableContent {
  readonly role: 'assistant';
}

/** The result of a call of the answer before it. */
interface PortableResult extends PortableContent {
  readonly role: 'toolResult';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly isError: boolean;
}

/** Writes a conversation as a new session of an agent, which the agent opens. */
export interface ConversationWriter {
  /** Whether the result of a call can say that the tool failed. */
  readonly marksFailures: boolean;
  /** The records of the session, one a line. */
  write(conversation: Conversation, stamps: CopyStamps): Iterable<JsonObject>;
}

/** Why another agent does not get a message: the client describes itself in it, or only its provider can read it. */
export type Unportable = 'self-description' | 'sealed';
