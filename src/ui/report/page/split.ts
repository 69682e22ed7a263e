import { el, fill, type Child } from './dom.js';
import { type Row, VirtualList } from './virtual-list.js';

interface Options {
  readonly label: string;
  readonly name: string;
  readonly row: (at: number) => Row;
  readonly detail: (at: number) => readonly Child[];
  readonly onOpen?: (at: number) => void;
}

/** A list, with the details of the selected row beside it. */
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

  /** Selects a row like a click, but without calling `onOpen`. */
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
