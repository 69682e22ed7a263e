import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const page = readFileSync(path.join(projectFolder, 'SECURITY.md'), 'utf8');
const [, promises = ''] = page.split(/^## Promises$/m);
const rows = [
  ...promises.matchAll(/^\| (?<promise>[^|]+\.) \| \[(?<title>[^\]]+)\]\((?<file>test\/[^)]+)\) \|$/gm),
].map(({ groups }) => ({
  promise: groups?.['promise'] ?? '',
  title: groups?.['title'] ?? '',
  file: groups?.['file'] ?? '',
}));

describe('every promise is held by a test that is there:', () => {
  it.each(rows)('$promise', ({ title, file }) => {
    expect(readFileSync(path.join(projectFolder, file), 'utf8')).toContain(title);
  });
});

it('a promise without a test is none', () => {
  const [table = ''] = promises.split(/^## /m);
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  expect(lines.filter((line) => line !== '| Promise | Test |' && line !== '| --- | --- |')).toHaveLength(rows.length);
});

it('every test in this folder holds a promise', () => {
  const tests = readdirSync(path.join(projectFolder, 'test/security')).filter((name) => name.endsWith('.test.ts'));
  for (const name of tests.filter((each) => each !== 'promises.test.ts'))
    expect(rows.map(({ file }) => file)).toContain(`test/security/${name}`);
});

it('the links of the page lead somewhere', () => {
  for (const [, file = ''] of page.matchAll(/\]\((?!https?:)([^)#]+)/g))
    expect([file, existsSync(path.join(projectFolder, file))]).toEqual([file, true]);
});
