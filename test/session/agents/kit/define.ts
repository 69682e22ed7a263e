import type { JsonObject } from '#base/json.js';

/** The tokens of a request: those of the prompt that were not cached, those that were, and those of the answer. */
export interface Tokens {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
}

interface Said {
  readonly text: string;
  /** ISO 8601, another one for each message. */
  readonly time: string;
}

export interface SaidByUser extends Said {
  readonly role: 'user';
}

export interface SaidByModel extends Said {
  readonly role: 'assistant';
  readonly thinking: string;
  /** null for an answer without a call. */
  readonly call: Call | null;
  readonly tokens: Tokens;
}

/** The result of the call of the answer before it. */
export interface SaidByTool extends Said {
  readonly role: 'toolResult';
  readonly call: Call;
  readonly isError: boolean;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

export type Message = SaidByUser | SaidByModel | SaidByTool;

/** A conversation in no format: the one that every agent writes in its own. */
export interface Conversation {
  /** A UUID. */
  readonly id: string;
  readonly cwd: string;
  readonly messages: readonly Message[];
}

/** A database in which an agent keeps its sessions. */
interface TestedStore {
  /** Where the database is in a home folder. */
  readonly place: string;
  /** The statements that create its tables and fill in a conversation. */
  write(conversation: Conversation): readonly string[];
}

/** An agent, as the kit tests its reader. */
export interface TestedAgent {
  /** As `--agent` names it. */
  readonly name: string;
  /** The files in `fixtures/agents` that are its sessions, with every kind of record that it writes. */
  readonly fixtures: readonly string[];
  /** Where the agent keeps the session of this id in a home folder; null if it has no folder of its own. */
  place(id: string): string | null;
  /**
   * Writes a conversation as a file of the agent. Write it from the facts about the format, without code of the reader. Where
   * the agent writes a record twice, such as the tokens of an answer, this does so too.
   */
  write(conversation: Conversation): string;
  /** The name of the list of records, where a file is one document with such a list; null where each line is a record. */
  readonly list: string | null;
  /** A record of a type that no version writes. */
  readonly unknownRecord: JsonObject;
  /** The version in a written file, and one that is not known yet; null for an agent whose files name none. */
  readonly tomorrow: readonly [version: string, unknown: string] | null;
  /** What the agent does not record. */
  readonly lacks?: readonly ('tokens' | 'cached tokens' | 'thinking' | 'failures' | 'folder' | 'calls')[];
  readonly store?: TestedStore;
}
