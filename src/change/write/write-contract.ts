import type { Files } from '#platform/files/files.js';
import type { Io } from '#platform/io.js';
import type { WrittenDocument } from '../plan/written-document.js';

/** The clock, and the ways to open a file, to append to one and to create one: all that a write needs of `Io`. */
export type WriteIo = Pick<Io, 'now'> & { readonly files: Pick<Files, 'open' | 'openToAppend' | 'createNew'> };

/** The written file, the bytes of the session before and of the file now, and notes for the user. */
export type WriteResult = Pick<WrittenDocument, 'file' | 'oldSize' | 'newSize' | 'notes'>;
