import { buildWarning, type Problem } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { isInPeriod } from '#base/time.js';
import { toPeriod } from '#cli/sessions/last-entry.js';
import {
  createFolderTest,
  createHandles,
  type FindHandle,
  findSessions,
  formatFolder,
  type FoundSession,
  type FoundSessions,
} from '#cli/sessions/named-files.js';
import type { SessionSummary } from '#cli/sessions/summarize-session.js';
import { SORT_KEYS, type SummarizedFile, summarizeSessions, takeLargest } from '#cli/sessions/summarize-sessions.js';
import type { FoundFile } from '#platform/files/walk-folder.js';
import { type Io, noHomeError, sessionsFolder } from '#platform/io.js';
import { UNKNOWN_FORMAT } from '#session/scan/other-files.js';
import { line, span } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { type OrderedItem, sortInForkOrder } from '../../sessions/families.js';
import { type CommandInput, defineCommand, type OutcomeEnd } from '../define.js';
import { choiceFlag, patternFlag, positiveFlag, textFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import type { SessionLine } from './document.js';
import { type LsLayout, type LsRow, measureLsLayout, renderLsHeading, renderLsRow } from './view.js';

const FLAGS = {
  cwd: textFlag('DIR', 'only sessions of this working directory or below it'),
  agent: textFlag('NAME', 'the agent whose sessions are listed: pi, another one such as claude-code, or all'),
  since: shared.since,
  until: shared.until,
  model: patternFlag('RE', 'only sessions whose model (provider/id) matches a regular expression, ignoring case'),
  sort: choiceFlag('BY', SORT_KEYS, 'list the largest first, instead of the newest'),
  max: { ...positiveFlag('N', 'stop after N sessions'), short: 'n' },
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'ls',
  summary: 'List sessions, newest first',
  description:
    'Lists the sessions of a folder and its subfolders: name, age, size, model, context tokens and cost. Forks are ' +
    'listed below the session they came from.',
  args: [
    { name: 'folder', help: "the folder to list (default: Pi's session folder; without one, those of all agents)" },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx ls',
    'ctx ls --cwd . --since 7d',
    'ctx ls --agent claude-code',
    'ctx ls -n 5 --sort cost',
    'ctx ls backup/sessions --model sonnet --json',
  ],
  async run(given) {
    const { io, args } = given;
    const flags = { ...given.flags, agent: await agentOf(given) };
    const input = { ...given, flags };
    const found = await foundSessions(input);
    const place = args[0] ?? foldersOf(flags.agent) ?? sessionsFolder(io) ?? '';
    const { isWanted, isWantedFile } = filterOf(input);
    const placed = sortInForkOrder(found.sessions.filter(isWanted).map(withParent));
    const listing: Listing = {
      ...input,
      // Which sessions have a model, and how large they are, is known only when they have been read.
      placed: (flags.model ?? flags.sort) ? placed : placed.slice(0, flags.max),
      others: flags.cwd === undefined && flags.model === undefined ? found.others.filter(isWantedFile) : [],
      problems: found.unreadable.map(unreadableFolder),
      isOfPi: given.flags.agent === undefined && flags.agent === undefined && args[0] === undefined,
      listed: 0,
    };
    const items = input.format === 'json' ? jsonLines(listing) : textLines(listing);
    return { kind: 'stream', items, end: () => endOf(listing, place, found.sessions.length) };
  },
});

/** The agent whose sessions are listed: all, if Pi has none and another one has. */
async function agentOf({ io, args: [name], flags: { agent } }: Input): Promise<string | undefined> {
  if (agent === 'pi' && name === undefined) return undefined;
  if (agent !== undefined || name !== undefined || io.files.list(folderOfPi(io)).length > 0) return agent;
  const { findNewestFile } = await import('#cli/sessions/agent-files.js');
  return findNewestFile(io) === null ? undefined : (await import('#session/agents/index.js')).ALL_AGENTS;
}

/** The sessions of a folder, or of the folders of an agent. */
async function foundSessions({ io, args: [name], flags: { agent } }: Input): Promise<FoundSessions> {
  if (agent === undefined) return findSessions(io, name ?? folderOfPi(io));
  if (name === undefined) return (await import('#cli/sessions/agent-files.js')).findAgentSessions(io, agent);
  const { findAgents, ALL_AGENTS } = await import('#session/agents/index.js');
  const agents = agent === 'pi' ? [] : findAgents(agent);
  const found = await findSessions(io, name);
  const names = agent === 'pi' ? [agent] : agents.map((each) => each.name);
  const isOfAgent = ({ header }: FoundSession): boolean => header !== null && names.includes(writerOf(header) ?? 'pi');
  return agent === ALL_AGENTS ? found : { ...found, sessions: found.sessions.filter(isOfAgent), others: [] };
}

