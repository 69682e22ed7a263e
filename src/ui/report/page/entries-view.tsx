import { type ReactNode, useLayoutEffect, useMemo, useState } from 'react';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { type Option, Select, StatusNote, useSearch } from './controls.js';
import { EntryDetail } from './details.js';
import { NameTag } from './links.js';
import { SplitList } from './split-list.js';
import { useStore } from './store-context.js';
import type { Store } from './store.js';
import { buildSearchPattern, HighlightedText, SearchWords } from './text-block.js';
import type { ViewProps } from './view.js';

interface EntryFilter extends Option<string> {
  readonly passes: (store: Store, entry: number) => boolean;
}

const CHANGES: ReadonlySet<string> = new Set([
  'compaction',
  'branch_summary',
  'context_transform',
  'context_edit',
  'system',
  'model_change',
  'thinking_level_change',
]);

const FILTERS: readonly EntryFilter[] = [
  { value: 'all', title: 'Everything', passes: () => true },
  { value: 'path', title: 'On this path', passes: (store, entry) => store.isOnPath[entry] === 1 },
  { value: 'user', title: 'User', passes: (store, entry) => store.name(entry) === 'user' },
  { value: 'assistant', title: 'Assistant', passes: (store, entry) => store.name(entry) === 'assistant' },
  { value: 'results', title: 'Tool results', passes: (store, entry) => store.name(entry) === 'toolResult' },
  { value: 'changes', title: 'Context changes', passes: (store, entry) => CHANGES.has(store.name(entry)) },
  { value: 'failed', title: 'Failed', passes: hasFailed },
  { value: 'labelled', title: 'Labelled', passes: (store, entry) => store.labels.has(entry) },
];

function hasFailed(store: Store, entry: number): boolean {
  return store.message(entry)?.blocks.some(({ kind }) => kind === 'failure') === true;
}

/** The view of all entries as a tree, with the selected entry beside it. */
export function EntriesView({ place }: ViewProps): ReactNode {
  const store = useStore();
  const { order } = store.data.entries;
  const [filter, setFilter] = useState('all');
  const { field, words, setText } = useSearch();
  const places = useMemo(() => findMatches(store, filter, words), [store, filter, words]);
  const entryAt = (each: number): number => order[each] ?? 0;
  const [selected, select] = useLinked(place, order, (linked) => {
    if (places.includes(linked)) return;
    setText('');
    setFilter('all');
  });
  const chosen = useMemo(() => places.indexOf(selected), [places, selected]);
  const choose = (at: number): void => {
    select(places[at] ?? 0);
    history.replaceState(null, '', store.link(entryAt(places[at] ?? 0)));
  };
  return (
    <SearchWords value={words}>
      <div className="controls">
        {field}
        <Select label="Show" options={FILTERS} value={filter} onChange={setFilter} />
        <StatusNote text={describeFound(chosen, places.length, order.length)} />
      </div>
      <SplitList
        label="Entries"
        items={places}
        chosen={chosen}
        onChoose={choose}
        classOf={(each) => (store.isOnPath[entryAt(each)] === 1 ? '' : 'off-path')}
        row={(each) => <Row place={each} words={words} />}
        detail={(each) => <EntryDetail entry={entryAt(each)} />}
        find={words}
      />
    </SearchWords>
  );
}

/** The position of the selected entry, which a link may name; -1 for none. `onLink` shows one that the search hides. */
function useLinked(place: ViewProps['place'], order: readonly number[], onLink: (at: number) => void) {
  const [selected, select] = useState(-1);
  useLayoutEffect(() => {
    if (place.target === null) return;
    const linked = order.indexOf(Number(place.target));
    select(linked);
    onLink(linked);
  }, [place]);
  return [selected, select] as const;
}

/** `3/12 of 44 entries`: the selected one of the entries that are found, if not all are. */
function describeFound(chosen: number, found: number, all: number): string {
  const place = chosen >= 0 && found < all ? `${formatCount(chosen + 1)}/` : '';
  return `${place}${formatCount(found)} of ${pluralize(all, 'entry', 'entries')}`;
}

/** The positions in tree order whose entries pass the filter and contain the lower-case text. */
function findMatches(store: Store, filter: string, text: string): readonly number[] {
  const { passes } = FILTERS.find(({ value }) => value === filter) ?? {};
  return store.data.entries.order.flatMap((entry, at) =>
    passes?.(store, entry) && (text === '' || store.haystack(entry).includes(text)) ? at : [],
  );
}

function Row({ place, words }: { place: number; words: string }): ReactNode {
  const store = useStore();
  const { order, forks, tokens } = store.data.entries;
  const entry = order[place] ?? 0;
  const label = store.labels.get(entry);
  return (
    <>
      <span className="indent" style={{ width: Math.min(forks[place] ?? 0, 12) * 14 }} />
      <NameTag name={store.name(entry)} />
      {label !== undefined && <span className="label">{toVisibleLine(label)}</span>}
      <span className="preview">
        <HighlightedText text={words === '' ? store.preview(entry) : store.snippet(entry, buildSearchPattern(words))} />
      </span>
      <span className="tokens">{tokens[entry] ? formatShortCount(store.sizes.scale(tokens[entry] ?? 0)) : ''}</span>
    </>
  );
}
