import type { ReportBlock, Text } from '../data.js';
import { button, count, el, fill, visible, visibleLine } from './dom.js';
import { beginningOf } from './store.js';

/** The number of characters shown at first; a button shows more. */
const AT_FIRST = 6000;
const AT_ONCE = 400_000;

/** A text with invisible characters made visible, and a note on its length if it is truncated. */
export function textBlock(text: Text): HTMLElement {
  const whole = beginningOf(text);
  const pre = el('pre', { class: 'text' });
  const more = el('p', { class: 'more' });
  const show = (most: number): void => {
    const end = /[\ud800-\udbff]$/.test(whole.slice(0, most)) ? most - 1 : most;
    pre.textContent = visible(whole.slice(0, end));
    const left = whole.length - end;
    const rest = left > AT_ONCE ? `Show ${count(AT_ONCE)} more` : 'Show the rest';
    const shown = left > 0 && button(`${rest} of ${count(whole.length)} characters`, () => show(most + AT_ONCE));
    const cut =
      typeof text !== 'string' &&
      left <= 0 &&
      `Truncated: the report contains the first ${count(whole.length)} of ${count(text[1])} characters.`;
    fill(more, shown, cut);
    more.hidden = !shown && !cut;
  };
  show(AT_FIRST);
  return el('div', {}, pre, more);
}

const TITLES = { text: '', thinking: 'Thinking', call: 'Call', image: 'Image', other: 'Other' } as const;

/** `role`: the role of its message. Tool output is shown in a fixed-width font. */
export function blockElement([kind, text, name]: ReportBlock, role: string): HTMLElement {
  const title = [TITLES[kind], name === undefined ? '' : visibleLine(name)].filter((part) => part !== '').join(' ');
  return el(
    'div',
    { class: `block ${kind} ${role}` },
    title === '' ? null : el('h4', {}, title),
    kind === 'image'
      ? el('p', { class: 'quiet' }, `${beginningOf(text)}, not included in the report`)
      : textBlock(text),
  );
}
