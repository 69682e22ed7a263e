import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { check } from '../../support/check.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const errorsIn = async (session: Uint8Array): Promise<readonly string[]> =>
  (await check(session, { requests: 'all' })).flatMap(({ rule, severity, line }) =>
    severity === 'error' ? [`${rule} on line ${line}`] : [],
  );

/** Every rule that is on by itself, at every request. */
describe('sessions that nothing is wrong with have no errors', () => {
  it(`in ${runs(500)} generated trees, with transforms and without`, async () => {
    for (let seed = 0; seed < runs(500); seed += 1) {
      const transforms = seed % 2 === 0 ? 0 : 0.15;
      const session = generateSession({ seed, entries: 40, sound: true, transforms, compactions: 0.05, edits: 0.08 });
      expect([seed, await errorsIn(new TextEncoder().encode(session))]).toEqual([seed, []]);
    }
  });

  /** They show what is broken, or what Pi itself stops at. */
  const BROKEN = /fixtures\/(?:damaged\/|rules\/|missing-content\.jsonl)/;

  it.each(fixtures.filter((file) => !BROKEN.test(file)).map((file) => path.relative(projectFolder, file)))(
    'in %s',
    async (file) => {
      expect(await errorsIn(readFileSync(path.join(projectFolder, file)))).toEqual([]);
    },
  );
});
