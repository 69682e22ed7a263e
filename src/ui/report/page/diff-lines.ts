import { el } from './dom.js';
import { aligned } from './lists.js';
import { shortened, visible } from './words.js';

/** The maximum lines to compare. Longer texts are shown one after the other. */
const MOST_LINES = 20_000;
const AROUND = 3;
const LONGEST_LINE = 20_000;

interface Line {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** A line diff of two texts, with a few lines of context. */
export function lineDiff(before: string, after: string): HTMLElement {
  const lines = linesOf(before.split('\n'), after.split('\n'));
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  const shown = el('pre', { class: 'text diff' });
  for (const [at, { kind, text }] of lines.entries()) {
    if (isNear[at]) shown.append(lineElement(kind, text));
    else if (at === 0 || isNear[at - 1]) shown.append(el('span', { class: 'gap' }, '⋯\n'));
  }
  return shown;
}

function lineElement(kind: Line['kind'], text: string): HTMLElement {
  const content = visible(shortened(text, LONGEST_LINE));
  if (kind === 'same') return el('span', {}, `  ${content}\n`);
  return kind === 'removed' ? el('del', {}, `− ${content}\n`) : el('ins', {}, `+ ${content}\n`);
}

function linesOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const isTooLong = before.length + after.length > MOST_LINES;
  const common = isTooLong ? [] : aligned(before, after);
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  for (const text of [...common, null]) {
    for (; a < before.length && before[a] !== text; a += 1) lines.push({ kind: 'removed', text: before[a] ?? '' });
    for (; b < after.length && after[b] !== text; b += 1) lines.push({ kind: 'added', text: after[b] ?? '' });
    if (text !== null) lines.push({ kind: 'same', text });
    a += 1;
    b += 1;
  }
  return lines;
}
