import { button, count, el } from './dom.js';
import type { Store } from './store.js';

/** A field for a request number, with buttons for the previous and the next one. */
export class RequestPicker {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly of = el('span', { class: 'quiet' });

  constructor(
    private readonly store: Store,
    label: string,
    private readonly onChange: (number: number) => void,
  ) {
    const most = store.data.requests.entries.length;
    this.input = el('input', { type: 'number', min: 1, max: most, inputmode: 'numeric' });
    this.input.addEventListener('change', () => this.go(Number(this.input.value) - 1));
    const step = (by: number, name: string, sign: string): HTMLElement =>
      button(sign, () => this.go(this.value + by), { 'aria-label': `${label}: ${name}`, class: 'step' });
    const field = el('label', { class: 'field' }, el('span', {}, label), this.input);
    this.element = el('div', { class: 'picker' }, field, step(-1, 'previous', '‹'), step(1, 'next', '›'), this.of);
  }

  get value(): number {
    return Number(this.input.value) - 1;
  }

  set value(number: number) {
    this.input.value = String(number + 1);
    const { onPath, entries } = this.store.data.requests;
    const name =
      entries[number] === -1 ? 'next request' : number < onPath ? `of ${count(onPath)}` : 'on another branch';
    this.of.textContent = name;
  }

  private go(number: number): void {
    const most = this.store.data.requests.entries.length - 1;
    this.onChange(Math.max(0, Math.min(most, Number.isInteger(number) ? number : 0)));
  }
}
