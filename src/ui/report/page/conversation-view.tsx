import { memo, type ReactNode, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatBreakClass } from '#analysis/cache/break-classes.js';
import type { DrawnEntry } from '#analysis/report/document.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { CompositionBar } from './composition-bar.js';
import { ArrowButton, StatusNote, useSearch } from './controls.js';
import { PreviousDiffLink } from './details.js';
import { Printing } from './disclosure.js';
import { EntryLink, NameTag } from './links.js';
import { listenTo } from './listen-to.js';
import { MessageBlock } from './message-block.js';
import { useStore } from './store-context.js';
import type { Store } from './store.js';
import { buildSearchPattern, HighlightedText, SearchWords } from './text-block.js';
import type { ViewProps } from './view.js';
import { formatClockMinute, joinParts } from './words.js';

/** The view of the path as a person reads it, with the context at the place that is read beside it. */
export function ConversationView(props: ViewProps): ReactNode {
  const store = useStore();
  const { path } = store.data.entries;
  const { field, words } = useSearch();
  const found = useMemo(() => findMatches(store, words), [store, words]);
  const read = useReadPlace(props.isShown);
  const [at, go] = useGoal(props, read, found);
  return (
    <SearchWords value={words}>
      <div className="controls sticky">
        {field}
        {words === '' ? (
          <Steps name="turn" places={store.data.conversation.turns} at={read} onGo={go} />
        ) : (
          <Steps name="match" places={found} at={at} onGo={go} />
        )}
      </div>
      <div className="conversation">
        <div className="messages">
          {Array.from({ length: Math.ceil(path.length / TOGETHER) }, (_, group) => (
            <Group key={group} first={group * TOGETHER} goal={at} />
          ))}
          {path.length === 0 && <p className="empty">This session is empty.</p>}
        </div>
        <Beside at={read} />
      </div>
    </SearchWords>
  );
}

/** The position on the path to scroll to, from the link, the search or a button; -1 for none. */
function useGoal({ place, isShown }: ViewProps, read: number, found: readonly number[]) {
  const { path } = useStore().data.entries;
  // Each jump has a goal of its own.
  const [goal, setGoal] = useState<{ readonly at: number } | null>(null);
  const go = (at: number): void => setGoal({ at });
  useLayoutEffect(() => {
    // The window is elsewhere after another view.
    if (isShown && read > 0) go(read);
  }, [isShown]);
  useLayoutEffect(() => {
    if (place.target !== null) go(path.indexOf(Number(place.target)));
  }, [place]);
  useEffect(() => {
    const next = found.find((each) => each >= read) ?? found[0];
    if (next !== undefined) go(next);
  }, [found]);
  useLayoutEffect(() => document.getElementById(`message-${goal?.at}`)?.scrollIntoView(), [goal]);
  return [goal?.at ?? -1, go] as const;
}

/** The positions of the path whose entries contain the lower-case words. */
function findMatches(store: Store, words: string): readonly number[] {
  if (words === '') return [];
  return store.data.entries.path.flatMap((entry, at) => (store.haystack(entry).includes(words) ? at : []));
}

interface StepsProps {
  readonly name: string;
  readonly places: readonly number[];
  readonly at: number;
  readonly onGo: (at: number) => void;
}

/** Buttons for the previous and the next of some places, with the number of the current one. */
function Steps({ name, places, at, onGo }: StepsProps): ReactNode {
  const current = places.findLastIndex((place) => place <= at);
  const before = places[current - 1] ?? -1;
  const next = places[current + 1] ?? -1;
  return (
    <div className="picker">
      <ArrowButton name={`Previous ${name}`} sign="‹" isOff={before === -1} onClick={() => onGo(before)} />
      <ArrowButton name={`Next ${name}`} sign="›" isOff={next === -1} onClick={() => onGo(next)} />
      <StatusNote
        text={places.length === 0 ? `no ${name}` : `${name} ${formatCount(current + 1)}/${formatCount(places.length)}`}
      />
    </div>
  );
}

/** The entries that are built together, when they come near the window. */
const TOGETHER = 40;
/** The height of an entry that is not built yet, in pixels. */
const USUAL_HEIGHT = 120;

function Group({ first, goal }: { first: number; goal: number }): ReactNode {
  const { path } = useStore().data.entries;
  const isPrinting = useContext(Printing);
  const element = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  const [isNear, setIsNear] = useState(false);
  const length = Math.min(TOGETHER, path.length - first);
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        height.current = element.current?.offsetHeight ?? 0;
        setIsNear(seen.at(-1)?.isIntersecting === true);
      },
      { rootMargin: '1500px' },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  const isBuilt = isNear || isPrinting || (goal >= first && goal < first + length);
  const minHeight = isBuilt ? 0 : height.current || length * USUAL_HEIGHT;
  return (
    <div ref={element} style={{ minHeight }}>
      {isBuilt && Array.from({ length }, (_, at) => <Entry key={at} at={first + at} isLinked={goal === first + at} />)}
    </div>
  );
}

