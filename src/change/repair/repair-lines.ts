import type { RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type ByteSpan, type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { type HeaderlessLines, readHeaderlessLines } from './headerless-lines.js';
import { recoverEntries, type RecoveryState } from './recover-entries.js';
import { listUnreadableEntries } from './unreadable-entries.js';

interface MendedLines extends EditedFile {
  /** The parents that lost entries had, by the id of the entry. */
  readonly lostParents: ReadonlyMap<RawId, unknown>;
}

/** Makes every line of a file one that holds one object, or is blank: entries are recovered, the rest is lost. */
export function repairLines(source: ByteSource): MendedLines {
  const lines = readHeaderlessLines(source);
  const editing = new FileEditor(source);
  const lostParents = new Map<RawId, unknown>();
  const shared: RecoveryState = { editing, lostParents, budget: READ_AGAIN * source.size + BYTES_TO_TRY };
  const bad = badLines(lines, lostParents);
  for (const run of runsOf(bad)) take(source, run, shared);
  endLastLine(editing, { source, lines, bad });
  return { ...editing.end(), lostParents };
}

/** The maximum number of times that a damaged file is re-read, and a minimum of bytes. */
const READ_AGAIN = 8;

const BYTES_TO_TRY = 1 << 26;

/** A line that cannot stay as it is, or a blank one, which may belong to those around it. */
interface Bad extends ByteSpan {
  readonly kind: 'damaged' | 'blank' | 'lost';
  /** The reason for the loss. */
  readonly code: string;
}

/** In the order of the file. */
function badLines(lines: HeaderlessLines, lostParents: Map<RawId, unknown>): readonly Bad[] {
  const damaged = new Map<number, Bad>();
  const add = ({ offset, length }: ByteSpan, kind: Bad['kind'], code = ''): void =>
    void damaged.set(offset, { offset, length, kind, code });
  for (const line of lines.lost) add(line, 'damaged');
  for (const line of lines.notObjects) add(line, 'damaged');
  for (const line of lines.tooLong) add(line, 'lost', 'line-too-long');
  for (const { at, id, code, parentId } of listUnreadableEntries(lines)) {
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

function take(source: ByteSource, run: readonly Bad[], shared: RecoveryState): void {
  const lines = run.slice(0, run.findLastIndex(({ kind }) => kind !== 'blank') + 1);
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last) return;
  const { editing } = shared;
  const end = last.offset + last.length;
  editing.keepTo(first.offset);
  if (first.kind === 'lost') return editing.loseTo(end, first.code);
  recoverEntries({ bytes: source.read(first.offset, end), offset: first.offset }, shared);
}

const NEWLINE = 0x0a;

interface Ended {
  readonly source: ByteSource;
  readonly lines: HeaderlessLines;
  readonly bad: readonly Bad[];
}

/** A line that is whole but for its newline gets one, so that nothing can be glued to it. */
function endLastLine(editing: FileEditor, { source, lines, bad }: Ended): void {
  const { heads, headers, place } = lines;
  const { size } = source;
  const head = heads.last;
  const last = [head && place(head), headers.at(-1)].find((at) => at && at.offset + at.length === size);
  if (!last || bad.at(-1)?.offset === last.offset || source.read(size - 1, size)[0] === NEWLINE) return;
  editing.keepTo(size);
  editing.add('\n');
  editing.note('no-final-newline', last, 'newline added');
}
