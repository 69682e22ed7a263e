import { sumBy } from '#base/lists.js';
import type { ByteSpan, FileEditor } from '../bytes/file-editor.js';
import type { JsonFlaw } from '../bytes/flaws.js';
import type { ClosedEntry } from './close-entry.js';

/** Notes the bytes removed between entries. */
export function noteRemoved(editing: FileEditor, code: 'nul-bytes' | 'byte-order-mark', at: ByteSpan): void {
  const what = code === 'nul-bytes' ? counted(at.length, 'NUL byte') : 'the byte order mark';
  editing.note(code, at, `${what} removed`);
}

/** Notes the repaired flaws of an entry, with the number of each kind. */
export function noteFlaws(
  editing: FileEditor,
  at: ByteSpan,
  { flaws, id }: { readonly flaws: readonly JsonFlaw[]; readonly id: unknown },
): void {
  const place = { ...at, id };
  const inText = flaws.filter(({ kind, text }) => kind === 'newline' && text !== '').length;
  const between = flaws.filter(({ kind, text }) => kind === 'newline' && text === '').length;
  if (inText + between > 0) {
    const parts = [
      ...(between > 0 ? [`${counted(between, 'newline')} removed`] : []),
      ...(inText > 0 ? [`${counted(inText, 'newline')} in its text escaped`] : []),
    ];
    editing.note('split-line', place, `${counted(inText + between + 1, 'line')} joined: ${parts.join(', ')}`);
  }
  const nuls = sumBy(
    flaws.filter(({ kind }) => kind === 'nul'),
    ({ length }) => length,
  );
  if (nuls > 0) editing.note('nul-bytes', place, `${counted(nuls, 'NUL byte')} in it removed`);
  const controls = flaws.filter(({ kind }) => kind === 'control').length;
  if (controls > 0) editing.note('malformed-line', place, `${counted(controls, 'control character')} in it escaped`);
  const escapes = flaws.filter(({ kind }) => kind === 'escape').length;
  if (escapes > 0)
    editing.note('invalid-escape', place, `${counted(escapes, 'byte')} removed: ${backslashes(escapes)}`);
  const marks = flaws.filter(({ kind }) => kind === 'mark').length;
  if (marks > 0) editing.note('byte-order-mark', place, `${counted(marks, 'byte order mark')} in it removed`);
}

/** Notes the place where an entry was closed. `lost`: the number of bytes lost after it. */
export function noteClosed(
  editing: FileEditor,
  at: ByteSpan,
  { code, closed, lost }: { readonly code: string; readonly closed: ClosedEntry; readonly lost: number },
): void {
  const { entry, value, end } = closed;
  const what =
    value.openText && end > value.openText.start
      ? 'closed at the end of its truncated text'
      : 'closed after its last complete member';
  const rest = lost > 0 ? `; ${counted(lost, 'byte')} after that lost` : '';
  editing.note(code, { ...at, id: entry['id'] }, `${what}${rest}`);
  const flaws = value.flaws.filter((flaw) => flaw.at < end);
  noteFlaws(editing, at, { flaws, id: entry['id'] });
}

function backslashes(count: number): string {
  return count === 1 ? 'a backslash that starts no escape' : 'backslashes that start no escape';
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
