import { describe, expect, it } from 'vitest';
import { findChangedValues, findSettings } from '#analysis/loss/assigned-values.js';
import { findStatedValue } from '#analysis/loss/stated-value.js';

describe('findChangedValues', () => {
  it('reads the names whose value differs among the lines of an edit', () => {
    const before = 'const server = {\n  port: 3000,\n  host: "localhost",\n};\nconst LIMIT = 50; // rows\n';
    const after = 'const server = {\n  port: 8080,\n  host: "localhost",\n};\nconst LIMIT = 200; // rows\n';
    expect(findChangedValues(before, after)).toEqual([
      { name: 'port', old: '3000', value: '8080' },
      { name: 'const LIMIT', old: '50', value: '200' },
    ]);
  });

  it.each([
    ['a name that is new', 'port: 3000', 'port: 3000\nlimit: 20'],
    ['a name with two values', 'port: 3000\nport: 3001', 'port: 8080\nport: 8081'],
    ['an expression', 'const a = one();', 'const a = two(3);'],
    ['one character', 'retries: 1', 'retries: 3'],
    ['a comment', '// port: 3000', '// port: 8080'],
  ])('leaves out %s', (_, before, after) => {
    expect(findChangedValues(before, after)).toEqual([]);
  });
});

describe('findSettings', () => {
  it.each([
    ['"version": "1.4.0",', '"version"', '1.4.0'],
    ['export const maxRetryDelay = 30_000;', 'export const maxRetryDelay', '30_000'],
    ['MAX_ROWS = 500', 'MAX_ROWS', '500'],
    ['  model: "sonnet"', 'model', 'sonnet'],
    ['timeout := 30s', 'timeout', '30s'],
    ["const dataDir = '/var/lib/app'", 'const dataDir', '/var/lib/app'],
    ['const port: number = 8080;', 'const port: number', '8080'],
    ['port:int = 8080', 'port:int', '8080'],
    ['http2Port = 8080', 'http2Port', '8080'],
    ['MAX_ROW_COUNTS = 500', 'MAX_ROW_COUNTS', '500'],
    ['threshold: 50%', 'threshold', '50%'],
  ])('reads %s', (line, name, value) => {
    expect(findSettings(line)).toEqual([{ name, value }]);
  });

  it.each([
    'index = 12',
    'MAX_ROWSx = 500',
    'title: "forecast"',
    'export const support = "full"',
    'path: "$HOME/x"',
    'limit: 10',
  ])('leaves out %s', (line) => {
    expect(findSettings(line)).toEqual([]);
  });
});

describe('findStatedValue', () => {
  it.each([
    ['Use port 8080 for the proxy.', '8080'],
    ['We should pin Node to v20.19.', 'v20.19'],
    ['Add a `--dry-run` flag to skip the upload.', '--dry-run'],
    ['Truncate the diff, and keep 100KB of it.', '100KB'],
    ['Set the timeout to 30 seconds.', '30 seconds'],
    ['I limit to 20 for now.', '20'],
    ['Use port 8080 when it is free.', '8080'],
  ])('reads %s', (sentence, value) => {
    expect(findStatedValue(sentence)).toBe(value);
  });

  it.each([
    'The tests took 45 seconds.',
    'Should we use port 8080?',
    'If we use `--force`, it is lost.',
    'Add what Phase 2.5 needs.',
    'Use the any type, as Go 1.18+ does.',
    'Keep src/a-1.2.3/index.js and line 12:30.',
    'Add three tests.',
  ])('finds none in %s', (sentence) => {
    expect(findStatedValue(sentence)).toBeNull();
  });
});
