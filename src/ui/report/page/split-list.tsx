import { type KeyboardEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { listenTo } from './listen-to.js';

interface ListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  /** The selected row; -1 for none. */
  readonly chosen: number;
  readonly onChoose: (at: number) => void;
  /** Called on Enter and on a double click. */
  readonly onOpen?: (at: number) => void;
  readonly row: (item: Item, at: number) => ReactNode;
  readonly classOf?: (item: Item) => string;
}

interface SplitProps<Item> extends ListProps<Item> {
  readonly detail: (item: Item) => ReactNode;
  /** The words to scroll to in the details. */
  readonly find?: string;
}

/** A list of any length, with the details of the selected row beside it. */
export function SplitList<Item>({ detail, find = '', ...list }: SplitProps<Item>): ReactNode {
  const { label, items, chosen } = list;
  const item = items[chosen];
  return (
    <div className="split">
      <div className="list-frame" style={{ ['--rows' as string]: items.length || 2 }}>
        <List {...list} />
        {items.length === 0 && <p className="empty">Nothing to show.</p>}
      </div>
      <section className="detail" tabIndex={0} aria-label={`${label}: selected row`} hidden={items.length === 0}>
        {item === undefined ? (
          <p className="empty">Select a row to see its details.</p>
        ) : (
          <Detail key={`${chosen} ${find}`}>{detail(item)}</Detail>
        )}
      </section>
    </div>
  );
}

/** The details of a row, at their first highlighted text. */
function Detail({ children }: { children: ReactNode }): ReactNode {
  const content = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const pane = content.current?.parentElement;
    const mark = content.current?.querySelector<HTMLElement>('mark');
    if (pane) pane.scrollTop = mark ? mark.offsetTop - pane.clientHeight / 3 : 0;
  }, []);
  return <div ref={content}>{children}</div>;
}

/** The height of a row, as `--row` in the style. */
const ROW_PIXELS = 30;

/** A list that renders only the visible rows. Mouse and keys select one row. */
function List<Item>(props: ListProps<Item>): ReactNode {
  const { label, items, chosen, onChoose, onOpen, row, classOf } = props;
  const count = items.length;
  const name = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVisibleRows(scroller, count);
  // Screen readers announce the selected row even if it is not visible.
  if (chosen >= 0 && chosen < count && !rows.includes(chosen)) rows.push(chosen);
  useLayoutEffect(() => scrollToRow(scroller.current, chosen), [chosen, count]);
  return (
    <div
      className="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={chosen < 0 ? undefined : `${name}-${chosen}`}
      hidden={count === 0}
      ref={scroller}
      onKeyDown={(event) => onKey(event, props, scroller.current?.clientHeight ?? 0)}
    >
      <div className="list-space" role="presentation" style={{ height: count * ROW_PIXELS }}>
        {rows.map((at) => (
          <div
            key={at}
            id={`${name}-${at}`}
            className={`row ${classOf?.(items[at] as Item) ?? ''}`}
            role="option"
            aria-selected={at === chosen}
            aria-posinset={at + 1}
            aria-setsize={count}
            style={{ top: at * ROW_PIXELS }}
            onClick={() => onChoose(at)}
            onDoubleClick={() => onOpen?.(at)}
          >
            {row(items[at] as Item, at)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Selects or opens a row with a key. */
function onKey<Item>(event: KeyboardEvent, { items, chosen, onChoose, onOpen }: ListProps<Item>, height: number): void {
  if (event.key === 'Enter' && chosen >= 0) onOpen?.(chosen);
  const step = findMove(event, height);
  if (step === undefined || items.length === 0) return;
  event.preventDefault();
  onChoose(Math.max(0, Math.min(items.length - 1, chosen + step)));
}

/** Scrolls to a row unless it is visible. */
function scrollToRow(scroller: HTMLElement | null, at: number): void {
  if (scroller === null) return;
  const { scrollTop, clientHeight } = scroller;
  const top = at * ROW_PIXELS;
  if (top < scrollTop || top + ROW_PIXELS > scrollTop + clientHeight)
    scroller.scrollTop = Math.max(0, top - (clientHeight - ROW_PIXELS) / 2);
}

/** The number of rows that a key moves the selection by; undefined for other keys. */
function findMove({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, height: number): number | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  const page = Math.max(1, Math.floor(height / ROW_PIXELS) - 1);
  const steps = new Map([
    ['ArrowDown', 1],
    ['j', 1],
    ['ArrowUp', -1],
    ['k', -1],
    ['PageDown', page],
    ['PageUp', -page],
    ['Home', -Infinity],
    ['End', Infinity],
  ]);
  return steps.get(key);
}

const BEYOND = 10;

/** The rows of a list that its scroller shows, and a few around them. */
function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number): number[] {
  const [{ top, height }, setView] = useState({ top: 0, height: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    look();
    const stop = listenTo(element, ['scroll'], look);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      stop();
      observer.disconnect();
    };
  }, [scroller]);
  // The scroller may not have noticed yet that the list is shorter.
  const first = Math.max(0, Math.min(count, Math.floor(top / ROW_PIXELS)) - BEYOND);
  const end = Math.min(count, Math.ceil((top + height) / ROW_PIXELS) + BEYOND);
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
}
