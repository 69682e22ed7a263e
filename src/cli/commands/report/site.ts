import path from 'node:path';
import type { IndexedSession, IndexReport, SessionFigures } from '#analysis/report/document.js';
import { ReportReader } from '#analysis/report/report-reader.js';
import type { StreamedReport } from '#analysis/report/session-report.js';
import type { UsageDocument } from '#analysis/stats/document.js';
import { countUnpricedCalls, toUsageDocument } from '#analysis/stats/usage-sums.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { sumNumbers } from '#base/lists.js';
import { isInPeriod, type Period } from '#base/time.js';
import { VERSION } from '#base/version.js';
import { findSessions, type FoundSession, type FoundSessions } from '#cli/sessions/find-sessions.js';
import type { SessionSummary } from '#cli/sessions/jobs/summarize-session.js';
import { buildNoneNamedError } from '#cli/sessions/named-files.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { summarizeSessions } from '#cli/sessions/summarize-sessions.js';
import { formatModel } from '#context/models/model-name.js';
import { openForCommand, type OpenSession, withSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { toContentName } from '#session/scan/compression.js';
import { groupFamilies, listFamilyFiles, sumFamilyBytes } from '../../sessions/families.js';
import { runJobsOrThrow } from '../../sessions/parallel.js';

/**
 * The sessions of Pi and other agents in a folder whose last entry is in a period, the newest first. Throws a CtxError
 * (input) without any.
 */
export async function indexSessions(io: Io, folder: string, period: Period = {}): Promise<IndexReport> {
  const found = isAllSessions(io, folder) ? await findListedSessions(io, folder) : await findSessions(io, folder);
  const files = found.sessions
    .filter(({ at }) => isInPeriod(at, period))
    .toSorted((a, b) => b.at - a.at || (a.file < b.file ? -1 : 1));
  if (found.sessions.length === 0)
    throw new CtxError('input', 'no session in this folder', { where: folder, hint: 'name another one, or a session' });
  if (files.length === 0) throw buildNoneNamedError(folder);

  const sessions: IndexedSession[] = [];
  const unreadable: (readonly [string, string])[] = found.unreadable.map((name) => [name, 'cannot be read'] as const);
  for await (const batch of summarizeSessions(io, files, { model: undefined, most: undefined })) {
    for (const { file, result } of batch) {
      if (result.ok) sessions.push(toIndexedSession(file, result.output));
      else unreadable.push([file.file, result.error]);
    }
  }
  const sized = sessions.map((session) => ({ ...session, size: session.bytes }));
  return {
    kind: 'index',
    version: VERSION,
    folder: isAllSessions(io, folder) ? folder : path.resolve(io.cwd, folder),
    ...(await sumCosts(io, sized)),
    sessions,
    unreadable,
  };
}

function toIndexedSession(found: FoundSession, summary: SessionSummary): IndexedSession {
  const { id, title, cwd, entries, cost, costListed, problems, contextTokens } = summary;
  return {
    file: found.file,
    id,
    title,
    cwd,
    modified: found.at,
    bytes: found.size,
    entries,
    cost,
    costListed,
    problems,
    model: formatModel(summary.model),
    contextTokens,
    isContextRecorded: summary.contextTokensSource === 'recorded',
  };
}

/** Tests whether a name means the sessions of all agents, or of one. */
export function isAllSessions({ files }: Pick<Io, 'files'>, name: string): boolean {
  return /^all(?::|$)/.test(name) && !files.exists(name);
}

async function findListedSessions(io: Io, name: string): Promise<Pick<FoundSessions, 'sessions' | 'unreadable'>> {
  const { findAllSessions } = await import('#cli/sessions/agent-sessions.js');
  return {
    sessions: await findAllSessions(io, name === 'all' ? undefined : name.slice('all:'.length)),
    unreadable: [],
  };
}

export function warnOfUnreadable({ unreadable }: IndexReport): readonly Problem[] {
  return unreadable.map(([file, why]) => buildWarning('unreadable-session', `${file}: ${why}`));
}

/** Makes and writes the pages of a site. */
export interface SiteWork {
  dataOf(session: OpenSession): Promise<StreamedReport>;
  /** Writes a page. Returns its size in bytes. */
  write(file: string, data: StreamedReport | IndexReport): Promise<number>;
}

/** A site, as it was written. */
interface WrittenSite {
  readonly index: IndexReport;
  /** The page that lists the sessions. */
  readonly first: string;
  readonly bytes: number;
}

/** Writes a page of each session, one at a time, and then the page that lists them: the first one. */
export async function writeSite(io: Io, output: string, index: IndexReport, work: SiteWork): Promise<WrittenSite> {
  await io.files.makeFolder(output);
  await using progress = startProgress(io, index.sessions.length, 'sessions');
  const names = choosePageNames(index.sessions);
  const sessions: IndexedSession[] = [];
  const unreadable = [...index.unreadable];
  let bytes = 0;
  for (const [at, listed] of index.sessions.entries()) {
    const page = names[at] ?? '';
    try {
      await withSession(openForCommand(io, listed.file), async (session) => {
        const data = await work.dataOf(session);
        bytes += await work.write(path.join(output, page), { ...data, home: HOME });
        sessions.push({ ...listed, page, figures: sumFigures(data) });
      });
    } catch (error) {
      if (!(error instanceof CtxError) || error.kind !== 'input') throw error;
      sessions.push(listed);
      unreadable.push([listed.file, error.message]);
    }
    progress.step();
  }
  const complete = { ...index, sessions, unreadable };
  const first = path.join(output, HOME);
  return { index: complete, first, bytes: bytes + (await work.write(first, complete)) };
}

/** The first page of a site. */
const HOME = 'index.html';

/** A page name for each session, from the name of its file. No two are equal, in any case of letters. */
export function choosePageNames(sessions: readonly Pick<IndexedSession, 'file'>[]): readonly string[] {
  // The largest number of each name in lower case; 1 for a name without a number.
  const taken = new Map([['index', 1]]);
  return sessions.map(({ file }) => {
    const stem = buildFileStem(file).replaceAll(/[^\w.-]/g, '_');
    let nth = (taken.get(stem.toLowerCase()) ?? 0) + 1;
    while (nth > 1 && taken.has(`${stem}-${nth}`.toLowerCase())) nth += 1;
    taken.set(stem.toLowerCase(), nth);
    if (nth === 1) return `${stem}.html`;
    taken.set(`${stem}-${nth}`.toLowerCase(), 1);
    return `${stem}-${nth}.html`;
  });
}

/** The name of a session's file without its ending; `session` for standard input. */
export function buildFileStem(file: string): string {
  return file === '-' ? 'session' : path.basename(toContentName(file)).replace(/\.jsonl?$/, '');
}

/** The sums of a session, as the charts of its own page add up to them. */
function sumFigures(data: StreamedReport): SessionFigures {
  // The sums need no texts.
  const entries = { ...data.entries, ids: [], lines: [], times: [], sizes: [], order: [], forks: [] };
  const report = new ReportReader({ ...data, entries, messages: [], drawn: [] });
  const sums = [0, 0, 0];
  for (const prompt of report.sizes.prompts())
    for (const [at, tokens] of prompt.entries()) sums[at] = (sums[at] ?? 0) + tokens;
  return {
    first: data.first,
    context: report.sizes.byKind(data.requests.onPath - 1),
    prompts: sums,
    unpricedCalls: countUnpricedCalls(data.cost.usageRecordedByModel),
  };
}

type Costs = Pick<UsageDocument, 'cost' | 'costListed'>;

/** The cost of several sessions together, as `ctx stats` has it: entries that forks share count once. */
async function sumCosts(io: Io, sessions: readonly (Costs & NamedFile)[]): Promise<Costs> {
  const families = await groupFamilies(io, sessions);
  const forked = families.filter(({ length }) => length > 1);
  const files = new Set(forked.flatMap(listFamilyFiles));
  const costs: Costs[] = sessions.filter(({ file }) => !files.has(file));
  const inputs = forked.map((family) => ({ files: listFamilyFiles(family) }));
  const sizes = forked.map(sumFamilyBytes);
  for await (const output of runJobsOrThrow(io, { job: 'usage', inputs, sizes, isRemembered: true, isLight: true })) {
    for (const result of output) {
      if (result.ok) costs.push(toUsageDocument(result.stats.usage));
    }
  }
  return { cost: sumKnown(costs, 'cost'), costListed: sumKnown(costs, 'costListed') };
}

/** The sum of the costs that are known; null if none is. */
function sumKnown(costs: readonly Costs[], key: keyof Costs): number | null {
  const known = costs.flatMap((cost) => cost[key] ?? []);
  return known.length === 0 ? null : sumNumbers(known);
}
