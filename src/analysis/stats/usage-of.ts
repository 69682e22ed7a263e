import { asText, isObject, type JsonObject } from '#base/json.js';
import type { Head } from '#session/table/head.js';

/** What a provider was called for. */
export const SOURCES = ['requests', 'compactions', 'branch summaries', 'tools', 'cache warming', 'other'] as const;
export type Source = (typeof SOURCES)[number];

/** A usage that counts, as Pi counts it. */
export interface UsageRecord {
  readonly source: Source;
  /** `provider/model` where the entry says so; what tools and summaries used has no model of its own. */
  readonly model: string;
  readonly usage: JsonObject;
}

/** The row of Pi's cost breakdown for usage that names no model. */
const NO_MODEL = 'Tools/summaries';

/** What an entry adds to Pi's totals; null for one that adds nothing, whatever usage it holds. */
export function usageOf({ type, role }: Head, entry: JsonObject): UsageRecord | null {
  if (type === 'message') {
    const message = isObject(entry['message']) ? entry['message'] : {};
    const { usage, provider, model, responseModel } = message;
    if (!isObject(usage)) return null;
    if (role === 'assistant') return { source: 'requests', model: modelKey(provider, responseModel ?? model), usage };
    return role === 'toolResult' ? { source: 'tools', model: NO_MODEL, usage } : null;
  }
  const { usage, provider, model, kind } = entry;
  if (!isObject(usage)) return null;
  if (type === 'compaction') return { source: 'compactions', model: NO_MODEL, usage };
  if (type === 'branch_summary') return { source: 'branch summaries', model: NO_MODEL, usage };
  if (type !== 'usage') return null;
  return { source: kind === 'cache_warm' ? 'cache warming' : 'other', model: modelKey(provider, model), usage };
}

function modelKey(provider: unknown, model: unknown): string {
  return `${asText(provider)}/${asText(model)}`;
}
