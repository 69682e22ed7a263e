import type { Files } from '#platform/io.js';
import { LiteralFinder } from '#session/find/literal-finder.js';

/** A file, and a text of printable ASCII characters. */
export interface MayHoldInput {
  readonly file: string;
  readonly literal: string;
}

/** One for all files of this thread. */
let finder: LiteralFinder | undefined;

/** Whether a session may hold a text: as it is, or with escapes. */
export async function mayHold(files: Files, { file, literal }: MayHoldInput): Promise<boolean> {
  const source = await files.open(file);
  try {
    finder ??= new LiteralFinder();
    return finder.mayHold(source, literal);
  } finally {
    source.close();
  }
}
