import { asCount, asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { BreakClass } from './breaks.js';
import type { CacheRequest, CacheSummary } from './document.js';

/**
 * The provider's own reason for a cache miss, which Anthropic reports with `diagnostics.cache_miss_reason` and importers
 * keep in the `diagnostics` of the answer; null if it reports none.
 */
export function providerReason({ message }: JsonObject): NonNullable<CacheRequest['providerReason']> | null {
  const reports = isObject(message) ? objectsIn(message['diagnostics']) : [];
  for (const { cache_miss_reason: reason } of reports) {
    const type = isObject(reason) ? asString(reason['type']) : null;
    if (isObject(reason) && type !== null) return { type, missedTokens: asCount(reason['cache_missed_input_tokens']) };
  }
  return null;
}

/** The classes of breaks that agree with each of the provider's reasons. */
const AGREES: ReadonlyMap<string, readonly BreakClass[]> = new Map([
  ['system_changed', ['system']],
  ['tools_changed', ['tools', 'tool order']],
  ['messages_changed', ['compaction', 'transform', 'edit', 'branch', 'image']],
  ['model_changed', ['model switch']],
]);

/** The number of requests with a reason of the provider, and of those whose break has the same cause; null if there are none. */
export function providerAgreement(
  requests: readonly CacheRequest[],
): NonNullable<CacheSummary['providerReasons']> | null {
  const reported = requests.filter(({ providerReason: reason }) => reason !== undefined);
  if (reported.length === 0) return null;
  const compared = reported.filter(({ providerReason: reason }) => AGREES.has(reason?.type ?? ''));
  const agreed = compared.filter(({ providerReason: reason, break: broken }) =>
    AGREES.get(reason?.type ?? '')?.some((name) => broken?.class === name || broken?.also.includes(name)),
  );
  return { reported: reported.length, compared: compared.length, agreed: agreed.length };
}
