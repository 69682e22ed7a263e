import { hasMatchingHeads, type LogFilter, refuseUnknownFilter, typeOfName } from '#analysis/listing/log-filter.js';
import { batchItems } from '#base/batches.js';
import { CtxError, type Problem } from '#base/errors.js';
import { locateSession } from '#cli/locate.js';
import { followSession, type SessionUpdate } from '#context/follow.js';
import { type OpenSession, openSessionTail } from '#context/open.js';
import { isSizeKnown } from '#context/size/path-sizes.js';
import type { Io } from '#platform/io.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand } from '../define.js';
import { positiveFlag, textFlag, toggleFlag } from '../flags.js';
import { openSessionFile, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { addRemarkForPeople, listLogEntries } from './entries.js';
import { findFirstMeasured, type LogQuery, type LogSelection, needsContextSizes, selectLogEntries } from './query.js';
import { logPlaceholders, readLogTemplate } from './template.js';

const OTHER_LAYOUTS = ['format json', 'format TEMPLATE'];

const FLAGS = {
  max: { ...positiveFlag('N', 'the last N of the selected entries'), short: 'n', alias: 'last' },
  full: {
    ...toggleFlag('print the conversation, with all texts in full; ctx show --conversation folds them'),
    excludes: ['oneline', 'graph', ...OTHER_LAYOUTS],
  },
  type: textFlag('NAME', 'only entries of this type or name, such as message, user or compaction'),
  since: shared.sinceTime,
  all: { ...toggleFlag('all entries of the file, in file order'), excludes: ['[range]'] },
  follow: {
    ...toggleFlag('keep printing new entries, until interrupted'),
    short: 'f',
    excludes: ['graph', 'reverse', '[range]'],
  },
  until: shared.until,
  role: textFlag('ROLE', 'only messages of this role, such as user or toolResult'),
  tool: textFlag('NAME', 'only calls and results of this tool'),
  graph: {
    ...toggleFlag('draw the branches next to the entries, by default of all entries'),
    excludes: ['reverse', ...OTHER_LAYOUTS],
  },
  reverse: toggleFlag('newest first'),
  oneline: { ...toggleFlag('print only id, name and preview'), excludes: OTHER_LAYOUTS },
};

type LogInput = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'log',
  summary: "List a session's entries with tokens and cost",
  description:
    'Lists the entries of a path from the root, newest last, each with the tokens that it added, the context size ' +
    'after it, and the usage that the provider recorded. Reads every version of Pi session files and changes nothing.',
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
    'ctx log latest --full',
    'ctx log session.jsonl -n 20',
    'ctx log session.jsonl --graph --oneline',
    "ctx log session.jsonl '@{compaction}..' --tool bash",
    "ctx log latest --since 2h --format '{id}\\t{tokens}\\t{preview}'",
  ],
  async run(input) {
    refuseCount(input);
    const { io, args, flags, format } = input;
    const filter = readFilter(flags, io);
    const template = input.template === undefined ? undefined : readLogTemplate(input.template);
    const file = await locateSession(io, args[0] ?? 'latest');
    // Loaded only for the flag.
    const conversation = flags.full
      ? (await import('#ui/parts/conversation-view.js')).createConversationRenderer
      : null;
    const query: LogQuery = { range: args[1], filter, template, conversation, format, flags };
    const problems: Problem[] = [];
    const batches = flags.follow
      ? followLog(io, file, query, problems)
      : batchItems(listSelected(await openForLog(input, file, query), query, problems));
    const hasTitles = !template && !conversation && !flags.oneline && format === 'text';
    const newestLast = flags.follow || flags.reverse ? undefined : { titles: hasTitles ? 1 : 0 };
    return { kind: 'stream', batches, newestLast, isUnpaged: flags.follow ?? false, end: () => ({ file, problems }) };
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
  return { type: type && typeOfName(type), role, tool, since: since?.(now), until: until?.(now) };
}

/** A log that asks only for the last entries of the active path needs only the end of the file. */
async function openForLog(input: LogInput, file: string, query: LogQuery): Promise<OpenSession> {
  const { max, all, graph } = query.flags;
  if (max === undefined || all || graph || query.range !== undefined) return openSessionFile(input, file);
  return input.keepOpen(await openSessionTail(file, input.io.files, (tail) => isEnough(tail, query, max)));
}

function isEnough(tail: Session, query: LogQuery, max: number): boolean {
  // A filter without a match in the tail needs the whole file, which may have one.
  if (!hasMatchingHeads(tail.tree.heads, query.filter)) return false;
  const selection = selectLogEntries(tail, query);
  const { path, wanted } = selection;
  const isComplete = !path[0]?.parentId;
  if (wanted.length < max) return isComplete;
  const first = findFirstMeasured(selection);
  // The parent of a compaction decides whether it adds a summary.
  return isComplete || (first > 0 && (!needsContextSizes(query) || isSizeKnown(tail, path, first)));
}

function* listSelected(session: OpenSession, query: LogQuery, problems: Problem[]): Generator<Printable> {
  for (const problem of session.problems) problems.push(problem);
  const selection = selectLogEntries(session, query);
  if (selection.wanted.length === 0) refuseUnknownFilter(session.tree.heads, query.filter);
  yield* listLogEntries(session, query, selection, problems);
}

/**
 * The log, then new entries of the active path or of all branches. A note comes first if the path no longer continues
 * from its old end.
 */
async function* followLog(
  io: Io,
  file: string,
  query: LogQuery,
  problems: Problem[],
): AsyncGenerator<readonly Printable[]> {
  let before = NOTHING;
  for await (const { session, change } of followSession(io, file)) {
    const isMore = change === 'more';
    const isFollowing = change !== 'first';
    const now = { ...query, isFollowing, flags: { ...query.flags, max: isMore ? undefined : query.flags.max } };
    const selection = selectLogEntries(session, now);
    const remark = describeUpdate(change, before, selection);
    if (remark !== null) yield* batchItems(addRemarkForPeople(now, remark));
    const wanted = isMore ? selection.wanted.filter((index) => !before.listed.has(index)) : selection.wanted;
    const { all, path } = selection;
    before = { listed: new Set(all), path: new Set(path.map(({ index }) => index)), leaf: path.at(-1)?.index };
    if (!isFollowing || wanted.length > 0)
      yield* batchItems(listLogEntries(session, now, { ...selection, wanted }, problems));
  }
}

/** The state before a change of the file, as indexes of entries. */
interface ListedState {
  readonly listed: ReadonlySet<number>;
  readonly path: ReadonlySet<number>;
  readonly leaf: number | undefined;
}

const NOTHING: ListedState = { listed: new Set(), path: new Set(), leaf: undefined };

/** null: the path goes on below its old end. */
function describeUpdate(
  change: SessionUpdate['change'],
  { path: old, leaf }: ListedState,
  { path }: LogSelection,
): string | null {
  if (change === 'rewritten') return '— the file was rewritten —';
  if (leaf === undefined || path.some(({ index }) => index === leaf)) return null;
  const fork: Head | undefined = path.findLast(({ index }) => old.has(index));
  if (!fork) return '— the session went back to before its first entry; from there —';
  return `— the session went back to ${formatId(fork.id) ?? `line ${fork.line}`}; from there —`;
}
