import path from 'node:path';
import { type FoundEntry, WORD_TABLES, type WordFilter, WordIndex } from '#analysis/search/word-index.js';
import { formatTerm, readWordQuery, type WordQuery } from '#analysis/search/word-query.js';
import { CtxError, type Problem } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
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
import { type EntryWithCopies, readFoundSession, toLines } from './found-session.js';
import { updateIndex } from './update-index.js';
import {
  describeFoundScope,
  describeTerms,
  renderFoundSession,
  renderMore,
  renderTerms,
  type TermCount,
} from './view.js';

const FLAGS = {
  in: textFlag(
    'NAME',
    'the sessions to search: a file, a folder, a pattern of files, all:AGENT, or "all" (the default)',
  ),
  cwd: textFlag('DIR', 'only sessions of this working directory or below it'),
  since: shared.sinceTime,
  role: textFlag('ROLE', 'only messages of this role, such as user, or entries of this type, such as compaction'),
  where: choiceFlag(
    'WHERE',
    ['all', 'context', 'hidden'],
    'what to search: all entries (the default), what the model sees now, or what it no longer sees',
  ),
  max: { ...positiveFlag('N', 'stop after N sessions (default: 5)'), short: 'n' },
  until: shared.until,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'find',
  summary: 'Find a conversation by its words, in all sessions',
  description:
    'Searches the words of all sessions of all agents, the best match first: what you and the model said counts more ' +
    'than what tools wrote. All words must be in one entry; case and accents do not count. A phrase is in double ' +
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
    const all = groupBySession(found.entries);
    const sessions = all.slice(0, flags.max ?? MOST_SESSIONS);
    const isJson = format === 'json';
    const isOnTerminal = io.stdout.isTerminal && !isJson;
    const scope = describeFoundScope({ sessions: files.length, entries: found.entries.length });
    const { terms } = found;
    const remarks = [
      ...(terms === null ? [] : [describeTerms(terms)]),
      ...(sessions.length === 0 ? [...explainSessionWord(input.args), scope] : []),
    ];
    return {
      kind: 'stream',
      items: listResults(input, {
        files,
        query,
        sessions,
        more: all.length - sessions.length,
        terms,
        scope: isOnTerminal ? scope : null,
      }),
      end: () => ({
        problems,
        exitCode: sessions.length > 0 ? 0 : 1,
        notes: isOnTerminal || (sessions.length > 0 && !isJson) ? [] : remarks,
      }),
    };
  },
});

/** A last word that other commands read as sessions is one of the words here. */
function explainSessionWord(args: Input['args']): readonly string[] {
  const last = args.at(-1) ?? '';
  if (!/^(?:all|latest)(?::|$)/.test(last)) return [];
  const instead = last === 'all' ? 'leave it out, since all sessions are searched' : `write --in ${toShellWord(last)}`;
  return [`"${last}" was one of the words: ${instead}`];
}

const MOST_SESSIONS = 5;
/** The last line offers this many times the printed sessions. */
const MORE_FACTOR = 4;
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

interface SearchResult {
  readonly entries: readonly FoundEntry[];
  /** Each term with the number of its sessions, if no entry has all terms; null otherwise. */
  readonly terms: readonly TermCount[] | null;
}

async function searchIndex(
  input: Input,
  files: readonly NamedFile[],
  query: WordQuery,
): Promise<{ readonly found: SearchResult; readonly problems: readonly Problem[] }> {
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
): Promise<{ readonly found: SearchResult; readonly problems: readonly Problem[] }> {
  const database = await input.io.openIndexDatabase('words', WORD_TABLES);
  try {
    const index = new WordIndex(database.sqlite);
    const problems = await updateIndex(input.io, index, files);
    const found = search(index, query, buildFilter(input, files), files.length);
    await database.close();
    return { found, problems };
  } catch (error) {
    await (error instanceof CtxError ? database.close() : database.discard());
    throw error;
  }
}

/**
 * The entries with all terms. If there is none: those with all terms that occur somewhere, else those with any term that
 * tells sessions apart. A term that occurs in most sessions finds nothing by itself.
 */
