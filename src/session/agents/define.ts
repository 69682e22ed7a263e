import type { Problem } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { NewHead } from '../heads/head.js';
import type { FieldLayout } from '../scan/field-layout.js';
import type { LineFields } from '../scan/line-fields.js';
import type { LineSpan } from '../scan/lines.js';
import type { ConversationWriter, Unportable } from './conversation.js';
import type { AgentCopier } from './copier.js';
import type { AgentRecord } from './native-records.js';

/**
 * An entry in Pi's format that is built from lines of another agent's file: the head is known at once,
 * the rest is built when the entry is read.
 */
export interface AgentEntry extends Omit<NewHead, keyof LineSpan | 'usageStart' | 'usageLength'> {
  /** The lines from which the entry is built, at least one. */
  readonly lines: readonly LineSpan[];
  /**
   * The line that locates the entry, if it is not the first one of `lines`. Entries are in the order of their
   * locations.
   */
  readonly location?: LineSpan;
  readonly hasUsage: boolean;
  /** The id of the session from which it was copied; null or left out if it was not. */
  readonly copiedFrom?: string | null;
  /**
   * Builds the entry from the values of its lines, with the id, parent and target of the head. A pure function,
   * called at every read of the entry.
   */
  build(values: readonly JsonObject[]): JsonObject;
}

/** The lines of a file with an object; all others are damage or blanks. */
export interface AgentLines extends Iterable<AgentRecord> {
  /** The offsets in bytes at which the joined files begin; only 0 if the file does not continue others. */
  readonly parts: readonly number[];
  /** Their fields, read without parsing the lines. `fixedTexts`: texts that get the numbers 1, 2, 3, … */
  readFields(layout: FieldLayout, fixedTexts: readonly string[]): LineFields;
  valueAt(span: LineSpan): JsonObject;
}

/** The degree to which a file records a part of the context: verbatim, approximately, or not at all. */
export type Recorded = 'recorded' | 'approximate' | 'missing';

/** The degree to which each part of an envelope is recorded, in the order in which sentences name them. */
export type RecordedParts = Readonly<Record<'system' | 'tools' | 'messages' | 'compactions' | 'usage', Recorded>>;

/** A context window in tokens, which a file records or which `ctx` infers from it. */
export interface SessionWindow {
  readonly tokens: number;
  readonly source: 'recorded' | 'assumed';
}

/** The sums of a model's calls, as a client counted them. */
interface ClientModelTotals {
  /** The id of the model, without a provider. */
  readonly model: string;
  /** A usage in Pi's format, with its cost. */
  readonly usage: JsonObject;
}

/**
 * The sums of all calls of a session, as its client counted them. They include calls without a record and calls in
 * other files.
 */
export interface ClientTotals {
  /** The line of the record. It includes the calls before it. */
  readonly line: number;
  /** Dollars. */
  readonly cost: number;
  readonly models: readonly ClientModelTotals[];
}

/** The content of another agent's file, as a session. */
export interface AgentSession {
  /** Pi's header, version 3. */
  readonly header: JsonObject;
  /** Whether another session of the agent started it. */
  readonly isSubagent?: boolean;
  /** The SHA-256 of the working directory in hex digits, where the file has it instead of the directory. */
  readonly cwdHash?: string;
  /** The folder with the sessions of the subagents that it started, if the agent keeps them in one. */
  readonly subagentFolder?: string;
  /** The version of the agent that wrote the newest line; null if it is not recorded. */
  readonly version: string | null;
  /** The newest context window of the model, if the file reveals it. */
  readonly contextWindow?: SessionWindow | null;
  /** The kind of subagent, such as `explorer`, if the file names it. */
  readonly subagentKind?: string | null;
  /** The branch of the working directory's repository at a line; left out if the agent does not record it. */
  branchAt?(line: number): string | null;
  /** The version of the agent that wrote a line; left out if a file is of one version. */
  versionAt?(line: number): string | null;
  /** The newest sums of the client, if the file has them. */
  readonly clientTotals?: ClientTotals | null;
  /** The entries in the order of their locations. A parent precedes its children if the file allows it. */
  readonly entries: readonly AgentEntry[];
  /** The id of the active leaf; the last entry if it is left out, and none if it is null. */
  readonly leafId?: string | null;
  /** The number of lines that are not part of a context, such as display state. */
  readonly unusedLines: number;
  /** Whether the `timestamp` of every message is the time of its head. */
  readonly hasMessageTimes?: boolean;
  readonly problems: readonly Problem[];
  /** The degree to which each part of an envelope is recorded, by agent and version. */
  readonly parts: RecordedParts;
}

/** The kinds of circumstances of a request that a file records beside its messages. */
export const NOTICE_KINDS = ['tool server', 'resume', 'hook context', 'task notification'] as const;

