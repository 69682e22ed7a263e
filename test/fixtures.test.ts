import path from 'node:path';
import { expect, it } from 'vitest';
import { handWritten } from './fixtures/index.js';
import { fixtures, projectFolder } from './support/files.js';
import { expectGenerated } from './support/generated.js';

const folder = path.join(projectFolder, 'fixtures');
const recorded = ['weather.jsonl', 'tool-change.jsonl'];

it.each(Object.entries(handWritten))('fixtures/%s is what its script writes', (name, content) => {
  expectGenerated(`fixtures/${name}`, content);
});

it('knows every fixture there is', () => {
  expect(fixtures.map((file) => path.relative(folder, file))).toEqual(
    [...Object.keys(handWritten), ...recorded].toSorted(),
  );
});
