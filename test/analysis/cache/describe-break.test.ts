import { expect, test } from 'vitest';
import { describeBreak } from '#analysis/cache/describe-break.js';
import type { CacheBreak, CacheRequest } from '#analysis/cache/document.js';

test.each([
  [356_000, '5 min 56 s since the previous request (lifetime 5 minutes, assumed)'],
  [300_500, '5 min 0 s since the previous request (lifetime 5 minutes, assumed)'],
  [45_000, '45 seconds since the previous request (lifetime 5 minutes, assumed)'],
  [1_920_000, '32 minutes since the previous request (lifetime 5 minutes, assumed)'],
  [3_900_000, '1 h 5 min since the previous request (lifetime 5 minutes, assumed)'],
  [7_300_000, '2 hours since the previous request (lifetime 5 minutes, assumed)'],
])('a pause of %i ms is stated so that it can be compared with the lifetime of the cache', (idle, text) => {
  const request = { idleMilliseconds: idle } as CacheRequest;
  const expired = { class: 'ttl', declaredReasons: [], also: [], entryId: null, detail: '5 minutes, assumed' };
  expect(describeBreak(request, expired as unknown as CacheBreak)).toBe(text);
});
