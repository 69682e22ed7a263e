import { asObject, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { findUsage, type Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { UsageSource } from './usage-sources.js';

/** A usage that is included in Pi's totals. */
export interface UsageRecord {
  readonly source: UsageSource;
  /** `provider/model` if the entry has it; usage of tools and summaries has no model of its own. */
  readonly model: string;
  readonly usage: JsonObject;
}

/** The row of Pi's cost breakdown for usage without a model. */
export const NO_MODEL = 'Tools/summaries';

/** The usage that an entry records; null for the zeros of an answer without one, or that no provider gave. */
export function readRecordedUsage(head: Head, entry: JsonObject): JsonObject | null {
  const usage = findUsage(entry);
  const isLocal = head.role === 'assistant' && !answersRequest(head);
  return isLocal || !isRecorded(usage) ? null : usage;
}

/**
 * The calls whose usage an entry adds to the totals, those of Pi: none for most entries. An answer of Anthropic may
 * contain calls of other models, which are not part of its own usage.
 */
export function listUsages(head: Head, entry: JsonObject): readonly UsageRecord[] {
  const own = readOwnUsage(head, entry);
  return own === null ? NO_RECORDS : addSideCalls(own, asObject(entry.message));
}

/** The calls whose usage the answer to a request adds to the totals. */
export function listAnswerUsages(message: JsonObject): readonly UsageRecord[] {
  const own = readAnswerUsage(message);
  return own === null ? NO_RECORDS : addSideCalls(own, message);
}

function readAnswerUsage({ usage, provider, model, responseModel }: JsonObject): UsageRecord | null {
  if (!isRecorded(usage)) return null;
  return { source: 'requests', model: buildModelKey(provider, responseModel ?? model), usage };
}

function addSideCalls(own: UsageRecord, { provider, model }: JsonObject): readonly UsageRecord[] {
  const others = listObjects(own.usage.sideCalls);
  if (others.length === 0) return [own];
  const side = others.map((call): UsageRecord => {
    const source = call.type === 'compaction' ? 'compactions' : 'side calls';
    return { source, model: buildModelKey(call.provider ?? provider, call.model ?? model), usage: call };
  });
  return [own, ...side];
}

const NO_RECORDS: readonly UsageRecord[] = [];

function readOwnUsage(head: Head, entry: JsonObject): UsageRecord | null {
  const { type, role } = head;
  if (type === 'message') {
    const message = asObject(entry.message);
    if (answersRequest(head)) return readAnswerUsage(message);
    const { usage } = message;
    return role === 'toolResult' && isRecorded(usage) ? { source: 'tools', model: NO_MODEL, usage } : null;
  }
  const { usage, provider, model, kind } = entry;
  if (!isRecorded(usage)) return null;
  switch (type) {
    case 'compaction':
      return { source: 'compactions', model: NO_MODEL, usage };
    case 'branch_summary':
      return { source: 'branch summaries', model: NO_MODEL, usage };
    case 'usage':
      return {
        source: kind === 'cache_warm' ? 'cache warming' : 'other',
        model: buildModelKey(provider, model),
        usage,
      };
    // Agents record calls for titles, summaries and the like.
    case 'model_usage':
      return { source: 'side calls', model: buildModelKey(provider, model), usage };
    default:
      return null;
  }
}

/** An import marks the zeros that it gives to an answer without recorded tokens. */
function isRecorded(usage: unknown): usage is JsonObject {
  return isObject(usage) && usage.notRecorded !== true;
}

/** A provider or model that is not recorded is `?`, as in `ctx cache`. */
function buildModelKey(provider: unknown, model: unknown): string {
  return `${asText(provider ?? '?')}/${asText(model ?? '?')}`;
}
