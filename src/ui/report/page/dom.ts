import { dollars as money } from '#base/words.js';
import type { Store } from './store.js';

/** A child of an element. A string is always text, never HTML. */
export type Child = Node | string | null | false;

type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** Creates an element. Attributes that are false or null are omitted. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(key, value === true ? '' : String(value));
  }
  fill(element, ...children);
  return element;
}

/** Replaces the children of an element. */
export function fill(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== null && child !== false));
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}

/** A labelled select. */
export function choice<Value extends string>(
  label: string,
  options: readonly (readonly [value: Value, title: string])[],
  onChange: (value: Value) => void,
): HTMLLabelElement {
  const select = el('select', {}, ...options.map(([value, title]) => el('option', { value }, title)));
  // The select has no other values.
  select.addEventListener('change', () => onChange(select.value as Value));
  return el('label', { class: 'field' }, el('span', {}, label), select);
}

export interface DomColumn<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => Child;
}

/** A table with a caption. The first column is the row header. */
export function table<Row>(caption: string, columns: readonly DomColumn<Row>[], rows: readonly Row[]): HTMLElement {
  const classOf = ({ isNumber }: DomColumn<Row>): string | null => (isNumber ? 'number' : null);
  const head = columns.map((column) => el('th', { scope: 'col', class: classOf(column) }, column.title));
  const body = rows.map((row) =>
    el(
      'tr',
      {},
      ...columns.map((column, at) =>
        el(at === 0 ? 'th' : 'td', { class: classOf(column), ...(at === 0 && { scope: 'row' }) }, column.cell(row)),
      ),
    ),
  );
  return el(
    'div',
    { class: 'table', tabindex: 0, role: 'group', 'aria-label': caption },
    el('table', {}, el('caption', {}, caption), el('thead', {}, el('tr', {}, ...head)), el('tbody', {}, ...body)),
  );
}

/** A view as high as the window: its controls, and a scrolling part below them. */
export function fillingView(controls: readonly Child[], ...below: readonly Child[]): HTMLElement {
  return el('div', { class: 'fill' }, el('div', { class: 'controls' }, ...controls), ...below);
}

/** A bar that shows a share. */
export function bar(share: number, color = 'var(--accent)'): HTMLElement {
  const fillOf = el('span', { class: 'bar-fill' });
  fillOf.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  fillOf.style.background = color;
  return el('span', { class: 'bar', 'aria-hidden': 'true' }, fillOf);
}

export { byteSize, count, percent, plural, shortCount } from '#base/words.js';
export { assumedNote } from '#context/size/window.js';
export { visible, visibleLine } from '#base/visible.js';

/** A time in UTC, to the minute. */
export function timeText(time: number | null): string {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function dollars(cost: number | null): string {
  return money(cost, 'not recorded');
}

/** The start of a text on one line. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A tab of the page. */
export interface PageView {
  readonly element: HTMLElement;
  /** Shows the target of a link; null for a link to the view itself. */
  open?(target: string | null): void;
  /** Called before and after printing. */
  redraw?(): void;
}

/** Builds a view, once, when it is first shown. */
export interface ViewDefinition {
  readonly name: string;
  readonly title: string;
  /** Whether the view is always printed. Other views are printed only while they are open. */
  readonly isPrinted: boolean;
  readonly make: (store: Store) => PageView;
}

interface Tile {
  readonly title: string;
  readonly value: string;
  readonly note: string;
  readonly link?: string;
}

/** A row of key figures. */
export function tiles(all: readonly Tile[]): HTMLElement {
  return el(
    'dl',
    { class: 'tiles' },
    ...all.map(({ title, value, note, link }) =>
      el(
        'div',
        { class: 'tile' },
        el('dt', {}, title),
        el('dd', {}, link === undefined ? el('b', {}, value) : el('a', { href: link }, value), el('small', {}, note)),
      ),
    ),
  );
}
