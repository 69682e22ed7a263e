import { isJsonEqual } from '#base/canonical-json.js';
import type { JsonObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { areEqualMessages, type BaselineFreeContext } from '#context/replay/equality.js';

/** The ops that lead from one context to another. None changes options: compactions and edits leave them alone. */
export function buildOpsBetween(
  before: BaselineFreeContext,
  after: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  return [...buildDeclaringOps(before, after, reason), ...buildMessageOps(before, after, reason)];
}

function buildMessageOps(
  before: BaselineFreeContext,
  { messages }: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  return areEqualMessages(before.messages, messages) ? [] : [buildOp('messages_cached_replace', { messages }, reason)];
}

/**
 * The ops that do to a context what a compaction did. Where the messages that it kept are not the last ones as they were,
 * the whole list is written down.
 */
export function buildCompactionOps(
  before: BaselineFreeContext,
  after: BaselineFreeContext,
  { summary, timestamp, tokensBefore }: JsonObject,
): readonly JsonObject[] {
  const time = parseTimestamp(timestamp);
  const [first, ...kept] = after.messages;
  const start = before.messages.length - kept.length;
  const isPlain =
    typeof summary === 'string' &&
    Number.isFinite(time) &&
    start >= 0 &&
    isJsonEqual(first, toSummaryMessage(summary, time)) &&
    areEqualMessages(before.messages.slice(start), kept);
  if (!isPlain) return buildOpsBetween(before, after, REASON);
  const tokens = Number.isFinite(tokensBefore) ? { tokensBefore } : {};
  const fields = { summary, timestamp: time, firstKeptMessageIndex: start, ...tokens };
  return [...buildDeclaringOps(before, after, REASON), buildOp('compaction_apply', fields, REASON)];
}

const REASON = 'compaction';

/**
 * Ops that lead to a context from whatever there is, and let go of everything that edits have hidden: no edit can bring
 * it back then. A transform can only set aside what stands above something that it drops, so a message is put last.
 */
export function buildResetOps(
  { messages }: BaselineFreeContext,
  after: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  const last = { role: 'user', content: [], timestamp: 0 };
  const none = { summary: '', timestamp: 0, firstKeptMessageIndex: messages.length + 1 };
  return [
    ...REGIONS.flatMap((region) => buildReplacingOps(region, after, reason)),
    buildOp('messages_cached_replace', { messages: [...messages, last] }, reason),
    buildOp('compaction_apply', none, reason),
    buildOp('messages_cached_replace', { messages: after.messages }, reason),
  ];
}

const REGIONS = ['system', 'tools'] as const;

/** Builds the ops for the regions that change, and only for them. */
function buildDeclaringOps(
  before: BaselineFreeContext,
  after: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  const changed = REGIONS.filter((region) => !isJsonEqual(before.declared[region], after.declared[region]));
  return changed.flatMap((region) => buildReplacingOps(region, after, reason));
}

/** Ops that say a whole region; with `baseline`, one that is supplied is shown instead of the items. */
function buildReplacingOps(
  region: (typeof REGIONS)[number],
  { declared }: BaselineFreeContext,
  reason: string,
): readonly JsonObject[] {
  const { items, yieldsToBaseline, ops } = declared[region];
  const fields = region === 'system' ? { parts: items } : { tools: items };
  const orBaseline = yieldsToBaseline ? { baseline: true } : {};
  return [
    buildOp(region === 'system' ? 'system_parts_replace' : 'tools_replace', { ...fields, ...orBaseline }, reason),
    ...ops.map((each) => ({ ...each, invalidateCacheReason: reason })),
  ];
}

function buildOp(name: string, fields: JsonObject, invalidateCacheReason: string): JsonObject {
  return { op: name, scope: 'cached', ...fields, invalidateCacheReason };
}

interface NewTransform {
  readonly id: unknown;
  readonly parentId: unknown;
  readonly timestamp: unknown;
  readonly name: string;
  readonly patch: readonly JsonObject[];
  readonly title: string;
  /** Fields that it has beside. */
  readonly rest?: JsonObject;
}

/** A `context_transform` entry, as it will be read again. */
export function buildTransformEntry({
  id,
  parentId,
  timestamp,
  name,
  patch,
  title,
  rest = {},
}: NewTransform): JsonObject {
  const entry = {
    type: 'context_transform',
    id,
    parentId: parentId ?? null,
    timestamp,
    schemaVersion: 1,
    transformerName: name,
    patch,
    display: { title },
    ...rest,
  };
  return JSON.parse(JSON.stringify(entry)) as JsonObject;
}
