import { bar, byteSize, choice, count, el, fill, type PageView, percent, plural, table } from './dom.js';
import { entryLink, nameTag } from './entry-detail.js';
import { previewOf, type Store } from './store.js';

const MOST = 100;

interface Item {
  readonly entry: number;
  readonly name: string;
  readonly tokens: number;
  readonly text: string;
}

/** The view of the largest messages, parts and tools. */
export function largestView(store: Store): PageView {
  const place = el('div');
  const show = (of: 'context' | 'session'): void => {
    const items = of === 'context' ? inContext(store) : inSession(store);
    const total = items.reduce((sum, { tokens }) => sum + tokens, 0);
    const largest = items.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST);
    const title = of === 'context' ? 'Next request' : 'All branches';
    fill(place, largestTable(store, `${title}: largest of ${plural(items.length, 'item')}`, largest, total));
  };
  show('context');
  const options = [
    ['context', 'Current context'],
    ['session', 'All branches'],
  ] as const;
  return { element: el('div', {}, el('div', { class: 'controls' }, choice('Scope', options, show)), place) };
}

function inContext(store: Store): readonly Item[] {
  const { messages, parts, tools, requests } = store.data;
  const { messages: list, preamble } = store.envelope(requests.onPath - 1);
  const pieces = (kind: string, numbers: readonly number[], all: typeof parts): readonly Item[] =>
    numbers.flatMap((number) => {
      const piece = all[number];
      return piece ? { entry: -1, name: kind, tokens: piece.tokens, text: piece.name } : [];
    });
  return [
    ...pieces('system', preamble.parts, parts),
    ...pieces('tool', preamble.tools, tools),
    ...list.flatMap((number) => {
      const message = messages[number];
      return message
        ? { entry: message.entry, name: message.role, tokens: message.tokens, text: previewOf(message) }
        : [];
    }),
  ];
}

function inSession(store: Store): readonly Item[] {
  const { ids, tokens } = store.data.entries;
  return ids.map((_, entry) => {
    return {
      entry,
      name: store.name(entry),
      tokens: tokens[entry] ?? 0,
      get text() {
        return store.preview(entry);
      },
    };
  });
}

function largestTable(store: Store, title: string, items: readonly Item[], total: number): HTMLElement {
  const most = items[0]?.tokens ?? 0;
  return table(
    title,
    [
      { title: 'Tokens', isNumber: true, cell: ({ tokens }) => count(tokens) },
      {
        title: 'Share',
        isNumber: true,
        cell: ({ tokens }) =>
          el('span', { class: 'share' }, percent(tokens, total), bar(most === 0 ? 0 : tokens / most)),
      },
      { title: 'Kind', cell: ({ name }) => nameTag(name) },
      { title: 'Entry', cell: ({ entry }) => (entry === -1 ? '' : entryLink(store, entry)) },
      {
        title: 'Size',
        isNumber: true,
        cell: ({ entry }) => (entry === -1 ? '' : byteSize(store.data.entries.sizes[entry] ?? 0)),
      },
      { title: 'Preview', cell: ({ text }) => el('span', { class: 'clamp' }, text) },
    ],
    items,
  );
}
