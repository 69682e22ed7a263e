import { Buffer } from 'node:buffer';
import type { Files } from '#platform/io.js';
import type { ByteSource } from '#session/scan/bytes.js';

/** A file, and a text of printable ASCII characters. */
export interface MayHoldInput {
  readonly file: string;
  readonly literal: string;
}

/** Whether a session may hold a text: as it is, or with escapes. */
export async function mayHold(files: Files, { file, literal }: MayHoldInput): Promise<boolean> {
  const source = await files.open(file);
  try {
    return isIn(source, literal);
  } finally {
    source.close();
  }
}

/** Up to this size, a source reads without new memory. */
const CHUNK_BYTES = 1 << 17;

function isIn(source: ByteSource, literal: string): boolean {
  const overlap = Math.max(literal.length, ESCAPE.length + 1);
  for (let at = 0; at < source.size; at += CHUNK_BYTES) {
    const { buffer, byteOffset, byteLength } = source.read(at, Math.min(at + CHUNK_BYTES + overlap, source.size));
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (bytes.includes(literal, 0, 'latin1') || hasEscapedCharacter(bytes)) return true;
  }
  return false;
}

const ESCAPE = String.raw`\u00`;
const [FIRST_PRINTABLE, LAST_PRINTABLE] = [0x32, 0x37];

/** Whether there is an escape of a printable ASCII character, such as \u0061; Pi writes none. */
function hasEscapedCharacter(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ESCAPE, 0, 'latin1'); at !== -1; at = bytes.indexOf(ESCAPE, at + 1, 'latin1')) {
    const digit = bytes[at + ESCAPE.length] ?? 0;
    if (digit >= FIRST_PRINTABLE && digit <= LAST_PRINTABLE) return true;
  }
  return false;
}
