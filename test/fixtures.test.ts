import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { handWritten } from './fixtures/index.js';
import { fixtures, projectFolder } from './support/files.js';

const folder = path.join(projectFolder, 'fixtures');
const recorded = ['weather.jsonl', 'tool-change.jsonl'];

it.each(Object.entries(handWritten))('fixtures/%s is what its script writes', (name, content) => {
  const file = path.join(folder, name);
  if (process.env['UPDATE'] === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  expect(readFileSync(file)).toEqual(Buffer.from(content));
});

it('knows every fixture there is', () => {
  expect(fixtures.map((file) => path.relative(folder, file))).toEqual(
    [...Object.keys(handWritten), ...recorded].toSorted(),
  );
});
