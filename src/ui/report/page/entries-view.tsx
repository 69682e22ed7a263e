import { memo, type ReactNode, useLayoutEffect, useMemo, useState } from 'react';
import { visibleLine } from '#base/visible.js';
import { count, plural, shortCount } from '#base/words.js';
import { EntryDetail } from './details.js';
import { Split } from './list.js';
import { Choice, NameTag, SearchField, useStore, useTyped, type ViewProps } from './parts.js';
import type { Store } from './store.js';
import { expressionOf, Find, Marked } from './text.js';

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

/** The view of all entries as a tree, with the selected entry beside it. */
export const Entries = memo(function Entries({ place }: ViewProps): ReactNode {
  const store = useStore();
  const { order } = store.data.entries;
  const [filter, setFilter] = useState<Filter>('all');
  const [text, setText] = useState('');
  const [entry, setEntry] = useState(-1);
  const words = useTyped(text);
  const places = useMemo(() => matching(store, filter, words), [store, filter, words]);
  const chosen = useMemo(() => places.findIndex((at) => order[at] === entry), [order, places, entry]);
  const entryAt = (at: number): number => order[places[at] ?? 0] ?? 0;
  useLayoutEffect(() => {
    if (place.target === null) return;
    const linked = Number(place.target);
    setEntry(linked);
    // The search must not hide the entry of a link.
    if (places.some((at) => order[at] === linked)) return;
    setText('');
    setFilter('all');
  }, [place]);
  const choose = (at: number): void => {
    setEntry(entryAt(at));
    history.replaceState(null, '', store.link(entryAt(at)));
  };
  return (
    <Find value={words}>
      <div className="controls">
        <SearchField value={text} onInput={setText} />
        <Choice label="Show" options={FILTERS} value={filter} onChange={setFilter} />
        <p className="quiet" role="status">
          {`${chosen >= 0 && places.length < order.length ? `${count(chosen + 1)}/` : ''}${count(places.length)} of ${plural(order.length, 'entry', 'entries')}`}
        </p>
      </div>
      <Split
        label="Entries"
        name="entry"
        count={places.length}
        chosen={chosen}
        onChoose={choose}
        classOf={(at) => (store.isOnPath[entryAt(at)] === 1 ? '' : 'off-path')}
        row={(at) => <Row place={places[at] ?? 0} words={words} />}
        detail={(at) => <EntryDetail entry={entryAt(at)} />}
        find={words}
      />
    </Find>
  );
});

/** The positions in tree order whose entries pass the filter and contain the lower-case text. */
function matching(store: Store, filter: Filter, text: string): readonly number[] {
  return store.data.entries.order.flatMap((entry, at) =>
    passes(store, entry, filter) && (text === '' || store.haystack(entry).includes(text)) ? at : [],
  );
}

/** The row at a position in the tree. */
function Row({ place, words }: { place: number; words: string }): ReactNode {
  const store = useStore();
  const { order, forks, tokens } = store.data.entries;
  const entry = order[place] ?? 0;
  const label = store.labels.get(entry);
  return (
    <>
      <span className="indent" style={{ width: Math.min(forks[place] ?? 0, 12) * 14 }} />
      <NameTag name={store.name(entry)} />
      {label !== undefined && <span className="label">{visibleLine(label)}</span>}
      <span className="preview">
        <Marked text={words === '' ? store.preview(entry) : store.snippet(entry, expressionOf(words))} />
      </span>
      <span className="tokens">{tokens[entry] ? shortCount(tokens[entry] ?? 0) : ''}</span>
    </>
  );
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
