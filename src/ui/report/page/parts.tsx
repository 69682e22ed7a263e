import { createContext, type CSSProperties, Fragment, type ReactNode, useContext, useState } from 'react';
import { visibleLine } from '#base/visible.js';
import { count } from '#base/words.js';
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

/** Gives the sign of an element a colour of the style. */
export function colored(name: string): CSSProperties {
  return { ['--key' as string]: `var(--${name})` };
}

/** A colour of the style, in the scheme of the page. */
export function colorOf(name: string): string {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

interface ColumnHead<Row> {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Whether a narrow screen gives the cell a line of its own. */
  readonly isWide?: boolean;
  readonly cell?: (row: Row) => ReactNode;
  /** The number in a cell, instead of its content. */
  readonly figure?: (row: Row) => number;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly ColumnHead<Row>[];
  readonly rows: readonly Row[];
}

/** A table with a caption. The first column is the row header. On a narrow screen, each row is a paragraph. */
export function Table<Row>({ caption, columns, rows }: TableProps<Row>): ReactNode {
  const classOf = ({ isNumber, figure, isWide }: ColumnHead<Row>): string =>
    isNumber || figure ? 'number' : isWide ? 'wide' : '';
  return (
    <div className="table" tabIndex={0} role="group" aria-label={caption}>
      <table role="table">
        <caption>{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.title} role="columnheader" scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, at) => (
            <tr key={at} role="row">
              {columns.map((column, place) => {
                const Cell = place === 0 ? 'th' : 'td';
                const role = place === 0 ? 'rowheader' : 'cell';
                return (
                  <Cell key={place} role={role} className={classOf(column)} data-title={column.title}>
                    {column.figure ? count(column.figure(row)) : column.cell?.(row)}
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

/** A value and a bar that shows its share. */
export function Share({ share, color = 'accent', children }: ShareProps): ReactNode {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return (
    <span className="share">
      {children}
      <span className="bar" aria-hidden="true">
        <span className="bar-fill" style={{ width, background: `var(--${color})` }} />
      </span>
    </span>
  );
}

interface ShareProps {
  readonly share: number;
  readonly color?: string;
  readonly children: ReactNode;
}

interface Tile {
  readonly title: string;
  readonly value: string;
  readonly note: string;
  readonly link?: string;
}

/** A row of key figures. */
export function Tiles({ all }: { all: readonly Tile[] }): ReactNode {
  return (
    <dl className="tiles">
      {all.map(({ title, value, note, link }) => (
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

/** A list of names and values. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }): ReactNode {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? visibleLine(value) : value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

interface FoldProps {
  readonly summary: ReactNode;
  readonly className?: string;
  readonly isOpen?: boolean;
  readonly children: () => ReactNode;
}

/** Details that are built when they are first opened. */
export function Fold({ summary, className = '', isOpen = false, children }: FoldProps): ReactNode {
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
    <span className="name" style={colored(COLORS.get(name) ?? 'other')}>
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
