import type { JsonObject } from '#base/json.js';
import type { Head } from '../heads/head.js';
import type { CopyChanges } from './copy-changes.js';
import type { BrokenLink, FaultEffect, FoundFault, RecordFlaw } from './faults.js';
import type { AgentRecord, NativeRecords } from './native-records.js';
import type { RecordMembers } from './record-members.js';

/** Writes copies of an agent's sessions that the agent opens. The inverse of the reader. */
export interface AgentCopier {
  /**
   * Yields the text of the copy, piece by piece. Records that are not changed keep their bytes, except the id of the
   * session. Tokens recorded after the first change are left out: they count another context, which the client would
   * compact. Throws a CtxError (refused) for a change that the format cannot hold.
   */
  write(session: CopiedSession, changes: CopyChanges, facts: CopyFacts, form: CopyForm): Iterable<Uint8Array>;
  /** The content of a file in the side folder of a copied session; left out if the content stays the same. */
  convertSideFile?(name: string, content: Uint8Array, ids: { readonly from: string; readonly to: string }): Uint8Array;
  readonly records: CopiedRecords;
  readonly client: CopyingClient;
  readonly opening: CopyOpening;
}

/** The meaning of an agent's records for a copy. */
interface CopiedRecords {
  /**
   * Whether a native record repeats what the client computes from other records, such as a request. A changed copy
   * leaves out such records: they would contradict it.
   */
  isDerived(record: JsonObject): boolean;
  /** Whether a record is a compaction with the history that goes on, whose messages a copy can change. */
  holdsHistory(record: JsonObject): boolean;
  /** The part of a record that may be sent to a model. */
  sentPart(record: JsonObject): unknown;
  /** The flaws of a record as it is stored. The client may leave some of them out of requests itself. */
  findFlaws(record: JsonObject): readonly RecordFlaw[];
  /** The broken links between records; left out for an agent whose records name no parents. */
  findBrokenLinks?(records: Iterable<AgentRecord>): readonly BrokenLink[];
  /** The members of its records, for a copy whose texts are changed. */
  readonly members: RecordMembers;
}

/** The behaviour of a client that goes on with a session, as trials with real clients show it. */
interface CopyingClient {
  /** The effect of a fault on the client of a version. */
  effectOf(fault: FoundFault, version: string | null): FaultEffect;
  /** Whether the client of a version sends only what follows a record whose parent is not in the file. */
  startsAtOrphan(version: string | null): boolean;
  /** Whether the client sends images as they are stored, so that one that the API refuses has to go. */
  readonly sendsStoredImages: boolean;
  /**
   * The type of the entries of results that the client leaves out; null for one that pairs calls and results itself.
   */
  readonly orphanType: string | null;
  /** The tools whose results a copy has whole or not at all, each with the reason. */
  readonly wholeResults: ReadonlyMap<string, string>;
}

/** The place of a copy, and how the agent opens it. */
interface CopyOpening {
  /** The file in which the agent looks for the copy. */
  placeOf(copy: InstalledCopy): string;
  /** Whether the agent finds by its id only a session of the folder in which it is started. */
  readonly isBoundToFolder: boolean;
  /** The command that goes on with an installed copy, or with the copy in `file`; null if the agent cannot. */
  formatCommand(sessionId: string, file: string | null): string | null;
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

/**
 * The records of a copy. whole: all of them, where they are. path: only those of the conversation that goes on, in the
 * order in which they are sent, since other branches, or the order of the records, would decide how the changed
 * conversation is read.
 */
export type CopyForm = 'whole' | 'path';

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

/** The facts that decide where the agent looks for a copy. */
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
