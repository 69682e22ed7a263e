import type { Problem } from '#base/errors.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { CacheBreakpoint } from '#lab/injectors/cache-breakpoints.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Format } from '#ui/doc/renderer.js';
import type { ConversationFact } from '../../conversation.js';

interface DescribedFormat extends Format {
  /** Information that the session does not record or the format cannot represent, one sentence each. */
  readonly leavesOut: readonly string[];
}

/** A request as it would be sent. */
export interface RequestToExport {
  readonly session: OpenSession;
  /** The last entry before the request; null before the first entry. */
  readonly at: Head | null;
  /** The context that the request sends. */
  readonly envelope: ContextEnvelope;
  /** The model to ask instead of the recorded one. */
  readonly model: string | undefined;
  /** The maximum length of the answer, if the session does not record it. */
  readonly maxTokens: number | undefined;
  /** The cache breakpoints of an assembled request; absent: as Pi sets them. */
  readonly breakpoints?: readonly CacheBreakpoint[];
}

/** A text in pieces, and the problems to report. */
export interface ExportedRequest {
  readonly pieces: Iterable<string>;
  readonly problems: readonly Problem[];
}

export interface RequestFormat extends DescribedFormat {
  readonly takes: 'request';
  /** Whether a provider is sent exactly this. */
  readonly isPayload: boolean;
  write(request: RequestToExport): ExportedRequest;
}

export interface SessionToExport {
  readonly session: OpenSession;
  /** The entries from the root to the requested one. */
  readonly path: readonly Head[];
  readonly facts: readonly ConversationFact[];
  /** Whether thinking, the agent's additions to the input, and changes of settings are written. */
  readonly isFull: boolean;
}

/** A format of one path of one session. */
export interface SessionFormat extends DescribedFormat {
  readonly takes: 'session';
  /** Text is written as it is, so it holds nothing of a session that could be obeyed. Documents may hold anything. */
  write(session: SessionToExport): AsyncIterable<Doc | string>;
}

/** Sessions, and the folder that files of them go to. */
export interface TablesToExport {
  readonly io: Io;
  readonly files: readonly NamedFile[];
  readonly folder: string;
  /** Files that are there may be replaced. */
  readonly force: boolean;
  /**
   * The folder is a dataset with partitions, which grows; `host`: the writer of the partitions, by default the machine.
   */
  readonly dataset?: { readonly host: string | undefined } | undefined;
}

export interface ExportedFile {
  readonly file: string;
  readonly bytes: number;
  /** null for a file that is not a table. */
  readonly rows: number | null;
}

export interface ExportedTables {
  /** The sessions that were read. */
  readonly sessions: number;
  readonly files: readonly ExportedFile[];
  readonly problems: readonly Problem[];
}

/** A format for any number of sessions: files in a folder. Its dependencies are loaded when it writes. */
export interface TablesFormat extends DescribedFormat {
  readonly takes: 'tables';
  /** Throws a CtxError (refused) if a file exists. */
  write(tables: TablesToExport): Promise<ExportedTables>;
}

export type ExportFormat = RequestFormat | SessionFormat | TablesFormat;
