import type { StatsDocument, StatsSession, UsageDocument } from '#analysis/stats/document.js';
import { sortAscending } from '#analysis/stats/quantiles.js';
import type { UsageGroups } from '#analysis/stats/usage-groups.js';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatDollars } from '#base/dollars.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { formatTime } from '#base/time.js';
import type { FindHandle } from '#cli/sessions/handles.js';
import { type Block, type Doc, fileSpan, gap, heading, line, span } from '#ui/doc/doc.js';
import type { View } from '#ui/doc/renderer.js';
import { renderSparkline } from '#ui/parts/sparkline.js';
import { renderCostParts } from './cost-table.js';
import { renderGroups } from './groups-table.js';
import { DEFAULT_COLUMNS } from './table-width.js';
import { renderLargestEntries, renderMoreTables, renderSessions, renderToolsTable } from './tables.js';
import { renderTokenUses } from './token-uses.js';
import { renderUsage } from './usage-table.js';

interface StatsView {
  /** Nothing is left out. */
  readonly isFull: boolean;
  /** The recorded prompt tokens of each request, which JSON does not hold. */
  readonly prompts: readonly number[];
  readonly handleOf: FindHandle;
}

/** One session on a screen, or the sums of many. */
export function renderStats(document: StatsDocument, display: StatsView, { columns }: View): Doc {
  const { groups } = document;
  const { isFull, prompts, handleOf } = display;
  const title = [...renderTitle(document), ...renderSubagents(document), ...renderClientCost(document)];
  if (groups) {
    const named = { ...document, groups: nameSessions(groups, handleOf) };
    return [...title, gap, ...renderGroups(named, document.usageRecordedByModel, columns)];
  }
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  return [
    ...title,
    ...renderUsage(document, isFull, columns),
    ...renderCostParts(document, isFull, columns),
    ...renderTokenUses(document, isFull, wide),
    ...renderToolsTable(document, isFull),
    ...(document.sessions.length > 1 ? renderSessions(document, isFull, handleOf) : []),
    ...renderLargestEntries(document, isFull, handleOf),
    ...(isFull ? renderMoreTables(document) : []),
    ...renderCourse(document, prompts, wide),
  ];
}

interface GroupsView {
  /** The usage by model. */
  readonly models: readonly UsageDocument[];
  readonly handleOf: FindHandle;
}

/** Many sessions in groups of their recorded usage. */
export function renderUsageGroups(document: UsageGroups, { models, handleOf }: GroupsView, { columns }: View): Doc {
  const groups = nameSessions(document.groups, handleOf);
  return [
    ...renderTitleOfMany(document),
    ...renderCounts(document),
    gap,
    ...renderGroups({ ...document, groups }, models, columns),
  ];
}

/** Replaces the files of sessions in groups by their handles. */
function nameSessions(groups: UsageGroups['groups'], handleOf: FindHandle): UsageGroups['groups'] {
  const at = groups.groupings.indexOf('session');
  if (at === -1) return groups;
  const isAlone = groups.groupings.length === 1;
  const rows = groups.rows.map((row) => {
    const keys = row.keys.map((key, place) => (place === at ? handleOf(key) : key));
    return { ...row, key: isAlone ? (keys[0] ?? '') : row.key, keys };
  });
  return { ...groups, rows };
}

function renderTitle(document: StatsDocument): Doc {
  const [only, ...others] = document.sessions;
  const counts = renderCounts({ ...document, answersRecorded: countRequestCalls(document) });
  if (!only || others.length > 0) return [...renderTitleOfMany(document), ...counts];
  const times = describePeriod(document.sessions).map((period) => span(`${period}, `, 'faint'));
  const facts = line(...times, fileSpan(only.file, only.file, 'faint'));
  return [heading(1, only.title), facts, renderContextSize(only), ...counts];
}

function countRequestCalls({ usageRecordedBySource: sources }: StatsDocument): number {
  return sources.find(({ source }) => source === 'requests')?.calls ?? 0;
}

/** The cost of the subagents, which the sums leave out or include. */
function renderSubagents({ subagents }: StatsDocument): Doc {
  if (!subagents) return [];
  const { sessions, isCounted, usageRecorded: usage } = subagents;
  const what = sessions > 0 ? pluralize(sessions, 'session') : `${pluralize(usage.calls, 'run')} that results record`;
  const cost = describeUsageCost(usage, 'of unknown cost');
  const text = `subagents: ${what}, ${pluralize(usage.total, 'token')}, ${cost}`;
  if (isCounted) return [line(`${text}, counted`)];
  return [line(span(`${text}, not counted (--with-subagents)`, 'warning'))];
}

