import { choice, el } from './dom.js';
import { entryDetail, nameTag } from './entry-detail.js';
import { Split } from './split.js';
import type { Store } from './store.js';
import type { PageView } from './view.js';
import type { Row } from './virtual-list.js';
import { count, plural, shortCount, visibleLine } from './words.js';

const FILTERS = [
  ['all', 'Everything'],
  ['path', 'On the path'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['results', 'Tool results'],
  ['changes', 'Changes of the context'],
  ['failed', 'Failed'],
  ['labelled', 'Labelled'],
] as const;
type Filter = (typeof FILTERS)[number][0];

const CHANGES: ReadonlySet<string> = new Set([
  'compaction',
  'branch_summary',
  'context_transform',
  'context_edit',
  'system',
  'model_change',
  'thinking_level_change',
]);
const WAIT = 120;

export function entriesView(store: Store): PageView {
  const { order } = store.data.entries;
  let rows: readonly number[] = order.map((_, at) => at);
  let filter: Filter = 'all';
  let words = '';
  const found = el('p', { class: 'quiet', role: 'status' });
  const split = new Split({
    label: 'Entries',
    name: 'entry',
    row: (at) => rowOf(store, rows[at] ?? 0),
    detail: (at) => entryDetail(store, order[rows[at] ?? 0] ?? 0),
    onOpen: (at) => history.replaceState(null, '', store.link(order[rows[at] ?? 0] ?? 0)),
  });
  const search = (): void => {
    const wanted = words.toLowerCase().trim();
    rows = order.flatMap((entry, at) =>
      passes(store, entry, filter) && (wanted === '' || store.haystack(entry).includes(wanted)) ? at : [],
    );
    found.textContent = `${count(rows.length)} of ${plural(order.length, 'entry', 'entries')}`;
    split.show(rows.length);
  };
  const input = searchField((value) => {
    words = value;
    search();
  });
  const filters = choice('Show', FILTERS, (value) => {
    filter = value;
    search();
  });
  search();
  return {
    element: el('div', { class: 'fill' }, el('div', { class: 'controls' }, input.label, filters, found), split.element),
    open(target) {
      const entry = target === null ? null : Number(target);
      if (entry === null) return;
      let at = rows.findIndex((place) => order[place] === entry);
      // What is looked for by a link is not to be hidden by a search.
      if (at === -1) {
        input.clear();
        words = '';
        filter = 'all';
        const select = filters.querySelector('select');
        if (select) select.value = 'all';
        search();
        at = rows.findIndex((place) => order[place] === entry);
      }
      if (at !== -1) split.choose(at);
    },
  };
}

/** The row of a place in the tree. */
function rowOf(store: Store, place: number): Row {
  const { order, forks, tokens } = store.data.entries;
  const entry = order[place] ?? 0;
  const indent = el('span', { class: 'indent' });
  indent.style.width = `${Math.min(forks[place] ?? 0, 12) * 14}px`;
  const label = store.labels.get(entry);
  return {
    className: store.isOnPath[entry] === 1 ? '' : 'off-path',
    children: [
      indent,
      nameTag(store.name(entry)),
      label === undefined ? null : el('span', { class: 'label' }, visibleLine(label)),
      el('span', { class: 'preview' }, store.preview(entry)),
      el('span', { class: 'tokens' }, tokens[entry] ? shortCount(tokens[entry] ?? 0) : ''),
    ],
  };
}

export function searchField(onChange: (value: string) => void): { readonly label: HTMLElement; clear(): void } {
  const input = el('input', { type: 'search', placeholder: 'Search', autocomplete: 'off', spellcheck: 'false' });
  let timer = 0;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => onChange(input.value), WAIT);
  });
  const label = el('label', { class: 'field search' }, el('span', { class: 'sr' }, 'Search'), input);
  return {
    label,
    clear() {
      input.value = '';
    },
  };
}

function passes(store: Store, entry: number, filter: Filter): boolean {
  switch (filter) {
    case 'all':
      return true;
    case 'path':
      return store.isOnPath[entry] === 1;
    case 'user':
    case 'assistant':
      return store.name(entry) === filter;
    case 'results':
      return store.name(entry) === 'toolResult';
    case 'changes':
      return CHANGES.has(store.name(entry));
    case 'failed':
      return (store.message(entry)?.failure ?? '') !== '';
    case 'labelled':
      return store.labels.has(entry);
  }
}
