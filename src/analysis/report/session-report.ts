import { formatCount } from '#base/numbers.js';
import { toLenient } from '#context/lenient.js';
import { buildPriceList } from '#context/models/registry.js';
import { buildOverview } from '#context/replay/build-envelope.js';
import type { ContextWindow } from '#context/size/window.js';
import type { PathSource } from '#context/walk.js';
import { describeUnseen } from '#context/words/describe-unseen.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { DEFAULT_CACHE_OPTIONS } from '../cache/options.js';
import { reportCache } from '../cache/report-cache.js';
import { listCompositionRows } from '../composition/rows.js';
import type { StatsDocument } from '../stats/document.js';
import { buildCacheData } from './cache-data.js';
import { buildConversation, drawEntries } from './conversation.js';
import type { CostData, ReportMessage, SessionReport } from './document.js';
import { listLosses } from './loss-data.js';
import { MessageForms } from './message-forms.js';
import { MessagePool } from './message-pool.js';
import { Numbering } from './numbering.js';
import { findLengthLimit } from './page-blocks.js';
import { PreamblePool } from './preamble-pool.js';
import { readEntries, type StreamedEntries } from './report-entries.js';
import { listReportMessages } from './report-messages.js';
import { buildRequestColumns } from './request-columns.js';

export interface ReportSource extends PathSource {
  /** The context window of the model at the end of the path. */
  readonly window: ContextWindow;
  /** The approximate maximum bytes of all texts together. */
  readonly limitBytes: number;
  /** Whether the page shows the images of messages. */
  readonly hasImages: boolean;
  readonly version: string;
  /** Called when one of `WORK_PARTS` parts of the work is done. */
  readonly onPart: () => void;
}

/** A session's page before it is written: its messages are made one by one as they are written. */
export interface StreamedReport extends Omit<SessionReport, 'messages' | 'entries'> {
  readonly messages: Iterable<ReportMessage>;
  readonly entries: StreamedEntries;
}

export const WORK_PARTS = 4;

/** The approximate bytes of a line without its texts. */
const BESIDE_TEXTS = 300;

/** Builds the data of a session's page. */
export function buildSessionReport(source: ReportSource): StreamedReport {
  const { session, baseline, path, hasImages, onPart } = source;
  const doPart = <Part>(work: () => Part): Part => {
    const part = work();
    onPart();
    return part;
  };
  const longest = findLongestText(source);
  const findLimit = buildLimit(longest);
  const words = new Numbering<string>();
  const pool = new MessagePool();
  const pieces = new PreamblePool(longest);

  const { entries, models, counted, stats } = doPart(() => readEntries(session, baseline, { pool, words, findLimit }));
  const stored = entries.messages;
  const forms = new MessageForms({ session, pool, stored, findLimit });
  const requests = doPart(() =>
    buildRequestColumns({ ...source, pool, forms, pieces, stored, words, models, counted, findLimit }),
  );
  const { problems, size, holds, cache } = doPart(() => describePath(source, forms));
  const losses = doPart(() => listLosses({ session, path, stored, findLimit }));

  const conversation = { session, path, baseline, findLimit, hasImages };
  return {
    kind: 'session',
    ...describeSession(source, stats),
    problems,
    size,
    holds,
    isPreambleKnown: stats.sessions[0]?.preambleKnown ?? false,
    textLimit: pool.isCut || entries.others.some(([, , json]) => typeof json !== 'string') ? longest : null,
    entries: { ...entries, path: path.map(({ index }) => index) },
    requests,
    cache,
    losses,
    cost: buildCostData(stats, (line) => findHeadAtLine(session, line)?.index ?? -1),
    messages: listReportMessages({ session, stored, findLimit, tokens: pool.tokens, changed: pool.changed }),
    parts: pieces.parts.values,
    tools: pieces.tools.values,
    preambles: pieces.preambles.values,
    words: words.values,
    conversation: buildConversation(conversation),
    drawn: drawEntries(conversation),
  };
}

/** The longest text that is kept whole, so that all texts together fit. */
function findLongestText({ session, limitBytes }: ReportSource): number {
  const { heads } = session.tree;
  const lengthAt = (index: number): number => Math.max(0, heads.lengthAt(index) - BESIDE_TEXTS);
  return findLengthLimit(
    Float64Array.from({ length: heads.length }, (_, index) => lengthAt(index)),
    limitBytes,
  );
}

/** A function of its own: a closure beside others keeps what they use, and this one is kept while a page is written. */
function buildLimit(longest: number): (bytes: number) => number {
  // The texts of a short line cannot be too long.
  return (bytes) => (bytes - BESIDE_TEXTS <= longest ? Infinity : longest);
}

type SessionDescription = Pick<
  SessionReport,
  | 'version'
  | 'file'
  | 'id'
  | 'title'
  | 'cwd'
  | 'sessionVersion'
  | 'agent'
  | 'bytes'
  | 'first'
  | 'last'
  | 'end'
  | 'window'
>;

function describeSession({ session, path, window, version }: ReportSource, stats: StatsDocument): SessionDescription {
  const { header, agent } = session;
  const { id, version: sessionVersion, cwd } = header;
  return {
    version,
    file: session.file,
    id,
    title: findSessionTitle(session),
    cwd,
    sessionVersion: agent || Number.isNaN(sessionVersion) ? null : sessionVersion,
    agent: agent ? { title: agent.title, version: agent.version, parts: agent.parts } : null,
    bytes: session.source.size,
    first: parseReportTime(stats.sessions[0]?.first),
    last: parseReportTime(stats.sessions[0]?.last),
    end: path.at(-1)?.index ?? -1,
    window,
  };
}

function parseReportTime(text: string | null | undefined): number | null {
  return text ? Date.parse(text) : null;
}

type PathDescription = Pick<SessionReport, 'problems' | 'size' | 'holds' | 'cache'>;

/** Describes the context at the end of the path, and the prompt cache on the way to it. */
function describePath({ session, path, baseline }: PathSource, forms: MessageForms): PathDescription {
  const { size, unseen, composition } = buildOverview(toLenient(session), path.at(-1) ?? null, { baseline }).meta;
  const cache = reportCache({ session, path, baseline }, DEFAULT_CACHE_OPTIONS, buildPriceList());
  const problems = describeProblems(session, cache.diagnostics);
  return {
    problems: unseen ? [describeUnseen(unseen), ...problems] : problems,
    size,
    holds: listCompositionRows(composition, session.header.cwd ?? ''),
    cache: buildCacheData(cache, (place) => forms.entryAt(place)),
  };
}

const MOST_PROBLEMS = 100;

function describeProblems(session: Session, noted: Session['problems']): readonly string[] {
  const all = [...session.problems, ...noted].filter(({ severity }) => severity !== 'note');
  const shown = all
    .slice(0, MOST_PROBLEMS)
    .map(({ line, message }) => (line === null ? message : `line ${line}: ${message}`));
  return all.length > shown.length
    ? [...shown, `${formatCount(all.length - shown.length)} more: run ctx check`]
    : shown;
}

/** `entryAt`: the number of the entry on a line. */
function buildCostData(stats: StatsDocument, entryAt: (line: number) => number): CostData {
  return {
    usageRecorded: stats.usageRecorded,
    usageRecordedBySource: stats.usageRecordedBySource,
    usageRecordedByModel: stats.usageRecordedByModel,
    usageRecordedByDay: stats.usageRecordedByDay,
    tools: stats.tools,
    repeats: stats.repeats.calls.map((call) => ({ ...call, entry: entryAt(call.line) })),
  };
}
