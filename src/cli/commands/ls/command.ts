import { buildWarning, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { isInPeriod } from '#base/time.js';
import { findSessions, type FoundSession, type FoundSessions } from '#cli/sessions/find-sessions.js';
import { createFolderTest, formatFolder } from '#cli/sessions/folders.js';
import { type OrderedItem, sortInForkOrder } from '#cli/sessions/fork-order.js';
import { createHandles, type FindHandle } from '#cli/sessions/handles.js';
import { toPeriod } from '#cli/sessions/period.js';
import type { SessionSummary } from '#cli/sessions/summarize-session.js';
import { SORT_KEYS, type SummarizedFile, summarizeSessions, takeLargest } from '#cli/sessions/summarize-sessions.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import type { Io } from '#platform/io.js';
import { buildNoHomeError, findSessionsFolder } from '#session/agents/pi-folders.js';
import { UNKNOWN_FORMAT } from '#session/scan/other-files.js';
import { line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand, type OutcomeEnd } from '../define.js';
import { choiceFlag, patternFlag, positiveFlag, textFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import type { SessionLine } from './document.js';
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
  async run(named) {
    const call = readAllName(named);
    const { io, args } = call;
    const flags = { ...call.flags, agent: await chooseAgent(call) };
    const input = { ...call, flags };
    const isUnnamed = args[0] === undefined && call.flags.agent === undefined && flags.cwd === undefined;
    const { found, elsewhere } = preferFolder(await findListed(input), isUnnamed ? io.cwd : null);
    const place = args[0] ?? describeFolders(flags.agent) ?? findSessionsFolder(io) ?? '';
    const { isWanted, isWantedFile } = createFilter(input);
    const placed = sortInForkOrder(found.sessions.filter(isWanted).map(toListedSession));
    const listing: Listing = {
      ...input,
      // Which sessions have a model, and how large they are, is known only when they have been read.
      placed: (flags.model ?? flags.sort) ? placed : placed.slice(0, flags.max),
      others: flags.cwd === undefined && flags.model === undefined ? found.others.filter(isWantedFile) : [],
      problems: found.unreadable.map(warnUnreadableFolder),
      elsewhere,
      listed: 0,
    };
    const items = input.format === 'json' ? listJsonLines(listing) : listTextLines(listing);
    return { kind: 'stream', items, end: () => buildEnd(listing, place, found.sessions.length) };
  },
});

/** The names `all` and `all:AGENT` of other commands mean here what `--agent` says. */
function readAllName(call: Input): Input {
  const [name = ''] = call.args;
  const found = /^all(?::(?<agent>.*))?$/.exec(name);
  if (!found || call.flags.agent !== undefined || call.io.files.exists(name)) return call;
  return { ...call, args: [], flags: { ...call.flags, agent: found.groups?.agent || 'all' } };
}

/** The agent whose sessions are listed: all, unless a folder or an agent is named; undefined for Pi and for a folder. */
async function chooseAgent({ io, args: [name], flags: { agent } }: Input): Promise<string | undefined> {
  if (agent === 'pi' && name === undefined) return undefined;
  if (agent !== undefined || name !== undefined) return agent;
  const { findNewestFile } = await import('#cli/sessions/newest-session.js');
  const hasNone = io.files.list(requirePiFolder(io)).length === 0 && findNewestFile(io) === null;
  return hasNone ? undefined : (await import('#session/agents/index.js')).ALL_AGENTS;
}

/** The sessions of a working directory if it has any, with the number of the others; else all of them. */
function preferFolder(found: FoundSessions, cwd: string | null) {
  const isThere = cwd === null ? null : createFolderTest(cwd, '.');
  const sessions = isThere === null ? [] : found.sessions.filter(({ header }) => isThere(header?.cwd ?? null));
  if (sessions.length === 0) return { found, elsewhere: 0 };
  return { found: { ...found, sessions, others: [] }, elsewhere: found.sessions.length - sessions.length };
}

