import { asCount, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { count, plural } from '#base/words.js';
import type { CacheRequest, CacheSummary } from './document.js';

type Reported = Pick<CacheRequest, 'providerReason' | 'providerEdits'>;

/**
 * The provider's own reason for a cache miss, and the edits of the request before the model saw it, where the provider
 * reports them. Importers keep them in the `diagnostics` of the answer.
 */
export function reportedIn({ message }: JsonObject): Reported {
  const reports = isObject(message) ? objectsIn(message['diagnostics']) : [];
  const reason = reasonIn(reports);
  const edits = editsIn(reports);
  return { ...(reason && { providerReason: reason }), ...(edits && { providerEdits: edits }) };
}

function reasonIn(reports: readonly JsonObject[]): NonNullable<Reported['providerReason']> | null {
  for (const { cache_miss_reason: reason } of reports) {
    const type = isObject(reason) ? asString(reason['type']) : null;
    if (isObject(reason) && type !== null) return { type, missedTokens: asCount(reason['cache_missed_input_tokens']) };
  }
  return null;
}

/** Anthropic clears results of tools and thinking on request, and reports the number of each. */
function editsIn(reports: readonly JsonObject[]): NonNullable<Reported['providerEdits']> | null {
  const edits = reports.flatMap(({ applied_edits: applied }) => objectsIn(applied));
  const sum = (field: string): number => edits.reduce((all, edit) => all + (asCount(edit[field]) ?? 0), 0);
  const [toolUses, thinkingTurns] = [sum('cleared_tool_uses'), sum('cleared_thinking_turns')];
  return toolUses + thinkingTurns === 0 ? null : { toolUses, thinkingTurns, tokens: sum('cleared_input_tokens') };
}

/** Describes what a provider cleared from requests. */
export function clearedText({ requests, mostTokens }: NonNullable<CacheSummary['providerEdits']>): string {
  const from = `by the provider from ${plural(requests, 'request')}`;
  return `${from}, up to ${count(mostTokens)} tokens; the model did not see them`;
}
