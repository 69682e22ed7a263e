import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { bytes } from '../../../support/entries.js';
import { comparable, digest, goldenFile, partsOf, payloadsAt, TALKS } from './payloads.js';
import { talk } from './talks.js';

const golden = JSON.parse(readFileSync(goldenFile, 'utf8')) as readonly (string | null)[];

describe('payloads', () => {
  it(`are what real Pi would send, at the ends of ${TALKS} sessions by every API`, async () => {
    const digests: string[] = [];
    for (let seed = 0; seed < TALKS; seed += 1) {
      const session = await openSession(bytes(talk(seed)));
      for (const ours of await payloadsAt(session, null, seed % 3 === 0))
        digests.push(digest(comparable(partsOf(ours), ours)));
    }
    expect(digests).toHaveLength(golden.length);
    expect(digests.filter((one, at) => golden[at] !== null && golden[at] !== one)).toEqual([]);
  });
});
