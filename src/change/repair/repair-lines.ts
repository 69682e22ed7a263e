import type { RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { NEWLINE } from '../bytes/ascii.js';
import { type ByteSpan, type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { type HeaderlessLines, readHeaderlessLines } from './headerless-lines.js';
import { recoverEntries, type RecoveryState } from './recover-entries.js';
import { listUnreadableEntries } from './unreadable-entries.js';

interface RepairedLines extends EditedFile {
  /** The parents of discarded entries, by the id of the entry. */
  readonly discardedParents: ReadonlyMap<RawId, unknown>;
}

/** Makes each line of a file one object, or blank. Entries are recovered from damaged lines; the rest is discarded. */
export function repairLines(source: ByteSource): RepairedLines {
  const lines = readHeaderlessLines(source);
  const editor = new FileEditor(source);
  const discardedParents = new Map<RawId, unknown>();
  const budget = MOST_READS * source.size + LEAST_BUDGET_BYTES;
  const shared: RecoveryState = { editor, discardedParents, budget };
  const bad = listBadLines(lines, discardedParents);
  for (const run of groupAdjacentLines(bad)) repairBadLines(source, run, shared);
  endLastLine(editor, { source, lines, bad });
  return { ...editor.finish(), discardedParents };
}

/** The maximum number of times that the bytes of a damaged file are re-read. */
const MOST_READS = 8;

/** The bytes that a small file may be re-read beside. */
const LEAST_BUDGET_BYTES = 1 << 26;

/** A line that cannot stay as it is, or a blank one, which may belong to those around it. */
interface BadLine extends ByteSpan {
  readonly kind: 'damaged' | 'blank' | 'discarded';
  /** The rule that finds a discarded line. */
  readonly code: string;
}

/** Lists the damaged and discarded lines in the order of the file, with blank ones if a line is damaged. */
function listBadLines(lines: HeaderlessLines, discardedParents: Map<RawId, unknown>): readonly BadLine[] {
  const damaged = new Map<number, BadLine>();
  const add = ({ offset, length }: ByteSpan, kind: BadLine['kind'], code = ''): void =>
    void damaged.set(offset, { offset, length, kind, code });
  for (const line of lines.damaged) add(line, 'damaged');
  for (const line of lines.notObjects) add(line, 'damaged');
  for (const line of lines.tooLong) add(line, 'discarded', 'line-too-long');
  for (const { at, id, code, parentId } of listUnreadableEntries(lines)) {
    add(at, 'discarded', code);
    if (id) discardedParents.set(id, parentId);
  }
  if (damaged.size > 0) for (const line of lines.blanks) add(line, 'blank');
  return [...damaged.values()].toSorted((a, b) => a.offset - b.offset);
}

/** Groups lines that follow one another, because an entry may be spread over them. */
function* groupAdjacentLines(bad: readonly BadLine[]): Generator<readonly BadLine[]> {
  let run: BadLine[] = [];
  let bytes = 0;
  for (const line of bad) {
    const last = run.at(-1);
    const hasRoom = run.length < MOST_LINES && bytes + line.length <= MOST_BYTES;
    if (last && !(hasRoom && mayContinue(last, line))) {
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

const MOST_LINES = 1000;
const MOST_BYTES = 1 << 26;

function mayContinue(line: BadLine, next: BadLine): boolean {
  const isAdjacent = line.offset + line.length === next.offset;
  return isAdjacent && line.kind !== 'discarded' && next.kind !== 'discarded';
}

function repairBadLines(source: ByteSource, run: readonly BadLine[], shared: RecoveryState): void {
  const lines = run.slice(0, run.findLastIndex(({ kind }) => kind !== 'blank') + 1);
  const [first] = lines;
  const last = lines.at(-1);
  if (!first || !last) return;
  const { editor } = shared;
  const end = last.offset + last.length;
  editor.keepTo(first.offset);
  if (first.kind === 'discarded') return editor.discardTo(end, first.code);
  recoverEntries({ bytes: source.read(first.offset, end), offset: first.offset }, shared);
}

interface LastLine {
  readonly source: ByteSource;
  readonly lines: HeaderlessLines;
  readonly bad: readonly BadLine[];
}

/** Ends the last line with a newline, so that nothing can be glued to it. */
function endLastLine(editor: FileEditor, { source, lines, bad }: LastLine): void {
  const { heads, headers, place } = lines;
  const { size } = source;
  const head = heads.last;
  const last = [head && place(head), headers.at(-1)].find((at) => at && at.offset + at.length === size);
  if (!last || bad.at(-1)?.offset === last.offset || source.read(size - 1, size)[0] === NEWLINE) return;
  editor.keepTo(size);
  editor.add('\n');
  editor.note('no-final-newline', last, 'newline added');
}
