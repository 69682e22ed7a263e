import type { Files } from '#platform/files/files.js';
import type { Io } from '#platform/io.js';
import type { WrittenDocument } from '../plan/written-document.js';

/** What a write needs of the outside world: the clock, and files to read, append to and create. */
export type WriteIo = Pick<Io, 'now'> & { readonly files: Pick<Files, 'open' | 'openToAppend' | 'createNew'> };

/** What a write gives: the written file, bytes of the session before and of the file now, and notes for the user. */
export type WriteResult = Pick<WrittenDocument, 'file' | 'oldSize' | 'newSize' | 'notes'>;
