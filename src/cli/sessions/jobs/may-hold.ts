import type { Files } from '#platform/files/files.js';
import type { LiteralFinder } from '#session/find/literal-finder.js';

/** A file, and a text of printable ASCII characters. */
export interface MayHoldInput {
  readonly file: string;
  readonly literal: string;
}

/** One for all files of this thread. */
let finder: LiteralFinder | undefined;

/** Whether a session may hold a text: as it is, or with escapes. */
export async function mayHold(files: Files, { file, literal }: MayHoldInput): Promise<boolean> {
  const { openSessionSource } = await import('#context/open.js');
  const source = await openSessionSource(files, file);
  try {
    finder ??= new (await import('#session/find/literal-finder.js')).LiteralFinder();
    return finder.mayHold(source, literal);
  } finally {
    source.close();
  }
}