/** A circumstance of a request that may have changed what was sent, or from where. */
export interface AgentNotice {
  /**
   * `tool server`: one was connected again; `resume`: another process goes on with the session; `hook context`: what a
   * hook added is left out after a resume; `task notification`: the client itself began the turn.
   */
  readonly kind: (typeof NOTICE_KINDS)[number];
  /** The line of its record. */
  readonly line: number;
  /** A few words of the record. */
  readonly text: string;
}

/** The time after which an agent deletes the sessions that have not changed since, as the user has set it. */
export interface Retention {
  /** The file with the user's settings. */
  settings(env: Readonly<Record<string, string | undefined>>, home: string): string;
  /** The key of the setting in that file. */
  readonly key: string;
  /** The days that the settings name, or the agent's own if they name none; null if it deletes nothing. */
  readDays(settings: JsonObject): number | null;
}

/** The format of an agent's session files. */
export interface AgentFormat {
  /** The name of the agent as `--agent` takes it, such as `claude-code`. */
  readonly name: string;
  /** The name of the agent in sentences, such as `Claude Code`. */
  readonly title: string;
  /**
   * Whether a file that begins with these lines is of this agent. Pure, and strict: a wrong yes hides another agent.
   */
  detect(first: readonly JsonObject[]): boolean;
  /** Matches the beginning of a file that is one JSON document, which is then parsed as a whole for `detect`. */
  readonly document?: RegExp;
  /** The folders that contain its sessions. */
  folders(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[];
  /** The environment variable that has the id of the running session, in the commands that the agent runs. */
  readonly sessionVariable?: string;
  /** The file beside a session that contains its working directory, for an agent that records it there. */
  cwdFile?(session: string): string;
  /**
   * The working directory in the content of that file; null if it names none. By default the content is the directory
   * itself.
   */
  readCwd?(content: string): string | null;
  /** Whether a path below one of the folders may be a session or lead to one; all may if it is left out. */
  mayEnter?(path: string): boolean;
  /**
   * The first and the last version whose rules for requests are known, as `major.minor`. For a session of another
   * version, or of none, what was sent is approximate. Left out by an agent whose reader decides that itself.
   */
  readonly knownVersions?: readonly [first: string, last: string];
  /**
   * Returns the folders with what belongs to a session, such as its subagents and the results of its tools. `list`
   * returns the names in a folder.
   */
  sideFolders?(session: string, list: (folder: string) => readonly string[]): readonly string[];
  /** When the agent deletes sessions; left out by one that keeps them. */
  readonly retention?: Retention;
  /**
   * Returns where the agent first put a session that it may have moved, relative to the folder above all sessions. null
   * if the session has not moved.
   */
  firstPlace?(session: string): string | null;
  /** Whether a path below one of these folders is a session, without the ending of a compression. */
  isSession(path: string): boolean;
  /** The id of a session by its path; left out by an agent that puts the id into the name of the file. */
  findId?(path: string): string;
  /**
   * The circumstances of a request, from the records up to its answer; `since` is the line of the previous answer. The
   * records begin at that line, or some time before it.
   */
  notices?(records: Iterable<AgentRecord>, since: number): readonly AgentNotice[];
  /** Reads a file. Never throws for damage, which becomes problems. */
  read(lines: AgentLines, file: string): AgentSession;
  /** Writes copies that the agent opens; left out for an agent that `ctx` only reads. */
  readonly copier?: AgentCopier;
  /** Writes sessions of other agents as its own; left out for an agent that `ctx` only reads. */
  readonly writer?: ConversationWriter;
  /**
   * Finds the reason why another agent does not get a message that the model saw; null if it gets the message.
   * `customType`: the type of the entry, null for a message of the conversation.
   */
  findUnportable?(message: JsonObject, customType: string | null): Unportable | null;
}

/** The agent that wrote a session, for sessions that are not Pi's. */
export interface AgentOrigin {
  readonly name: string;
  readonly title: string;
  readonly version: string | null;
  /** null if the file does not reveal it. */
  readonly contextWindow: SessionWindow | null;
  readonly parts: RecordedParts;
  /** Whether another session of the agent started it. */
  readonly isSubagent: boolean;
  /** The kind of subagent; null if the file does not name it. */
  readonly subagentKind: string | null;
  /** The branch of the working directory's repository at a line; left out if the agent does not record it. */
  branchAt?(line: number): string | null;
  /** The version of the agent that wrote a line; left out if a file is of one version. */
  versionAt?(line: number): string | null;
  /** The newest sums of the client; null if the file has none. */
  readonly clientTotals: ClientTotals | null;
  /** The number of lines that are not part of a context. */
  readonly unusedLines: number;
  /** The folder with the sessions of its subagents, which may not exist; null if none is known. */
  readonly subagentFolder: string | null;
}
