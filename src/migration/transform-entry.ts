import type { EnvelopeContent } from '../context/content.js';
import { compactionSummary } from '../context/convert.js';
import { timeOf } from '../session/time.js';
import type { JsonObject } from '../session/values.js';
import type { PromptChange } from './prompt-declared.js';
import { areSame, isSame } from './same-content.js';

/** The ops that lead from one context to another. None changes options: compactions and edits leave them alone. */
export function opsBetween(before: EnvelopeContent, after: EnvelopeContent, reason: string): readonly JsonObject[] {
  return [...declaringOps(before, after, reason), ...messageOps(before, after, reason)];
}

function messageOps(before: EnvelopeContent, after: EnvelopeContent, reason: string): readonly JsonObject[] {
  const { cached } = after.messages;
  return areSame(before.messages.cached, cached) ? [] : [op('messages_cached_replace', { messages: cached }, reason)];
}

interface Compacted {
  /** The entry. */
  readonly compaction: JsonObject;
  readonly promptChange: PromptChange;
}

/**
 * The ops that do to a context what a compaction did. Where the messages that it kept are not the last ones as they were,
 * the whole list is written down. Where the prompt comes from elsewhere afterwards, it is written down even if it says
 * nothing new, since a baseline may be supplied.
 */
export function opsOfCompaction(
  before: EnvelopeContent,
  after: EnvelopeContent,
  { compaction, promptChange }: Compacted,
): readonly JsonObject[] {
  const { summary, timestamp, tokensBefore } = compaction;
  const declaring =
    promptChange === 'none'
      ? declaringOps(before, after, REASON)
      : replacingOps(after, REASON, promptChange === 'forgotten');
  const time = timeOf(timestamp);
  const [first, ...kept] = after.messages.cached;
  const start = before.messages.cached.length - kept.length;
  const isPlain =
    typeof summary === 'string' &&
    Number.isFinite(time) &&
    start >= 0 &&
    isSame(first, compactionSummary(summary, time)) &&
    areSame(before.messages.cached.slice(start), kept);
  if (!isPlain) return [...declaring, ...messageOps(before, after, REASON)];
  const tokens = Number.isFinite(tokensBefore) ? { tokensBefore } : {};
  const fields = { summary, timestamp: time, firstKeptMessageIndex: start, ...tokens };
  return [...declaring, op('compaction_apply', fields, REASON)];
}

const REASON = 'compaction';

/**
 * Ops that lead to a context from whatever there is, and let go of everything that edits have hidden: no edit can bring
 * it back then. A transform can only set aside what stands above something that it drops, so a message is put last.
 */
export function opsToReset(before: EnvelopeContent, after: EnvelopeContent, reason: string): readonly JsonObject[] {
  const last = { role: 'user', content: [], timestamp: 0 };
  const none = { summary: '', timestamp: 0, firstKeptMessageIndex: before.messages.cached.length + 1 };
  return [
    ...replacingOps(after, reason),
    op('messages_cached_replace', { messages: [...before.messages.cached, last] }, reason),
    op('compaction_apply', none, reason),
    op('messages_cached_replace', { messages: after.messages.cached }, reason),
  ];
}

/** Ops that say the whole system prompt and all tools; `isForgotten`: a baseline is shown instead of nothing. */
function replacingOps(
  { system: { parts }, tools }: EnvelopeContent,
  reason: string,
  isForgotten = false,
): readonly JsonObject[] {
  const orBaseline = (list: readonly unknown[]): JsonObject =>
    isForgotten && list.length === 0 ? { baseline: true } : {};
  return [
    op('system_parts_replace', { parts, ...orBaseline(parts) }, reason),
    op('tools_replace', { tools, ...orBaseline(tools) }, reason),
  ];
}

/** Those that are needed: only what changes. */
function declaringOps(before: EnvelopeContent, after: EnvelopeContent, reason: string): readonly JsonObject[] {
  const isKept = [isSame(before.system.parts, after.system.parts), isSame(before.tools, after.tools)];
  return replacingOps(after, reason).filter((_, at) => !isKept[at]);
}

function op(name: string, fields: JsonObject, invalidateCacheReason: string): JsonObject {
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
export function transformEntry({ id, parentId, timestamp, name, patch, title, rest = {} }: NewTransform): JsonObject {
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
