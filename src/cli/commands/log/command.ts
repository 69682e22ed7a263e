import { isKnown, type LogFilter, refuseUnknown, typeNamed } from '#analysis/listing/filters.js';
import { CtxError, type Problem } from '#base/errors.js';
import { locateSession } from '#cli/locate.js';
import { follow, type SessionUpdate } from '#context/follow.js';
import { type OpenSession, openTail } from '#context/open.js';
import { isSizeKnown } from '#context/size/sizes-along.js';
import type { Io } from '#platform/io.js';
import type { Session } from '#session/session.js';
import { type Head, idText } from '#session/table/head.js';
import { batchesOf, type Report } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand } from '../define.js';
import { positive, text, toggle } from '../flags.js';
import { openFile, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { firstMeasured, isMeasured, type LogQuery, logReports, type LogSelection, remark, select } from './reports.js';
import { logPlaceholders, readLogTemplate } from './view.js';

const OTHER_LAYOUTS = ['format json', 'format TEMPLATE'];

const FLAGS = {
  last: { ...positive('N', 'the last N of the selected entries'), short: 'n' },
  all: { ...toggle('all entries of the file, in file order'), excludes: ['[range]'] },
  graph: {
    ...toggle('draw the branches next to the entries, by default of all entries'),
    excludes: ['reverse', ...OTHER_LAYOUTS],
  },
  reverse: toggle('newest first'),
  follow: {
    ...toggle('keep printing new entries, until interrupted'),
    short: 'f',
    excludes: ['graph', 'reverse', '[range]'],
  },
  full: {
    ...toggle('print the texts of the entries in full: the conversation, to read'),
    excludes: ['oneline', 'graph', ...OTHER_LAYOUTS],
  },
  oneline: { ...toggle('print only id, name and preview'), excludes: OTHER_LAYOUTS },
  type: text('NAME', 'only entries of this type or name, such as message, user or compaction'),
  role: text('ROLE', 'only messages of this role, such as user or toolResult'),
  tool: text('NAME', 'only calls and results of this tool'),
  since: shared.sinceTime,
  until: shared.until,
};

export type LogInput = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'log',
  summary: "List a session's entries with tokens and cost",
  description:
    'Lists the entries of a path from the root, newest last, each with its estimated tokens, the context size after ' +
    'it, and the usage that the provider recorded. Reads every version of Pi session files and changes nothing.',
  args: [
    sessionArgument,
    {
      name: 'range',
      help: 'a revision for the path to it (default: HEAD), or A..B for the path to B without the path to A; without a session, of the latest one',
      isRevision: true,
    },
  ],
  flags: FLAGS,
  placeholders: logPlaceholders,
  takesRedact: true,
  examples: [
    'ctx log session.jsonl -n 20',
    'ctx log session.jsonl --graph --oneline',
    'ctx log latest --full',
    "ctx log session.jsonl '@{compaction}..' --tool bash",
    "ctx log latest --since 2h --format '{id}\\t{tokens}\\t{preview}'",
  ],
  async run(input) {
    refuseCount(input);
    const { io, args, flags, template } = input;
    const filter = readFilter(flags, io);
    const lines = template === undefined ? undefined : readLogTemplate(template);
    const file = await locateSession(io, args[0] ?? 'latest');
    // Loaded only for the flag.
    const conversation = flags.full ? (await import('../export/formats/transcript.js')).conversationOf : null;
    const wish: LogQuery = { range: args[1], filter, lines, conversation, format: input.format, flags };
    const problems: Problem[] = [];
    const items = flags.follow
      ? followed(io, file, wish, problems)
      : listed(await openFor(input, file, wish), wish, problems);
    const titles = lines || conversation || flags.oneline || wish.format !== 'text' ? 0 : 1;
    const newestLast = flags.follow || flags.reverse ? undefined : { titles };
    return { kind: 'stream', items, newestLast, isUnpaged: flags.follow ?? false, end: () => ({ file, problems }) };
  },
});

