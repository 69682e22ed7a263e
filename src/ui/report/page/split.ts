import { el, fill, type Child } from './dom.js';
import { type Row, VirtualList } from './virtual-list.js';

interface Options {
  readonly label: string;
  readonly name: string;
  readonly row: (at: number) => Row;
  readonly detail: (at: number) => readonly Child[];
  readonly onOpen?: (at: number) => void;
}

/** A list, and beside it what the chosen row is about. */
export class Split {
  readonly element: HTMLElement;
  private readonly list: VirtualList;
  private readonly detail = el('section', { class: 'detail', tabindex: 0 });

  constructor(private readonly options: Options) {
    const { label, name, row } = options;
    this.list = new VirtualList({
      label,
      name,
      row,
      onOpen: (at) => {
        this.open(at);
        options.onOpen?.(at);
      },
    });
    this.detail.setAttribute('aria-label', `${label}: selected row`);
    this.element = el('div', { class: 'split' }, this.list.element, this.detail);
  }

  show(count: number): void {
    this.list.show(count);
    this.detail.hidden = count === 0;
    fill(this.detail, el('p', { class: 'empty' }, 'Select a row to see its details.'));
  }

  /** Chooses a row as if it was clicked on, but for what comes of that elsewhere. */
  choose(at: number): void {
    if (at < 0 || at >= this.list.length) return;
    this.list.choose(at);
    this.open(at);
  }

  private open(at: number): void {
    fill(this.detail, ...this.options.detail(at));
    this.detail.scrollTop = 0;
  }
}
