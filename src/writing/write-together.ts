import type { NewFile, NewFileOptions } from './new-file.js';

/** A file that is to be written. */
export interface Part {
  readonly file: string;
  readonly options: NewFileOptions;
  readonly bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * Writes several files, or none of them. The last one gets its name first. `check` is asked when all is written, and
 * throws where nothing is to be there.
 */
export async function writeTogether(
  createNew: (file: string, options: NewFileOptions) => Promise<NewFile>,
  parts: readonly Part[],
  check: () => void,
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