/** git and head take `-20`. */
function refuseCount({ args }: LogInput): void {
  const count = args.find((arg) => /^-\d+$/.test(arg ?? ''));
  if (count === undefined) return;
  throw new CtxError('usage', `"${count}" is neither a session nor a range`, { hint: `write -n ${count.slice(1)}` });
}

function readFilter({ type, role, tool, since, until }: LogInput['flags'], io: Io): LogFilter {
  const now = io.now();
  return { type: type && typeNamed(type), role, tool, since: since?.(now), until: until?.(now) };
}

/** A log that asks only for the last entries of the active path needs only the end of the file. */
async function openFor(input: LogInput, file: string, wish: LogQuery): Promise<OpenSession> {
  const { last, all, graph } = wish.flags;
  if (last === undefined || all || graph || wish.range !== undefined) return openFile(input, file);
  return input.keepOpen(await openTail(file, input.io.files, (tail) => isEnough(tail, wish, last)));
}

function isEnough(tail: Session, wish: LogQuery, last: number): boolean {
  // Only the whole file shows whether such an entry exists.
  if (!isKnown(tail.tree.heads, wish.filter)) return false;
  const selection = select(tail, wish);
  const { path, wanted } = selection;
  const isComplete = !path[0]?.parentId;
  if (wanted.length < last) return isComplete;
  const first = firstMeasured(tail.tree.heads.length, selection);
  // The parent of a compaction decides whether it adds a summary.
  return isComplete || (first > 0 && (!isMeasured(wish) || isSizeKnown(tail, path, first)));
}

function* listed(session: OpenSession, wish: LogQuery, problems: Problem[]): Generator<Report> {
  for (const problem of session.problems) problems.push(problem);
  const selection = select(session, wish);
  if (selection.wanted.length === 0) refuseUnknown(session.tree.heads, wish.filter);
  yield* logReports(session, wish, selection, problems);
}

/**
 * The log, then new entries of the active path or of all branches. A note comes first if the path no longer continues
 * from its old end.
 */
async function* followed(io: Io, file: string, wish: LogQuery, problems: Problem[]): AsyncGenerator<readonly Report[]> {
  let known = NOTHING;
  for await (const { session, change } of follow(io, file)) {
    const isMore = change === 'more';
    const isFollowing = change !== 'first';
    const now = { ...wish, isFollowing, flags: { ...wish.flags, last: isMore ? undefined : wish.flags.last } };
    const selection = select(session, now);
    const said = remarkOn(change, known, selection);
    if (said !== null) yield* batchesOf(remark(now, said));
    const wanted = isMore ? selection.wanted.filter((index) => !known.listed.has(index)) : selection.wanted;
    const { all, path } = selection;
    known = { listed: new Set(all), path: new Set(path.map(({ index }) => index)), leaf: path.at(-1)?.index };
    if (!isFollowing || wanted.length > 0)
      yield* batchesOf(logReports(session, now, { ...selection, wanted }, problems));
  }
}

/** The state before a change of the file, as indexes of entries. */
interface Known {
  readonly listed: ReadonlySet<number>;
  readonly path: ReadonlySet<number>;
  readonly leaf: number | undefined;
}

const NOTHING: Known = { listed: new Set(), path: new Set(), leaf: undefined };

/** null: the path goes on below its old end. */
function remarkOn(change: SessionUpdate['change'], { path: old, leaf }: Known, { path }: LogSelection): string | null {
  if (change === 'rewritten') return '— the file was rewritten —';
  if (leaf === undefined || path.some(({ index }) => index === leaf)) return null;
  const fork: Head | undefined = path.findLast(({ index }) => old.has(index));
  if (!fork) return '— the session went back to before its first entry; from there —';
  return `— the session went back to ${idText(fork.id) ?? `line ${fork.line}`}; from there —`;
}
