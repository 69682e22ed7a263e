import { el, fill, type Child } from './dom.js';

export interface Row {
  readonly className: string;
  readonly children: readonly Child[];
}

interface Options {
  readonly label: string;
  /** The prefix of the row ids, unique in the page. */
  readonly name: string;
  readonly row: (at: number) => Row;
  readonly onOpen: (at: number) => void;
}

/** The height of a row, as `--row` in the style. */
const ROW_PIXELS = 30;
const BEYOND = 10;

/** A list of any length that renders only the visible rows. Mouse and keys select one row. */
export class VirtualList {
  readonly element: HTMLElement;
  private readonly space = el('div', { class: 'list-space', role: 'presentation' });
  private readonly empty = el('p', { class: 'empty', hidden: true }, 'Nothing to show.');
  private readonly scroller: HTMLElement;
  private count = 0;
  private chosen = -1;
  private isAsked = false;

  constructor(private readonly options: Options) {
    this.scroller = el('div', { class: 'list', role: 'listbox', tabindex: 0, 'aria-label': options.label }, this.space);
    this.element = el('div', { class: 'list-frame' }, this.scroller, this.empty);
    this.scroller.addEventListener('scroll', () => this.ask(), { passive: true });
    this.scroller.addEventListener('keydown', (event) => this.press(event));
    this.scroller.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(() => this.ask()).observe(this.scroller);
  }

  get length(): number {
    return this.count;
  }

  /** Changes the number of rows, and clears the selection. */
  show(count: number): void {
    this.count = count;
    this.chosen = -1;
    this.space.style.height = `${count * ROW_PIXELS}px`;
    this.element.style.setProperty('--rows', String(Math.max(2, count)));
    this.scroller.scrollTop = 0;
    this.scroller.hidden = count === 0;
    this.empty.hidden = count > 0;
    this.draw();
  }

  /** Selects a row and scrolls it into view. */
  choose(at: number): void {
    this.chosen = at;
    const { scrollTop, clientHeight } = this.scroller;
    const top = at * ROW_PIXELS;
    if (at >= 0 && (top < scrollTop || top + ROW_PIXELS > scrollTop + clientHeight))
      this.scroller.scrollTop = Math.max(0, top - (clientHeight - ROW_PIXELS) / 2);
    this.draw();
  }

  focus(): void {
    this.scroller.focus();
  }

  private ask(): void {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      this.draw();
    });
  }

  private draw(): void {
    const { scrollTop, clientHeight } = this.scroller;
    const first = Math.max(0, Math.floor(scrollTop / ROW_PIXELS) - BEYOND);
    const end = Math.min(this.count, Math.ceil((scrollTop + clientHeight) / ROW_PIXELS) + BEYOND);
    const rows: HTMLElement[] = [];
    for (let at = first; at < end; at += 1) rows.push(this.row(at));
    const isFarAway = this.chosen >= 0 && (this.chosen < first || this.chosen >= end) && this.chosen < this.count;
    // Screen readers announce the selected row even if it is not rendered.
    if (isFarAway) rows.push(this.row(this.chosen));
    fill(this.space, ...rows);
    if (this.chosen >= 0) this.scroller.setAttribute('aria-activedescendant', this.idOf(this.chosen));
    else this.scroller.removeAttribute('aria-activedescendant');
  }

  private row(at: number): HTMLElement {
    const { className, children } = this.options.row(at);
    const element = el(
      'div',
      {
        id: this.idOf(at),
        class: `row ${className}`,
        role: 'option',
        'aria-selected': String(at === this.chosen),
        'aria-posinset': at + 1,
        'aria-setsize': this.count,
        'data-at': at,
      },
      ...children,
    );
    element.style.top = `${at * ROW_PIXELS}px`;
    return element;
  }

  private idOf(at: number): string {
    return `${this.options.name}-${at}`;
  }

  private click({ target }: Event): void {
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-at]') : null;
    if (row) this.open(Number(row.dataset['at']));
  }

  private press(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_PIXELS) - 1);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || this.count === 0) return;
    event.preventDefault();
    this.open(Math.max(0, Math.min(this.count - 1, this.chosen + step)));
  }

  private open(at: number): void {
    this.choose(at);
    this.options.onOpen(at);
  }
}
