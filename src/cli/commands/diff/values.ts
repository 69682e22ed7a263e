import type { ValueChange } from '#analysis/diff/value-diff.js';
import { shortened } from '#context/words/message-text.js';
import { type Block, line, span } from '#ui/doc/doc.js';
import { besideDoc, besideLines } from './beside.js';
import { textDiffDoc, type TextStyle } from './text.js';

/** A change inside a value: where it is, and what was and is there. */
export function valueLines({ place, kind, before, after }: ValueChange, style: TextStyle): readonly Block[] {
  const at = place === '' ? 'all of it' : place;
  const title = (what: string): Block => line(span(`    ${at}`, 'id'), span(what, 'faint'));
  const said = (value: unknown): string => {
    const text = JSON.stringify(value) ?? 'nothing';
    return style.isFull ? text : shortened(text);
  };
  switch (kind) {
    case 'added':
      return [title(' was added'), ...replaced([], [said(after)], style)];
    case 'removed':
      return [title(' was removed'), ...replaced([said(before)], [], style)];
    case 'moved':
      return [title(` moved from place ${Number(before) + 1} to ${Number(after) + 1}`)];
    case 'order':
      return [title(': the same keys in another order')];
    case 'form':
      return [
        title(
          typeof before === 'string' ? ': the same text, as a list of blocks now' : ': the same text, by itself now',
        ),
      ];
    case 'changed':
      if (typeof before !== 'string' || typeof after !== 'string')
        return [title(''), ...replaced([said(before)], [said(after)], style)];
      return [
        ...(place === 'text' ? [] : [title('')]),
        ...(style.isBeside ? besideDoc : textDiffDoc)(before, after, style),
      ];
  }
}

/** All of a system part or tool that was added or removed, only where everything is asked for. */
export function wholeLines(item: object, kind: 'added' | 'removed', style: TextStyle): readonly Block[] {
  if (!style.isFull) return [];
  const text = 'text' in item && typeof item.text === 'string' ? item.text : JSON.stringify(item, null, 2);
  const lines = text.split('\n');
  return kind === 'added' ? replaced([], lines, style) : replaced(lines, [], style);
}

/** Lines of which nothing is left, and those in their place. */
function replaced(before: readonly string[], after: readonly string[], { isBeside }: TextStyle): readonly Block[] {
  if (isBeside) return besideLines(before, after);
  return [
    ...before.map((text) => line(span(`    - ${text}`, 'error'))),
    ...after.map((text) => line(span(`    + ${text}`, 'good'))),
  ];
}
