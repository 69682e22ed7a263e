import type { WordFilter } from '#analysis/search/word-index.js';
import { readWordQuery, type WordQuery } from '#analysis/search/word-query.js';
import { CtxError } from '#base/errors.js';
import { toShellWord } from '#base/shell.js';
import { createFolderTest } from '#cli/sessions/folders.js';
import { createHandles } from '#cli/sessions/handles.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { toPeriod } from '#cli/sessions/period.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { type Doc, gap, line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand } from '../define.js';
import { choiceFlag, positiveFlag, textFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { readFoundSession, toLines } from './found-session.js';
import { type FoundEntries, groupBySession, MOST_SESSIONS, searchIndex, type SessionEntries } from './search-index.js';
import { toIndexedPath } from './update-index.js';
import { describeFoundScope, describeTerms, renderFoundSession, renderMore, renderTerms } from './view.js';

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
  max: { ...positiveFlag('N', 'stop after N sessions (default: 5)'), short: 'n' },
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
    const { entries, terms, problems } = await searchIndex(io, query, buildFilter(input, files), files);
    const all = groupBySession(entries);
    const sessions = all.slice(0, flags.max ?? MOST_SESSIONS);
    const isJson = format === 'json';
    const isOnTerminal = io.stdout.isTerminal && !isJson;
    const scope = describeFoundScope({ sessions: files.length, entries: entries.length });
    const results: Results = {
      files,
      query,
      sessions,
      more: all.length - sessions.length,
      terms,
      scope: isOnTerminal ? scope : null,
    };
    const remarks = [
      ...(terms === null ? [] : [describeTerms(terms)]),
      ...(sessions.length === 0 ? [...explainSessionWord(input.args), scope] : []),
    ];
    const isSaidInAnswer = isOnTerminal || (sessions.length > 0 && !isJson);
    return {
      kind: 'stream',
      batches: listResults(input, results),
      end: () => ({ problems, exitCode: sessions.length > 0 ? 0 : 1, notes: isSaidInAnswer ? [] : remarks }),
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

function readQuery(args: Input['args']): WordQuery {
  const typed = args.filter((word) => word !== undefined).join(' ');
  const query = readWordQuery(typed);
  if (query) return query;
  throw new CtxError('usage', typed === '' ? 'there are no words to find' : 'there is no letter and no digit to find', {
    hint: "try: ctx find a word; for other signs: ctx grep -F 'TEXT' all",
  });
}

/** The filter of the flags. The index also has sessions that were not named. */
function buildFilter({ io, flags }: Input, files: readonly NamedFile[]): WordFilter {
  const { where = 'all', role, cwd } = flags;
  const named = new Set(files.map(({ file }) => toIndexedPath(io, file)));
  const isBelow = cwd === undefined ? () => true : createFolderTest(io.cwd, cwd);
  return {
    ...toPeriod(flags, io.now()),
    name: role,
    places: where === 'all' ? ['context', 'hidden', 'branch'] : [where],
    isWanted: (session) => named.has(session.path) && isBelow(session.cwd),
  };
}

interface Results {
  readonly files: readonly NamedFile[];
  readonly query: WordQuery;
  readonly sessions: readonly SessionEntries[];
  /** The number of further sessions that match. */
  readonly more: number;
  readonly terms: FoundEntries['terms'];
  /** A last line about what was searched; null for none. */
  readonly scope: string | null;
}

async function* listResults(
  { io, flags, format }: Input,
  { files, query, sessions, more, terms, scope }: Results,
): AsyncGenerator<readonly Printable[]> {
  const names = new Map(files.map(({ file }) => [toIndexedPath(io, file), file]));
  const reading = {
    nameOf: (place: string): string => names.get(place) ?? place,
    query,
    toHandle: await createHandles(io),
  };
  if (format === 'json') {
    for (const entries of sessions) {
      const session = await readFoundSession(io, entries, reading);
      yield toLines(session).map((data) => ({ data, doc: () => [] }));
    }
    return;
  }
  const hasTerms = terms !== null && (sessions.length > 0 || scope !== null);
  if (hasTerms) yield [toText(renderTerms(terms))];
  let isFirst = !hasTerms;
  for (const entries of sessions) {
    const session = await readFoundSession(io, entries, reading);
    yield [toText(renderFoundSession(session, isFirst))];
    isFirst = false;
  }
  if (more > 0) yield [toText(renderMore(more, MORE_FACTOR * (flags.max ?? MOST_SESSIONS)))];
  if (scope !== null) yield [toText([gap, line(span(scope, 'faint'))])];
}

/** The last line offers this many times the sessions that were printed at most. */
const MORE_FACTOR = 4;

function toText(doc: Doc): Printable {
  return { data: null, doc: () => doc };
}
