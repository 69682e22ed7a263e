import { CtxError } from '#base/errors.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { type Line, linesOf } from '#session/scan/lines.js';
import { LONGEST_LINE_BYTES } from '#session/scan/parse.js';
import { scan } from '#session/scan/scanning.js';
import { readLine } from './line-text.js';

/** The lines of a session. Other files that are JSON, such as a baseline, are one line, however many they are written on. */
export function linesToRedact(source: ByteSource, file: string): () => Iterable<Line> {
  const isOne = isOneText(source, file);
  return () => (isOne ? [{ line: 1, offset: 0, length: source.size, terminated: false }] : linesOf(source));
}

function isOneText(source: ByteSource, file: string): boolean {
  for (const line of linesOf(source)) {
    const { kind } = readLine(source, line, file);
    if (kind !== 'blank') return kind === 'damaged' && source.size <= LONGEST_LINE_BYTES && isJson(source);
  }
  return false;
}

function isJson(source: ByteSource): boolean {
  try {
    JSON.parse(new TextDecoder().decode(source.read(0, source.size)));
    return true;
  } catch {
    return false;
  }
}

/** Says of a line, by where it begins, whether it may be damaged. */
export function damageIn(source: ByteSource, file: string): (offset: number) => boolean {
  const lost = lostIn(source, file);
  return (offset) => lost === null || lost.has(offset);
}

/** null where there is nothing that is no damage. */
function lostIn(source: ByteSource, file: string): ReadonlySet<number> | null {
  try {
    return new Set(scan(source, file, { withoutHeader: true }).lost.map(({ offset }) => offset));
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