/** The sessions of a folder, or of the folders of an agent. */
async function findListed({ io, args: [name], flags: { agent } }: Input): Promise<FoundSessions> {
  if (agent === undefined) return findSessions(io, name ?? requirePiFolder(io));
  if (name === undefined) return (await import('#cli/sessions/agent-sessions.js')).findAgentSessions(io, agent);
  const { findAgents, ALL_AGENTS } = await import('#session/agents/index.js');
  const agents = agent === 'pi' ? [] : findAgents(agent);
  const found = await findSessions(io, name);
  const names = agent === 'pi' ? [agent] : agents.map((each) => each.name);
  const isOfAgent = ({ header }: FoundSession): boolean =>
    header !== null && names.includes(findAgentName(header) ?? 'pi');
  return agent === ALL_AGENTS ? found : { ...found, sessions: found.sessions.filter(isOfAgent), others: [] };
}

/** The agent that wrote a session, if it is not Pi. */
function findAgentName(header: FoundSession['header']): string | undefined {
  return header !== null && 'agent' in header && typeof header.agent === 'string' ? header.agent : undefined;
}

/** The folders of an agent, in words. */
function describeFolders(agent: string | undefined): string | null {
  return agent === undefined ? null : `the folders of ${agent === 'all' ? 'all agents' : agent}`;
}

function requirePiFolder(io: Io): string {
  const folder = findSessionsFolder(io);
  if (folder === null) throw buildNoHomeError();
  return folder;
}

type Session = FoundSession & { readonly id: string | null; readonly parentSession: string | null };

/** A listing on its way. */
interface Listing extends Input {
  readonly placed: readonly OrderedItem<Session>[];
  /** Files that are no sessions. */
  readonly others: readonly FoundFile[];
  readonly problems: Problem[];
  /** Sessions of other working directories, which a listing of this one leaves out. */
  readonly elsewhere: number;
  /** Sessions that were listed so far. */
  listed: number;
}

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
      const subagents = counts.get(place) ?? 0;
      return toJsonItem(result.ok ? toSessionLine(file, result.output, subagents) : toErrorLine(file, result.error));
    });
  }
  if (listing.others.length > 0) yield listing.others.map((found) => toJsonItem(toErrorLine(found, UNKNOWN_FORMAT)));
}

/** The sessions in their order, counted. */
async function* summarizeListed(listing: Listing): AsyncGenerator<readonly SummarizedFile<Session>[]> {
  const { io, placed, flags } = listing;
  const sessions = placed.map(({ item }) => item);
  const { model, sort, max: most } = flags;
  const inTurn = summarizeSessions(io, sessions, { model, most: sort ? undefined : most });
  for await (const batch of sort ? takeLargest(inTurn, { sort, most }) : inTurn) {
    listing.listed += batch.filter(({ result }) => result.ok).length;
    yield batch;
  }
}

async function* listTextLines(listing: Listing): AsyncGenerator<readonly Printable[]> {
  const { placed, problems, others } = listing;
  const handles = placed.map(({ item }) => item.file).map(await createListHandles(listing));
  const layout = await measureLayout(listing, handles);
  const buildRows = createRowBuilder(listing, handles);
  let isFirst = true;
  for await (const batch of summarizeListed(listing)) {
    const rows = batch.flatMap(buildRows);
    const top = isFirst ? rows[0] : null;
    isFirst &&= rows.length === 0;
    if (rows.length > 0) yield rows.map((row) => toRow(row, layout, row === top));
  }
  if (others[0]) problems.push(warnNoSessions(others[0].file, others.length));
  const rest = [...(await listCleanups(listing)), ...mentionOthers(listing)];
  if (rest.length > 0) yield rest;
}

