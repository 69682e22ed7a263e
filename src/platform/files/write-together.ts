import type { NewFile, NewFileOptions } from './new-file.js';

/** A file that is to be written. */
export interface Part {
  readonly file: string;
  readonly options: NewFileOptions;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** Begins a new file. */
export type CreateNew = (file: string, options: NewFileOptions) => Promise<NewFile>;

/** Writes a file of one piece, or none. */
export function writeWhole(
  createNew: CreateNew,
  file: string,
  content: string | Uint8Array,
  options: NewFileOptions,
): Promise<void> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return writeTogether(createNew, [{ file, options, bytes: [bytes] }]);
}

/**
 * Writes several files, or none of them. The last one gets its name first. `check` is asked when all is written, and
 * throws where nothing is to be there.
 */
export async function writeTogether(
  createNew: CreateNew,
  parts: readonly Part[],
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
