import { choice, count, el, fillingView, type PageView, plural, shortCount, visibleLine } from './dom.js';
import { entryDetail, nameTag } from './entry-detail.js';
import { Split } from './split.js';
import type { Store } from './store.js';
import type { Row } from './virtual-list.js';

const FILTERS = [
  ['all', 'Everything'],
  ['path', 'On this path'],
  ['user', 'User'],
  ['assistant', 'Assistant'],
  ['results', 'Tool results'],
  ['changes', 'Context changes'],
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

/** The view of all entries as a tree, with the selected entry beside it. */
export function entriesView(store: Store): PageView {
  const { order } = store.data.entries;
  const search = new EntrySearch(store, (rows) => split.show(rows));
  const entryAt = (at: number): number => order[search.places[at] ?? 0] ?? 0;
  const split = new Split({
    label: 'Entries',
    name: 'entry',
    row: (at) => rowOf(store, search.places[at] ?? 0),
    detail: (at) => entryDetail(store, entryAt(at)),
    onOpen: (at) => history.replaceState(null, '', store.link(entryAt(at))),
  });
  search.run();
  return {
    element: fillingView(search.controls, split.element),
    open(target) {
      if (target !== null) split.choose(search.rowOf(Number(target)));
    },
  };
}

/** The search and filter fields, and the matching positions in tree order. */
class EntrySearch {
  places: readonly number[] = [];
  readonly controls: readonly HTMLElement[];
  private filter: Filter = 'all';
  private words = '';
  private readonly found = el('p', { class: 'quiet', role: 'status' });
  private readonly input = searchField((value) => {
    this.words = value;
    this.run();
  });
  private readonly filters = choice('Show', FILTERS, (value) => {
    this.filter = value;
    this.run();
  });

  constructor(
    private readonly store: Store,
    private readonly onFound: (count: number) => void,
  ) {
    this.controls = [this.input.label, this.filters, this.found];
  }

  run(): void {
    this.places = matching(this.store, this.filter, this.words.toLowerCase().trim());
    const { order } = this.store.data.entries;
    this.found.textContent = `${count(this.places.length)} of ${plural(order.length, 'entry', 'entries')}`;
    this.onFound(this.places.length);
  }

  /** The row of an entry. Clears the search if it hides the entry. */
  rowOf(entry: number): number {
    const row = this.find(entry);
    if (row !== -1) return row;
    this.clear();
    return this.find(entry);
  }

  private find(entry: number): number {
    return this.places.findIndex((place) => this.store.data.entries.order[place] === entry);
  }

  private clear(): void {
    this.input.clear();
    this.words = '';
    this.filter = 'all';
    const select = this.filters.querySelector('select');
    if (select) select.value = 'all';
    this.run();
  }
}

/** The positions in tree order whose entries pass the filter and contain the lower-case text. */
function matching(store: Store, filter: Filter, text: string): readonly number[] {
  return store.data.entries.order.flatMap((entry, at) =>
    passes(store, entry, filter) && (text === '' || store.haystack(entry).includes(text)) ? at : [],
  );
}

/** The row at a position in the tree. */
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
