import { asObject, isObject, type JsonObject } from '#base/json.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Composition } from '#context/size/composition.js';
import { listToolNames } from '#context/words/message-blocks.js';
import { previewMessage } from '#context/words/message-text.js';
import { numberMessages } from '#ui/parts/message-view.js';

/** The members that a tool returns of the document of a method; all, if the method is not listed. */
export const FIELDS: Readonly<Record<string, readonly string[]>> = {
  status: [
    'session.file',
    'at.entryId',
    'model',
    'zone',
    'tokens.total',
    'tokens.method',
    'limit',
    'limitSource',
    'composition.contents.kind',
    'composition.contents.name',
    'composition.contents.tokens',
    'composition.notItemised',
    'summaries.entryId',
    'summaries.tokens',
    'next',
    'pi.away',
    'pi.threshold',
  ],
  explain_cache: [
    'session.file',
    'requests',
    'promptTokens',
    'cacheRead',
    'breaks',
    'rebilledTokens',
    'rebilledCost',
    'rebilledCostListed',
    'byClass.class',
    'byClass.breaks',
    'byClass.rebilledTokens',
    'byClass.rebilledCost',
    'byClass.rebilledCostListed',
    'request',
    'entryId',
    'time',
    'model',
    'idleMilliseconds',
    'recorded.promptTokens',
    'recorded.cacheRead',
    'break.class',
    'break.entryId',
    'break.evidence',
    'break.detail',
    'break.between.entryId',
    'break.between.type',
    'break.rebilledTokens',
    'break.rebilledCost',
    'break.rebilledCostListed',
  ],
  check_loss: ['session.file', 'boundary', 'counts', 'classes', 'facts', 'path.compactions', 'leftOut'],
  diff_context: [
    'before.file',
    'before.entryId',
    'before.size.tokens',
    'after.file',
    'after.entryId',
    'after.size.tokens',
    'same',
    'prefix',
    'settings',
    'parts',
    'tools',
    'options',
    ...listMessageFields('cached'),
    ...listMessageFields('uncached'),
  ],
  list_sessions: [
    'file',
    'agent',
    'title',
    'cwd',
    'last',
    'entries',
    'model.modelId',
    'contextTokens',
    'cost',
    'costListed',
  ],
  list_entries: [
    'entryId',
    'type',
    'role',
    'time',
    'toolName',
    'isError',
    'tokens',
    'contextTokens',
    'cost',
    'costListed',
    'label',
    'preview',
  ],
  read_message: ['entryId', 'line', 'entry'],
  search: ['file', 'entryId', 'line', 'name', 'part', 'text', 'isVisible', 'hiddenBy'],
  find_entries: ['file', 'agent', 'title', 'cwd', 'entryId', 'time', 'name', 'place', 'snippet'],
  get_stats: [
    'usageRecorded',
    'usageRecordedByModel',
    'costParts.all',
    'groups.by',
    'groups.rows.key',
    'groups.rows.sessions',
    'groups.rows.toolCalls',
    'groups.rows.tokensEstimated',
    'groups.rows.usageRecorded.total',
    'groups.rows.usageRecorded.cost',
    'groups.rows.usageRecorded.costListed',
    'subagents.sessions',
    'subagents.isCounted',
    'subagents.usageRecorded.cost',
    'subagents.usageRecorded.costListed',
  ],
  get_overhead: [
    'sessions',
    'requests',
    'promptTokens',
    'cost',
    'isCostListed',
    'items.kind',
    'items.name',
    'items.tokensPerRequest',
    'items.requests',
    'items.costCached',
    'items.costUncached',
    'items.uses',
    'items.remove.file',
    'items.remove.key',
    'notRecorded.agent',
    'notRecorded.requests',
    'notRecorded.tokens',
    'notRecorded.parts',
  ],
};

function listMessageFields(list: string): readonly string[] {
  const parts = ['role', 'content', 'toolName', 'isError'];
  const sides = ['before', 'after'].flatMap((side) => parts.map((part) => `${list}.${side}.${part}`));
  return [`${list}.kind`, `${list}.from`, `${list}.to`, ...sides];
}

/** The document or the item of a method as a tool returns it. */
export function shapeDocument(method: string, data: unknown, isContentAllowed: boolean): unknown {
  if (!isObject(data)) return data;
  if (method === 'read_message') return dropOpaque(data);
  if (method === 'get_context') return listParts(data, isContentAllowed);
  return method === 'get_stats' ? putNewestFirst(data) : data;
}

