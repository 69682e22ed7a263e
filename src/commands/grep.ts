import { CtxError, type Problem } from '../errors.js';
import { locateSession } from '../locate.js';
import { envelopeAt, type OpenSession, openSession } from '../open.js';
import type { Report } from '../render/define.js';
import type { GrepCount, GrepMatch } from '../schemas.js';
import type { Head } from '../session/head.js';
import { resolveRevision } from '../session/revision.js';
import { pathTo } from '../session/tree.js';
import { countLine, matchLines, totalLine } from '../views/grep-view.js';
import { once } from '../views/once.js';
import { type SearchPattern, searchPattern } from '../views/search-pattern.js';
import { idOf, mayHold, type Searched, searchedInContext, searchedInEntries } from '../views/searched.js';
import { matchesIn, type TextMatch } from '../views/text-matches.js';
import { bringsText, visibleForms } from '../views/visible-forms.js';
import { type CommandInput, defineCommand } from './define.js';
import { choice, number, text, toggle } from './flags.js';

const FLAGS = {
  where: choice(
    'WHERE',
    ['context', 'path', 'all', 'hidden'],
    'what to search: what the model sees (the default), the stored entries of the path, all entries of the file, or what on the path the model does not see',
  ),
  at: text('REV', 'the entry whose context and path to search; written as for "ctx show --at"'),
  fixed: { ...toggle('take the pattern literally'), short: 'F' },
  'ignore-case': { ...toggle('do not tell upper from lower case'), short: 'i' },
  context: { ...number('N', 'print N lines around each match'), short: 'C' },
  count: { ...toggle('print how many matches each entry has, and a total'), short: 'c' },
  max: { ...number('N', 'stop after N matches'), short: 'm' },
  role: text('ROLE', 'messages of a role, such as user or toolResult'),
  type: text('TYPE', 'entries of a type, such as message or compaction'),
  tool: text('NAME', 'calls, results and definitions of a tool'),
  lenient: toggle('skip patch ops that break a rule instead of failing'),
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'grep',
  summary: 'Find text in a session',
  description:
    'Searches what the model sees, what is stored, or what a compaction, an edit or a transform took out of sight. ' +
    'Texts are searched line by line: messages, tool calls and their arguments, results, summaries, prompts, ' +
    'tool definitions; no images, signatures, ids or times. Exit code 1 says that nothing was found.',
  args: [
    { name: 'pattern', help: 'a JavaScript regular expression' },
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, "latest" (the default), or - for standard input',
    },
  ],
  flags: FLAGS,
  examples: [
    "ctx grep 'isoDate|tomorrow' session.jsonl",
    'ctx grep -F "console.log(" --where hidden',
    'ctx grep -i "permission denied" session.jsonl --where all --tool bash --count',
    'ctx grep TODO latest --json',
  ],
  async run(input) {
    const { io, args, flags } = input;
    const pattern = readPattern(input);
    const session = await openSession(locateSession(io, args[1] ?? 'latest'), io.files);
    const search = startSearch(session, input, pattern);
    return {
      kind: 'stream',
      items: flags.count ? counts(search, input) : listing(search),
      end: () => ({ problems: search.problems, exitCode: search.found > 0 ? 0 : 1 }),
    };
  },
});

function readPattern({ args, flags }: Input): SearchPattern {
  const [raw] = args;
  if (raw === undefined) throw new CtxError('usage', 'there is no pattern', { hint: "try: ctx grep 'a word'" });
  if (flags.count && flags.context !== undefined) {
    throw new CtxError('usage', '--count prints no lines, so --context has no effect', {
      hint: 'leave one of them out',
    });
  }
  if (flags.max === 0) throw new CtxError('usage', '--max 0 finds nothing', { hint: 'write 1 or more' });
  return searchPattern(raw, { isFixed: flags.fixed ?? false, ignoresCase: flags['ignore-case'] ?? false });
}

interface Search {
  readonly items: Iterable<Searched>;
  readonly regex: RegExp;
  /** Lines around a match. */
  readonly around: number;
  /** No more matches than these. */
  readonly most: number;
  readonly problems: readonly Problem[];
  /** Whether the model sees a match; null where nobody can say. */
  isSeen(item: Searched, found: Found): boolean | null;
  /** Whether a match is what was asked for. */
  isWanted(item: Searched, found: Found): boolean;
  /** Matches so far. */
  found: number;
}