/** The agent that wrote a session, if it is not Pi. */
function writerOf(header: FoundSession['header']): string | undefined {
  return header !== null && 'agent' in header && typeof header.agent === 'string' ? header.agent : undefined;
}

/** The folders of an agent, in words. */
function foldersOf(agent: string | undefined): string | null {
  return agent === undefined ? null : `the folders of ${agent === 'all' ? 'all agents' : agent}`;
}

function folderOfPi(io: Io): string {
  const folder = sessionsFolder(io);
  if (folder === null) throw noHomeError();
  return folder;
}

type Session = FoundSession & { readonly id: string | null; readonly parentSession: string | null };

/** A listing on its way. */
interface Listing extends Input {
  readonly placed: readonly OrderedItem<Session>[];
  /** Files that are no sessions. */
  readonly others: readonly FoundFile[];
  readonly problems: Problem[];
  /** The user named neither a folder nor an agent, and Pi has sessions. */
  readonly isOfPi: boolean;
  /** Sessions that were listed so far. */
  listed: number;
}

interface Filter {
  isWanted(session: FoundSession): boolean;
  isWantedFile(found: FoundFile): boolean;
}

function filterOf({ io, flags }: Input): Filter {
  const period = toPeriod(flags, io.now());
  const isThere = flags.cwd === undefined ? () => true : createFolderTest(io.cwd, flags.cwd);
  const isWantedFile = ({ modified }: FoundFile): boolean => isInPeriod(modified, period);
  const isWanted = ({ at, header }: FoundSession): boolean => isInPeriod(at, period) && isThere(header?.cwd ?? null);
  return { isWanted, isWantedFile };
}

function withParent(found: FoundSession): Session {
  return { ...found, id: found.header?.id ?? null, parentSession: found.header?.parentSession ?? null };
}

async function* jsonLines(listing: Listing): AsyncGenerator<readonly Printable[]> {
  const subagentsAt = subagentsIn(listing.placed);
  for await (const batch of listed(listing)) {
    yield batch.map(({ file, place, result }) => {
      const subagents = subagentsAt.get(place) ?? 0;
      return reportOf(result.ok ? lineOf(file, result.output, subagents) : errorOf(file, result.error));
    });
  }
  if (listing.others.length > 0) yield listing.others.map((found) => reportOf(errorOf(found, UNKNOWN_FORMAT)));
}

/** The sessions in their order, counted. */
async function* listed(listing: Listing): AsyncGenerator<readonly SummarizedFile<Session>[]> {
  const { io, placed, flags } = listing;
  const sessions = placed.map(({ item }) => item);
  const { model, sort, max: most } = flags;
  const inTurn = summarizeSessions(io, sessions, { model, most: sort ? undefined : most });
  for await (const batch of sort ? takeLargest(inTurn, { sort, most }) : inTurn) {
    listing.listed += batch.filter(({ result }) => result.ok).length;
    yield batch;
  }
}

async function* textLines(listing: Listing): AsyncGenerator<readonly Printable[]> {
  const { placed, problems, others, flags } = listing;
  const handles = placed.map(({ item }) => item.file).map(await handlesIn(listing));
  const layout = await layoutOf(listing, handles);
  const rowsOf = rowsWith(listing, handles);
  let isFirst = true;
  for await (const batch of listed(listing)) {
    const rows = batch.flatMap(rowsOf);
    const top = isFirst ? rows[0] : null;
    isFirst &&= rows.length === 0;
    if (rows.length > 0) yield rows.map((row) => reportOfRow(row, layout, row === top));
  }
  if (others[0]) problems.push(noSessions(others[0].file, others.length));
  const rest = listing.isOfPi ? await othersLeftOut(listing.io) : [];
  if (rest.length > 0) yield rest;
  if (isFirst && flags.agent !== undefined) problems.push(...(await elsewhereOf(flags.agent)));
}

/** The names of sessions for other commands: in the folders of other agents, their ids. */
function handlesIn({ io, args, flags }: Listing): Promise<FindHandle> {
  return createHandles(io, { isOfPi: flags.agent === undefined || args[0] !== undefined });
}

