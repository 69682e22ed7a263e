import { formatCount, pluralize } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import type { CacheSummary } from './document.js';

/** Describes what the provider removed from requests, with the verb for it. */
export function describeRemovals({ providerEdits: edits, providerDrops: drops }: CacheSummary): readonly Removal[] {
  const removals: Removal[] = [];
  if (edits) {
    const text = describeRemoval(edits.requests, `${formatCount(edits.mostTokens)} tokens`);
    removals.push({ verb: 'cleared', text });
  }
  if (drops) {
    const why = drops.reasons.length > 0 ? ` (${shorten(drops.reasons.join(', '))})` : '';
    const blocks = `${pluralize(drops.mostThinkingBlocks, 'thinking block')}${why}`;
    removals.push({ verb: 'dropped', text: describeRemoval(drops.requests, blocks) });
  }
  return removals;
}

function describeRemoval(requests: number, most: string): string {
  return `by the provider from ${pluralize(requests, 'request')}, up to ${most}; the model did not see them`;
}

interface Removal {
  readonly verb: string;
  readonly text: string;
}
