import { asCount, asObject, asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { CacheRequest, ProviderDrops, ProviderEdits, ProviderReason } from './document.js';

export type ProviderReport = Pick<CacheRequest, 'providerReason' | 'providerEdits' | 'providerDrops'>;

/**
 * The provider's own reason for a cache miss, and the edits of the request before the model saw it, where the provider
 * reports them. Importers keep them in the `diagnostics` of the answer.
 */
export function readProviderReport({ message }: JsonObject): ProviderReport {
  const reports = listObjects(asObject(message).diagnostics);
  const reason = readReason(reports);
  const edits = readEdits(reports);
  const drops = readDrops(reports);
  return {
    ...(reason && { providerReason: reason }),
    ...(edits && { providerEdits: edits }),
    ...(drops && { providerDrops: drops }),
  };
}

function readReason(reports: readonly JsonObject[]): ProviderReason | null {
  for (const { cache_miss_reason: reason } of reports) {
    const type = isObject(reason) ? asString(reason.type) : null;
    if (isObject(reason) && type !== null) return { type, missedTokens: asCount(reason.cache_missed_input_tokens) };
  }
  return null;
}

/** Anthropic clears results of tools and thinking on request, and reports the number of each. */
function readEdits(reports: readonly JsonObject[]): ProviderEdits | null {
  const edits = reports.flatMap(({ applied_edits: applied }) => listObjects(applied));
  const sum = (field: string): number => edits.reduce((all, edit) => all + (asCount(edit[field]) ?? 0), 0);
  const toolUses = sum('cleared_tool_uses');
  const thinkingTurns = sum('cleared_thinking_turns');
  return toolUses + thinkingTurns === 0 ? null : { toolUses, thinkingTurns, tokens: sum('cleared_input_tokens') };
}

/**
 * The records of Pi about what a provider removed from a request, each with the type for thinking of earlier answers.
 */
const DROPPED: ReadonlySet<string> = new Set([
  'anthropic_input_transformations thinking_dropped',
  'openai_input_transformations reasoning',
]);

function readDrops(reports: readonly JsonObject[]): ProviderDrops | null {
  const drops = reports.flatMap(({ type: record, details }) =>
    listObjects(asObject(details).transformations).filter(({ type }) =>
      DROPPED.has(`${asText(record)} ${asText(type)}`),
    ),
  );
  const reasons = new Set(drops.flatMap(({ reason }) => asString(reason) ?? []));
  return drops.length === 0 ? null : { thinkingBlocks: drops.length, reasons: [...reasons] };
}
