import path from 'node:path';
import type { IndexReport } from '#analysis/report/document.js';
import { buildSessionReport, type StreamedReport, WORK_PARTS } from '#analysis/report/session-report.js';
import { buildWarning, CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { VERSION } from '#base/version.js';
import { locateSession } from '#cli/locate.js';
import { readBaseline } from '#cli/read-json.js';
import { toPeriod } from '#cli/sessions/period.js';
import { startProgress } from '#cli/sessions/progress.js';
import { addModelList } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { findWindow } from '#context/size/window.js';
import { resolvePath } from '#session/tree/revision.js';
import { type Doc, line } from '#ui/doc/doc.js';
import { renderReportPage } from '#ui/report/html.js';
import { type CommandInput, defineCommand, type OutcomeEnd } from '../define.js';
import { saveExport } from '../export/output.js';
import { numberFlag, textFlag, toggleFlag } from '../flags.js';
import { findUnredacted, UnredactedSecrets } from '../redact/unredacted.js';
import { openSessionFile, revisionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { ReportDocument } from './document.js';
import { buildFileStem, indexSessions, isAllSessions, type SiteWork, warnOfUnreadable, writeSite } from './site.js';

const FLAGS = {
  output: {
    ...textFlag(
      'FILE',
      'the HTML file to write; of a folder, also a folder for its site (default: the name of the session)',
    ),
    short: 'o',
  },
  open: toggleFlag('open the report in the browser'),
  since: shared.since,
  until: shared.until,
  'no-images': toggleFlag('leave the images of messages out, as with --redact'),
  force: shared.force,
  at: shared.at,
  'limit-bytes': numberFlag('BYTES', 'approximate total size of texts; the longest are truncated first (default: 20M)'),
  limit: shared.limit,
  baseline: shared.baseline,
};

type Input = CommandInput<typeof FLAGS>;

const USUAL_BYTES = 20_000_000;
/** No browser opens much more than that. */
const MOST_BYTES = 200_000_000;

export default defineCommand({
  name: 'report',
  summary: 'Write a self-contained HTML report',
  description:
    'Writes one HTML file with the context size over time, cache use, every entry, the context at any request, the ' +
    'difference between two requests, the losses of compactions, and the cost. The page makes no network requests. ' +
    'Of a folder it writes a site: a page for each session, and one that lists and compares them. ' +
    'With -o FILE.html it writes only the list.',
  args: [
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, "latest" (the default), - for standard input; of many: a folder, "all" or "all:AGENT"',
    },
    revisionArgument,
  ],
  flags: FLAGS,
  takesRedact: true,
  isShared: true,
  examples: [
    'ctx report --open',
    'ctx report session.jsonl -o report.html',
    "ctx report latest '@{compaction}^' -o report.html --force",
    'ctx report session.jsonl -o small.html --limit-bytes 500k',
    'ctx report ~/.pi/agent/sessions -o site --since 7d',
    'ctx report ~/.pi/agent/sessions -o index.html',
    'ctx report all:codex -o site --since 7d',
  ],
  async run(input) {
    const { io, args, flags } = input;
    if (input.format === 'markdown')
      throw new CtxError('usage', 'a report is a page in HTML', {
        where: '--format markdown',
        hint: 'write the conversation as a document: ctx export SESSION --format markdown',
      });
    const limitBytes = readLimit(flags);
    const file = await findPlace(io, args[0] ?? 'latest');
    const { report, first, problems } = isManySessions(io, file)
      ? await writeFolderReport(input, file, limitBytes)
      : await writeSessionPage(input, file, limitBytes);
    const isOpen = flags.open !== true || (await io.openInBrowser(path.resolve(io.cwd, first)));
    const unopened = buildWarning('no-browser', `no browser opened: open ${first} yourself`);
    return {
      kind: 'single',
      item: { data: report, doc: () => renderWritten(report) },
      file,
      notes: input.sharing ? [input.sharing.describe()] : [],
      problems: isOpen ? problems : [...problems, unopened],
    };
  },
});

/** The session or the folder of a name; `all` and `all:AGENT` stay as they are. */
async function findPlace(io: Input['io'], name: string): Promise<string> {
  return isAllSessions(io, name) ? name : locateSession(io, name);
}

function isManySessions(io: Input['io'], place: string): boolean {
  return isAllSessions(io, place) || io.files.walk(place).isFolder;
}

function readLimit({ 'limit-bytes': limit = USUAL_BYTES }: Input['flags']): number {
  if (limit <= MOST_BYTES) return limit;
  throw new CtxError('usage', '--limit-bytes is more than any browser opens', { hint: 'write 200M or less' });
}

interface WrittenReport extends Pick<OutcomeEnd, 'problems'> {
  readonly report: ReportDocument;
  /** The page to open. */
  readonly first: string;
}

async function writeSessionPage(input: Input, file: string, limitBytes: number): Promise<WrittenReport> {
  const { output = `${buildFileStem(file)}.html`, since, until } = input.flags;
  if (since ?? until)
    throw new CtxError('usage', `--${since ? 'since' : 'until'} has no effect on one session`, {
      hint: 'leave it out, or name a folder',
    });
  const session = await openSessionFile(input, file);
  await using progress = startProgress(input.io, WORK_PARTS, 'parts of the report');
  const data = await buildReport(input, session, { limitBytes, onPart: () => progress.step() });
  const bytes = await save(input, output, data, file);
  const { entries, requests, textLimit } = data;
  const problems = [...session.problems, ...(await findUnredacted(session, input.isRedacted, { isPersonal: true }))];
  const counts = { sessions: 1, entries: entries.names.length, requests: requests.onPath - 1, textLimit };
  return { report: { ...KIND, file, output, bytes, ...counts }, first: output, problems };
}

const KIND = { schema: 'ctx/report', schemaVersion: 1 } as const;

async function writeFolderReport(input: Input, folder: string, limitBytes: number): Promise<WrittenReport> {
  const { io, flags } = input;
  const { output = `${path.basename(path.resolve(io.cwd, folder)).replaceAll(':', '-')}-report` } = flags;
  const isList = /\.html?$/i.test(output);
  refuseFlagsOfOne(flags, isList);
  if (!isList && !flags.force && io.files.list(output).length > 0)
    throw new CtxError('refused', 'the folder is not empty', {
      where: output,
      hint: 'say --force to replace the pages in it, or choose another folder',
    });

  const secrets = new UnredactedSecrets({ isPersonal: true });
  const list = await indexSessions(io, folder, toPeriod(flags, io.now()));
  const work: SiteWork = {
    async dataOf(session) {
      if (!input.isRedacted) await secrets.add(session);
      return buildReport(input, session, { limitBytes, onPart: () => {} });
    },
    write: (file, data) => save(input, file, data.kind === 'index' ? maskNames(input, data) : data, null),
  };
  const { index, first, bytes } = isList
    ? { index: list, first: output, bytes: await work.write(output, list) }
    : await writeSite(io, output, list, work);
  const problems = [...warnOfUnreadable(index), ...secrets.problems('the folder')];
  const counts = { sessions: index.sessions.length, entries: null, requests: null, textLimit: null };
  return { report: { ...KIND, file: folder, output: first, bytes, ...counts }, first, problems };
}

/** Throws a CtxError (usage) for what only one session has. A list has no texts whose size could be limited. */
function refuseFlagsOfOne(flags: Input['flags'], isList: boolean): void {
  const names = ['at', 'baseline', 'limit', ...(isList ? ['limit-bytes' as const] : [])] as const;
  const given = names.find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw new CtxError('usage', `--${given} has no effect on a folder`, { hint: 'leave it out, or name one session' });
}

type Limits = Pick<Parameters<typeof buildSessionReport>[0], 'limitBytes' | 'onPart'>;

async function buildReport(input: Input, session: OpenSession, limits: Limits): Promise<StreamedReport> {
  const { io, flags, configuredLimit, isRedacted } = input;
  const baseline = await readBaseline(io.files, flags.baseline);
  const resolved = resolvePath(session, flags.at);
  const window = findWindow(session, resolved.path, addModelList({ limit: flags.limit, configuredLimit, baseline }));
  return buildSessionReport({
    // The page names its session in several places.
    session: { ...session, file: maskName(input, session.file) },
    baseline,
    window,
    path: resolved.path,
    // Redaction replaces text, and an image may show a secret.
    hasImages: !isRedacted && flags['no-images'] !== true,
    version: VERSION,
    ...limits,
  });
}

/** The name of a file as a page has it. */
function maskName({ sharing }: Pick<Input, 'sharing'>, name: string): string {
  return sharing?.maskText(name) ?? name;
}

function maskNames(input: Input, index: IndexReport): IndexReport {
  const { folder, sessions, unreadable } = index;
  return {
    ...index,
    folder: maskName(input, folder),
    sessions: sessions.map((session) => ({ ...session, file: maskName(input, session.file) })),
    unreadable: unreadable.map(([file, why]) => [maskName(input, file), why] as const),
  };
}

/** `like`: the session of the page. */
function save({ io, flags }: Input, file: string, data: StreamedReport | IndexReport, like: string | null) {
  return saveExport(file, { io, force: flags.force, format: 'text', pieces: renderReportPage(data), like });
}

function renderWritten({ output, bytes, sessions, entries, requests, textLimit }: ReportDocument): Doc {
  const what =
    entries === null
      ? pluralize(sessions, 'session')
      : `${pluralize(entries, 'entry', 'entries')}, ${pluralize(requests ?? 0, 'request')}`;
  return [
    line(`${output}: ${(bytes / 1e6).toFixed(1)} MB, ${what}`),
    ...(textLimit === null
      ? []
      : [line(`texts are cut at ${pluralize(textLimit, 'byte')}; --limit-bytes lets in more`)]),
  ];
}
