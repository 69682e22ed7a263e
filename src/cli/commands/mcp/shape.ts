import { asObject, isObject, type JsonObject } from '#base/json.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Composition } from '#context/size/composition.js';
import { listToolNames } from '#context/words/message-blocks.js';
import { previewMessage } from '#context/words/message-text.js';
import { numberMessages } from '#ui/parts/message-view.js';

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
