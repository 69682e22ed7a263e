import { count } from '#base/words.js';
import { priceList } from '#context/models/registry.js';
import type { PathSource } from '#context/open.js';
import { buildOverview } from '#context/replay/build.js';
import { CATEGORIES } from '#context/size/composition.js';
import type { ContextWindow } from '#context/size/window.js';
import { titleOf } from '#context/words/message-text.js';
import { unseenText } from '#context/words/unseen-text.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { headAtLine, isCompaction } from '#session/tree/tree.js';
import { whatHappened } from '../cache/document.js';
import { DEFAULTS } from '../cache/recorded.js';
import { type CacheReport, reportCache } from '../cache/report.js';
import { auditLosses } from '../loss/audit.js';
import type { StatsDocument } from '../stats/document.js';
import { statsReport } from '../stats/report.js';
import { limited, longestThatFits, unshared, withoutTexts } from './blocks.js';
import type { CacheData, CostData, LossData, ReportMessage, SessionReport } from './document.js';
import { conversationOf, drawnEntries, messagesOf, readEntries, type StreamedEntries } from './entries.js';
import { Forms, MessagePool, Numbers } from './message-pool.js';
import { Pieces, type RequestSource } from './request-source.js';
import { requestColumns } from './requests.js';

export interface ReportSource extends PathSource {
  /** The context window of the model at the end of the path. */
  readonly window: ContextWindow;
  /** The approximate maximum bytes of all texts together. */
  readonly limitBytes: number;
  /** Whether the page shows the images of messages. */
  readonly hasImages: boolean;
  readonly version: string;
  /** Called when one of `PARTS` parts of the work is done. */
  readonly onPart: () => void;
}

/** A session's page before it is written: its messages are made one by one as they are written. */
export interface StreamedReport extends Omit<SessionReport, 'messages' | 'entries'> {
  readonly messages: Iterable<ReportMessage>;
  readonly entries: StreamedEntries;
}

export const PARTS = 4;

/** The approximate bytes of a line without its texts. */
const BESIDE_TEXTS = 300;

/** Builds the data of a session's page. */
export function sessionReport(source: ReportSource): StreamedReport {
  const { session, readPatch, baseline, path, hasImages, onPart } = source;
  const longest = longestText(source);
  const mostOf = limitedTo(longest);
  const [words, pool, pieces] = [new Numbers<string>(), new MessagePool(), new Pieces(longest)];
  const models = new Int32Array(session.tree.heads.length);
  const counted = new Float64Array(session.tree.heads.length);
  const read = readEntries({ ...session, readPatch }, baseline, { pool, words, models, counted, mostOf });
  const { entries } = read;
  const stats = statsReport([read.stats], [], undefined);
  const stored = entries.messages;
  onPart();
  const forms = new Forms({ session, pool, stored, mostOf });
  const requests = requestColumns({ ...source, pool, forms, pieces, stored, words, models, counted, mostOf });
  onPart();
  const { size, unseen } = buildOverview(session, path.at(-1) ?? null, readPatch, { baseline, lenient: true }).meta;
  const cache = reportCache({ session, path, readPatch, baseline }, DEFAULTS, priceList());
  onPart();
  const losses = lossesAlong({ session, readPatch, path, stored, mostOf });
  onPart();
  const conversation = { session, path, readPatch, baseline, mostOf, hasImages };
  return {
    kind: 'session',
    ...describe(source, stats),
    problems: [...(unseen ? [unseenText(unseen)] : []), ...problemsIn(session, cache.diagnostics)],
    size,
    isPreambleKnown: stats.sessions[0]?.preambleKnown ?? false,
    textLimit: pool.isCut || entries.others.some(([, , json]) => typeof json !== 'string') ? longest : null,
    categories: [...CATEGORIES],
    entries: { ...entries, path: path.map(({ index }) => index) },
    requests,
    cache: cacheData(cache, (place) => forms.entryAt(place)),
    losses,
    cost: costData(stats, (line) => headAtLine(session, line)?.index ?? -1),
    messages: messagesOf({ session, stored, mostOf, tokens: pool.tokens, changed: pool.changed }),
    parts: pieces.parts.values,
    tools: pieces.tools.values,
    preambles: pieces.preambles.values,
    words: words.values,
    conversation: conversationOf(conversation),
    drawn: drawnEntries(conversation),
  };
}

