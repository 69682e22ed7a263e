import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatShortAge } from '#base/duration.js';
import { memoizeLast } from '#base/memoize.js';
import { formatBytes, formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import type { SessionSummary } from '#cli/sessions/jobs/summarize-session.js';
import { formatModel } from '#context/models/model-name.js';
import { type Block, cell, type Doc, listingRow, type Span, span } from '#ui/doc/doc.js';
import { buildRowCells, buildTitleCells, fitColumns, type ListingColumn, measureColumns } from '#ui/doc/listing.js';
import type { View } from '#ui/doc/renderer.js';
import { loadRuler, type Ruler } from '#ui/doc/ruler.js';
import { COLUMN_GAP } from '#ui/doc/text-line.js';

/** A session as a listing shows it. */
export interface LsRow extends Omit<SessionSummary, 'cwd'> {
  /** The name of the session on the command line, which is never cut. */
  readonly handle: string;
  readonly file: string;
  /** The working directory, with `~` for the home folder. */
  readonly cwd: string;
  /** Milliseconds. */
  readonly age: number;
  readonly size: number;
  /** The number of listed ancestors that it was forked from. */
  readonly depth: number;
  /** The handle of the session that it was forked from; null if that is not listed. */
  readonly origin: string | null;
  /** The number of listed subagents that it started. */
  readonly subagents: number;
}

/** The widths that all rows share, known before the first one. */
export interface LsLayout {
  /** The distinct widths of the handles. */
  readonly handleCells: readonly number[];
  readonly cwdCells: number;
  readonly entriesCells: number;
  /** 0 if one agent wrote all of them. */
  readonly agentCells: number;
  readonly ruler: Ruler;
}

/** No entry is written in less. */
const FEWEST_BYTES_OF_ENTRY = 20;

/** Computes the widths of columns from the file list alone. */
export async function measureLsLayout(
  rows: readonly Pick<LsRow, 'handle' | 'cwd' | 'size' | 'agent'>[],
): Promise<LsLayout> {
  const agents = new Set(rows.map(titleAgent));
  const handles = rows.map(({ handle }) => toVisibleLine(handle));
  const cwds = [...new Set(rows.map(({ cwd }) => toVisibleLine(cwd)))];
  const ruler = await loadRuler([...handles, ...cwds]);
  const largest = rows.reduce((most, { size }) => Math.max(most, size), 0);
  return {
    handleCells: [...new Set(handles.map((handle) => ruler.widthOf(handle)))],
    cwdCells: cwds.reduce((most, cwd) => Math.max(most, ruler.widthOf(cwd)), 'cwd'.length),
    entriesCells: Math.max('entries'.length, formatCount(largest / FEWEST_BYTES_OF_ENTRY).length),
    agentCells: agents.size < 2 ? 0 : Math.max(...[...agents, 'agent'].map(({ length }) => length)),
    ruler,
  };
}

/** A session in the listing, with the columns that fit. */
export function renderLsRow(session: LsRow, layout: LsLayout, view: View): Doc {
  if (view.format === 'markdown') return [renderLsItem(session)];
  const [first = cell(''), ...others] = buildRowCells(columnsFor(layout)(view.columns), session);
  const handle = { ...first, file: session.file };
  const branch = session.depth === 0 ? '' : `${'  '.repeat(Math.min(session.depth, DEEPEST) - 1)}└─ `;
  const rest = [...others, cell(branch + describeSubagents(session) + session.title)];
  if (layout.ruler.widthOf(handle.text) <= handle.width) return [listingRow([handle, ...rest])];
  // A long handle has its own line, so the columns stay aligned.
  return [{ kind: 'whole', text: handle.text }, listingRow([cell('', handle.width), ...rest])];
}

/** Marks a session that another one started, and one that started others. */
function describeSubagents({ isSubagent, subagents }: LsRow): string {
  const own = isSubagent ? ['subagent'] : [];
  const marks = [...own, ...(subagents === 0 ? [] : [pluralize(subagents, 'subagent')])];
  return marks.length === 0 ? '' : `(${marks.join(', ')}) `;
}

/** The titles of the columns. */
export function renderLsHeading(layout: LsLayout, view: View): Doc {
  if (view.format !== 'text') return [];
  return [listingRow([...buildTitleCells(columnsFor(layout)(view.columns)), cell('name', 0, 'faint')])];
}

/** An item of a Markdown list, which names each number. */
function renderLsItem(row: LsRow): Block {
  const facts = [
    `${formatShortAge(row.age)} old`,
    ...(row.agent === undefined ? [] : [row.agent]),
    formatBytes(row.size),
    pluralize(row.entries, 'entry', 'entries'),
    formatRowModel(row),
    `${estimateMark(row)}${pluralize(row.contextTokens, 'token')}`,
    describeUsageCost(row, ''),
    row.cwd,
  ];
  const origin: readonly Span[] =
    row.origin === null ? [] : [span(row.isSubagent ? ', subagent of ' : ', forked from '), span(row.origin, 'id')];
  const details = span(`, ${facts.filter((fact) => fact !== '').join(', ')}`);
  return {
    kind: 'bullets',
    items: [[span(row.title.trim(), 'strong'), span(' — '), span(row.handle, 'id'), details, ...origin]],
  };
}

type LsColumn = ListingColumn<LsRow>;

/** The columns that give way on a narrow line, the last one first. The session's handle and name never do. */
const USUAL_COLUMNS = ['age', 'tokens', 'cost', 'agent', 'size'] as const;
/** Columns that give way before those, and sooner: the name keeps a good width. */
const FURTHER_COLUMNS = ['model', 'entries', 'cwd'] as const;
const BY_IMPORTANCE: readonly string[] = [...USUAL_COLUMNS, ...FURTHER_COLUMNS];

/** A column before its title decides when it gives way. */
interface UnrankedColumn extends Omit<LsColumn, 'title' | 'rank'> {
  readonly title: 'session' | (typeof USUAL_COLUMNS)[number] | (typeof FURTHER_COLUMNS)[number];
}

/** Forks of forks further down are not indented more. */
const DEEPEST = 6;
const FEWEST_CELLS_OF_NAME = 19;
/** The width of `~$0.0123`. */
const CELLS_OF_COST = 8;
/** Age, tokens, cost and the shortest name, with their gaps: a longer handle has its own line. */
const CELLS_BESIDE_HANDLE = 4 + 6 + CELLS_OF_COST + FEWEST_CELLS_OF_NAME + 4 * COLUMN_GAP;
/** The width of the name below which further columns are left out. */
const GOOD_CELLS_OF_NAME = 35;
const CELLS_OF_MODEL = 20;
const CELLS_OF_PROVIDER = 16;
const CELLS_OF_CWD = 20;

/** The columns that fit into a width, which all rows share. */
const columnsFor = memoizeLast((layout: LsLayout) => memoizeLast((columns: number) => chooseColumns(layout, columns)));

function chooseColumns(layout: LsLayout, columns: number): readonly LsColumn[] {
  const usual = buildColumns(layout, { columns, spare: 0 });
  const leastNameCells = (rank: number): number =>
    rank <= USUAL_COLUMNS.length ? FEWEST_CELLS_OF_NAME : GOOD_CELLS_OF_NAME;
  const fitting = fitColumns(usual, columns, leastNameCells);
  const spare = Math.max(0, columns - measureColumns(fitting) - GOOD_CELLS_OF_NAME);
  const titles = new Set(fitting.map(({ title }) => title));
  return buildColumns(layout, { columns, spare }).filter(({ title }) => titles.has(title));
}

/** All columns; `spare` is what some of them can have beyond their usual width. */
function buildColumns(
  layout: LsLayout,
  room: { readonly columns: number; readonly spare: number },
): readonly LsColumn[] {
  const { ruler, cwdCells, entriesCells, agentCells, handleCells } = layout;
  // A handle that leaves no room for the agent has its own line.
  const besides = CELLS_BESIDE_HANDLE + (agentCells === 0 ? 0 : agentCells + COLUMN_GAP);
  const widest = Math.max(room.columns - besides, Math.floor(room.columns / 3));
  const handle = handleCells.reduce(
    (most, cells) => (cells <= widest ? Math.max(most, cells) : most),
    'session'.length,
  );
  const model = CELLS_OF_MODEL + Math.min(CELLS_OF_PROVIDER, room.spare);
  const cwd = Math.min(cwdCells, CELLS_OF_CWD + Math.floor(Math.max(0, room.spare - CELLS_OF_PROVIDER) / 2));
  const isLimited = Number.isFinite(room.columns);
  const formatFittingModel = (row: LsRow): string =>
    !isLimited || ruler.widthOf(formatRowModel(row)) <= model
      ? formatRowModel(row)
      : ruler.cutTo(row.model?.modelId ?? '', model);
  const agent: UnrankedColumn = { title: 'agent', width: agentCells, tone: 'faint', text: titleAgent };
  const all: readonly UnrankedColumn[] = [
    { title: 'session', width: handle, tone: 'id', text: (row) => toVisibleLine(row.handle) },
    ...(agentCells === 0 ? [] : [agent]),
    { title: 'age', width: -4, tone: 'faint', text: ({ age }) => formatShortAge(age) },
    { title: 'size', width: -6, tone: 'faint', text: ({ size }) => formatBytes(size) },
    { title: 'entries', width: -entriesCells, tone: 'faint', text: ({ entries }) => formatCount(entries) },
    { title: 'tokens', width: -6, tone: 'plain', text: formatTokens },
    { title: 'cost', width: -CELLS_OF_COST, tone: 'plain', text: (row) => describeUsageCost(row, '') },
    { title: 'model', width: model, tone: 'faint', text: formatFittingModel },
    { title: 'cwd', width: cwd, tone: 'faint', text: (row) => cutStart(toVisibleLine(row.cwd), cwd, ruler) },
  ];
  return all.map((column) => ({ ...column, rank: BY_IMPORTANCE.indexOf(column.title) + 1 }));
}

function titleAgent({ agent = 'pi' }: Pick<LsRow, 'agent'>): string {
  return agent;
}

function formatRowModel({ model }: LsRow): string {
  return model === null ? '' : formatModel(model);
}

function formatTokens(row: LsRow): string {
  return `${estimateMark(row)}${formatShortCount(row.contextTokens)}`;
}

function estimateMark({ contextTokensSource }: LsRow): string {
  return contextTokensSource === 'estimated' ? '~' : '';
}

/** The end of a path identifies it better than its beginning. */
function cutStart(text: string, cells: number, ruler: Ruler): string {
  if (ruler.widthOf(text) <= cells) return text;
  let end = text.slice(1 - cells);
  while (ruler.widthOf(end) >= cells) end = end.slice(1);
  return `…${end.replace(/^[\udc00-\udfff]/, '')}`;
}