/** The names of sessions for other commands: in the folders of other agents, their ids. */
function createListHandles({ io, args, flags }: Listing): Promise<FindHandle> {
  return createHandles(io, { isOfPi: flags.agent === undefined || args[0] !== undefined });
}

/** A line for each agent about its sessions that it will delete soon, for people. */
async function listCleanups({ io, placed }: Listing): Promise<readonly Printable[]> {
  if (!io.stdout.isTerminal) return [];
  const { announceCleanups } = await import('#cli/sessions/cleanup.js');
  const sessions = placed.map(({ item: { header, modified } }) => ({ agent: findAgentName(header), modified }));
  return announceCleanups(io, sessions).map((text) => ({ data: null, doc: () => [line(span(text, 'faint'))] }));
}

/** A last line about the sessions of other working directories. */
function mentionOthers({ elsewhere }: Listing): readonly Printable[] {
  if (elsewhere === 0) return [];
  const text = `${pluralize(elsewhere, 'session')} of other folders: ctx ls all`;
  return [{ data: null, doc: () => [line(span(text, 'faint'))] }];
}

function measureLayout({ io, placed }: Listing, handles: readonly string[]): Promise<LsLayout> {
  const looks = placed.map(({ item: { size, header } }, at) => {
    return {
      handle: handles[at] ?? '',
      size,
      cwd: formatFolder(io, header?.cwd ?? null),
      agent: findAgentName(header),
    };
  });
  return measureLsLayout(looks);
}

/** Returns a function that makes the row of each session. In order, a fork is one deeper than its parent. */
function createRowBuilder(
  { io, placed, problems, flags }: Listing,
  handles: readonly string[],
): (summed: SummarizedFile<Session>) => readonly LsRow[] {
  const depths = new Map<number, number>();
  const now = io.now();
  const counts = countSubagentsByPlace(placed);
  return ({ file: { file, size, at }, place, result }) => {
    if (!result.ok) {
      problems.push(buildWarning('unreadable-session', `${file}: ${result.error}`));
      return [];
    }
    const parent = flags.sort ? -1 : (placed[place]?.parent ?? -1);
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(place, depth);
    const origin = depth === 0 ? null : (handles[parent] ?? null);
    const subagents = counts.get(place) ?? 0;
    const cwd = formatFolder(io, result.output.cwd);
    return [
      { ...result.output, cwd, handle: handles[place] ?? '', file, size, age: now - at, depth, origin, subagents },
    ];
  };
}

/** The number of listed subagents by the place of the session that started them. */
function countSubagentsByPlace(placed: Listing['placed']): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { item, parent } of placed)
    if (parent >= 0 && isSubagent(item)) counts.set(parent, (counts.get(parent) ?? 0) + 1);
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

function toSessionLine(
  { file, modified, at, size }: FoundSession,
  summary: SessionSummary,
  subagents: number,
): SessionLine {
  const { id, version, name, title, cwd, ...rest } = summary;
  return {
    ...SCHEMA,
    file,
    id,
    version,
    name,
    title,
    cwd,
    modified: formatIsoTime(modified),
    last: formatIsoTime(at),
    size,
    ...rest,
    ...(subagents > 0 && { subagents }),
  };
}

function toErrorLine({ file, modified, size }: FoundFile, error: string): SessionLine {
  return { ...SCHEMA, file, modified: formatIsoTime(modified), size, error };
}

const SCHEMA = { schema: 'ctx/session', schemaVersion: 1 } as const;

function formatIsoTime(at: number): string {
  return new Date(at).toISOString();
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

function buildEnd({ listed: rows, problems }: Listing, place: string, found: number): OutcomeEnd {
  if (rows > 0) return { problems };
  const filtered = `none of ${pluralize(found, 'session')} in ${place} is what the flags ask for`;
  const nothing = found === 0 || problems.length > 0 ? `nothing to list in ${place}` : filtered;
  return { problems: [...problems, buildWarning('no-session', nothing)], exitCode: 1 };
}