/** The items of a method in the order in which a tool returns them. */
export function shapeItems(method: string, items: readonly unknown[]): readonly unknown[] {
  if (method === 'explain_cache') return putBreaksFirst(items);
  return method === 'find_entries' ? groupBySession(items) : items;
}

/** The parts of an envelope that were asked for, each a list with the largest first. */
function listParts(
  { system, tools, messages, session, at, meta }: Partial<ContextEnvelope>,
  isContentAllowed: boolean,
) {
  const { provenance = [], composition, size } = meta ?? {};
  const { systemParts = [], tools: toolShares = [], messages: shares = [] } = composition ?? {};
  const numbered = messages && numberMessages({ messages, meta: { provenance, composition: { messages: shares } } });
  return {
    file: session?.file,
    entryId: at?.entryId,
    tokens: size?.tokens,
    ...(system && { system: listSystemParts(system, systemParts) }),
    ...(tools && { tools: listTools(tools, toolShares) }),
    ...(numbered && { messages: listMessages(numbered, isContentAllowed) }),
  };
}

function listSystemParts({ parts }: ContextEnvelope['system'], shares: Composition['systemParts']) {
  return sortLargest(parts.map(({ name, text }) => ({ name, tokens: findTokens(shares, name), text })));
}

function listTools(tools: ContextEnvelope['tools'], shares: Composition['tools']) {
  return sortLargest(tools.map(({ name, description }) => ({ name, tokens: findTokens(shares, name), description })));
}

function listMessages(messages: ReturnType<typeof numberMessages>, isContentAllowed: boolean) {
  return sortLargest(
    messages.map(({ number, message, provenance: from, share }) => ({
      number,
      entryId: from?.entryId ?? null,
      role: readSentRole(message),
      tools: listToolNames(message),
      tokens: share.tokens,
      ...(isContentAllowed && { preview: previewMessage(message) }),
    })),
  );
}

function findTokens(shares: Composition['tools'], name: string): number {
  return shares.find((share) => share.name === name)?.tokens ?? 0;
}

function sortLargest<Item extends { readonly tokens: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => other.tokens - one.tokens);
}

/** Members that say nothing to a model that reads an entry: of the protocol between an agent and its provider. */
const OPAQUE: ReadonlySet<string> = new Set([
  'api',
  'id',
  'parentId',
  'responseId',
  'thinkingSignature',
  'textSignature',
  'thoughtSignature',
  'toolCallId',
  'usage',
]);

function dropOpaque(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropOpaque);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !OPAQUE.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, dropOpaque(member)]));
}

/** The sums of sessions, with the groups of time in reverse, so that a cut leaves out the oldest. */
function putNewestFirst({ groups, ...sums }: JsonObject): JsonObject {
  const { by, rows } = asObject(groups);
  if (!Array.isArray(rows)) return sums;
  return { ...sums, groups: { by, rows: TIMES.has(by) ? rows.toReversed() : rows } };
}

const TIMES: ReadonlySet<unknown> = new Set(['day', 'week', 'month']);

/** The summary of `ctx cache`, then the requests with a break, newest first. */
function putBreaksFirst(items: readonly unknown[]): readonly unknown[] {
  const summary = items.filter((item) => !isObject(item) || !('request' in item));
  const breaks = items.filter((item) => isObject(item) && isObject(item.break));
  return [...summary, ...breaks.toReversed()];
}

/** The entries of a session that show why it was found. */
const MOST_ENTRIES = 2;

/** The best entries of each session in one item. */
function groupBySession(items: readonly unknown[]): readonly unknown[] {
  const sessions = new Map<unknown, { readonly about: object; readonly entries: object[] }>();
  for (const item of items) {
    const { file, agent, title, cwd, ...entry } = item as Readonly<Record<string, unknown>>;
    const session = sessions.get(file) ?? { about: { file, agent, title, cwd }, entries: [] };
    sessions.set(file, session);
    if (session.entries.length < MOST_ENTRIES) session.entries.push(entry);
  }
  return [...sessions.values()].map(({ about, entries }) => ({ ...about, entries }));
}

/** A value without the members that are null, and with numbers of six digits. */
export function dropNulls(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : Number(value.toPrecision(6));
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, dropNulls(member)]));
}