/** The longest text that is kept whole, so that all texts together fit. */
function longestText({ session, limitBytes }: ReportSource): number {
  const { heads } = session.tree;
  const lengthAt = (index: number): number => Math.max(0, heads.lengthAt(index) - BESIDE_TEXTS);
  return longestThatFits(
    Float64Array.from({ length: heads.length }, (_, index) => lengthAt(index)),
    limitBytes,
  );
}

/** A function of its own: a closure beside others keeps what they use, and this one is kept while a page is written. */
function limitedTo(longest: number): (bytes: number) => number {
  // The texts of a short line cannot be too long.
  return (bytes) => (bytes - BESIDE_TEXTS <= longest ? Infinity : longest);
}

type Described = Pick<
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

function describe({ session, path, window, version }: ReportSource, stats: StatsDocument): Described {
  const {
    header: { id, version: sessionVersion, cwd },
    foreign,
  } = session;
  return {
    version,
    file: session.file,
    id,
    title: titleOf(session),
    cwd,
    sessionVersion: foreign || Number.isNaN(sessionVersion) ? null : sessionVersion,
    agent: foreign ? { title: foreign.title, version: foreign.version, parts: foreign.parts } : null,
    bytes: session.source.size,
    first: timeIn(stats.sessions[0]?.first),
    last: timeIn(stats.sessions[0]?.last),
    end: path.at(-1)?.index ?? -1,
    window,
  };
}

function timeIn(text: string | null | undefined): number | null {
  return text ? Date.parse(text) : null;
}

const MOST_PROBLEMS = 100;

function problemsIn(session: Session, noted: Session['problems']): readonly string[] {
  const all = [...session.problems, ...noted].filter(({ severity }) => severity !== 'note');
  const shown = all
    .slice(0, MOST_PROBLEMS)
    .map(({ line, message }) => (line === null ? message : `line ${line}: ${message}`));
  return all.length > shown.length ? [...shown, `${count(all.length - shown.length)} more: run ctx check`] : shown;
}

/** `entryAt`: the number of the entry on a line. */
function costData(stats: StatsDocument, entryAt: (line: number) => number): CostData {
  return {
    usageRecorded: stats.usageRecorded,
    usageRecordedBySource: stats.usageRecordedBySource,
    usageRecordedByModel: stats.usageRecordedByModel,
    usageRecordedByDay: stats.usageRecordedByDay,
    tools: stats.tools,
    repeats: stats.repeats.calls.map((call) => ({ ...call, entry: entryAt(call.line) })),
  };
}

/** `entryAt`: the number of the entry at a place. */
function cacheData({ requests, summary }: CacheReport, entryAt: Forms['entryAt']): CacheData {
  return {
    prompts: requests.map(({ promptTokensEstimated }) => promptTokensEstimated),
    prefixes: requests.map(({ prefixTokensEstimated }) => prefixTokensEstimated),
    recorded: requests.map(({ recorded }) => recorded && [recorded.input, recorded.cacheRead, recorded.cacheWrite]),
    breaks: requests.flatMap((request, at) => {
      const { break: broken } = request;
      if (broken === null) return [];
      const entry = broken.line === null ? -1 : entryAt({ line: broken.line, entryId: broken.entryId });
      return [[at, { ...broken, entry, what: whatHappened(request, broken) }] as const];
    }),
    summary,
  };
}

interface LossPlace {
  readonly line: number;
  readonly entryId: string | null;
}

type LossSource = Pick<RequestSource, 'session' | 'readPatch' | 'path' | 'stored' | 'mostOf'>;

/** The losses of the compactions of a path, without compactions that only repeat a transform. */
function lossesAlong({ session, readPatch, path, stored, mostOf }: LossSource): readonly LossData[] {
  const bare = withoutTexts(session, path, stored);
  const boundaries = path.filter((head) => isCompaction(session, head));
  const losses = auditLosses({ session, readPatch, bare }, path, boundaries);
  const indexAt = ({ line, entryId }: LossPlace): number => headAtLine(session, line, entryId)?.index ?? -1;
  return Array.from(losses, ({ counts, classes, left, facts, summary }, at) => {
    const head = boundaries[at] as Head;
    return {
      entry: head.index,
      removed: left.length,
      summary: limited(summary, mostOf(head.length)),
      counts,
      classes,
      unaccounted: left
        .filter(({ fate }) => fate === 'unaccounted')
        .slice(0, MOST)
        .map(({ reason, ...place }) => [indexAt(place), reason ?? 'unknown'] as const),
      missing: facts
        .filter(({ mention }) => mention === 'missing')
        .slice(0, MOST)
        .map(({ class: name, text, ...place }) => [name, indexAt(place), unshared(text)] as const),
    };
  });
}

const MOST = 200;
