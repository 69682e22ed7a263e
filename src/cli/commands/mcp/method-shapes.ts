import { asObject, isObject, type JsonObject } from '#base/json.js';
import { sortLargestFirst } from '#base/lists.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Composition } from '#context/size/composition.js';
import { listToolNames } from '#context/words/message-blocks.js';
import { previewMessage } from '#context/words/message-text.js';
import { type NumberedMessage, numberMessages } from '#ui/parts/message-view.js';
import { dropOpaque } from './lean-json.js';

/** The order and the members in which a tool returns the answer of a method. */
interface MethodShape {
  /** Of a document, or of one item of a list. */
  readonly shapeDocument?: (document: JsonObject, isContentAllowed: boolean) => unknown;
  /** Of a list, which is read to its end for it. */
  readonly shapeItems?: (items: readonly unknown[]) => readonly unknown[];
}

/** By the method; the answer of any other one is returned as it is. */
export const METHOD_SHAPES: Readonly<Record<string, MethodShape>> = {
  read_message: { shapeDocument: dropOpaque },
  get_context: { shapeDocument: listParts },
  get_stats: { shapeDocument: putNewestFirst },
  explain_cache: { shapeItems: putBreaksFirst },
  find_entries: { shapeItems: groupBySession },
};

/** The parts of an envelope that were asked for, each a list with the largest first. */
function listParts(envelope: Partial<ContextEnvelope>, isContentAllowed: boolean) {
  const { system, tools, messages, session, at, meta } = envelope;
  const { provenance = [], composition, size } = meta ?? {};
  const { systemParts = [], tools: toolShares = [], messages: shares = [] } = composition ?? {};
  const numbered = messages && numberMessages({ messages, meta: { provenance, composition: { messages: shares } } });
  return {
    file: session?.file,
    entryId: at?.entryId,
    tokens: size?.tokens,
    system: system && listSystemParts(system, systemParts),
    tools: tools && listTools(tools, toolShares),
    messages: numbered && listMessages(numbered, isContentAllowed),
  };
}

function listSystemParts({ parts }: ContextEnvelope['system'], shares: Composition['systemParts']) {
  const items = parts.map(({ name, text }) => ({ name, tokens: findTokens(shares, name), text }));
  return sortLargestFirst(items, ({ tokens }) => tokens);
}

function listTools(tools: ContextEnvelope['tools'], shares: Composition['tools']) {
  const items = tools.map(({ name, description }) => ({ name, tokens: findTokens(shares, name), description }));
  return sortLargestFirst(items, ({ tokens }) => tokens);
}

function listMessages(messages: readonly NumberedMessage[], isContentAllowed: boolean) {
  const items = messages.map(({ number, message, provenance, share }) => ({
    number,
    entryId: provenance?.entryId,
    role: readSentRole(message),
    tools: listToolNames(message),
    tokens: share.tokens,
    preview: isContentAllowed ? previewMessage(message) : null,
  }));
  return sortLargestFirst(items, ({ tokens }) => tokens);
}

function findTokens(shares: Composition['tools'], name: string): number {
  return shares.find((share) => share.name === name)?.tokens ?? 0;
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