interface Found {
  readonly place: string;
  readonly isForModel: boolean;
  readonly match: TextMatch;
}

function startSearch(session: OpenSession, { flags }: Input, { regex, literal }: SearchPattern): Search {
  const { where = 'context', role, type, tool } = flags;
  const at = resolveRevision(session, flags.at ?? 'HEAD');
  const path = at ? pathTo(session.tree, at) : [];
  const isOnPath = new Set(path.map(({ index }) => index));
  const envelope = once(() => envelopeAt(session, flags.at, { lenient: flags.lenient }));
  const forms = once(() => visibleForms(envelope()));
  const isBroken = once(() => cannotReplay(forms));
  const isShown = (item: Searched, { isForModel, match }: Found): boolean =>
    item.isFromContext ||
    (isForModel && item.head !== null && isOnPath.has(item.head.index) && forms().isVisible(item.head, match.text));
  const passes = (head: Head): boolean =>
    (type === undefined || head.type === type) &&
    (role === undefined || head.role === role) &&
    (where !== 'hidden' || (bringsText(head) && !forms().isUnchanged(head))) &&
    (literal === null || mayHold(session, head, literal));
  const items =
    where === 'context'
      ? searchedInContext(envelope(), path)
      : searchedInEntries(session, filtered(where === 'all' ? session.tree.heads : path, passes));
  return {
    items: filtered(
      items,
      (item) =>
        (type === undefined || item.head?.type === type) &&
        (role === undefined || item.role === role) &&
        (tool === undefined || item.tools.includes(tool)),
    ),
    regex,
    around: flags.context ?? 0,
    most: flags.max ?? Infinity,
    problems: where === 'context' || where === 'hidden' ? envelope().meta.diagnostics : session.problems,
    isSeen: (item, found) => (isBroken() ? null : isShown(item, found)),
    isWanted: (item, found) => where !== 'hidden' || (found.isForModel && !isShown(item, found)),
    found: 0,
  };
}

function* matchesOf(search: Search, item: Searched): Generator<Found> {
  for (const { place, text: whole, isForModel } of item.places) {
    for (const match of matchesIn(whole, search.regex, search.around)) {
      const found = { place, isForModel, match };
      if (!search.isWanted(item, found)) continue;
      search.found += 1;
      yield found;
      if (search.found >= search.most) return;
    }
  }
}

function* listing(search: Search): Generator<Report> {
  for (const item of search.items) {
    for (const found of matchesOf(search, item)) {
      yield {
        get data() {
          return matchData(item, found, search);
        },
        doc: (view) => matchLines(item, found.place, found.match, view),
      };
    }
    if (search.found >= search.most) return;
  }
}

function matchData(item: Searched, found: Found, search: Search): GrepMatch {
  const { before, after, ...match } = found.match;
  return {
    schema: 'ctx/grep-match',
    schemaVersion: 1,
    ...sourceOf(item),
    place: found.place,
    ...match,
    isVisible: search.isSeen(item, found),
    ...(search.around > 0 ? { before: [...before], after: [...after] } : {}),
  };
}

function* counts(search: Search, { format }: Input): Generator<Report> {
  let entries = 0;
  for (const item of search.items) {
    const matches = countOf(matchesOf(search, item));
    if (matches === 0) continue;
    entries += 1;
    const data: GrepCount = { schema: 'ctx/grep-count', schemaVersion: 1, ...sourceOf(item), matches };
    yield { data, doc: () => [countLine(item, matches)] };
    if (search.found >= search.most) break;
  }
  if (format !== 'json') yield { data: null, doc: () => [totalLine(search.found, entries)] };
}

function countOf(items: Iterator<unknown>): number {
  let length = 0;
  while (!items.next().done) length += 1;
  return length;
}

function sourceOf(item: Searched): Pick<GrepMatch, 'entryId' | 'line' | 'type' | 'name' | 'role'> {
  const { head, name, role } = item;
  return { entryId: idOf(item), line: head?.line ?? null, type: head?.type ?? null, name, role };
}

/** A path that cannot be replayed has no context to compare with. */
function cannotReplay(replay: () => unknown): boolean {
  try {
    replay();
    return false;
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return true;
    throw error;
  }
}

function* filtered<Item>(items: Iterable<Item>, isWanted: (item: Item) => boolean): Generator<Item> {
  for (const item of items) if (isWanted(item)) yield item;
}
