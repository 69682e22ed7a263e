import { count, el, percent } from './dom.js';
import { NOT_ITEMISED, type Store } from './store.js';

/** The groups of token categories that the page shows. */
export const GROUPS = [
  { name: 'system', title: 'System prompt', of: ['system'] },
  { name: 'tools', title: 'Tool definitions', of: ['tool definitions'] },
  { name: 'summaries', title: 'Summaries', of: ['summaries'] },
  { name: 'user', title: 'User', of: ['user'] },
  { name: 'assistant', title: 'Assistant', of: ['assistant'] },
  { name: 'thinking', title: 'Thinking', of: ['thinking'] },
  { name: 'calls', title: 'Tool calls', of: ['tool calls'] },
  { name: 'results', title: 'Tool results', of: ['tool results'] },
  { name: 'other', title: 'Shell, custom, images', of: ['shell', 'custom', 'images'] },
  { name: 'rest', title: 'Recorded, not itemised', of: [NOT_ITEMISED] },
] as const;

/** Sums tokens by category into tokens by group. */
export function byGroup(categories: readonly string[], ledger: readonly number[]): readonly number[] {
  return GROUPS.map(({ of }) => of.reduce((sum, category) => sum + (ledger[categories.indexOf(category)] ?? 0), 0));
}

/** The current value of a colour of the style. */
export function colorOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

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
