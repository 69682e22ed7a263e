import type { ByteSource } from '#session/scan/bytes.js';
import type { RawId } from '#session/table/head.js';
import { type At, type Edited, Editing } from '../bytes/editing.js';
import { type Mending, mendRun } from './mend-run.js';
import { readUnderHeader, type Underneath } from './read-under-header.js';
import { unreadable } from './unreadable.js';

export interface MendedLines extends Edited {
  /** The parents that lost entries had, by the id of the entry. */
  readonly lostParents: ReadonlyMap<RawId, unknown>;
}

/** Makes every line of a file one that holds one object, or is blank: entries are recovered, the rest is lost. */
export function mendLines(source: ByteSource): MendedLines {
  const lines = readUnderHeader(source);
  const editing = new Editing(source);
  const lostParents = new Map<RawId, unknown>();
  const mending: Mending = { editing, lostParents, budget: READ_AGAIN * source.size + BYTES_TO_TRY };
  const bad = badLines(lines, lostParents);
  for (const run of runsOf(bad)) take(source, run, mending);
  endLastLine(editing, { source, lines, bad });
  return { ...editing.end(), lostParents };
}

/** So often a damaged file may be read on the whole, and so much at least. */
const READ_AGAIN = 8;
const BYTES_TO_TRY = 1 << 26;

/** A line that cannot stay as it is, or a blank one, which may belong to those around it. */
interface Bad extends At {
  readonly kind: 'damaged' | 'blank' | 'lost';
  /** Why it is lost. */
  readonly code: string;
}

/** In the order of the file. */
function badLines(lines: Underneath, lostParents: Map<RawId, unknown>): readonly Bad[] {
  const damaged = new Map<number, Bad>();
  const add = ({ offset, length }: At, kind: Bad['kind'], code = ''): void =>
    void damaged.set(offset, { offset, length, kind, code });
  for (const line of lines.lost) add(line, 'damaged');
  for (const line of lines.notObjects) add(line, 'damaged');
  for (const line of lines.tooLong) add(line, 'lost', 'line-too-long');
  for (const { at, id, code, parentId } of unreadable(lines)) {
    add(at, 'lost', code);
    if (id) lostParents.set(id, parentId);
  }
  if (damaged.size > 0) for (const line of lines.blanks) add(line, 'blank');
  return [...damaged.values()].toSorted((a, b) => a.offset - b.offset);
}

const MOST_LINES = 1000;
const MOST_BYTES = 1 << 26;

/** Puts lines that follow one another together, as an entry may be spread over them. */
function* runsOf(bad: readonly Bad[]): Generator<readonly Bad[]> {
  let run: Bad[] = [];
  let bytes = 0;
  for (const line of bad) {
    const last = run.at(-1);
    const follows = last && last.offset + last.length === line.offset && last.kind !== 'lost' && line.kind !== 'lost';
    if (last && !(follows && run.length < MOST_LINES && bytes + line.length <= MOST_BYTES)) {
      yield run;
      run = [];
      bytes = 0;
    }
    // Blank lines at the beginning belong to nothing.
    if (run.length === 0 && line.kind === 'blank') continue;
    run.push(line);
    bytes += line.length;
  }
  if (run.length > 0) yield run;
}

function take(source: ByteSource, run: readonly Bad[], mending: Mending): void {
  const lines = run.slice(0, run.findLastIndex(({ kind }) => kind !== 'blank') + 1);
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last) return;
  const { editing } = mending;
  const end = last.offset + last.length;
  editing.keepTo(first.offset);
  if (first.kind === 'lost') return editing.loseTo(end, first.code);
  mendRun({ bytes: source.read(first.offset, end), offset: first.offset }, mending);
}

const NEWLINE = 0x0a;

interface Ended {
  readonly source: ByteSource;
  readonly lines: Underneath;
  readonly bad: readonly Bad[];
}

/** A line that is whole but for its newline gets one, so that nothing can be glued to it. */
function endLastLine(editing: Editing, { source, lines, bad }: Ended): void {
  const { heads, headers, place } = lines;
  const { size } = source;
  const head = heads.last;
  const last = [head && place(head), headers.at(-1)].find((at) => at && at.offset + at.length === size);
  if (!last || bad.at(-1)?.offset === last.offset || source.read(size - 1, size)[0] === NEWLINE) return;
  editing.keepTo(size);
  editing.add('\n');
  editing.note('no-final-newline', last, 'its newline added');
}