/** `at`: the position on the path. */
const Entry = memo(function Entry({ at, isLinked }: { at: number; isLinked: boolean }): ReactNode {
  const store = useStore();
  const entry = store.data.entries.path[at] ?? 0;
  const drawn = store.drawn[at] ?? null;
  const name = store.name(entry);
  const fate = store.fates.get(entry);
  const time = formatClockMinute(store.data.entries.times[entry] ?? null).slice(11, 16) || store.id(entry);
  const classes = ['message', drawn ? name : 'event', fate ? fate.fate : '', isLinked ? 'linked' : ''];
  return (
    <article className={joinParts(classes, ' ')} id={`message-${at}`} data-at={at}>
      <header>
        <h3>
          <NameTag name={name} />
        </h3>
        {drawn?.answers !== undefined && <Answered id={drawn.answers} />}
        {!drawn && <span className="preview">{store.preview(entry)}</span>}
        {fate && (
          <span className="label fate">
            {`${fate.fate} by ${store.name(fate.by)} `}
            <EntryLink entry={fate.by} />
          </span>
        )}
        <a className="time" href={store.link(entry, 'conversation')} aria-label={`${time} link to ${store.id(entry)}`}>
          {time}
        </a>
      </header>
      {drawn?.blocks.map((block, place) => (
        <MessageBlock key={place} block={block} link={store.link(entry)} />
      ))}
      {drawn && <HiddenMatch entry={entry} drawn={drawn} />}
    </article>
  );
});

/** The text around the words that the user searches for, if only a folded or shortened block contains them. */
function HiddenMatch({ entry, drawn }: { entry: number; drawn: DrawnEntry }): ReactNode {
  const store = useStore();
  const words = useContext(SearchWords);
  if (words === '' || !store.haystack(entry).includes(words)) return null;
  const shown = JSON.stringify(drawn.blocks.filter(({ kind }) => kind !== 'thinking')).toLowerCase();
  if (shown.includes(words)) return null;
  return (
    <p className="quiet">
      <HighlightedText text={store.snippet(entry, buildSearchPattern(words))} />
    </p>
  );
}

/** The call that a result answers. */
function Answered({ id }: { id: string }): ReactNode {
  const call = useStore().calls.get(id);
  if (!call) return null;
  return (
    <span className="preview quiet">
      {toVisibleLine(call.tool)} <code>{toVisibleLine(call.subject)}</code>
    </span>
  );
}

/** The context of the request at a position of the path. */
function Beside({ at }: { at: number }): ReactNode {
  const store = useStore();
  const { data } = store;
  const number = store.requestAt(at);
  const entry = data.entries.path[at] ?? 0;
  const [input = null, read = 0, written = 0] = data.cache.recorded[number] ?? [];
  const broken = store.breaks.get(number);
  return (
    <aside className="beside" aria-label="Context at this place">
      <h3>
        <a href={`#envelope=${number + 1}`}>{`Context of ${store.requestName(number)}`}</a>
      </h3>
      <CompositionBar number={number} />
      {input !== null && (
        <p className="quiet">{`${formatCount(read)} cached, ${pluralize(input + written, 'token')} new or re-billed`}</p>
      )}
      {broken && (
        <p>
          <b>{`Cache break: ${formatBreakClass(broken.class)}`}</b>{' '}
          <span className="quiet">{toVisibleLine(broken.what)}</span>
        </p>
      )}
      <p>
        <a href={store.link(entry)}>This entry as recorded</a>
        <PreviousDiffLink number={number} />
      </p>
    </aside>
  );
}

/** The height in the window at which an entry is read, in pixels, below the head of the page. */
const READ_AT = 180;

/** The position on the path at the top of the window. */
function useReadPlace(isShown: boolean): number {
  const [read, setRead] = useState(0);
  useEffect(() => {
    if (!isShown) return undefined;
    const look = (): void => {
      const { left = 0, width = 0 } = document.querySelector('.messages')?.getBoundingClientRect() ?? {};
      const seen = document.elementFromPoint(left + width / 2, READ_AT)?.closest<HTMLElement>('[data-at]');
      if (seen) setRead(Number(seen.dataset.at));
    };
    // Entries are built while the window scrolls.
    return listenTo(window, ['scroll', 'scrollend'], look);
  }, [isShown]);
  return read;
}