function search(index: WordIndex, query: WordQuery, filter: WordFilter, searched: number): SearchResult {
  const entries = index.search(query, 'all', filter, MOST_ENTRIES);
  if (entries.length > 0 || query.terms.length === 1) return { entries, terms: null };
  const counted = query.terms.map((term) => ({ term, sessions: index.countFiles({ terms: [term] }, filter) }));
  const terms = counted.map(({ term, sessions }) => ({ text: formatTerm(term), sessions }));
  const found = counted.filter(({ sessions }) => sessions > 0);
  const telling = found.filter(({ sessions }) => sessions <= Math.max(MOST_SESSIONS, searched / 2));
  if (telling.length === 0) return { entries: [], terms };
  const together = { terms: found.map(({ term }) => term) };
  const withFound = found.length < counted.length ? index.search(together, 'all', filter, MOST_ENTRIES) : [];
  if (withFound.length > 0) return { entries: withFound, terms };
  return { entries: index.search({ terms: telling.map(({ term }) => term) }, 'any', filter, MOST_ENTRIES), terms };
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

/** The entries of each session, the session with the best one first. Copies of an entry in other sessions are folded into it. */
function groupBySession(entries: readonly FoundEntry[]): readonly SessionEntries[] {
  const originals = new Map<string, MutableEntry>();
  const sessions = new Map<string, [MutableEntry, ...MutableEntry[]]>();
  for (const found of entries) {
    const moment = found.time ?? found.entryId;
    const key = `${moment} ${found.name} ${found.hash}`;
    const original = moment === null ? undefined : originals.get(key);
    if (original) {
      const { path: place } = original.found;
      if (place !== found.path && !original.copies.includes(found.path)) original.copies.push(found.path);
      if (place !== found.path || original.found.entryId === found.entryId) continue;
    }
    const entry = { found, copies: [] };
    if (!original) originals.set(key, entry);
    const known = sessions.get(found.path);
    if (known) known.push(entry);
    else sessions.set(found.path, [entry]);
  }
  return [...sessions.values()];
}

interface MutableEntry {
  readonly found: FoundEntry;
  readonly copies: string[];
}

type SessionEntries = readonly [EntryWithCopies, ...EntryWithCopies[]];

/** The file of a session, by which the index knows it. */
function toPath({ cwd }: Input['io'], file: string): string {
  return path.resolve(cwd || '/', file);
}

interface Results {
  readonly files: readonly NamedFile[];
  readonly query: WordQuery;
  readonly sessions: readonly SessionEntries[];
  /** The number of further sessions that match. */
  readonly more: number;
  readonly terms: SearchResult['terms'];
  /** A last line about what was searched; null for none. */
  readonly scope: string | null;
}

async function* listResults(
  { io, flags, format }: Input,
  { files, query, sessions, more, terms, scope }: Results,
): AsyncGenerator<readonly Printable[]> {
  const names = new Map(files.map(({ file }) => [toPath(io, file), file]));
  const toHandle = await createHandles(io);
  let isFirst = true;
  if (terms !== null && format !== 'json' && (sessions.length > 0 || scope !== null)) {
    yield [{ data: null, doc: () => renderTerms(terms) }];
    isFirst = false;
  }
  for (const entries of sessions) {
    const nameOf = (place: string): string => names.get(place) ?? place;
    const session = await readFoundSession(io, entries, { nameOf, query, toHandle });
    if (format === 'json') yield toLines(session).map((data) => ({ data, doc: () => [] }));
    else {
      const doc = renderFoundSession(session, isFirst);
      yield [{ data: null, doc: () => doc }];
    }
    isFirst = false;
  }
  if (more > 0 && format !== 'json') {
    const next = MORE_FACTOR * (flags.max ?? MOST_SESSIONS);
    yield [{ data: null, doc: () => renderMore(more, next) }];
  }
  if (scope !== null) yield [{ data: null, doc: () => [gap, line(span(scope, 'faint'))] }];
}
