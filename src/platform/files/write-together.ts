import type { NewFile, NewFileOptions } from './new-file.js';

/** A file to write. */
export interface FilePart {
  readonly file: string;
  readonly options: NewFileOptions;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Starts a new file. */
export type CreateNewFile = (file: string, options: NewFileOptions) => Promise<NewFile>;

/**
 * Writes several files, or none of them. If one fails, the complete ones are removed, except for a file with `force`:
 * what it replaced is gone. `check` is called when everything is written, and throws if no file may appear.
 *
 * The first part is the session, and the others belong to it. It takes its name last, and is removed first, so that it is
 * never there without them.
 */
export async function writeTogether(
  createNew: CreateNewFile,
  parts: readonly FilePart[],
  check: () => void = () => {},
): Promise<void> {
  const begun: NewFile[] = [];
  try {
    for (const { file, options, bytes } of parts) {
      const newFile = await createNew(file, options);
      begun.push(newFile);
      for await (const piece of bytes) await newFile.write(piece);
    }
    check();
    for (const newFile of begun.toReversed()) newFile.commit();
  } catch (error) {
    for (const newFile of begun) newFile.abandon();
    throw error;
  }
}

/** Writes a file that has one content. If this fails, there is no file. */
export function writeNewFile(
  createNew: CreateNewFile,
  file: string,
  content: string | Uint8Array,
  options: NewFileOptions,
): Promise<void> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return writeTogether(createNew, [{ file, options, bytes: [bytes] }]);
}
