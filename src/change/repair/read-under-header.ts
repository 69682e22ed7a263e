import { isObject, type JsonObject } from '#base/json.js';
import type { ByteSource, Span } from '#session/scan/bytes.js';
import { scan } from '#session/scan/scanning.js';
import type { Head } from '#session/table/head.js';
import type { Heads } from '#session/table/heads.js';
import type { At } from '../bytes/editing.js';
import { Rope } from '../bytes/rope.js';
import { parsed } from './mended-text.js';

/** What the lines of a file are if a header stands above them: then those that are headers are extra ones. */
export interface Underneath {
  readonly heads: Heads;
  readonly headers: readonly At[];
  readonly blanks: readonly At[];
  /** Damaged lines, which hold no entry. */
  readonly lost: readonly At[];
  /** Lines that are JSON, but not an object. */
  readonly notObjects: readonly At[];
  /** Lines that no string can hold. */
  readonly tooLong: readonly At[];
  /** Where the line of an entry stands in the file. */
  place(head: Head): At;
  /** The line of an entry as it was written; an empty object for one that is not an object. */
  parse(at: At): JsonObject;
}

/** Reads a file of which nothing is known, not even whether it begins with a header. */
export function readUnderHeader(source: ByteSource): Underneath {
  const covered = new Rope(source, [{ bytes: HEADER }, { from: 0, length: source.size }]);
  const { heads, repeatedHeaders, blanks, lost, problems } = scan(covered, '');
  const place = ({ offset, length }: Pick<Span, 'offset' | 'length'>): At => ({
    offset: offset - HEADER.length,
    length,
  });
  const withProblem = (wanted: string): readonly At[] =>
    problems.flatMap(({ code, offset = 0, length = 0 }) => (code === wanted ? [place({ offset, length })] : []));
  return {
    heads,
    headers: repeatedHeaders.map(place),
    blanks: blanks.map(place),
    lost: lost.map(place),
    notObjects: withProblem('not-an-object'),
    tooLong: withProblem('line-too-long'),
    place: (head) => ({ ...place(head), id: head.id }),
    parse({ offset, length }) {
      const value = parsed(decoder.decode(source.read(offset, offset + length)));
      return isObject(value) ? value : {};
    },
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const HEADER = new TextEncoder().encode('{"type":"session","version":3,"id":"any"}\n');
