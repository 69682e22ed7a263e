import { statsReport } from '#analysis/stats/report.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { VERSION } from '#base/version.js';
import { modelName, plural } from '#base/words.js';
import { locateSession } from '#cli/locate.js';
import { readBaseline } from '#cli/read-json.js';
import type { ReportWritten } from '#cli/schemas.js';
import { findSessions } from '#cli/sessions/named-files.js';
import { startProgress } from '#cli/sessions/progress.js';
import { statsOfSession } from '#cli/sessions/stats.js';
import { summaries } from '#cli/sessions/summary.js';
import type { OpenSession } from '#context/open.js';
import { windowAt } from '#context/size/size.js';
import type { Io } from '#platform/io.js';
import { type Doc, line } from '#ui/doc/doc.js';
import type { IndexedSession, IndexReport, ReportData } from '#ui/report/data.js';
import { pageText } from '#ui/report/html.js';
import { PARTS, sessionReport } from '#ui/report/session-report.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { savedTo } from '../export/output.js';
import { number, text } from '../flags.js';
import { openFile, pathAt, revisionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { windowOptions } from '../window.js';

const FLAGS = {
  output: { ...text('FILE', 'the HTML file to write, such as report.html'), short: 'o' },
  at: shared.at,
  'limit-bytes': number('BYTES', 'approximate total size of texts; the longest are truncated first (default: 20M)'),
  baseline: shared.baseline,
  force: shared.force,
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
    'For a folder it writes a page that lists the sessions in it.',
  args: [
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, "latest" (the default), - for standard input, or a folder',
    },
    revisionArgument,
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx report session.jsonl -o report.html',
    "ctx report latest -o report.html --force --at '@{compaction}^'",
    'ctx report session.jsonl -o small.html --limit-bytes 500k',
    'ctx report ~/.pi/agent/sessions -o index.html',
  ],
  async run(input) {
    const { io, args, flags } = input;
    const output = outputOf(flags);
    const limitBytes = limitOf(flags);
    const file = locateSession(io, args[0] ?? 'latest');
    if (io.files.walk(file).isFolder) {
      refuseSessionFlags(flags);
      const folder = await folderReport(io, file, VERSION);
      return write(input, output, { file, data: folder.data, problems: folder.problems });
    }
    const session = await openFile(input, file);
    const data = await dataOf(input, session, limitBytes);
    return write(input, output, { file, data, problems: session.problems });
  },
});

function outputOf({ output }: Input['flags']): string {
  if (output !== undefined) return output;
  throw new CtxError('usage', 'report needs --output', { hint: 'say -o report.html' });
}

function limitOf({ 'limit-bytes': limit = USUAL_BYTES }: Input['flags']): number {
  if (limit <= MOST_BYTES) return limit;
  throw new CtxError('usage', '--limit-bytes is more than any browser opens', { hint: 'write 200M or less' });
}

function refuseSessionFlags(flags: Input['flags']): void {
  for (const name of ['at', 'limit-bytes', 'baseline'] as const) {
    if (flags[name] === undefined) continue;
    throw new CtxError('usage', `--${name} has no effect on a folder`, { hint: 'leave it out, or name one session' });
  }
}

async function dataOf(
  { io, flags, configuredLimit }: Input,
  session: OpenSession,
  limitBytes: number,
): Promise<ReportData> {
  const baseline = await readBaseline(io.files, flags.baseline);
  const { path } = pathAt(session, flags.at);
  const window = windowAt(session, path, windowOptions({ limit: undefined, configuredLimit, baseline }));
  const progress = startProgress(io, PARTS + 1, 'parts of the report');
  try {
    const counted = await statsOfSession(session, { tokenizer: 'chars', baseline });
    progress.step();
    return sessionReport({
      session,
      readPatch: session.readPatch,
      baseline,
      window,
      path,
      stats: statsReport([counted], [], undefined),
      limitBytes,
      version: VERSION,
      onPart: () => progress.step(),
    });
  } finally {
    await progress.clear();
  }
}

interface Page extends Pick<Extract<Outcome, { kind: 'report' }>, 'problems'> {
  readonly file: string;
  readonly data: ReportData;
}

async function write({ io, flags }: Input, output: string, { file, data, problems }: Page): Promise<Outcome> {
  const like = data.kind === 'session' ? file : null;
  const bytes = await savedTo(output, { io, force: flags.force, format: 'text', pieces: pageText(data), like });
  const report = writtenOf(data, { file, output, bytes });
  return { kind: 'report', report: { data: report, doc: () => docOf(report) }, file, problems };
}

function writtenOf(
  data: ReportData,
  { file, output, bytes }: Pick<ReportWritten, 'file' | 'output' | 'bytes'>,
): ReportWritten {
  const of = { schema: 'ctx/report', schemaVersion: 1, file, output, bytes } as const;
  if (data.kind === 'index')
    return { ...of, sessions: data.sessions.length, entries: null, requests: null, textLimit: null };
  const { entries, requests, textLimit } = data;
  return { ...of, sessions: 1, entries: entries.ids.length, requests: requests.onPath - 1, textLimit };
}

function docOf({ output, bytes, sessions, entries, requests, textLimit }: ReportWritten): Doc {
  const what =
    entries === null
      ? plural(sessions, 'session')
      : `${plural(entries, 'entry', 'entries')}, ${plural(requests ?? 0, 'request')}`;
  return [
    line(`${output}: ${(bytes / 1e6).toFixed(1)} MB, ${what}`),
    ...(textLimit === null ? [] : [line(`texts are cut at ${plural(textLimit, 'byte')}; --limit-bytes lets in more`)]),
  ];
}

/** The sessions of a folder, the newest first. Throws a CtxError (input) if it has none or does not exist. */
async function folderReport(
  io: Io,
  folder: string,
  version: string,
): Promise<{ readonly data: IndexReport; readonly problems: readonly Problem[] }> {
  const found = findSessions(io, folder);
  if (found.sessions.length === 0)
    throw new CtxError('input', 'no session in this folder', { where: folder, hint: 'name another one, or a session' });
  const files = found.sessions.toSorted((a, b) => b.modified - a.modified || (a.file < b.file ? -1 : 1));
  const sessions: IndexedSession[] = [];
  const unreadable: (readonly [string, string])[] = found.unreadable.map((name) => [name, 'cannot be read'] as const);
  for await (const batch of summaries(io, files, { model: undefined, most: undefined })) {
    for (const { file, result } of batch) {
      if (result.ok) {
        const { id, title, cwd, entries, model, contextTokens, contextTokensSource, cost, problems } = result.output;
        sessions.push({
          file: file.file,
          id,
          title,
          cwd,
          modified: file.modified,
          bytes: file.size,
          entries,
          model: modelName(model),
          contextTokens,
          isContextRecorded: contextTokensSource === 'recorded',
          cost,
          problems,
        });
      } else unreadable.push([file.file, result.error]);
    }
  }
  return { data: { kind: 'index', version, folder, sessions, unreadable }, problems: unreadable.map(problemOf) };
}

function problemOf([file, why]: readonly [string, string]): Problem {
  return warning('unreadable-session', `${file}: ${why}`);
}
