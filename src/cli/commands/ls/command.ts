import { buildWarning, type Problem } from '#base/errors.js';
import { incrementCount } from '#base/maps.js';
import { pluralize } from '#base/numbers.js';
import { isInPeriod } from '#base/time.js';
import type { FoundSession } from '#cli/sessions/find-sessions.js';
import { createFolderTest, formatFolder } from '#cli/sessions/folders.js';
import { type OrderedItem, sortInForkOrder } from '#cli/sessions/fork-order.js';
import { createHandles, type FindHandle } from '#cli/sessions/handles.js';
import { toPeriod } from '#cli/sessions/period.js';
import { SORT_KEYS, type SummarizedFile, summarizeSessions, takeLargest } from '#cli/sessions/summarize-sessions.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import { UNKNOWN_FORMAT } from '#session/scan/other-files.js';
import { line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand, type OutcomeEnd } from '../define.js';
import { choiceFlag, patternFlag, positiveFlag, textFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import type { SessionLine } from './document.js';
import { findAgentName, type SelectedSessions, selectSessions } from './select-sessions.js';
import { toErrorLine, toSessionLine } from './session-line.js';
import { type LsLayout, type LsRow, measureLsLayout, renderLsHeading, renderLsRow } from './view.js';

const FLAGS = {
  agent: textFlag('NAME', 'the agent whose sessions are listed: pi, another one such as claude-code, or all'),
  cwd: textFlag('DIR', 'only sessions of this working directory or below it'),
  since: shared.since,
  sort: choiceFlag('BY', SORT_KEYS, 'list the largest first, instead of the newest'),
  max: { ...positiveFlag('N', 'stop after N sessions'), short: 'n' },
  until: shared.until,
  model: patternFlag('RE', 'only sessions whose model (provider/id) matches a regular expression, ignoring case'),
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'ls',
  summary: 'List sessions, newest first',
  description:
    'Lists sessions with name, age, size, model, context tokens and cost: those of the working directory, of all agents; ' +
    'without one there, all. Forks are listed below the session they came from.',
  args: [
    {
      name: 'folder',
      help: 'the folder whose files are listed, or "all", "all:AGENT" (default: the sessions of the working directory)',
    },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx ls',
    'ctx ls all',
    'ctx ls --agent claude-code',
    'ctx ls -n 5 --sort cost',
    'ctx ls --cwd . --since 7d',
    'ctx ls backup/sessions --model sonnet --json',
  ],
  async run(input) {
    const { flags, format } = input;
    const selection = await selectSessions(input);
    const { found } = selection;
    const { isWanted, isWantedFile } = createFilter(input);
    const placed = sortInForkOrder(found.sessions.filter(isWanted).map(toListedSession));
    const hasOthers = flags.cwd === undefined && flags.model === undefined;
    const listing: Listing = {
      ...input,
      selection,
      // Which sessions have a model, and how large they are, is known only when they have been read.
      placed: (flags.model ?? flags.sort) ? placed : placed.slice(0, flags.max),
      others: hasOthers ? found.others.filter(isWantedFile) : [],
      tally: { listed: 0, problems: found.unreadable.map(warnUnreadableFolder) },
    };
    const batches = format === 'json' ? listJsonLines(listing) : listTextLines(listing);
    return { kind: 'stream', batches, end: () => buildEnd(listing) };
  },
});

type Session = FoundSession & { readonly id: string | null; readonly parentSession: string | null };

/** The sessions to list, and what listing them has found so far. */
interface Listing extends Input {
  readonly selection: SelectedSessions;
  /** The sessions in the order of forks, each with the place of its parent. */
  readonly placed: readonly OrderedItem<Session>[];
  /** Files that are no sessions. */
  readonly others: readonly FoundFile[];
  readonly tally: Tally;
}

/** The findings of a listing on its way: they decide the end of its output. */
interface Tally {
  /** The number of sessions that were listed. */
  listed: number;
  readonly problems: Problem[];
}

/** The flags that select sessions and other files by what is known before they are read. */
interface Filter {
  isWanted(session: FoundSession): boolean;
  isWantedFile(found: FoundFile): boolean;
}

function createFilter({ io, flags }: Input): Filter {
  const period = toPeriod(flags, io.now());
  const isThere = flags.cwd === undefined ? () => true : createFolderTest(io.cwd, flags.cwd);
  const isWantedFile = ({ modified }: FoundFile): boolean => isInPeriod(modified, period);
  const isWanted = ({ at, header }: FoundSession): boolean => isInPeriod(at, period) && isThere(header?.cwd ?? null);
  return { isWanted, isWantedFile };
}

function toListedSession(found: FoundSession): Session {
  return { ...found, id: found.header?.id ?? null, parentSession: found.header?.parentSession ?? null };
}

async function* listJsonLines(listing: Listing): AsyncGenerator<readonly Printable[]> {
  const counts = countSubagentsByPlace(listing.placed);
  for await (const batch of summarizeListed(listing)) {
    yield batch.map(({ file, place, result }) => {
      if (!result.ok) return toJsonItem(toErrorLine(file, result.error));
      return toJsonItem(toSessionLine(file, result.output, counts.get(place) ?? 0));
    });
  }
  if (listing.others.length > 0) yield listing.others.map((found) => toJsonItem(toErrorLine(found, UNKNOWN_FORMAT)));
}

