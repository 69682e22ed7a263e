import { createContext, type CSSProperties, Fragment, type ReactNode, useContext, useState } from 'react';
import { formatCount } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import type { Store } from './store.js';

const StoreContext = createContext<Store | null>(null);
export const StoreProvider = StoreContext.Provider;

/** The data of the session that the page shows. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error('no session is shown');
  return store;
}

/** A place in a view, from a link. Each navigation has a place of its own. */
export interface LinkTarget {
  /** The part of the link after the name; null for a link to the view itself. */
  readonly target: string | null;
}

export interface ViewProps {
  readonly place: LinkTarget;
  readonly isShown: boolean;
}

/** Whether the page is being printed. */
export const Printing = createContext(false);

/** Listens to events of a target. Returns a function that stops. */
export function listenTo(target: EventTarget, names: readonly string[], listen: (event: Event) => void): () => void {
  const stop = new AbortController();
  for (const name of names) target.addEventListener(name, listen, { passive: true, signal: stop.signal });
  return () => stop.abort();
}

/** Gives the sign of an element a colour of the style. */
export function keyColor(name: string): CSSProperties {
  return { ['--key' as string]: `var(--${name})` };
}

/** A colour of the style, in the scheme of the page. */
export function readColor(name: string): string {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A column of a table, whose cells are one of these. */
interface Column<Row> {
  readonly title: string;
  readonly cell?: (row: Row) => ReactNode;
  /** A number, or an amount as text. */
  readonly figure?: (row: Row) => number | string;
  /** A text, of which two lines are shown. */
  readonly text?: (row: Row) => string;
  /** The entry to link to; -1 for none. */
  readonly entry?: (row: Row) => number;
  /** The size that a bar beside the amount shows, compared with the largest one of the column. */
  readonly bar?: (row: Row) => number;
  readonly color?: string;
  /** Whether a narrow screen gives the cell a line of its own, like a text. */
  readonly isWide?: boolean;
  /** The content of the head, instead of the title. */
  readonly head?: ReactNode;
}

export interface PageTableProps<Row> {
  /** Null for a table within a text. */
  readonly caption: string | null;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}

/** A table; none without rows. The first column is the row header. On a narrow screen, each row is a paragraph. */
export function PageTable<Row>({ caption, columns, rows }: PageTableProps<Row>): ReactNode {
  if (rows.length === 0 && caption !== null) return null;
  return (
    <div className="table" tabIndex={0} role="group" aria-label={caption ?? 'Table'}>
      <table role="table">
        {caption !== null && <caption>{caption}</caption>}
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, place) => (
              <th key={place} role="columnheader" scope="col" className={chooseClass(column)}>
                {column.head ?? column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, at) => (
            <tr key={at} role="row">
              {columns.map((column, place) => {
                const [Cell, role] = place === 0 ? (['th', 'rowheader'] as const) : (['td', 'cell'] as const);
                return (
                  <Cell key={place} role={role} className={chooseClass(column)} data-title={column.title}>
                    {renderCell(column, row, rows)}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function chooseClass<Row>({ figure, text, isWide }: Column<Row>): string {
  return figure ? 'number' : text || isWide ? 'wide' : '';
}

/** The content of a cell. `rows`: all rows of the table. */
function renderCell<Row>(column: Column<Row>, row: Row, rows: readonly Row[]): ReactNode {
  const { cell, figure, text, entry, bar, color = 'accent' } = column;
  if (cell) return cell(row);
  if (text) return <span className="clamp">{toVisibleLine(text(row))}</span>;
  if (entry) return entry(row) !== -1 && <EntryLink entry={entry(row)} />;
  const amount = figure?.(row) ?? '';
  const value = typeof amount === 'number' ? formatCount(amount) : amount;
  if (!bar) return value;
  const most = rows.reduce((max, each) => Math.max(max, bar(each)), 0) || 1;
  const width = `${Math.max(0, bar(row) / most) * 100}%`;
  return (
    <span className="share">
      {value}
      <span className="bar" aria-hidden="true">
        <span className="bar-fill" style={{ width, background: `var(--${color})` }} />
      </span>
    </span>
  );
}

export type Tile = readonly [title: string, value: string, note?: string, link?: string];

/** A row of key figures. */
export function Tiles({ all }: { all: readonly Tile[] }): ReactNode {
  return (
    <dl className="tiles">
      {all.map(([title, value, note, link]) => (
        <div className="tile" key={title}>
          <dt>{title}</dt>
          <dd>
            {link === undefined ? <b>{value}</b> : <a href={link}>{value}</a>}
            <small>{note}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

export type Property = readonly [name: string, value: ReactNode];

/** A list of names and values. */
export function PropertyList({ rows }: { rows: readonly Property[] }): ReactNode {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? toVisibleLine(value) : value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Lines of text below a title, if there are any. */
export function TitledList({ title, all }: { title: string; all: readonly string[] }): ReactNode {
  if (all.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul className="plain">
        {all.map((text, at) => (
          <li key={at}>{toVisibleLine(text)}</li>
        ))}
      </ul>
    </>
  );
}

interface FoldProps {
  readonly summary: ReactNode;
  readonly className?: string;
  readonly isOpen?: boolean;
  readonly children: () => ReactNode;
}

/** Details that are built when they are first opened. */
export function Disclosure({ summary, className = '', isOpen = false, children }: FoldProps): ReactNode {
  const [isBuilt, setIsBuilt] = useState(isOpen);
  // Paper has nothing to click on.
  const isPrinting = useContext(Printing);
  return (
    <details className={className} open={isOpen || isPrinting} onToggle={() => setIsBuilt(true)}>
      <summary>{summary}</summary>
      {(isBuilt || isPrinting) && children()}
    </details>
  );
}

/** The CSS classes of entry names. */
const COLORS: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['toolResult', 'results'],
  ['system', 'system'],
  ['compaction', 'compaction'],
  ['branch_summary', 'compaction'],
  ['context_transform', 'compaction'],
  ['context_edit', 'compaction'],
]);

export function NameTag({ name }: { name: string }): ReactNode {
  return (
    <span className="name" style={keyColor(COLORS.get(name) ?? 'other')}>
      {name}
    </span>
  );
}

export function EntryLink({ entry }: { entry: number }): ReactNode {
  const store = useStore();
  if (entry < 0) return <span>no entry</span>;
  return (
    <a className="id" href={store.link(entry)}>
      {store.id(entry)}
    </a>
  );
}

/** A link to what changed before a request; to the request itself if it is the first. */
export function ChangeLink({ request, children }: { request: number; children: ReactNode }): ReactNode {
  return <a href={request === 0 ? '#envelope=1' : `#diff=${request}..${request + 1}`}>{children}</a>;
}