/** A last line about the sessions of other agents, which a listing of Pi's leaves out. */
async function othersLeftOut(io: Io): Promise<readonly Printable[]> {
  const { countAgentSessions } = await import('#cli/sessions/agent-files.js');
  const counts = countAgentSessions(io);
  if (counts.length === 0) return [];
  const each = counts.map(({ agent, sessions }) => `${formatCount(sessions)} of ${agent.title}`).join(', ');
  const told = `not listed: ${each}; list all agents: ctx ls --agent all`;
  return [{ data: null, doc: () => [line(span(told, 'faint'))] }];
}

/** How to get the sessions of an agent that has no session files. */
async function elsewhereOf(agent: string): Promise<readonly Problem[]> {
  const { suggestExport } = await import('#cli/sessions/agent-files.js');
  return suggestExport(agent).map((hint) => buildWarning('other-place', hint));
}

function layoutOf({ io, placed }: Listing, handles: readonly string[]): Promise<LsLayout> {
  const looks = placed.map(({ item: { size, header } }, at) => {
    return { handle: handles[at] ?? '', size, cwd: formatFolder(io, header?.cwd ?? null), agent: writerOf(header) };
  });
  return measureLsLayout(looks);
}

/** Returns a function that makes the row of each session. In order, a fork is one deeper than its parent. */
function rowsWith(
  { io, placed, problems, flags }: Listing,
  handles: readonly string[],
): (summed: SummarizedFile<Session>) => readonly LsRow[] {
  const depths = new Map<number, number>();
  const now = io.now();
  const subagentsAt = subagentsIn(placed);
  return ({ file: { file, size, at }, place, result }) => {
    if (!result.ok) {
      problems.push(buildWarning('unreadable-session', `${file}: ${result.error}`));
      return [];
    }
    const parent = flags.sort ? -1 : (placed[place]?.parent ?? -1);
    const depth = (depths.get(parent) ?? -1) + 1;
    depths.set(place, depth);
    const origin = depth === 0 ? null : (handles[parent] ?? null);
    const subagents = subagentsAt.get(place) ?? 0;
    const cwd = formatFolder(io, result.output.cwd);
    return [
      { ...result.output, cwd, handle: handles[place] ?? '', file, size, age: now - at, depth, origin, subagents },
    ];
  };
}

/** The number of listed subagents by the place of the session that started them. */
function subagentsIn(placed: Listing['placed']): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { item, parent } of placed)
    if (parent >= 0 && isSubagent(item)) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  return counts;
}

function isSubagent({ header }: FoundSession): boolean {
  return header !== null && 'isSubagent' in header && header.isSubagent === true;
}

/** A row; the first one has the column titles above it. */
function reportOfRow(row: LsRow, layout: LsLayout, isFirst: boolean): Printable {
  return {
    data: null,
    doc: (view) => [...(isFirst ? renderLsHeading(layout, view) : []), ...renderLsRow(row, layout, view)],
  };
}

function lineOf({ file, modified, at, size }: FoundSession, summary: SessionSummary, subagents: number): SessionLine {
  const { id, version, name, title, cwd, ...rest } = summary;
  return {
    ...SCHEMA,
    file,
    id,
    version,
    name,
    title,
    cwd,
    modified: isoTime(modified),
    last: isoTime(at),
    size,
    ...rest,
    ...(subagents > 0 && { subagents }),
  };
}

function errorOf({ file, modified, size }: FoundFile, error: string): SessionLine {
  return { ...SCHEMA, file, modified: isoTime(modified), size, error };
}

const SCHEMA = { schema: 'ctx/session', schemaVersion: 1 } as const;

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function reportOf(data: SessionLine): Printable {
  return { data, doc: () => [] };
}

function unreadableFolder(folder: string): Problem {
  return buildWarning('unreadable-folder', `${folder} cannot be read`);
}

function noSessions(first: string, files: number): Problem {
  const rest = files === 1 ? '' : `, and ${files - 1} more`;
  return buildWarning('not-a-session', `left out ${pluralize(files, 'file')}: ${first}${rest}`);
}

function endOf({ listed: rows, problems }: Listing, place: string, found: number): OutcomeEnd {
  if (rows > 0) return { problems };
  const filtered = `none of ${pluralize(found, 'session')} in ${place} is what the flags ask for`;
  const nothing = found === 0 || problems.length > 0 ? `nothing to list in ${place}` : filtered;
  return { problems: [...problems, buildWarning('no-session', nothing)], exitCode: 1 };
}
