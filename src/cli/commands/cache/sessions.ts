import { formatBreakClass } from '#analysis/cache/break-classes.js';
import { writeBugReport } from '#analysis/cache/bug-report.js';
import { describeRebilledCost, isCostListed } from '#analysis/cache/rebilled.js';
import type { SessionMisses } from '#analysis/cache/session-misses.js';
import type { CacheSessions, MissSums } from '#analysis/cache/sessions-document.js';
import { sumSessions } from '#analysis/cache/sum-sessions.js';
import { LISTED_PRICES_NOTE } from '#base/dollars.js';
import { CtxError } from '#base/errors.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { VERSION } from '#base/version.js';
import { groupFamilies, listFamilyFiles, sumFamilyBytes } from '#cli/sessions/families.js';
import { listFileWarnings, listUnreadable } from '#cli/sessions/file-result.js';
import { formatFolder } from '#cli/sessions/folders.js';
import type { CacheMissesInput, CacheMissesResult } from '#cli/sessions/jobs/cache-misses.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { runJobsOrThrow } from '#cli/sessions/parallel.js';
import { startProgress } from '#cli/sessions/progress.js';
import { isListedModel } from '#context/models/registry.js';
import type { Io } from '#platform/io.js';
import { AGENTS } from '#session/agents/index.js';
import { type Doc, flexible, gap, line, right, type Span, span, table } from '#ui/doc/doc.js';
import type { Outcome, OutcomeEnd } from '../define.js';
import { renderCauseNotes } from './cause-notes.js';

interface ManyInput {
  readonly io: Io;
  readonly flags: { readonly report?: boolean | undefined };
}

/** Sums up the cache breaks of the sessions that a name means. */
export async function sumUpMisses(
  { io, flags }: ManyInput,
  name: string,
  how: Omit<CacheMissesInput, 'files'>,
): Promise<Outcome> {
  const files = await findNamedFiles(io, [name]);
  const families = await groupFamilies(io, files);
  const sizes = families.map(sumFamilyBytes);
  const inputs = families.map((family) => ({ files: listFamilyFiles(family), ...how }));
  await using progress = startProgress(io, families.length, 'families of sessions');
  const results: CacheMissesResult[] = [];
  const batch = { job: 'cache', inputs, sizes, isRemembered: true, onDone: () => progress.step() } as const;
  for await (const output of runJobsOrThrow(io, batch)) results.push(...output);
  const unreadable = listUnreadable(results);
  const counted = results.flatMap((result) => (result.ok ? [result.misses] : []));
  if (counted.length === 0) throw new CtxError('input', 'no session could be read', { where: name });
  const damaged = results.flatMap((result) => (result.ok && result.isDamaged ? [result.file] : []));
  const end = { problems: listFileWarnings(unreadable, damaged) };
  if (flags.report) return toReport(counted, end);
  const data = sumSessions(counted, unreadable);
  return {
    kind: 'single',
    item: { data, doc: ({ columns }) => renderSessions(data, (cwd) => cutFolder(formatFolder(io, cwd), columns)) },
    ...end,
  };
}

/** The paragraphs of `--report`. */
export function toReport(misses: readonly SessionMisses[], end: OutcomeEnd): Outcome {
  const agents = new Set(['pi', ...AGENTS.map(({ name }) => name)]);
  const lines = writeBugReport(misses, { version: VERSION, isListedModel, agents });
  const doc = (): Doc => lines.map((text) => (text === '' ? gap : { kind: 'whole', text }));
  return { kind: 'single', item: { data: null, doc }, ...end };
}

const MOST_ROWS = 12;

