import type { At, Editing } from '../bytes/editing.js';
import type { Flaw } from '../bytes/flaws.js';
import type { ClosedEntry } from './close-entry.js';

/** Says what was left out between entries. */
export function noteRemoved(editing: Editing, code: 'nul-bytes' | 'byte-order-mark', at: At): void {
  const what = code === 'nul-bytes' ? counted(at.length, 'NUL byte') : 'the byte order mark';
  editing.note(code, at, `${what} removed`);
}

/** Says which flaws of an entry were mended, of each kind how many. */
export function noteFlaws(
  editing: Editing,
  at: At,
  { flaws, id }: { readonly flaws: readonly Flaw[]; readonly id: unknown },
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
  const nuls = sum(flaws.filter(({ kind }) => kind === 'nul').map(({ length }) => length));
  if (nuls > 0) editing.note('nul-bytes', place, `${counted(nuls, 'NUL byte')} in it removed`);
  const controls = flaws.filter(({ kind }) => kind === 'control').length;
  if (controls > 0) editing.note('malformed-line', place, `${counted(controls, 'control character')} in it escaped`);
  const escapes = flaws.filter(({ kind }) => kind === 'escape').length;
  if (escapes > 0)
    editing.note('invalid-escape', place, `${counted(escapes, 'byte')} removed: ${backslashes(escapes)}`);
  const marks = flaws.filter(({ kind }) => kind === 'mark').length;
  if (marks > 0) editing.note('byte-order-mark', place, `${counted(marks, 'byte order mark')} in it removed`);
}

/** Says where an entry was closed. `lost`: how many bytes behind that place are not kept. */
export function noteClosed(
  editing: Editing,
  at: At,
  { code, closed, lost }: { readonly code: string; readonly closed: ClosedEntry; readonly lost: number },
): void {
  const { entry, value, end } = closed;
  const what =
    value.openText && end > value.openText.start
      ? 'closed where its text breaks off'
      : 'closed behind its last whole part';
  const rest = lost > 0 ? `; ${counted(lost, 'byte')} behind that lost` : '';
  editing.note(code, { ...at, id: entry['id'] }, `${what}${rest}`);
  const flaws = value.flaws.filter((flaw) => flaw.at < end);
  noteFlaws(editing, at, { flaws, id: entry['id'] });
}

function backslashes(count: number): string {
  return count === 1 ? 'a backslash that begins no escape' : 'backslashes that begin no escape';
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
