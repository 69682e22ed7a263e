import { asObject, type JsonObject, parseJson } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import type { LineSpan } from '#session/scan/lines.js';
import type { ByteSpan } from '../bytes/file-editor.js';
import { utf8Decoder } from '../bytes/flaws.js';
import { Rope } from '../bytes/rope.js';

/**
 * The lines of a file that may lack a header. They are read below a header of our own, so those that are headers are
 * extra ones.
 */
export interface HeaderlessLines {
  readonly heads: Heads;
  readonly headers: readonly ByteSpan[];
  readonly blanks: readonly ByteSpan[];
  /** Damaged lines, which hold no entry. */
  readonly damaged: readonly ByteSpan[];
  /** Lines that are JSON, but not an object. */
  readonly notObjects: readonly ByteSpan[];
  /** Lines that no string can hold. */
  readonly tooLong: readonly ByteSpan[];
  /** The position of an entry's line in the file. */
  place(head: Head): ByteSpan;
  /** The line of an entry as it was written; an empty object for one that is not an object. */
  parse(at: ByteSpan): JsonObject;
}

export function readHeaderlessLines(source: ByteSource): HeaderlessLines {
  const withHeader = new Rope(source, [{ bytes: HEADER }, { from: 0, length: source.size }]);
  const { heads, repeatedHeaders, blanks, damaged, problems } = scanSession(withHeader, '');
  const place = ({ offset, length }: Pick<LineSpan, 'offset' | 'length'>): ByteSpan => ({
    offset: offset - HEADER.length,
    length,
  });
  const placesOfProblem = (wanted: string): readonly ByteSpan[] =>
    problems.flatMap(({ code, offset = 0, length = 0 }) => (code === wanted ? [place({ offset, length })] : []));
  return {
    heads,
    headers: repeatedHeaders.map(place),
    blanks: blanks.map(place),
    damaged: damaged.map(place),
    notObjects: placesOfProblem('not-an-object'),
    tooLong: placesOfProblem('line-too-long'),
    place: (head) => ({ ...place(head), id: head.id }),
    parse({ offset, length }) {
      const value = parseJson(utf8Decoder.decode(source.read(offset, offset + length)));
      return asObject(value);
    },
  };
}

const HEADER = new TextEncoder().encode('{"type":"session","version":3,"id":"any"}\n');