/** The breaks of many sessions: what they cost, by cause, client, day and project. */
function renderSessions(data: CacheSessions, nameFolder: (cwd: string) => string): Doc {
  const { sessions, requests, breaks, unexplained, promptTokens, cacheRead } = data;
  const notes = [data, ...data.byClass].some(isCostListed) ? [line(span(`  ${LISTED_PRICES_NOTE}`, 'faint'))] : [];
  return [
    line(
      span(pluralize(sessions, 'session'), 'strong'),
      `, ${pluralize(requests, 'request')}, ${pluralize(breaks, 'break')}, ${formatCount(unexplained)} without a cause`,
    ),
    line(`cached ${formatPercent(cacheRead, promptTokens)} of ${formatCount(promptTokens)} prompt tokens`),
    ...renderCauses(data),
    ...notes,
    ...renderCauseNotes(data.byClass.map((row) => row.class)),
    ...renderRequests(
      'client',
      data.byClient.map((row) => ({ name: row.client, sums: row })),
    ),
    ...renderRequests(
      'day',
      data.byDay.map((row) => ({ name: row.day ?? 'unknown', sums: row })),
    ),
    ...renderRequests(
      'project',
      data.byProject.map((row) => ({ name: row.project === null ? 'unknown' : nameFolder(row.project), sums: row })),
    ),
    ...(breaks === 0
      ? []
      : [gap, line(span('for a bug report: --report; of one session: ctx cache SESSION', 'faint'))]),
  ];
}

/** The cells of the columns of numbers. */
const NUMBER_CELLS = 60;
const LEAST_FOLDER_CELLS = 16;

/** A folder cut at its beginning, since folders differ at their ends. */
function cutFolder(folder: string, columns: number): string {
  const most = Math.max(LEAST_FOLDER_CELLS, columns - NUMBER_CELLS);
  return folder.length <= most ? folder : `…${folder.slice(1 - most)}`;
}

/** A row of a table of sums. */
interface SumRow {
  readonly name: string;
  readonly sums: MissSums;
}

/** The breaks by cause, with their total. A cause has no requests of its own. */
function renderCauses(data: CacheSessions): Doc {
  const rows = data.byClass.map((row): SumRow => ({ name: formatBreakClass(row.class), sums: row }));
  if (rows.length === 0) return [];
  const shown = dropWithoutBreaks(rows).slice(0, MOST_ROWS);
  const columns = [flexible('cause'), ...['breaks', 're-billed', 'cost'].map(right)];
  const cells = [...shown, { name: 'total', sums: data }].map(buildCauseRow);
  return [gap, table(columns, cells), ...renderMore(rows.length - shown.length)];
}

function buildCauseRow({ name, sums }: SumRow): readonly Span[] {
  return [span(name, 'warning'), span(formatCount(sums.breaks)), ...renderPrice(sums)];
}

/** The requests and breaks by client, day or project: of many days and versions, the last ones. */
function renderRequests(title: 'client' | 'day' | 'project', rows: readonly SumRow[]): Doc {
  if (rows.length === 0) return [];
  const broken = dropWithoutBreaks(rows);
  const shown = title === 'project' ? broken.slice(0, MOST_ROWS) : broken.slice(-MOST_ROWS);
  const numbers = ['requests', 'cached', 'breaks', 'no cause', 're-billed', 'cost'];
  const cells = shown.map(({ name, sums }): readonly Span[] => [
    span(name, 'strong'),
    span(formatCount(sums.requests)),
    span(formatPercent(sums.cacheRead, sums.promptTokens)),
    span(formatCount(sums.breaks)),
    span(formatCount(sums.unexplained)),
    ...renderPrice(sums),
  ]);
  return [gap, table([flexible(title), ...numbers.map(right)], cells), ...renderMore(rows.length - shown.length)];
}

/** Drops the rows without breaks where there are many rows. */
function dropWithoutBreaks(rows: readonly SumRow[]): readonly SumRow[] {
  return rows.length > MOST_ROWS ? rows.filter(({ sums }) => sums.breaks > 0) : rows;
}

/** The re-billed tokens, and what they cost. */
function renderPrice(sums: MissSums): readonly Span[] {
  return [span(formatCount(sums.rebilledTokens)), span(describeRebilledCost(sums, '?'), 'faint')];
}

function renderMore(more: number): Doc {
  return more > 0 ? [line(span(`  … ${formatCount(more)} more: --json lists all`, 'faint'))] : [];
}
