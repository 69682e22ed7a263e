import { formatCount, pluralize } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import type { CacheSummary } from './document.js';

/** Describes what the provider removed from requests, with the verb for it. */
export function describeRemovals({ providerEdits: edits, providerDrops: drops }: CacheSummary): readonly Removal[] {
  const why = drops && drops.reasons.length > 0 ? ` (${shorten(drops.reasons.join(', '))})` : '';
  const blocks = drops && `${pluralize(drops.mostThinkingBlocks, 'thinking block')}${why}`;
  return [
    ...(edits
      ? [{ verb: 'cleared', text: describeRemoval(edits.requests, `${formatCount(edits.mostTokens)} tokens`) }]
      : []),
    ...(drops && blocks ? [{ verb: 'dropped', text: describeRemoval(drops.requests, blocks) }] : []),
  ];
}

function describeRemoval(requests: number, most: string): string {
  return `by the provider from ${pluralize(requests, 'request')}, up to ${most}; the model did not see them`;
}

interface Removal {
  readonly verb: string;
  readonly text: string;
}
