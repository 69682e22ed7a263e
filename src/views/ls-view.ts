import type { View } from '../render/define.js';
import { type Block, cell, type Doc, type Tone } from '../render/doc.js';
import { shortCount } from './format.js';

/** A session as a listing shows it. */
export interface LsRow {
  readonly handle: string;
  readonly title: string;
  readonly cwd: string;
  /** Milliseconds. */
  readonly age: number;
  readonly size: number;
  readonly entries: number;
  readonly model: string;
  readonly contextTokens: number;
  readonly isEstimated: boolean;
  /** In dollars. */
  readonly cost: number | null;
  /** How many of the sessions above it that it was forked from are listed. */
  readonly depth: number;
}

/** What is known of all rows before the first one. */
export interface LsLayout {
  /** Handles are ids, of which nothing may be missing; else they are paths. */
  readonly hasIds: boolean;
  readonly handleCells: number;
  readonly cwdCells: number;
}

/** A row of the listing, with the columns that there is room for. */
export function lsRow(row: LsRow, layout: LsLayout, view: View): Block {
  const cells = columnsFor(layout, view).map(({ width, tone, text }) => cell(text(row), width, tone));
  const branch = row.depth === 0 ? '' : `${'  '.repeat(Math.min(row.depth, DEEPEST) - 1)}└─ `;
  return { kind: 'row', cells: [...cells, cell(branch + row.title)] };
}

/** What the columns are called. */
export function lsHeading(layout: LsLayout, view: View): Doc {
  if (view.format !== 'text') return [];
  const cells = columnsFor(layout, view).map(({ title, width }) => cell(title, width, 'faint'));
  return [{ kind: 'row', cells: [...cells, cell('name', 0, 'faint')] }];
}

interface LsColumn {
  readonly title: string;
  /** As of a cell: negative aligns to the right. */
  readonly width: number;
  /** The higher, the sooner it gives way. */
  readonly rank: number;
  readonly tone: Tone;
  text(row: LsRow): string;
}

/** Forks of forks further down are not indented more. */
const DEEPEST = 6;
const GAP = 2;
const FEWEST_CELLS_OF_NAME = 24;
const CELLS_OF_MODEL = 20;

function columnsFor(layout: LsLayout, { columns }: View): readonly LsColumn[] {
  const all = allColumns(layout, columns);
  const kept = new Set<LsColumn>();
  let left = columns - FEWEST_CELLS_OF_NAME;
  for (const column of all.toSorted((a, b) => a.rank - b.rank)) {
    left -= Math.abs(column.width) + GAP;
    // The handle is what every row is there for.
    if (left < 0 && column.rank > 0) break;
    kept.add(column);
  }
  return all.filter((column) => kept.has(column));
}

function allColumns({ hasIds, handleCells, cwdCells }: LsLayout, columns: number): readonly LsColumn[] {
  const handle = Math.max('session'.length, Math.min(handleCells, Math.floor(columns / 3)));
  const cwd = Math.max('cwd'.length, Math.min(cwdCells, Math.floor(columns / 8) + 6));
  const handleText = (row: LsRow): string => (hasIds ? row.handle : endOf(row.handle, handle));
  return [
    { title: 'session', width: handle, rank: 0, tone: 'id', text: handleText },
    { title: 'age', width: -4, rank: 1, tone: 'faint', text: ({ age }) => shortAge(age) },
    { title: 'size', width: -5, rank: 6, tone: 'faint', text: ({ size }) => shortSize(size) },
    { title: 'entries', width: -7, rank: 7, tone: 'faint', text: ({ entries }) => shortCount(entries) },
    { title: 'tokens', width: -6, rank: 2, tone: 'plain', text: tokensText },
    { title: 'cost', width: -7, rank: 3, tone: 'plain', text: ({ cost }) => (cost === null ? '' : shortCost(cost)) },
    { title: 'model', width: CELLS_OF_MODEL, rank: 5, tone: 'faint', text: ({ model }) => cut(model, CELLS_OF_MODEL) },
    { title: 'cwd', width: cwd, rank: 4, tone: 'faint', text: (row) => endOf(row.cwd, cwd) },
  ];
}

function tokensText({ contextTokens, isEstimated }: LsRow): string {
  return `${isEstimated ? '~' : ''}${shortCount(contextTokens)}`;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The largest unit that is full: 12s, 5m, 3h, 40d, 2y. */
function shortAge(age: number): string {
  if (age < MINUTE) return `${Math.max(0, Math.floor(age / 1000))}s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`;
  if (age < DAY) return `${Math.floor(age / HOUR)}h`;
  if (age < 365 * DAY) return `${Math.floor(age / DAY)}d`;
  return `${Math.floor(age / (365 * DAY))}y`;
}

/** Bytes, in units of 1000: 812, 1.2k, 48M, 1.0G. */
function shortSize(bytes: number): string {
  return bytes < 999_500_000 ? shortCount(bytes) : `${(bytes / 1e9).toFixed(1)}G`;
}

function shortCost(dollars: number): string {
  if (dollars > 0 && dollars < 0.005) return '<$0.01';
  return dollars < 1000 ? `$${dollars.toFixed(2)}` : `$${shortCount(Math.round(dollars))}`;
}

function cut(text: string, cells: number): string {
  return text.length <= cells ? text : `${text.slice(0, cells - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The end of a path says more than its beginning. */
function endOf(text: string, cells: number): string {
  return text.length <= cells ? text : `…${text.slice(1 - cells).replace(/^[\udc00-\udfff]/, '')}`;
}
