import type { ReactNode } from 'react';
import { formatCount } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { EntryLink } from './links.js';

/** A column of a table, whose cells are one of these. */
interface Column<Row> {
  readonly title: string;
  readonly cell?: (row: Row) => ReactNode;
  /** A number, or an amount as text. */
  readonly figure?: (row: Row) => number | string;
  /** The text; only its first two lines are shown. */
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
  const largestBars = columns.map(({ bar }) => (bar ? findLargest(rows, bar) : 0));
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
                    {renderCell(column, row, largestBars[place] ?? 0)}
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
  if (figure) return 'number';
  return text || isWide ? 'wide' : '';
}

function findLargest<Row>(rows: readonly Row[], measure: (row: Row) => number): number {
  return rows.reduce((largest, row) => Math.max(largest, measure(row)), 0);
}

/** The content of a cell. `largestBar`: the largest size that a bar of the column shows. */
function renderCell<Row>(column: Column<Row>, row: Row, largestBar: number): ReactNode {
  const { cell, figure, text, entry, bar, color = 'accent' } = column;
  if (cell) return cell(row);
  if (text) return <span className="clamp">{toVisibleLine(text(row))}</span>;
  if (entry) return entry(row) !== -1 && <EntryLink entry={entry(row)} />;
  const amount = figure?.(row) ?? '';
  const value = typeof amount === 'number' ? formatCount(amount) : amount;
  if (!bar) return value;
  const width = `${Math.max(0, bar(row) / (largestBar || 1)) * 100}%`;
  return (
    <span className="share">
      {value}
      <span className="bar" aria-hidden="true">
        <span className="bar-fill" style={{ width, background: `var(--${color})` }} />
      </span>
    </span>
  );
}
