import { isObject, type JsonObject } from '#base/json.js';
import type { ByteSource, LineSpan } from '#session/scan/bytes.js';
import { scan } from '#session/scan/scanning.js';
import type { Head, RawId } from '#session/table/head.js';
import type { Heads } from '#session/table/heads.js';
import type { At } from '../bytes/editing.js';
import { parseJson } from '../bytes/flaws.js';
import { Rope } from '../bytes/rope.js';

/** Reads the lines of a file as if a header were above them: then those that are headers are extra ones. */
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
  const place = ({ offset, length }: Pick<LineSpan, 'offset' | 'length'>): At => ({
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
      const value = parseJson(decoder.decode(source.read(offset, offset + length)));
      return isObject(value) ? value : {};
    },
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const HEADER = new TextEncoder().encode('{"type":"session","version":3,"id":"any"}\n');

interface Unreadable {
  readonly at: At;
  readonly code: string;
  readonly id: RawId;
  readonly parentId: RawId;
}

/** Entries that make Pi fail on the whole session where they are on its active path, and say nothing themselves. */
export function* unreadable({ heads, place, parse }: Underneath): Generator<Unreadable> {
  const { length } = heads;
  for (let index = 0; index < length; index += 1) {
    const type = heads.typeAt(index);
    const isSuspicious = (type === 'message' && heads.roleAt(index) === null) || type === 'context_edit';
    const head = isSuspicious ? heads.at(index) : undefined;
    if (!head) continue;
    const at = place(head);
    const code = whyUnreadable(parse(at));
    if (code !== null) yield { at, code, id: head.id, parentId: head.parentId };
  }
}

/** null for an entry that Pi can read. */
export function whyUnreadable({ type, message, replacement }: JsonObject): string | null {
  // Pi asks the message for its role, and the replacement for its content, without looking whether they are there.
  if (type === 'message' && (message === null || message === undefined)) return 'no-message';
  return type === 'context_edit' && replacement === undefined ? 'edit-without-replacement' : null;
}
