import { typeNamed } from '#analysis/listing/filters.js';
import { searchPattern } from '#analysis/search/text-matches.js';
import { CtxError } from '#base/errors.js';
import { shellWord } from '#base/visible.js';
import { plural } from '#base/words.js';
import { foundSession } from '#cli/locate.js';
import { shortFolder } from '#cli/sessions/named-files.js';
import type { Report } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type End, type Outcome } from '../define.js';
import { choice, number, positive, text, toggle } from '../flags.js';
import { openNamed, revisionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { countReports, folderEnd, lineReports, matchReports, searchedReport } from './reports.js';
import { filesIn, folderReports, type FolderSearch, hiddenWish, type Search, startSearch } from './search.js';
import { searchedText } from './view.js';

const FLAGS = {
  where: choice(
    'WHERE',
    ['context', 'path', 'all', 'hidden'],
    'what to search: what the model sees (the default), the stored entries of the path, all entries of the file, or what on the path the model does not see',
  ),
  at: shared.at,
  regexp: { ...text('PATTERN', 'the pattern, instead of the first argument'), short: 'e' },
  fixed: { ...toggle('search for the literal text'), short: 'F' },
  'ignore-case': { ...toggle('ignore case'), short: 'i' },
  context: { ...number('N', 'print N lines around each match'), short: 'C', excludes: ['count'] },
  count: { ...toggle('print the number of matches per entry, and the total'), short: 'c' },
  max: { ...positive('N', 'stop after N matches; also -m'), short: 'n', alias: 'm' },
  role: text('ROLE', 'only messages of this role, such as user or toolResult'),
  type: text('NAME', 'only entries of this type, such as message or compaction'),
  tool: text('NAME', 'only calls, results and the definition of this tool'),
  lenient: shared.lenient,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'grep',
  summary: 'Search the text of a session',
  description:
    'Searches the context, the whole file, or only what a compaction, an edit or a transform hid from the model. ' +
    'Searches line by line: messages, tool calls and their arguments, results, summaries, prompts and tool ' +
    'definitions, but no images, signatures, ids or times. Case-sensitive. The exit code is 1 if nothing matches.',
  args: [
    { name: 'pattern', help: 'a JavaScript regular expression' },
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, "latest" (the default), - for standard input, or a folder, a pattern of files, "all" or "all:AGENT" to search many',
    },
    revisionArgument,
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    "ctx grep 'isoDate|tomorrow' session.jsonl",
    'ctx grep -F "console.log(" --where hidden',
    'ctx grep -i "fail" session.jsonl --where all --tool bash --count',
    'ctx grep isoDate latest --json',
    'ctx grep isoDate sessions --where all',
  ],
  async run(input) {
    const { flags, format } = input;
    const { where = 'context', at, role, type, tool, lenient = false } = flags;
    const { raw, name } = await named(input);
    const pattern = searchPattern(raw, { isFixed: flags.fixed ?? false, ignoresCase: flags['ignore-case'] ?? false });
    const limits = { around: flags.context ?? 0, most: flags.max ?? Infinity };
    const wish = { where, at, role, type: type && typeNamed(type), tool, lenient, ...limits };
    const isJson = format === 'json';
    const reportsOf = (search: Search, hidden: Search | null = null): Iterable<Report> =>
      flags.count ? countReports(search, !isJson) : isJson ? matchReports(search) : lineReports(search, hidden);
    const files = await filesIn(input.io, name);
    const isOnTerminal = input.io.stdout.isTerminal && !isJson;
    const isHiddenCounted = isOnTerminal && where === 'context' && !flags.count;
    if (files) {
      const hidden = isHiddenCounted ? { found: 0, types: new Set<string>() } : null;
      const folder = { files, wish, pattern, reportsOf, hidden, problems: [], found: 0, sessions: 0 };
      const place = plural(files.length, 'session');
      const searched = searchedText({ where, place, again: name === 'all' ? null : again(raw, input) });
      return folderOutcome(input.io, folder, { searched, isOnTerminal, isCount: !isJson && flags.count === true });
    }
    const session = await openNamed(input, name);
    const search = startSearch(session, wish, pattern);
    const hidden = isHiddenCounted ? startSearch(session, hiddenWish(wish), pattern) : null;
    const searched = searchedText({ where, place: placeText(input.io, session.file), again: again(raw, input) });
    return {
      kind: 'stream',
      items: withSearched(reportsOf(search, hidden), isOnTerminal ? searched : null),
      end: () => ({ ...endOf(search, searched, isOnTerminal), file: session.file }),
    };
  },
});

