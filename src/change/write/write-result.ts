import type { Files } from '#platform/files/files.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { WrittenDocument } from '../plan/written-document.js';

export type WriteIo = Pick<Io, 'now'> & { readonly files: Pick<Files, 'open' | 'openToAppend' | 'createNew'> };

export interface ApplyOptions {
  /** A new file that gets the session with the entries. The session itself stays unchanged. */
  readonly output?: string | undefined;
  /** Overwrite an existing output file; keep entries that another program wrote after an interrupted write. */
  readonly force?: boolean | undefined;
  /** The bytes that the plan was made for, where the file holds others; only for a new file. */
  readonly source?: ByteSource | undefined;
}

export type WriteResult = Pick<WrittenDocument, 'file' | 'oldSize' | 'newSize' | 'notes'>;
