import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { hasPiEntries } from '#session/scan/header-finder.js';
import { NEWLINE } from '../bytes/ascii.js';
import { type ByteSpan, type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { changeMembers } from '../bytes/member-edits.js';
import { buildHeader, buildId } from './build-header.js';
import { type HeaderlessLines, readHeaderlessLines } from './headerless-lines.js';

/**
 * Puts one header before everything else. Of several headers, the first one that Pi would take counts; a file without one
 * gets a new one. Throws a CtxError (input) for a file without any part of a session. `size`: of the original file.
 */
export function repairHeader(source: ByteSource, file: string, size: number): EditedFile {
  const lines = readHeaderlessLines(source);
  const editor = new FileEditor(source);
  const header = findHeader(lines);
  if (!header && !hasPiEntries(lines.heads)) throw buildNoSessionError(file, size);
  const [first] = lines.headers;
  const isInPlace = header !== null && header.offset === first?.offset && header.offset < findStart(lines);
  if (!header) addHeader(editor, lines, file);
  else if (!isInPlace) moveHeaderUp(editor, header, source);
  // A compaction of version 1 names the first kept line by its number, which counts every header.
  const keepsOthers = header !== null && readVersion(lines.parse(header)) < 2;
  for (const other of lines.headers) {
    if (other.offset === header?.offset) {
      if (isInPlace) addId(editor, { source, header, fields: lines.parse(header), file });
      else skipLine(editor, other, (end) => editor.skipTo(end));
    } else if (!keepsOthers || other.offset < header.offset) {
      skipLine(editor, other, (end) => editor.discardTo(end, 'repeated-header'));
    }
  }
  return editor.finish();
}

/** A header without an id counts only if it comes first. */
function findHeader(lines: HeaderlessLines): ByteSpan | null {
  const valid = lines.headers.find((at) => typeof lines.parse(at).id === 'string');
  const [first] = lines.headers;
  return valid ?? (first && first.offset < findStart(lines) ? first : null);
}

function findStart(lines: HeaderlessLines): number {
  const first = lines.heads.at(0);
  return first ? lines.place(first).offset : Infinity;
}

function buildNoSessionError(file: string, size: number): CtxError {
  const what = size === 0 ? 'the file is empty' : 'this is no session: it has no header and no entry';
  return new CtxError('input', `${what}; it cannot be repaired`, {
    where: file,
    hint: 'list the sessions that ctx reads: ctx ls --agent all',
  });
}

function readVersion({ version = 1 }: JsonObject): number {
  return isObject(version) || Array.isArray(version) ? Number.NaN : Number(version);
}

function addHeader(editor: FileEditor, lines: HeaderlessLines, file: string): void {
  const { text, message } = buildHeader(lines, file);
  editor.add(`${text}\n`);
  editor.note('missing-header', { offset: 0, length: 0 }, message);
}

function moveHeaderUp(editor: FileEditor, header: ByteSpan, source: ByteSource): void {
  editor.copyFrom(header);
  const end = header.offset + header.length;
  if (source.read(end - 1, end)[0] !== NEWLINE) editor.add('\n');
  editor.note('late-header', header, 'moved to the first line');
}

interface WithoutId {
  readonly source: ByteSource;
  readonly header: ByteSpan;
  readonly fields: JsonObject;
  readonly file: string;
}

function addId(editor: FileEditor, { source, header, fields, file }: WithoutId): void {
  if (typeof fields.id === 'string') return;
  const id = buildId(file, header.length);
  changeMembers(editor, { source, at: header, changes: { id } });
  editor.note('missing-header', header, `new header id ${JSON.stringify(id)}`);
}

function skipLine(editor: FileEditor, { offset, length }: ByteSpan, pass: (end: number) => void): void {
  editor.keepTo(offset);
  pass(offset + length);
}
