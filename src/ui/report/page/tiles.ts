import { el } from './dom.js';

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
