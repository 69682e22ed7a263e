import type { Problem } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { headOf, idText, type NewHead } from '../table/head.js';
import type { Heads } from '../table/heads.js';
import type { Span } from './bytes.js';
import { type LineDamage, lineProblem } from './damage.js';
import type { Header } from './header.js';

/** What became of the lines so far. */
export interface Sorted {
  readonly heads: Heads;
  readonly titles: Span[];
  readonly repeatedHeaders: Span[];
  readonly blanks: Span[];
  readonly lost: Span[];
  readonly problems: Problem[];
}

/** A damaged line that holds no entry. */
export function lose(sorted: Sorted, line: Span, damage: LineDamage): void {
  sorted.lost.push(spanOf(line));
  sorted.problems.push(lineProblem(damage, line));
}

/** A line that holds a value, which is an entry but for a second header. */
export function keep(sorted: Sorted, line: Span, value: unknown, header: Header): void {
  if (isObject(value) && value['type'] === 'session') {
    sorted.repeatedHeaders.push(spanOf(line));
    sorted.problems.push(lineProblem('repeated-header', line));
    return;
  }
  const head = headOf(value, line);
  sorted.heads.push(head);
  for (const code of damageOfEntry(head, value, header)) sorted.problems.push(lineProblem(code, line, idText(head.id)));
}

/** The title that oh-my-pi keeps before the header of a session. */
export function keepTitle(sorted: Sorted, line: Span): void {
  sorted.titles.push(spanOf(line));
  const message = 'oh-my-pi keeps the title before the header, and Pi does not open the file';
  sorted.problems.push({ code: 'title-before-header', severity: 'note', message, ...spanOf(line), entryId: null });
}

/** The line that was sorted last holds bytes that are not UTF-8. */
export function noteBadText({ heads, problems }: Sorted, line: Span): void {
  const { last } = heads;
  problems.push(lineProblem('invalid-utf8', line, last?.line === line.line ? idText(last.id) : null));
}

export function spanOf({ line, offset, length }: Span): Span {
  return { line, offset, length };
}

function damageOfEntry(head: NewHead, value: unknown, header: Header): LineDamage[] {
  if (!isObject(value)) return ['not-an-object'];
  const damage: LineDamage[] = [];
  if (!head.id && !(header.version < 2)) damage.push('no-id');
  if (head.type === null) damage.push('no-type');
  return damage;
}
