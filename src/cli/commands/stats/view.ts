import { type CompositionRow, ROW_TITLES } from '#analysis/composition/rows.js';
import type { StatsDocument, UsageDocument } from '#analysis/stats/document.js';
import { sortAscending } from '#analysis/stats/quantiles.js';
import type { UsageGroups } from '#analysis/stats/usage-groups.js';
import { describeUsageCost } from '#analysis/stats/usage-sums.js';
import { formatDollars } from '#base/dollars.js';
import { sortLargestFirst, sumBy, sumNumbers } from '#base/lists.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { splitInProportion } from '#base/proportion.js';
import { formatTime } from '#base/time.js';
import type { FindHandle } from '#cli/sessions/handles.js';
import {
  type Block,
  type Doc,
  fileSpan,
  gap,
  heading,
  left,
  line,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import type { View } from '#ui/doc/renderer.js';
import { chooseTone } from '#ui/parts/composition-view.js';
import { renderBar, renderSparkline } from '#ui/parts/sparkline.js';
import { renderCostParts } from './cost-table.js';
import { renderGroups } from './groups-table.js';
import { DEFAULT_COLUMNS } from './table-width.js';
import { renderLargestEntries, renderMoreTables, renderSessions, renderToolsTable, scaleTokens } from './tables.js';
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
  const wide = columns === Infinity ? DEFAULT_COLUMNS : columns;
  if (groups)
    return [
      ...title,
      gap,
      ...renderGroups({ ...document, groups: withHandles(groups, handleOf) }, document.usageRecordedByModel, columns),
    ];
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
  const groups = withHandles(document.groups, handleOf);
  return [
    ...renderTitleOfMany(document),
    ...renderCounts(document),
    gap,
    ...renderGroups({ ...document, groups }, models, columns),
  ];
}

/** The groups, with the handles of sessions in place of their files. */
function withHandles(groups: UsageGroups['groups'], handleOf: FindHandle): UsageGroups['groups'] {
  const at = groups.groupings.indexOf('session');
  if (at === -1) return groups;
  const rows = groups.rows.map((row) => {
    const keys = row.keys.map((key, place) => (place === at ? handleOf(key) : key));
    return { ...row, key: groups.groupings.length === 1 ? (keys[0] ?? '') : row.key, keys };
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
  const isOne = document.sessions.length === 1;
  const leftOut = `${pluralize(shared.entries, 'entry', 'entries')} ${isOne ? 'copied from another session' : 'that forks share counted once'}`;
  const known = describeUsageCost(shared.usageRecorded, '?');
  const cost = known === '?' ? '' : `, ${known}`;
  return [
    ...counts,
    line(span(`${leftOut}: ${formatCount(shared.usageRecorded.total)} recorded tokens${cost} left out`, 'faint')),
  ];
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
function renderContextSize({ contextTokens, contextTokensSource }: StatsDocument['sessions'][number]): Block {
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

type Row = readonly Span[];

/** The use of tokens: the context at the leaf beside the whole file. */
function renderTokenUses(document: StatsDocument, isFull: boolean, width: number): Doc {
  const { scale, sessions } = document;
  const title = line(
    span(scale ? 'Tokens' : 'Estimated', 'strong'),
    span(` (${document.tokenizer.join(', ')}${scale ? ', scaled to the size of the context' : ''})`, 'faint'),
  );
  const uses = listTokenUses(document);
  const all = sumBy(uses, (use) => use.all ?? 0);
  const longest = uses.reduce((most, use) => Math.max(most, use.drawn), 0);
  const cells = Math.max(6, Math.min(30, width - (scale ? 56 : 42)));
  const now = sessions[0]?.contextTokens ?? 0;
  const rows = uses.map((use): Row => {
    const tone = chooseTone(use.kind);
    const drawn = span(renderBar(use.drawn, longest, cells), tone);
    const entries = use.all === null ? [span(''), span('')] : renderShare(use.all, all);
    return [
      span(ROW_TITLES[use.kind], tone),
      ...(scale ? [...renderShare(use.now, now), drawn] : []),
      ...entries,
      ...(scale ? [] : [drawn]),
    ];
  });
  const none = span('');
  const sums = [span('total'), ...(scale ? [span(formatCount(now)), none, none] : []), span(formatCount(all)), none];
  const columns = scale
    ? [left('tokens'), right('in context'), right(''), left(''), right('all entries'), right('')]
    : [left('tokens'), right('all entries'), right(''), left('')];
  const calibration = isFull || document.calibration === null ? renderCalibration(document) : [];
  return [gap, title, ...calibration, table(columns, [...rows, sums])];
}

/** The tokens of a kind of content in the context at the leaf and in all entries; null where these have none. */
interface TokenUse {
  readonly kind: CompositionRow['kind'];
  readonly now: number;
  readonly all: number | null;
  /** The tokens that its bar shows. */
  readonly drawn: number;
}

/** The uses of tokens, the largest first. */
function listTokenUses(document: StatsDocument): readonly TokenUse[] {
  const { contents, contextTokensNotItemised: rest, scale } = document;
  const all = scaleContents(document);
  const uses = contents.map(({ kind, contextTokens }, at): TokenUse => {
    const now = contextTokens ?? 0;
    const ofAll = all[at] ?? 0;
    return { kind, now, all: ofAll, drawn: scale ? now : ofAll };
  });
  const notRecorded: readonly TokenUse[] = rest ? [{ kind: 'not recorded', now: rest, all: null, drawn: rest }] : [];
  const some = [...uses.filter((use) => use.now > 0 || (use.all ?? 0) > 0), ...notRecorded];
  return sortLargestFirst(some, ({ drawn }) => drawn);
}

/** The tokens of all entries by kind, in the unit of the context of one session. */
function scaleContents({ contents, scale }: StatsDocument): readonly number[] {
  const messages = contents.map((content) => content.messageTokensEstimated);
  const declared = contents.map((content) => content.tokensEstimated - content.messageTokensEstimated);
  const ofDeclared = scaleAll(declared, scale && scale.declared);
  return scaleAll(messages, scale && scale.messages).map((tokens, at) => tokens + (ofDeclared[at] ?? 0));
}

function scaleAll(estimated: readonly number[], by: number | null): readonly number[] {
  return splitInProportion(estimated, scaleTokens(sumNumbers(estimated), by));
}

function renderShare(tokens: number, all: number): Row {
  return [span(formatCount(tokens)), span(formatPercent(tokens, all), 'faint')];
}

/** The ratio of the recorded tokens to the estimates. */
function renderCalibration({ calibration, sessions }: StatsDocument): Doc {
  if (calibration === null)
    return [line(span('  no request has recorded tokens to compare these estimates with', 'faint'))];
  const { median, p10, p90 } = calibration.recordedPerEstimated;
  const spread = calibration.requests > 1 ? ` (${p10.toFixed(2)} to ${p90.toFixed(2)})` : '';
  const times = `recorded tokens are ${median.toFixed(2)} times the estimates${spread}`;
  const isKnown = sessions.every(({ preambleKnown }) => preambleKnown);
  return [
    line(span(`  ${times} in ${pluralize(calibration.requests, 'request')}`, 'faint')),
    ...(isKnown
      ? []
      : [line(span('  they include the prompt and the tools, which are not recorded: see --baseline', 'faint'))]),
  ];
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
