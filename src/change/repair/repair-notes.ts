import { sumBy } from '#base/lists.js';
import type { ByteSpan, FileEditor } from '../bytes/file-editor.js';
import type { JsonFlaw } from '../bytes/flaws.js';
import type { ClosedEntry } from './close-entry.js';

/** Notes the bytes removed between entries. */
export function noteRemoved(editor: FileEditor, code: 'nul-bytes' | 'byte-order-mark', at: ByteSpan): void {
  const what = code === 'nul-bytes' ? describeCount(at.length, 'NUL byte') : 'the byte order mark';
  editor.note(code, at, `${what} removed`);
}

/** Notes the repaired flaws of an entry, with the number of each kind. */
export function noteFlaws(
  editor: FileEditor,
  at: ByteSpan,
  { flaws, id }: { readonly flaws: readonly JsonFlaw[]; readonly id: unknown },
): void {
  const place = { ...at, id };
  const newlines = flaws.filter(({ kind }) => kind === 'newline');
  const inText = newlines.filter(({ text }) => text !== '').length;
  const between = newlines.length - inText;
  if (newlines.length > 0) {
    const parts: string[] = [];
    if (between > 0) parts.push(`${describeCount(between, 'newline')} removed`);
    if (inText > 0) parts.push(`${describeCount(inText, 'newline')} in its text escaped`);
    editor.note('split-line', place, `${describeCount(newlines.length + 1, 'line')} joined: ${parts.join(', ')}`);
  }
  const nuls = sumBy(flaws, ({ kind, length }) => (kind === 'nul' ? length : 0));
  if (nuls > 0) editor.note('nul-bytes', place, `${describeCount(nuls, 'NUL byte')} in it removed`);
  const controls = countOfKind(flaws, 'control');
  if (controls > 0)
    editor.note('malformed-line', place, `${describeCount(controls, 'control character')} in it escaped`);
  const escapes = countOfKind(flaws, 'escape');
  if (escapes > 0)
    editor.note('invalid-escape', place, `${describeCount(escapes, 'byte')} removed: ${describeBackslashes(escapes)}`);
  const marks = countOfKind(flaws, 'mark');
  if (marks > 0) editor.note('byte-order-mark', place, `${describeCount(marks, 'byte order mark')} in it removed`);
}

function countOfKind(flaws: readonly JsonFlaw[], kind: JsonFlaw['kind']): number {
  return flaws.filter((flaw) => flaw.kind === kind).length;
}

/** Notes the place where an entry was closed. `discarded`: the number of bytes discarded after it. */
export function noteClosed(
  editor: FileEditor,
  at: ByteSpan,
  { code, closed, discarded }: { readonly code: string; readonly closed: ClosedEntry; readonly discarded: number },
): void {
  const { entry, value, end } = closed;
  const what =
    value.openText && end > value.openText.start
      ? 'closed at the end of its truncated text'
      : 'closed after its last complete member';
  const lost = discarded > 0 ? `; ${describeCount(discarded, 'byte')} after that lost` : '';
  editor.note(code, { ...at, id: entry.id }, `${what}${lost}`);
  const flaws = value.flaws.filter((flaw) => flaw.at < end);
  noteFlaws(editor, at, { flaws, id: entry.id });
}

function describeBackslashes(count: number): string {
  return count === 1 ? 'a backslash that starts no escape' : 'backslashes that start no escape';
}

function describeCount(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