/** The client's own figures beside those of the files. */
function renderClientCost({ sessions }: StatsDocument): Doc {
  const clients = sessions.flatMap(({ client }) => client ?? []);
  if (clients.length === 0) return [];
  const cost = sumBy(clients, (client) => client.cost);
  const rest = sumBy(clients, ({ notInFile }) => notInFile.cost ?? 0);
  const whose =
    sessions.length === 1 ? 'the client recorded' : `the clients of ${pluralize(clients.length, 'session')} recorded`;
  const where = sessions.length === 1 ? 'this file' : 'these files';
  const difference = rest < LEAST_DOLLARS ? '' : `, of it ${formatDollars(rest)} in calls that are not in ${where}`;
  return [line(`${whose} ${formatDollars(cost)}${difference}`)];
}

const LEAST_DOLLARS = 0.00005;

function renderTitleOfMany({ sessions, unreadable }: Pick<UsageGroups, 'sessions' | 'unreadable'>): Doc {
  const title = [pluralize(sessions.length, 'session'), ...describePeriod(sessions)].join(', ');
  return [heading(1, title), ...renderUnread(unreadable.length)];
}

type CountFields = Pick<
  UsageGroups,
  'sessions' | 'messages' | 'entries' | 'shared' | 'usageRecorded' | 'answersRecorded'
>;

function renderCounts(document: CountFields): Doc {
  const { messages, entries, shared } = document;
  const what = [
    pluralize(entries, 'entry', 'entries'),
    pluralize(messages.user, 'user message'),
    pluralize(messages.assistant, 'answer'),
    ...(messages.toolCalls === undefined ? [] : [pluralize(messages.toolCalls, 'tool call')]),
  ];
  const counts = [line(what.join(', ')), ...renderCallsNote(document)];
  if (shared.entries === 0) return counts;
  return [...counts, renderSharedNote(document)];
}

/** The usage of entries that another session has too, which is left out. */
function renderSharedNote({ sessions, shared }: CountFields): Block {
  const entries = pluralize(shared.entries, 'entry', 'entries');
  const why = sessions.length === 1 ? 'copied from another session' : 'that forks share counted once';
  const tokens = `${formatCount(shared.usageRecorded.total)} recorded tokens`;
  const recordedCost = describeUsageCost(shared.usageRecorded, '?');
  const cost = recordedCost === '?' ? '' : `, ${recordedCost}`;
  return line(span(`${entries} ${why}: ${tokens}${cost} left out`, 'faint'));
}

/** The difference between the answers and the calls in the tables, if there is one. */
function renderCallsNote({
  messages: { assistant },
  usageRecorded: { calls },
  answersRecorded: answers,
}: CountFields): Doc {
  const others = calls - answers;
  if (calls === 0 || (others === 0 && answers === assistant)) return [];
  const some = answers === assistant ? '' : `${formatCount(answers)} of `;
  const more = others === 0 ? '' : `; ${pluralize(others, 'other')}, such as compactions`;
  return [
    line(span(`${pluralize(calls, 'call')} with usage: ${some}${pluralize(assistant, 'answer')}${more}`, 'faint')),
  ];
}

/** The size of the context at the leaf; the table below has its parts. */
function renderContextSize({ contextTokens, contextTokensSource }: StatsSession): Block {
  const mark = contextTokensSource === 'recorded' ? '' : '~';
  return line(`context now: ${mark}${pluralize(contextTokens, 'token')}`);
}

function renderUnread(files: number): Doc {
  return files === 0 ? [] : [line(span(`${pluralize(files, 'file')} could not be counted`, 'warning'))];
}

/** The period, if the sessions have times. */
function describePeriod(sessions: UsageGroups['sessions']): readonly string[] {
  const times = sortAscending(
    sessions.flatMap(({ first, last }) => (first && last ? [Date.parse(first), Date.parse(last)] : [])),
  );
  const start = formatTime(times.at(0) ?? null);
  const end = formatTime(times.at(-1) ?? null);
  if (start === null || end === null) return [];
  const isOneDay = start.slice(0, 10) === end.slice(0, 10);
  return [`${formatMinute(start)} to ${isOneDay ? end.slice(11, 16) : formatMinute(end)} UTC`];
}

function formatMinute(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}

/** The prompts of one session, or the days of many. */
function renderCourse(document: StatsDocument, prompts: readonly number[], columns: number): Doc {
  const cells = Math.min(60, columns - 30);
  if (document.sessions.length !== 1) return renderDays(document, cells);
  if (prompts.length < 2) return [];
  const most = prompts.reduce((top, prompt) => Math.max(top, prompt), 0);
  const drawn = span(renderSparkline(prompts, cells), 'messages');
  return [gap, line('Prompts  ', drawn, span(`  up to ${formatCount(most)}`, 'faint'))];
}

function renderDays({ usageRecordedByDay }: StatsDocument, cells: number): Doc {
  const days = usageRecordedByDay.filter(({ day }) => day !== null);
  if (days.length < 2) return [];
  const drawn = renderSparkline(
    days.map(({ total }) => total),
    cells,
  );
  const first = days[0]?.day;
  const last = days.at(-1)?.day;
  return [gap, line('Days  ', span(drawn, 'messages'), span(`  ${first} to ${last}`, 'faint'))];
}
