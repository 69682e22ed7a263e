import { formatDuration } from '#base/duration.js';
import { addTo, incrementCount } from '#base/maps.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { BREAK_CLASSES_BY_REASON, type BreakClass, formatBreakClass, isUnexplained } from './break-classes.js';
import { describeRebilledCost } from './rebilled.js';
import type { RequestMiss, SessionMisses } from './session-misses.js';
import type { MissSums } from './sessions-document.js';
import { sumMisses } from './sum-sessions.js';

interface BugReportOptions {
  /** The version of ctx. */
  readonly version: string;
  /** Whether a model is one of a list, so that its name is public. */
  isListedModel(name: string): boolean;
  /** The programs whose names are public. */
  readonly agents: ReadonlySet<string>;
}

/**
 * The paragraphs about cache misses for a bug report of a client. They consist of numbers, dates and names that are
 * known beforehand: no text, path, id or other word of a session, whatever its file has in their place.
 */
export function writeBugReport(all: readonly SessionMisses[], options: BugReportOptions): readonly string[] {
  const sessions = all.filter(({ requests }) => requests.length > 0);
  const requests = sessions.flatMap((session) => session.requests);
  if (requests.length === 0) return ['There is no request, and so no cache miss.'];
  const missed = requests.filter(isCausedByClient);
  return [
    '### Prompt cache misses within the lifetime of the cache',
    '',
    describeAll(sessions, requests, missed),
    '',
    ...listFacts(sessions, requests, missed, options).map((fact) => `- ${fact}`),
    '',
    `Measured by ctx ${options.version} (\`ctx cache --report\`); dates are in UTC, costs with ~ at listed prices.`,
  ];
}

function describeAll(
  sessions: readonly SessionMisses[],
  requests: readonly RequestMiss[],
  missed: readonly RequestMiss[],
): string {
  const { promptTokens, cacheRead, breaks } = sumMisses(requests);
  const where = `${pluralize(sessions.length, 'session')} with ${pluralize(requests.length, 'request')}${describeDays(requests)}`;
  const read =
    promptTokens === 0
      ? 'no provider reported cached tokens'
      : `${formatPercent(cacheRead, promptTokens)} of ${formatCount(promptTokens)} prompt tokens were read from the cache`;
  if (breaks === 0) return `In ${where}, ${read}. The cache never broke.`;
  if (missed.length === 0)
    return `In ${where}, ${read}. What was sent, or the time, explains each of the ${pluralize(breaks, 'break')}.`;
  const floors = missed.filter((request) => request.break?.isFloor).length;
  const floor =
    floors === 0
      ? ''
      : ` At ${formatCount(floors)} of them only tools and system prompt were read, and no message: the same number of tokens as at other requests of the session.`;
  return `In ${where}, ${read}. ${formatCount(missed.length)} of ${pluralize(breaks, 'break')} of the cache were within the lifetime of the cache, and no edit, compaction or change of model, prompt or tools explains them.${floor}`;
}

/** Whether the client or the provider caused a break: nothing that the user did, and no entry, explains it. */
function isCausedByClient({ break: broken }: RequestMiss): boolean {
  return broken !== null && (isUnexplained(broken) || CLIENT_CAUSES.has(broken.class));
}

const CLIENT_CAUSES: ReadonlySet<BreakClass> = new Set([
  'tool server',
  'resume',
  'hook context',
  'task notification',
  'messages',
]);

function describeDays(requests: readonly RequestMiss[]): string {
  const days = requests.flatMap(({ time }) => (time === null ? [] : time.slice(0, 'YYYY-MM-DD'.length))).toSorted();
  const first = days.at(0);
  const last = days.at(-1);
  if (first === undefined || last === undefined) return '';
  return first === last ? ` on ${first}` : ` from ${first} to ${last}`;
}

