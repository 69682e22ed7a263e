import { describeBreak } from '../cache/describe-break.js';
import type { CacheReport } from '../cache/report-cache.js';
import type { CacheData } from './document.js';
import type { MessageForms } from './message-forms.js';

/** The cache usage of a path, by column. `entryAt`: the number of the entry at a place. */
export function buildCacheData({ requests, summary }: CacheReport, entryAt: MessageForms['entryAt']): CacheData {
  return {
    prompts: requests.map(({ promptTokensEstimated }) => promptTokensEstimated),
    prefixes: requests.map(({ prefixTokensEstimated }) => prefixTokensEstimated),
    recorded: requests.map(({ recorded }) => recorded && [recorded.input, recorded.cacheRead, recorded.cacheWrite]),
    breaks: requests.flatMap((request, at) => {
      const { break: broken } = request;
      if (broken === null) return [];
      const entry = broken.line === null ? -1 : entryAt({ line: broken.line, entryId: broken.entryId });
      return [[at, { ...broken, entry, what: describeBreak(request, broken) }] as const];
    }),
    summary,
  };
}
