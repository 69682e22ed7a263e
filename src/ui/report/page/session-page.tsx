import { flushSync } from 'preact/compat';
import {
  type ComponentType,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
} from 'react';
import type { SessionReport } from '#analysis/report/document.js';
import { truncate } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';
import { CacheView } from './cache-view.js';
import { ContextView } from './context-view.js';
import { ConversationView } from './conversation-view.js';
import { CostView } from './cost-view.js';
import { DiffView } from './diff-view.js';
import { Printing } from './disclosure.js';
import { EntriesView } from './entries-view.js';
import { EnvelopeView } from './envelope-view.js';
import { LargestView } from './largest-view.js';
import { listenTo } from './listen-to.js';
import { LossesView } from './losses-view.js';
import { OverviewView } from './overview-view.js';
import { StoreProvider } from './store-context.js';
import { Store } from './store.js';
import type { LinkTarget, ViewProps } from './view.js';
import { formatClockMinute, joinParts } from './words.js';

interface View {
  readonly title: string;
  /** Whether the view is always printed. Other views are printed only while they are open. */
  readonly isPrinted: boolean;
  readonly View: ComponentType<ViewProps>;
}

/** The views of a session, in the order of their tabs. */
const VIEWS = {
  overview: { title: 'Overview', isPrinted: true, View: OverviewView },
  conversation: { title: 'Conversation', isPrinted: false, View: ConversationView },
  context: { title: 'Context', isPrinted: true, View: ContextView },
  entries: { title: 'Entries', isPrinted: false, View: EntriesView },
  envelope: { title: 'Envelope', isPrinted: false, View: EnvelopeView },
  diff: { title: 'Diff', isPrinted: false, View: DiffView },
  cache: { title: 'Cache', isPrinted: true, View: CacheView },
  compactions: { title: 'Compactions', isPrinted: true, View: LossesView },
  largest: { title: 'Largest', isPrinted: true, View: LargestView },
  cost: { title: 'Cost', isPrinted: true, View: CostView },
} satisfies Readonly<Record<string, View>>;

type ViewName = keyof typeof VIEWS;
const VIEW_NAMES = Object.keys(VIEWS) as readonly ViewName[];

/** The page of a session. The hash selects the view; a view stays built once it was open. */
export function SessionPage({ data }: { data: SessionReport }): ReactNode {
  const [store] = useState(() => new Store(data));
  const { name, places, note } = useShown(store);
  const isPrinting = usePrinting();
  const main = useRef<HTMLElement>(null);
  const title = truncate(toVisibleLine(data.title), 200);
  useEffect(() => {
    document.title = `${VIEWS[name].title} · ${title}`;
  }, [name, title]);
  const skip = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <StoreProvider value={store}>
      <Printing value={isPrinting}>
        <a className="skip" href="#main" onClick={skip}>
          Skip to content
        </a>
        <Top data={data} title={title} />
        <Views open={name} />
        <main id="main" tabIndex={-1} ref={main}>
          <p className="note" role="status" hidden={note === ''}>
            {note}
          </p>
          {VIEW_NAMES.map((each) => {
            const isPrinted = isPrinting && VIEWS[each].isPrinted;
            const place = places[each] ?? (isPrinted ? NOWHERE : undefined);
            return <Section key={each} name={each} place={place} isShown={each === name || isPrinted} />;
          })}
        </main>
      </Printing>
    </StoreProvider>
  );
}

function Top({ data, title }: { data: SessionReport; title: string }): ReactNode {
  return (
    <header className="top">
      <h1>{title}</h1>
      {data.home !== undefined && <a href={data.home}>All sessions</a>}
      <p className="quiet">
        {joinParts([toVisibleLine(data.file), formatClockMinute(data.first), `ctx ${data.version}`])}
      </p>
    </header>
  );
}

/** The links to all views, which stay at the top of the window unless that is narrow. */
function Views({ open }: { open: ViewName }): ReactNode {
  return (
    <nav aria-label="Views">
      <ul>
        {VIEW_NAMES.map((each) => (
          <li key={each}>
            <a href={`#${each}`} aria-current={each === open ? 'page' : undefined}>
              {VIEWS[each].title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The place in a view that no link has opened. */
const NOWHERE = { target: null };

interface SectionProps {
  readonly name: ViewName;
  /** Undefined for a view that is not built yet. */
  readonly place: ViewProps['place'] | undefined;
  readonly isShown: boolean;
}

const Section = memo(function Section({ name, place, isShown }: SectionProps): ReactNode {
  const { title, View }: View = VIEWS[name];
  return (
    <section className="view" id={`view-${name}`} aria-labelledby={`title-${name}`} hidden={!isShown}>
      <h2 className="view-title" id={`title-${name}`}>
        {title}
      </h2>
      {place && <View place={place} isShown={isShown} />}
    </section>
  );
});

/** The view that the hash of the address selects. */
function useShown(store: Store): OpenView {
  const look = (before: Pick<OpenView, 'places'>): OpenView => followLink(store, before, location.hash);
  const [shown, lookAgain] = useReducer(look, { places: {} }, look);
  useEffect(() => listenTo(window, ['hashchange'], lookAgain), []);
  return shown;
}

/** Whether the page is being printed: in the light theme, with its views one after the other. */
function usePrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useLayoutEffect(() => {
    return listenTo(window, ['beforeprint', 'afterprint'], ({ type }) => {
      document.documentElement.toggleAttribute('data-print', type === 'beforeprint');
      // The browser prints what is drawn when its event ends.
      flushSync(() => setIsPrinting(type === 'beforeprint'));
    });
  }, []);
  return isPrinting;
}

/** The open view, the place in each view that was open before, and a note about a link that leads nowhere. */
interface OpenView {
  readonly name: ViewName;
  readonly places: Partial<Readonly<Record<ViewName, LinkTarget>>>;
  readonly note: string;
}

/**
 * Follows a link: `#cache`, `#conversation=ID`, `#envelope=3`, `#diff=3..4`, `#entry=ID`, `#line=7`. A view without a
 * target stays as it was.
 */
function followLink(store: Store, { places }: Pick<OpenView, 'places'>, hash: string): OpenView {
  const { name, target, note } = readLink(store, hash);
  const place = target === null ? places[name] : undefined;
  return { name, note, places: { ...places, [name]: place ?? { target } } };
}

function readLink(store: Store, hash: string) {
  const [[name = '', value = ''] = []] = new URLSearchParams(hash.slice(1));
  const isOfPath = name === 'conversation';
  const isOfEntry = name === 'entry' || name === 'line' || (isOfPath && value !== '');
  const entry = name === 'line' ? store.data.entries.lines.indexOf(Number(value)) : (store.find(value) ?? -1);
  const isEntry = entry !== -1 && (!isOfPath || store.isOnPath[entry] === 1);
  const areRequests = value === '' || value.split('..').every((number) => isRequest(store, Number(number)));
  const view = VIEW_NAMES.find((each) => each === name) ?? 'overview';
  const shown = isOfEntry && !isOfPath ? 'entries' : view;
  if (isOfEntry ? isEntry : areRequests)
    return { name: shown, target: isOfEntry ? String(entry) : value || null, note: '' };

  const place = isOfPath ? name : 'session';
  const what = isOfEntry ? 'entry' : 'request';
  return { name: shown, target: null, note: `This ${place} has no ${what} ${toVisibleLine(value)}.` };
}

function isRequest({ data: { requests } }: Store, number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= requests.entries.length;
}
