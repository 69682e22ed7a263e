import type { NewFile, NewFileOptions } from './new-file.js';

/** A file to write. */
export interface FilePart {
  readonly file: string;
  readonly options: NewFileOptions;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Starts a new file. */
export type CreateNewFile = (file: string, options: NewFileOptions) => Promise<NewFile>;

/** Writes a file from one text, or none. */
export function writeNewFile(
  createNew: CreateNewFile,
  file: string,
  content: string | Uint8Array,
  options: NewFileOptions,
): Promise<void> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return writeTogether(createNew, [{ file, options, bytes: [bytes] }]);
}

/**
 * Writes several files, or none of them. The last one is renamed first. `check` is called when everything is written,
 * and throws if no file may appear.
 */
export async function writeTogether(
  createNew: CreateNewFile,
  parts: readonly FilePart[],
  check: () => void = () => {},
): Promise<void> {
  const begun: NewFile[] = [];
  try {
    for (const { file, options, bytes } of parts) {
      const made = await createNew(file, options);
      begun.unshift(made);
      for await (const piece of bytes) await made.write(piece);
    }
    check();
    for (const made of begun) made.commit();
  } catch (error) {
    for (const made of begun) made.abandon();
    throw error;
  }
}
