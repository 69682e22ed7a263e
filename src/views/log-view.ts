import type { LogEntry } from '../context/log.js';
import { type UsageNumbers, usageNumbers } from '../context/tokens.js';
import type { View } from '../render/define.js';
import { type Block, type Cell, cell, type Doc, type Tone } from '../render/doc.js';
import { idText, usageIn } from '../session/head.js';
import { entryName, entryPreview } from './entry-text.js';
import { count } from './format.js';

/** One row of a log. */
export interface LogRow {
  readonly entryId: string | null;
  readonly parentId: string | null;
  readonly line: number;
  readonly type: string | null;
  readonly role: string | null;
  readonly name: string;
  /** UTC, as ISO 8601; null where the entry says nothing. */
  readonly time: string | null;
  /** Estimated. */
  readonly tokens: number | null;
  /** Estimated. */
  readonly contextTokens: number | null;
  /** Recorded by a provider. */
  readonly usage: UsageNumbers | null;
  readonly label: string | null;
  readonly preview: string;
}

/** How the rows of a log are laid out. */
export interface LogLayout {
  /** Only id, name and preview. */
  readonly isShort: boolean;
  /** Digits of the greatest line number. */
  readonly lineDigits: number;
  /** Cells that a graph before the rows takes, 0 for none. */
  readonly graphCells: number;
}

export function logRow({ head, entry, tokens, contextTokens }: LogEntry, label: string | null): LogRow {
  const usage = usageIn(entry);
  return {
    entryId: idText(head.id),
    parentId: idText(head.parentId),
    line: head.line,
    type: head.type,
    role: head.role,
    name: entryName(head),
    time: Number.isNaN(head.time) ? null : new Date(head.time).toISOString(),
    tokens,
    contextTokens,
    usage: usage && usageNumbers(usage),
    label,
    preview: entryPreview(entry),
  };
}

/** The titles of the columns. */
export function logTitles(layout: LogLayout, view: View): Doc {
  if (layout.isShort || view.format !== 'text') return [];
  const cells = columnsFor(layout, view).map(({ title, width }) => cell(title, width, 'faint'));
  return [{ kind: 'row', cells: [...graphCell('', layout), ...cells, cell('preview', 0, 'faint')] }];
}

/** A row as a line; `graph` is what is drawn before it. */
export function logLine(row: LogRow, graph: string, layout: LogLayout, view: View): Block {
  const cells = columnsFor(layout, view).map(({ text, width, tone }) => cell(text(row), width, tone));
  const label = row.label === null ? [] : [cell(`[${row.label}]`, 0, 'good')];
  const shown = view.format === 'text' ? cells : cells.filter(({ text }) => text !== '');
  return { kind: 'row', cells: [...graphCell(graph, layout), ...shown, ...label, cell(row.preview)] };
}

function graphCell(graph: string, { graphCells }: LogLayout): readonly Cell[] {
  return graphCells === 0 ? [] : [cell(graph, graphCells, 'faint')];
}

interface LogColumn {
  readonly title: string;
  /** Negative: aligned to the right. */
  readonly width: number;
  readonly tone: Tone;
  /** The column is left out where the line has fewer cells. */
  readonly from: number;
  text(row: LogRow): string;
}

/** Each costs two cells more than it is wide, and what is left goes to the preview: some 30 of 80 cells. */
function columnsFor({ isShort, lineDigits, graphCells }: LogLayout, { columns }: View): readonly LogColumn[] {
  const cells = graphCells === 0 ? columns : columns - graphCells - 2;
  const all = isShort ? [ID, NAME] : [lineColumn(lineDigits), ID, NAME, ...NUMBERS];
  return all.filter(({ from }) => cells >= from);
}

/** As wide as `branch_summary`; longer names are cut, so that the columns stay in line. */
const NAME_CELLS = 14;

const ID: LogColumn = { title: 'entry', width: 8, tone: 'id', from: 0, text: ({ entryId }) => entryId ?? '' };
const NAME: LogColumn = { title: 'name', width: NAME_CELLS, tone: 'plain', from: 0, text: shortName };

function shortName({ name }: LogRow): string {
  return name.length <= NAME_CELLS ? name : `${name.slice(0, NAME_CELLS - 1)}…`;
}

function lineColumn(digits: number): LogColumn {
  return { title: 'line', width: -Math.max(4, digits), tone: 'faint', from: 50, text: ({ line }) => String(line) };
}

/** What stands behind `~` is estimated. */
const NUMBERS: readonly LogColumn[] = [
  { title: '~tokens', width: -7, tone: 'plain', from: 60, text: ({ tokens }) => counted(tokens) },
  { title: '~context', width: -8, tone: 'plain', from: 70, text: ({ contextTokens }) => counted(contextTokens) },
  { title: 'recorded', width: -8, tone: 'plain', from: 90, text: ({ usage }) => counted(usage && usage.total) },
  { title: 'cost', width: -7, tone: 'plain', from: 100, text: ({ usage }) => dollars(usage && usage.cost) },
  { title: 'time (UTC)', width: 16, tone: 'faint', from: 110, text: ({ time }) => minute(time) },
];

function counted(value: number | null): string {
  return value === null ? '' : count(value);
}

function dollars(value: number | null): string {
  return value === null ? '' : `$${value.toFixed(value < 10 ? 4 : 2)}`;
}

function minute(time: string | null): string {
  return time === null ? '' : time.slice(0, 16).replace('T', ' ');
}