function listFacts(
  sessions: readonly SessionMisses[],
  requests: readonly RequestMiss[],
  missed: readonly RequestMiss[],
  options: BugReportOptions,
): readonly string[] {
  const all = sumMisses(requests);
  const lost = sumMisses(missed);
  const kinds = countBy(missed, nameBreak);
  const causes = countBy(
    requests.filter((request) => request.break && !isCausedByClient(request)),
    nameBreak,
  );
  const reasons = countBy(missed, namePublicReason);
  const between = countWords(
    missed.flatMap((request) => (request.break?.between ?? []).map((type) => (ENTRY_TYPES.has(type) ? type : 'other'))),
  );
  const models = requests.map(({ model }) => (options.isListedModel(model) ? model : 'a model without a public name'));
  const facts = [
    `by client and version: ${listClients(sessions, options)}`,
    `models: ${[...new Set(models)].join(', ')}`,
  ];
  if (all.breaks > 0)
    facts.push(`re-billed: ${describeRebilled(all)} in all, ${describeRebilled(lost)} by these misses`);
  facts.push(...describeTimes(missed));
  if (kinds !== '') facts.push(`their names in ctx cache: ${kinds}`);
  if (causes !== '') facts.push(`other breaks: ${causes}`);
  if (reasons !== '') facts.push(`the provider's own reasons: ${reasons}`);
  if (between !== '') facts.push(`entries between the requests: ${between}`);
  return facts;
}

/** The provider's reason; one that is not known beforehand has no name here. */
function namePublicReason({ reportedReason: reason }: RequestMiss): string | null {
  if (reason === null) return null;
  return BREAK_CLASSES_BY_REASON.has(reason) ? reason : 'another reason';
}

/** The types of entries that have a name of ctx or Pi. */
const ENTRY_TYPES: ReadonlySet<string> = new Set(
  [
    ['user', 'assistant', 'toolResult', 'system', 'bashExecution'],
    ['compaction', 'branch_summary', 'context_edit', 'context_transform', 'custom', 'custom_message'],
    ['model_change', 'thinking_level_change', 'session_info', 'label', 'usage', 'model_usage'],
  ].flat(),
);

/** Versions are numbers; anything else in their place is not repeated. */
const VERSION = /^\d{1,5}(?:\.\d{1,5}){1,3}$/;

function listClients(sessions: readonly SessionMisses[], { agents }: BugReportOptions): string {
  const clients = new Map<string, RequestMiss[]>();
  for (const { agent, requests } of sessions) {
    for (const request of requests) addTo(clients, namePublicClient(agent, request, agents), request);
  }
  return [...clients]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .map(([name, some]) => {
      const missed = some.filter(isCausedByClient);
      return `${name}: ${formatCount(missed.length)} of ${pluralize(some.length, 'request')}`;
    })
    .join('; ');
}

function namePublicClient(agent: string, { version }: RequestMiss, agents: ReadonlySet<string>): string {
  const name = agents.has(agent) ? agent : 'another client';
  return version !== null && VERSION.test(version) ? `${name} ${version}` : name;
}

function describeRebilled(sums: MissSums): string {
  const cost = sums.rebilledCostListed === null ? '' : `, ${describeRebilledCost(sums)}`;
  return `${pluralize(sums.rebilledTokens, 'token')}${cost}`;
}

function nameBreak({ break: broken }: RequestMiss): string | null {
  return broken && formatBreakClass(broken.class);
}

function formatPause(milliseconds: number): string {
  return formatDuration(milliseconds / 1000);
}

/** The pauses before the misses, and the lifetimes of the caches that they should have read. */
function describeTimes(missed: readonly RequestMiss[]): readonly string[] {
  const pauses = missed.flatMap(({ idleMilliseconds }) => idleMilliseconds ?? []).toSorted((a, b) => a - b);
  const lifetimes = countBy(missed, ({ retentionMinutes }) =>
    retentionMinutes === null ? null : formatDuration(retentionMinutes * 60),
  );
  const least = pauses.at(0);
  const most = pauses.at(-1);
  const median = pauses[Math.floor(pauses.length / 2)];
  const facts: string[] = [];
  if (least !== undefined && most !== undefined && median !== undefined)
    facts.push(`pauses before them: ${formatPause(least)} to ${formatPause(most)}, median ${formatPause(median)}`);
  if (lifetimes !== '') facts.push(`lifetime that the cache was written for, or 5 minutes: ${lifetimes}`);
  return facts;
}

function countBy(requests: readonly RequestMiss[], nameOf: (request: RequestMiss) => string | null): string {
  return countWords(requests.flatMap((request) => nameOf(request) ?? []));
}

/** `tool result 4, user 2`, the most frequent first. */
function countWords(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) incrementCount(counts, word);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([word, count]) => `${word} ${formatCount(count)}`)
    .join(', ');
}
