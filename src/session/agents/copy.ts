import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { AgentRecord } from './define.js';
import type { NativeRecords } from './native-records.js';
import type { RecordMembers } from './record-members.js';

/** The changes that a copy of an agent's session makes, by the entries that `ctx` reads from that session. */
export interface CopyChanges {
  /** The entry at which the copy ends; null for a copy of everything. */
  readonly end: Head | null;
  /** The messages that the copy lacks, and results that the agent does not send anyway, by the index of their entry. */
  readonly dropped: ReadonlySet<number>;
  /** The new content of messages, as blocks in Pi's format, by the index of their entry. */
  readonly replaced: ReadonlyMap<number, readonly JsonObject[]>;
  /** The results of calls that have none, after the other results of the answer, by the index of its entry. */
  readonly answered: ReadonlyMap<number, readonly NewResult[]>;
  /** The compactions that are taken back, by the index of their entry. */
  readonly undone: ReadonlySet<number>;
  /** A compaction at the end of the copy; null for none. */
  readonly compaction: NewCompaction | null;
  /** The messages with another content in a history that a compaction records, by the index of its entry, in their order. */
  readonly histories: ReadonlyMap<number, readonly HistoryEdit[]>;
  /** The texts of new messages of the user at the end of the copy, after a compaction. */
  readonly added: readonly string[];
}

/** A message of a recorded history that gets another content, both as blocks in Pi's format. */
export interface HistoryEdit {
  /** The first message with this content, after the one that is edited before it, is meant. */
  readonly before: readonly JsonObject[];
  /** null: the message is left out. */
  readonly after: readonly JsonObject[] | null;
}

/** A result that says that a call has none. */
export interface NewResult {
  readonly callId: string;
  readonly text: string;
}

/** A record whose parent is not in the file, or is one of those that follow it. */
export interface BrokenLink {
  readonly record: AgentRecord;
  /** The parent that it names. */
  readonly from: string;
  /** The record of the conversation before it; null for a root. */
  readonly to: string | null;
  /** Whether that parent descends from the record. */
  readonly isCircular: boolean;
}

/** A fault of a session. */
export interface FoundFault {
  /** The rule of `ctx check` that finds it. */
  readonly rule: string;
  /**
   * The reason why it is worse, or milder, than others of the rule: an image has too many bytes, an answer only has a doubled
   * call, a result has an empty text instead of none, parents form a circle, or an answer has a text of line breaks beside others.
   */
  readonly cause?: 'bytes' | 'only call' | 'empty text' | 'circle' | 'blank part';
}

/** The effect of a fault on a client: untried where no tried version tells whether it goes on. */
export type FaultEffect = 'goes on' | 'stops' | 'untried';

/** A part of a record that a provider refuses: thinking without the signature that it gave, a text without content, or a failed result without a text. */
export type RecordFlaw = 'unsigned thinking' | 'empty text' | 'empty failure';

/** A summary that replaces the messages before the first one that is kept. */
export interface NewCompaction {
  readonly summary: string;
  /** The index of the entry of the first message that is kept; null keeps none. */
  readonly firstKept: number | null;
  /** The tokens of the context before. */
  readonly tokensBefore: number;
}

/** The id and the time of a copy, which is a session of its own. */
export interface CopyStamps {
  readonly sessionId: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** Returns a new id for a record. */
  newId(): string;
}

/** The id and the time of a copy, and its size. */
export interface CopyFacts extends CopyStamps {
  /** The estimated tokens of the context at its end. */
  readonly contextTokens: number;
}

/** A session of an agent, as a copy is made from it. */
export interface CopiedSession {
  /** Its id. */
  readonly id: string;
  /** The entries from the root to the one at which the copy ends. */
  readonly path: readonly Head[];
  /** The entries after that one whose records begin before it ends, such as results between the calls of an answer. */
  readonly later: readonly Head[];
  /** An entry, as `ctx` reads it. */
  entry(head: Head): JsonObject;
  readonly native: NativeRecords;
}

/** The place of a copy, and how the agent opens it. */
interface InstalledCopy {
  readonly sessionId: string;
  /** The working directory of the session. */
  readonly cwd: string | null;
  /** The folder of the original. */
  readonly folder: string;
  /** The folder in which the agent keeps its sessions. */
  readonly root: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

/**
 * The records of a copy. whole: all of them, where they are. path: only those of the conversation that goes on, in the order in
 * which they are sent, since other branches, or the order of the records, would decide how the changed conversation is read.
 */
export type CopyForm = 'whole' | 'path';

/** Writes copies of an agent's sessions that the agent opens. The inverse of the reader. */
export interface AgentCopier {
  /**
   * Whether a native record states again what the client computes from the others, such as a request. A changed copy has none
   * of them: they would contradict it.
   */
  isDerived(record: JsonObject): boolean;
  /** Whether the client sends images as they are stored, so that one that the API refuses has to go. */
  readonly sendsStoredImages: boolean;
  /** The tools whose results a copy has whole or not at all, each with the reason. */
  readonly wholeResults: ReadonlyMap<string, string>;
  /** The broken links between records; left out for an agent whose records name no parents. */
  findBrokenLinks?(records: Iterable<AgentRecord>): readonly BrokenLink[];
  /** Whether a record is a compaction with the history that goes on, whose messages a copy can change. */
  recordsHistory(record: JsonObject): boolean;
  /** The type of the entries of results that the client leaves out; null for one that pairs calls and results itself. */
  readonly orphanType: string | null;
  /** The effect of a fault on the client of this version, as trials with real clients show it. */
  effectOf(fault: FoundFault, version: string | null): FaultEffect;
  /** Whether the client of this version sends only what follows a record whose parent is not in the file. */
  startsAtOrphan(version: string | null): boolean;
  /** The part of a record that may be sent to a model. */
  sentPart(record: JsonObject): unknown;
  /** The flaws of a record as it is stored. The client may leave some of them out of requests itself. */
  findFlaws(record: JsonObject): readonly RecordFlaw[];
  /** The members of its records, for a copy whose texts are changed. */
  readonly members: RecordMembers;
  /**
   * The text of the copy, piece by piece. Records that are not changed keep their bytes, but for the id of the session. No
   * recorded tokens follow the first change: they are those of another context, which the client would compact. Throws a
   * CtxError (refused) for a change that the format cannot hold.
   */
  write(session: CopiedSession, changes: CopyChanges, facts: CopyFacts, form: CopyForm): Iterable<Uint8Array>;
  /** The content of a file in the side folder of a session, in a copy of that session; left out if it stays the same. */
  convertSideFile?(name: string, content: Uint8Array, ids: { readonly from: string; readonly to: string }): Uint8Array;
  /** The file in which the agent looks for the copy. */
  place(copy: InstalledCopy): string;
  /** Whether the agent finds by its id only a session of the folder in which it is started. */
  readonly opensInFolder: boolean;
  /** The command that goes on with an installed copy; with one elsewhere if `file` is named, null if the agent cannot. */
  resumeCommand(sessionId: string, file: string | null): string | null;
}
