import { CtxError } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import { buildLineId } from '#session/line-ids.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { hasPiEntries } from '#session/scan/header-finder.js';
import { type ByteSpan, type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { changeMembers } from '../bytes/member-edits.js';
import { type HeaderlessLines, readHeaderlessLines } from './headerless-lines.js';

/**
 * Puts one header before everything else. Of several the first one counts that Pi would take; a file without one gets
 * a new one. Throws a CtxError (input) for a file that has nothing of a session; `size` is how large it was at first.
 */
export function repairHeader(source: ByteSource, file: string, size: number): EditedFile {
  const lines = readHeaderlessLines(source);
  const editing = new FileEditor(source);
  const header = chosenIn(lines);
  if (!header && !hasPiEntries(lines.heads)) throw nothingThere(file, size);
  const [first] = lines.headers;
  const isInPlace = header !== null && header.offset === first?.offset && header.offset < startOf(lines);
  if (!header) addHeader(editing, lines, file);
  else if (!isInPlace) moveUp(editing, header, source);
  for (const title of titlesIn(lines)) passOver(editing, title, (end) => editing.loseTo(end, 'title-before-header'));
  // In version 1 a compaction names the first kept line by its number, which counts every header.
  const keepsOthers = header !== null && versionIn(lines.parse(header)) < 2;
  for (const other of lines.headers) {
    if (other.offset === header?.offset) {
      if (isInPlace) giveId(editing, { source, header, fields: lines.parse(header), file });
      else passOver(editing, other, (end) => editing.leaveOutTo(end));
    } else if (!keepsOthers || other.offset < header.offset) {
      passOver(editing, other, (end) => editing.loseTo(end, 'repeated-header'));
    }
  }
  return editing.end();
}

/** A header without an id is better than none where it comes first. */
function chosenIn(lines: HeaderlessLines): ByteSpan | null {
  const valid = lines.headers.find((at) => typeof lines.parse(at)['id'] === 'string');
  const [first] = lines.headers;
  return valid ?? (first && first.offset < startOf(lines) ? first : null);
}

/** The titles of oh-my-pi, which come before everything else. */
function* titlesIn({ heads, headers, place }: HeaderlessLines): Generator<ByteSpan> {
  const [header] = headers;
  for (let at = 0; heads.typeAt(at) === 'title'; at += 1) {
    const head = heads.at(at);
    if (!head || (header && place(head).offset > header.offset)) return;
    yield place(head);
  }
}

function startOf(lines: HeaderlessLines): number {
  const first = lines.heads.at([...titlesIn(lines)].length);
  return first ? lines.place(first).offset : Infinity;
}

function nothingThere(file: string, size: number): CtxError {
  const what = size === 0 ? 'the file is empty' : 'not a Pi session: it has no header and no entry';
  return new CtxError('input', `${what}; it cannot be repaired`, {
    where: file,
    hint: 'pass a .jsonl session file',
  });
}

function versionIn({ version = 1 }: JsonObject): number {
  return isObject(version) || Array.isArray(version) ? Number.NaN : Number(version);
}

function addHeader(editing: FileEditor, lines: HeaderlessLines, file: string): void {
  const { text, message } = newHeader(lines, file);
  editing.add(`${text}\n`);
  editing.note('missing-header', { offset: 0, length: 0 }, message);
}

function moveUp(editing: FileEditor, header: ByteSpan, source: ByteSource): void {
  editing.addFrom(header);
  const end = header.offset + header.length;
  if (source.read(end - 1, end)[0] !== NEWLINE) editing.add('\n');
  editing.note('late-header', header, 'moved to the first line');
}

const NEWLINE = 0x0a;

interface WithoutId {
  readonly source: ByteSource;
  readonly header: ByteSpan;
  readonly fields: JsonObject;
  readonly file: string;
}

function giveId(editing: FileEditor, { source, header, fields, file }: WithoutId): void {
  if (typeof fields['id'] === 'string') return;
  const id = idFor(file, header.length);
  changeMembers(editing, { source, at: header, changes: { id } });
  editing.note('missing-header', header, `new header id ${JSON.stringify(id)}`);
}

function passOver(editing: FileEditor, { offset, length }: ByteSpan, pass: (end: number) => void): void {
  editing.keepTo(offset);
  pass(offset + length);
}

/** A header for a session that has none: its text, id and time. */
function newHeader(lines: HeaderlessLines, file: string): { readonly text: string; readonly message: string } {
  const version = versionOf(lines);
  const named = nameOf(file);
  const id = idFor(file, lines.heads.length);
  const timestamp = named?.timestamp ?? timeOf(lines);
  const text = JSON.stringify({ type: 'session', ...(version > 1 && { version }), id, timestamp });
  const from = named ? 'the id from the file name' : 'a new id';
  return { text, message: `header added, with ${from} and version ${version}; its folder is unknown` };
}

/** The id in the name of a file of Pi's, else a new one that is the same every time. */
function idFor(file: string, salt: number): string {
  return nameOf(file)?.id ?? `recovered-${buildLineId(file.replace(/^.*[/\\]/, ''), salt)}`;
}

/** `2026-01-05T09-00-00-000Z_<id>.jsonl` */
function nameOf(file: string): { readonly id: string; readonly timestamp: string } | null {
  const match = /(?:^|[/\\])(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)_([a-z\d](?:[\w.-]*[a-z\d])?)\.jsonl$/i.exec(
    file,
  );
  if (!match) return null;
  const [, hour = '', minute = '', second = '', rest = '', id = ''] = match;
  return { id, timestamp: `${hour}:${minute}:${second}.${rest}` };
}

/** In version 1 no entry has an id, and version 2 has a role that version 3 does not know. */
function versionOf({ heads }: HeaderlessLines): 1 | 2 | 3 {
  const { length } = heads;
  let hasIds = false;
  for (let index = 0; index < length; index += 1) {
    if (heads.roleAt(index) === 'hookMessage') return hasIds || heads.at(index)?.id ? 2 : 1;
    hasIds ||= Boolean(heads.at(index)?.id);
  }
  return hasIds ? 3 : 1;
}

function timeOf({ heads }: HeaderlessLines): string {
  for (let index = 0; index < heads.length; index += 1) {
    const time = heads.timeAt(index);
    if (!Number.isNaN(time)) return new Date(time).toISOString();
  }
  return new Date(0).toISOString();
}
