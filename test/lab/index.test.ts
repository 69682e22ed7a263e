import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines } from '#lab/index.js';
import { driveAll, sourceIn } from '../support/engines.js';
import { projectFolder } from '../support/files.js';
import { generateSession } from '../support/generate.js';

const folder = path.join(projectFolder, 'src/lab/builtin');

describe('the engines that are built in', () => {
  it('are all listed, and all in the manual', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    const defined = files.flatMap((file) => [
      ...readFileSync(path.join(folder, file), 'utf8').matchAll(/ defineBuiltinEngine\(/g),
    ]);
    expect(defined).toHaveLength(engines.length);
    expect(new Set(engines.map(({ name }) => name)).size).toBe(engines.length);
    const manual = readFileSync(path.join(projectFolder, 'docs/lab/engines.md'), 'utf8');
    for (const { name } of engines) expect(manual).toContain(`\`${name}\``);
  });

  it.each(engines)('$name is called what it says', ({ name, create }) => {
    // What it is does not depend on the session.
    expect(create({ policy: {} } as never).info.id).toBe(name);
  });

  it.each(engines)('$name keeps the contract over any session, and does the same each time', async ({ create }) => {
    for (let seed = 0; seed < 12; seed += 1) {
      const source = sourceIn(generateSession({ seed, entries: 40, compactions: 0.1, edits: 0.1, transforms: 0.05 }));
      const options = { tokenBudget: 300, settings: { enabled: true, reserveTokens: 60, keepRecentTokens: 60 } };
      const [one, other] = [await driveAll(source, create, options), await driveAll(source, create, options)];
      expect(one).toEqual(other);
    }
  });
});
