import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { ROOMS } from '../support/rooms.js';

const source = path.join(projectFolder, 'src');
const page = readFileSync(path.join(projectFolder, 'docs/contributing/architecture.md'), 'utf8');

it('docs/contributing/architecture.md names the rooms of src, in their order', () => {
  const named = [...page.matchAll(/^\| \[`(\w+)\/`\]\(\.\.\/\.\.\/src\/\w+\/README\.md\) \| .+ \|$/gm)].map(
    ([, room]) => room,
  );
  expect(named).toEqual(ROOMS);
});

/** The rows `| subject | [`file`](../../src/file) | `name` |` of the table of places. */
const PLACES = [...page.matchAll(/^\| .+ \| \[`([^`]+)`\]\(\.\.\/\.\.\/src\/\1\) \| `(\w+)` \|$/gm)];

it('docs/contributing/architecture.md names places that exist', () => {
  const missing = PLACES.filter(([, file = '', name = '']) => {
    const text = readFileSync(path.join(source, file), 'utf8');
    return !new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, 'm').test(text);
  });
  expect(PLACES.length).toBeGreaterThan(10);
  expect(missing.map(([row]) => row)).toEqual([]);
});
