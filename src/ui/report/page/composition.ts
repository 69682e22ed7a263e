import { byGroup, GROUPS } from './colors.js';
import { el } from './dom.js';
import type { Store } from './store.js';
import { count, percent } from './words.js';

/** A bar with the composition of a request, and its legend. */
export function composition(store: Store, number: number): HTMLElement {
  const tokens = byGroup(store.categories, store.ledger(number));
  const total = tokens.reduce((sum, each) => sum + each, 0);
  const shown = GROUPS.map((group, at) => ({ ...group, tokens: tokens[at] ?? 0 })).filter(({ tokens: own }) => own > 0);
  const pieces = shown.map(({ name, tokens: own }) => {
    const piece = el('span', { class: `fill-${name}` });
    piece.style.flexGrow = String(own);
    return piece;
  });
  const keys = shown.map(({ name, title, tokens: own }) =>
    el('li', { class: `key ${name}` }, `${title} `, el('b', {}, count(own)), ` ${percent(own, total)}`),
  );
  return el(
    'div',
    { class: 'composition' },
    el('div', { class: 'stack', 'aria-hidden': 'true' }, ...pieces),
    el('ul', { class: 'keys' }, el('li', {}, 'Tokens ', el('b', {}, count(total))), ...keys),
  );
}
