import { typeOfName } from '#analysis/listing/log-filter.js';
import { readSearchPattern, type SearchPattern } from '#analysis/search/search-pattern.js';
import { batchItems } from '#base/batches.js';
import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { findSession } from '#cli/locate.js';
import { formatFolder } from '#cli/sessions/folders.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand, type Outcome, type OutcomeEnd } from '../define.js';
import { choiceFlag, numberFlag, positiveFlag, textFlag, toggleFlag } from '../flags.js';
import { openNamedSession, revisionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { listCountResults, listFolderTotals, listLineResults, listMatchResults, toScopeResult } from './results.js';
import { findSearchedFiles, type FolderSearch, searchFolder } from './search-folder.js';
import { type Search, type SearchQuery, startGrep, toHiddenQuery } from './search.js';
import { describeScope } from './view.js';

const FLAGS = {
  where: choiceFlag(
    'WHERE',
    ['context', 'path', 'all', 'hidden'],
    'what to search: what the model sees (the default), the stored entries of the path, all entries of the file, or what on the path the model does not see',
  ),
  fixed: { ...toggleFlag('search for the literal text'), short: 'F' },
  'ignore-case': { ...toggleFlag('ignore case'), short: 'i' },
  context: { ...numberFlag('N', 'print N lines around each match'), short: 'C', excludes: ['count'] },
  count: { ...toggleFlag('print the number of matches per entry, and the total'), short: 'c' },
  max: { ...positiveFlag('N', 'stop after N matches; also -m'), short: 'n', alias: 'm' },
  at: shared.at,
  regexp: { ...textFlag('PATTERN', 'the pattern, instead of the first argument'), short: 'e' },
  role: textFlag('ROLE', 'only messages of this role, such as user or toolResult'),
  type: textFlag('NAME', 'only entries of this type, such as message or compaction'),
  tool: textFlag('NAME', 'only calls, results and the definition of this tool'),
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
    const { raw, name } = await readArguments(input);
    const grep = readGrep(input, raw);
    const files = await findSearchedFiles(input.io, name);
    return files ? grepFolder(input, files, { ...grep, name }) : grepSession(input, { ...grep, name });
  },
});

/** The search that a command line asks for. */
interface Grep {
  readonly query: SearchQuery;
  readonly pattern: SearchPattern;
  /** The name of the session, or of many. */
  readonly name: string;
  /** The command line of this search in all sessions. */
  readonly again: string;
  /** People read the answer, with a line about what was searched. */
  readonly isOnTerminal: boolean;
  /** Matches that the model does not see are counted for a note. */
  readonly isHiddenCounted: boolean;
}

function readGrep(input: Input, raw: string): Omit<Grep, 'name'> {
  const { io, flags, format } = input;
  const { where = 'context', at, role, tool, fixed: isFixed = false, 'ignore-case': ignoresCase = false } = flags;
  const type = flags.type && typeOfName(flags.type);
  const isOnTerminal = io.stdout.isTerminal && format !== 'json';
  return {
    query: { where, at, role, type, tool, around: flags.context ?? 0, most: flags.max ?? Infinity },
    pattern: readSearchPattern(raw, { isFixed, ignoresCase }),
    again: formatSearchOfAll(raw, input),
    isOnTerminal,
    isHiddenCounted: isOnTerminal && where === 'context' && !flags.count,
  };
}

async function grepSession(input: Input, grep: Grep): Promise<Outcome> {
  const { query, pattern, name, again, isOnTerminal, isHiddenCounted } = grep;
  const session = await openNamedSession(input, name, input.flags);
  const search = startGrep(session, query, pattern);
  const hidden = isHiddenCounted ? startGrep(session, toHiddenQuery(query), pattern) : null;
  const place = describePlace(input.io, session.file);
  const scope = describeScope({ where: query.where, place, again });
  return {
    kind: 'stream',
    batches: batchItems(addScope(listResults(input, search, hidden), isOnTerminal ? scope : null)),
    end: () => ({ ...buildEnd(search, scope, isOnTerminal), file: session.file }),
  };
}

function grepFolder(input: Input, files: readonly NamedFile[], grep: Grep): Outcome {
  const { query, pattern, name, again, isOnTerminal, isHiddenCounted } = grep;
  const { io, flags, format } = input;
  const folder: FolderSearch = {
    files,
    isLenient: flags.lenient ?? false,
    query,
    pattern,
    listResults: (search) => listResults(input, search, null),
    hidden: isHiddenCounted ? { found: 0, types: new Set<string>() } : null,
    problems: [],
    found: 0,
    sessions: 0,
  };
  const place = pluralize(files.length, 'session');
  const scope = describeScope({ where: query.where, place, again: name === 'all' ? null : again });
  const isCount = format !== 'json' && flags.count === true;
  return {
    kind: 'stream',
    batches: listFolderResults(io, folder, { scope: isOnTerminal ? scope : null, isCount }),
    end: () => buildEnd(folder, scope, isOnTerminal),
  };
}

/** The answer for one session. `hidden`: the search of what the model does not see, for a note. */
function listResults({ flags, format }: Input, search: Search, hidden: Search | null): Iterable<Printable> {
  const isJson = format === 'json';
  if (flags.count) return listCountResults(search, !isJson);
  return isJson ? listMatchResults(search) : listLineResults(search, hidden);
}

/** The file of a session, or the words for standard input. */
function describePlace(io: Input['io'], file: string): string {
  return file === '-' ? 'standard input' : formatFolder(io, file);
}

/**
 * The command line of this search in all sessions. With `--redact` the pattern, which may be a secret, is not repeated.
 */
function formatSearchOfAll(raw: string, { flags: { fixed, 'ignore-case': ignoresCase }, isRedacted }: Input): string {
  if (isRedacted) return 'ctx grep PATTERN all --redact';
  const word = toShellWord(raw);
  const pattern = raw.startsWith('-') ? `-e ${word}` : word;
  return ['ctx grep', ...(fixed ? ['-F'] : []), ...(ignoresCase ? ['-i'] : []), pattern, 'all'].join(' ');
}

/** Adds a last line on a terminal with what was searched. A pipe carries only matches. */
function* addScope(results: Iterable<Printable>, scope: string | null): Generator<Printable> {
  yield* results;
  if (scope !== null) yield toScopeResult(scope);
}

/** Builds the end of a search. It names the scope where there is no match, since an empty pipe would say nothing. */
function buildEnd(
  { found, problems }: Pick<Search, 'found' | 'problems'>,
  scope: string,
  isOnTerminal: boolean,
): OutcomeEnd {
  const notes = found === 0 && !isOnTerminal ? [`no match; ${scope}`] : [];
  return { problems, exitCode: found > 0 ? 0 : 1, notes };
}

async function* listFolderResults(
  io: Input['io'],
  folder: FolderSearch,
  { scope, isCount }: { readonly scope: string | null; readonly isCount: boolean },
): AsyncGenerator<readonly Printable[]> {
  yield* searchFolder(io, folder);
  const rest = [...addScope(listFolderTotals(folder, isCount), scope)];
  if (rest.length > 0) yield rest;
}

/** The pattern and the session that are meant. With --regexp the only argument is the session. */
async function readArguments({ io, args, flags }: Input): Promise<{ readonly raw: string; readonly name: string }> {
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
  const file = await findSession(io, name);
  return name === '-' || (file !== null && io.files.exists(file));
}
