import { readFileSync } from 'node:fs';
import { globSync } from 'tinyglobby';
import { describe, expect, it } from 'vitest';
import { findSecrets } from '#analysis/secrets/find-secrets.js';

/** Packages as they were published: nobody keeps a secret there. With ALL=1 all of their files are searched. */
const PACKAGES = ['node_modules', 'test/pi/node_modules'];
const TEXTS = '**/*.{js,cjs,mjs,ts,cts,mts,json,md}';
const ONE_OF = 30;
const isWhole = process.env['ALL'] === '1';

function filesIn(folder: string): readonly string[] {
  return globSync(`${folder}/${TEXTS}`, { followSymbolicLinks: false }).toSorted();
}

describe('the sources of published packages', () => {
  it(
    'hold hardly anything that is taken for a secret',
    () => {
      const all = (isWhole ? PACKAGES : PACKAGES.slice(0, 1)).flatMap(filesIn);
      const files = isWhole ? all : all.filter((_file, at) => at % ONE_OF === 0);
      const alarms: string[] = [];
      let size = 0;
      for (const file of files) {
        const text = readFileSync(file, 'utf8');
        size += text.length;
        for (const { kind, value } of findSecrets(text)) alarms.push(`${file}: ${kind}: ${value.slice(0, 60)}`);
      }
      if (isWhole) process.stdout.write(`${[files.length, size, ...alarms].join('\n')}\n`);
      expect(files.length).toBeGreaterThan(50);
      expect(alarms.length, alarms.join('\n')).toBeLessThanOrEqual(isWhole ? 4 : 1);
    },
    isWhole ? 600_000 : undefined,
  );
});