/** The file of a session, or the words for standard input. */
function placeText(io: Input['io'], file: string): string {
  return file === '-' ? 'standard input' : shortFolder(io, file);
}

/** The command line of this search in all sessions. With `--redact` the pattern, which may be a secret, is not repeated. */
function again(raw: string, { flags: { fixed, 'ignore-case': ignoresCase }, isRedacted }: Input): string {
  if (isRedacted) return 'ctx grep PATTERN all --redact';
  const word = shellWord(raw);
  const pattern = raw.startsWith('-') ? `-e ${word}` : word;
  return ['ctx grep', ...(fixed ? ['-F'] : []), ...(ignoresCase ? ['-i'] : []), pattern, 'all'].join(' ');
}

/** On a terminal, the last line tells what was searched. A pipe carries only matches. */
function* withSearched(reports: Iterable<Report>, searched: string | null): Generator<Report> {
  yield* reports;
  if (searched !== null) yield searchedReport(searched);
}

/** Without a match, an empty pipe would say nothing. */
function endOf({ found, problems }: Pick<Search, 'found' | 'problems'>, searched: string, isOnTerminal: boolean): End {
  const notes = found === 0 && !isOnTerminal ? [`no match; ${searched}`] : [];
  return { problems, exitCode: found > 0 ? 0 : 1, notes };
}

interface FolderView {
  readonly searched: string;
  readonly isOnTerminal: boolean;
  readonly isCount: boolean;
}

function folderOutcome(io: Input['io'], folder: FolderSearch, view: FolderView): Outcome {
  const end = (): End => endOf(folder, view.searched, view.isOnTerminal);
  return { kind: 'stream', items: allReports(io, folder, view), end };
}

async function* allReports(
  io: Input['io'],
  folder: FolderSearch,
  { searched, isOnTerminal, isCount }: FolderView,
): AsyncGenerator<readonly Report[]> {
  yield* folderReports(io, folder);
  const rest = [...withSearched(folderEnd(folder, isCount), isOnTerminal ? searched : null)];
  if (rest.length > 0) yield rest;
}

/** The pattern and the session that are meant. With --regexp the only argument is the session. */
async function named({ io, args, flags }: Input): Promise<{ readonly raw: string; readonly name: string }> {
  const [first, second, third] = args;
  if (flags.regexp !== undefined) {
    if (third === undefined) return { raw: flags.regexp, name: second ?? first ?? 'latest' };
    throw new CtxError('usage', '--regexp is the pattern, so only a session and a revision can be named', {
      hint: `leave out "${first}"`,
    });
  }
  if (first === undefined) throw new CtxError('usage', 'there is no pattern', { hint: "try: ctx grep 'a word'" });
  if (!io.files.exists(first)) return { raw: first, name: second ?? 'latest' };
  // A word may be the name of a file by chance, but not of a session file.
  const isMissing = second === undefined && first.endsWith('.jsonl');
  if (isMissing || (second !== undefined && !(await isSession(io, second)))) {
    throw new CtxError('usage', 'the pattern comes first, then the session', {
      where: `"${first}" is a file`,
      hint: `write: ctx grep ${second === undefined ? 'PATTERN' : `'${second}'`} ${first}`,
    });
  }
  return { raw: first, name: second ?? 'latest' };
}

async function isSession(io: Input['io'], name: string): Promise<boolean> {
  const file = await foundSession(io, name);
  return name === '-' || (file !== null && io.files.exists(file));
}
