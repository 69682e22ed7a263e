import path from 'node:path';
import { type FoundEntry, WORD_TABLES, type WordFilter, WordIndex } from '#analysis/search/word-index.js';
import { readWordQuery, type WordQuery } from '#analysis/search/word-query.js';
import { CtxError, type Problem } from '#base/errors.js';
import { createFolderTest } from '#cli/sessions/folders.js';
import { createHandles } from '#cli/sessions/handles.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { toPeriod } from '#cli/sessions/period.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { gap, line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand } from '../define.js';
import { choiceFlag, positiveFlag, textFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { readFoundSession, toLines } from './found-session.js';
import { updateIndex } from './update-index.js';
import { describeScope, renderFoundSession } from './view.js';

const FLAGS = {
  in: textFlag(
    'NAME',
    'the sessions to search: a file, a folder, a pattern of files, all:AGENT, or "all" (the default)',
  ),
  cwd: textFlag('DIR', 'only sessions of this working directory or below it'),
  since: shared.sinceTime,
  until: shared.until,
  role: textFlag('ROLE', 'only messages of this role, such as user, or entries of this type, such as compaction'),
  where: choiceFlag(
    'WHERE',
    ['all', 'context', 'hidden'],
    'what to search: all entries (the default), what the model sees now, or what it no longer sees',
  ),
  max: { ...positiveFlag('N', 'stop after N sessions (default: 10)'), short: 'n' },
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'find',
  summary: 'Find a conversation by its words, in all sessions',
  description:
    'Searches the words of all sessions of all agents, the best match first: what you and the model said counts more ' +
    'than what tools wrote. All words must be in one entry; case and accents do not count. A phrase stands in double ' +
    'quotes, and compact* finds words that begin so. Text that the model no longer sees is found too, and marked. The ' +
    'first run builds an index in the cache folder of the user, which may be deleted at any time. The exit code is 1 if ' +
    'nothing is found.',
  args: [{ name: 'words', help: 'the words to find', isMany: true }],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx find time zone',
    `ctx find '"regression test" forecast*' --since 30d`,
    'ctx find forecast --role user -n 3',
    'ctx find tests --in all:codex --json',
  ],
  async run(input) {
    const { io, flags, format } = input;
    const query = readQuery(input.args);
    const files = await findNamedFiles(io, [flags.in ?? 'all']);
    const { found, problems } = await searchIndex(input, files, query);
    const sessions = groupBySession(found.entries).slice(0, flags.max ?? MOST_SESSIONS);
    const isJson = format === 'json';
    const isOnTerminal = io.stdout.isTerminal && !isJson;
    const scope = describeScope({ sessions: files.length, entries: found.entries.length, wants: found.wants });
    return {
      kind: 'stream',
      items: listResults(input, { files, query, sessions, scope: isOnTerminal ? scope : null }),
      end: () => ({
        problems,
        exitCode: sessions.length > 0 ? 0 : 1,
        notes: sessions.length === 0 && !isOnTerminal ? [scope] : [],
      }),
    };
  },
});

const MOST_SESSIONS = 10;
/** The best entries, of which the sessions are listed. */
const MOST_ENTRIES = 1000;

function readQuery(args: Input['args']): WordQuery {
  const typed = args.filter((word) => word !== undefined).join(' ');
  const query = readWordQuery(typed);
  if (query) return query;
  throw new CtxError('usage', typed === '' ? 'there are no words to find' : 'there is no letter and no digit to find', {
    hint: "try: ctx find a word; for other signs: ctx grep -F 'TEXT' all",
  });
}

interface Found {
  readonly entries: readonly FoundEntry[];
  /** Whether the entries have all words, or only some, since none has all. */
  readonly wants: 'all' | 'any';
}

async function searchIndex(
  input: Input,
  files: readonly NamedFile[],
  query: WordQuery,
): Promise<{ readonly found: Found; readonly problems: readonly Problem[] }> {
  try {
    return await searchOnce(input, files, query);
  } catch (error) {
    if (error instanceof CtxError) throw error;
    // The database was damaged, and has been discarded: the sessions are read again.
    return searchOnce(input, files, query);
  }
}

async function searchOnce(
  input: Input,
  files: readonly NamedFile[],
  query: WordQuery,
): Promise<{ readonly found: Found; readonly problems: readonly Problem[] }> {
  const database = await input.io.openIndexDatabase('words', WORD_TABLES);
  try {
    const index = new WordIndex(database.sqlite);
    const problems = await updateIndex(input.io, index, files);
    const found = search(index, query, buildFilter(input, files));
    await database.close();
    return { found, problems };
  } catch (error) {
    await (error instanceof CtxError ? database.close() : database.discard());
    throw error;
  }
}

function search(index: WordIndex, query: WordQuery, filter: WordFilter): Found {
  const entries = index.search(query, 'all', filter, MOST_ENTRIES);
  if (entries.length > 0 || query.terms.length === 1) return { entries, wants: 'all' };
  return { entries: index.search(query, 'any', filter, MOST_ENTRIES), wants: 'any' };
}

function buildFilter({ io, flags }: Input, files: readonly NamedFile[]): WordFilter {
  const { where = 'all', role, cwd } = flags;
  const named = new Set(files.map(({ file }) => toPath(io, file)));
  const isBelow = cwd === undefined ? () => true : createFolderTest(io.cwd, cwd);
  return {
    ...toPeriod(flags, io.now()),
    name: role,
    places: where === 'all' ? ['context', 'hidden', 'branch'] : [where],
    isWanted: (session) => named.has(session.path) && isBelow(session.cwd),
  };
}

/** The entries of each session, the session with the best one first. A copy of an entry in another session is left out. */
function groupBySession(entries: readonly FoundEntry[]): readonly SessionEntries[] {
  const seen = new Set<string>();
  const sessions = new Map<string, [FoundEntry, ...FoundEntry[]]>();
  for (const entry of entries) {
    const key = `${entry.entryId} ${entry.time} ${entry.length}`;
    if (entry.entryId !== null && seen.has(key)) continue;
    seen.add(key);
    const known = sessions.get(entry.path);
    if (known) known.push(entry);
    else sessions.set(entry.path, [entry]);
  }
  return [...sessions.values()];
}

type SessionEntries = readonly [FoundEntry, ...FoundEntry[]];

/** The file of a session, by which the index knows it. */
function toPath({ cwd }: Input['io'], file: string): string {
  return path.resolve(cwd || '/', file);
}

interface Results {
  readonly files: readonly NamedFile[];
  readonly query: WordQuery;
  readonly sessions: readonly SessionEntries[];
  /** A last line about what was searched; null for none. */
  readonly scope: string | null;
}

async function* listResults(
  { io, format }: Input,
  { files, query, sessions, scope }: Results,
): AsyncGenerator<readonly Printable[]> {
  const names = new Map(files.map(({ file }) => [toPath(io, file), file]));
  const toHandle = await createHandles(io);
  let isFirst = true;
  for (const entries of sessions) {
    const session = await readFoundSession(io, entries, {
      file: names.get(entries[0].path) ?? entries[0].path,
      query,
      toHandle,
    });
    if (format === 'json') yield toLines(session).map((data) => ({ data, doc: () => [] }));
    else {
      const doc = renderFoundSession(session, isFirst);
      yield [{ data: null, doc: () => doc }];
    }
    isFirst = false;
  }
  if (scope !== null) yield [{ data: null, doc: () => [gap, line(span(scope, 'faint'))] }];
}