/** Yields the sessions in their order, and counts them. */
async function* summarizeListed(listing: Listing): AsyncGenerator<readonly SummarizedFile<Session>[]> {
  const { io, placed, flags } = listing;
  const sessions = placed.map(({ item }) => item);
  const { model, sort, max: most } = flags;
  // The largest are known only at the end.
  const inTurn = summarizeSessions(io, sessions, { model, most: sort ? undefined : most });
  const batches = sort ? takeLargest(inTurn, { sort, most }) : inTurn;
  for await (const batch of batches) {
    listing.tally.listed += batch.filter(({ result }) => result.ok).length;
    yield batch;
  }
}

async function* listTextLines(listing: Listing): AsyncGenerator<readonly Printable[]> {
  const { placed, others, tally } = listing;
  const handles = placed.map(({ item }) => item.file).map(await createListHandles(listing));
  const layout = await measureLayout(listing, handles);
  const buildRows = createRowBuilder(listing, handles);
  let isFirst = true;
  for await (const batch of summarizeListed(listing)) {
    const rows = batch.flatMap(buildRows);
    if (rows.length === 0) continue;
    const first = isFirst ? rows[0] : null;
    isFirst = false;
    yield rows.map((row) => toRow(row, layout, row === first));
  }
  if (others[0]) tally.problems.push(warnNoSessions(others[0].file, others.length));
  const rest = [...(await listCleanups(listing)), ...mentionOthers(listing)];
  if (rest.length > 0) yield rest;
}

/** The names of sessions for other commands: in the folders of other agents, their ids. */
function createListHandles({ io, selection }: Listing): Promise<FindHandle> {
  return createHandles(io, { isOfPi: selection.agent === null || selection.isOfFolder });
}

/** A line for each agent about its sessions that it will delete soon, for people. */
async function listCleanups({ io, placed }: Listing): Promise<readonly Printable[]> {
  if (!io.stdout.isTerminal) return [];
  const { announceCleanups } = await import('#cli/sessions/cleanup.js');
  const sessions = placed.map(({ item: { header, modified } }) => ({ agent: findAgentName(header), modified }));
  return announceCleanups(io, sessions).map((text) => ({ data: null, doc: () => [line(span(text, 'faint'))] }));
}

/** A last line about the sessions of other working directories. */
function mentionOthers({ selection: { elsewhere } }: Listing): readonly Printable[] {
  if (elsewhere === 0) return [];
  const text = `${pluralize(elsewhere, 'session')} of other folders: ctx ls all`;
  return [{ data: null, doc: () => [line(span(text, 'faint'))] }];
}

function measureLayout({ io, placed }: Listing, handles: readonly string[]): Promise<LsLayout> {
  const rows = placed.map(({ item: { size, header } }, at) => {
    const cwd = formatFolder(io, header?.cwd ?? null);
    return { handle: handles[at] ?? '', size, cwd, agent: findAgentName(header) };
  });
  return measureLsLayout(rows);
}

/** Returns a function that makes the row of each session. In order, a fork is one deeper than its parent. */
function createRowBuilder(
  { io, placed, flags, tally }: Listing,
  handles: readonly string[],
): (summed: SummarizedFile<Session>) => readonly LsRow[] {
  const depths = new Map<number, number>();
  const now = io.now();
  const counts = countSubagentsByPlace(placed);
  return ({ file: { file, size, at }, place, result }) => {
    if (!result.ok) {
      tally.problems.push(buildWarning('unreadable-session', `${file}: ${result.error}`));
      return [];
    }
    const parent = flags.sort ? NO_PARENT : (placed[place]?.parent ?? NO_PARENT);
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(place, depth);
    const row: LsRow = {
      ...result.output,
      cwd: formatFolder(io, result.output.cwd),
      handle: handles[place] ?? '',
      file,
      size,
      age: now - at,
      depth,
      origin: depth === 0 ? null : (handles[parent] ?? null),
      subagents: counts.get(place) ?? 0,
    };
    return [row];
  };
}

/** The place of the parent of a session without one. */
const NO_PARENT = -1;

/** The number of listed subagents by the place of the session that started them. */
function countSubagentsByPlace(placed: Listing['placed']): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { item, parent } of placed) {
    if (parent !== NO_PARENT && isSubagent(item)) incrementCount(counts, parent);
  }
  return counts;
}

function isSubagent({ header }: FoundSession): boolean {
  return header !== null && 'isSubagent' in header && header.isSubagent === true;
}

/** A row; the first one has the column titles above it. */
function toRow(row: LsRow, layout: LsLayout, isFirst: boolean): Printable {
  return {
    data: null,
    doc: (view) => [...(isFirst ? renderLsHeading(layout, view) : []), ...renderLsRow(row, layout, view)],
  };
}

function toJsonItem(data: SessionLine): Printable {
  return { data, doc: () => [] };
}

function warnUnreadableFolder(folder: string): Problem {
  return buildWarning('unreadable-folder', `${folder} cannot be read`);
}

function warnNoSessions(first: string, files: number): Problem {
  const rest = files === 1 ? '' : `, and ${files - 1} more`;
  return buildWarning('not-a-session', `left out ${pluralize(files, 'file')}: ${first}${rest}`);
}

function buildEnd({ tally, selection }: Listing): OutcomeEnd {
  const { listed, problems } = tally;
  if (listed > 0) return { problems };
  const { found, place } = selection;
  const sessions = found.sessions.length;
  const isEmpty = sessions === 0 || problems.length > 0;
  const nothing = isEmpty
    ? `nothing to list in ${place}`
    : `none of ${pluralize(sessions, 'session')} in ${place} is what the flags ask for`;
  return { problems: [...problems, buildWarning('no-session', nothing)], exitCode: 1 };
}
