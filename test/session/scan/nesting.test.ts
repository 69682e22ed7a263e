import { describe, expect, it } from 'vitest';
import { activePath } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { refuseTooDeep } from '../../../src/session/scan/nesting.js';
import { entry, HEADER, lines, sourceOf, user } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';

const nested = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;

function sessionWith(data: string): string {
  const custom = JSON.stringify(entry('custom', 'c1', 'u1', { customType: 'x', data: 'HERE' }));
  return lines(HEADER, user('u1', null, 'hello')) + `${custom.replace('"HERE"', data)}\n`;
}

function check(data: string): void {
  const session = readSession(sourceOf(sessionWith(data)), 's.jsonl');
  refuseTooDeep(session, activePath(session.tree));
}

describe('an entry', () => {
  it.each([
    ['5,002 levels', nested(5002)],
    ['100,000 levels', nested(100_000)],
    ['levels behind a string that ends in a backslash', `["\\\\",${nested(6000)}]`],
  ])('of %s is refused with its line', (_what, data) => {
    expect(() => check(data)).toThrow(
      expect.objectContaining({ kind: 'input', message: 'the data is nested too deeply', where: 's.jsonl:3' }),
    );
  });

  it.each([
    ['4,900 levels', nested(4900)],
    ['brackets in a string', JSON.stringify('[{'.repeat(20_000))],
    ['escaped quotes among brackets in a string', JSON.stringify('"[{\\'.repeat(20_000))],
    ['many lists beside each other', `[${'[],'.repeat(20_000)}{}]`],
  ])('of %s is not', (_what, data) => {
    expect(() => check(data)).not.toThrow();
  });
});

it.each([
  ['simulate', '--limit', '200k'],
  ['compact', '--yes', '--keep-recent', '10'],
])('ctx %s refuses it with its place, before anything is built', async (command, ...flags) => {
  const { exitCode, stderr } = await ctx([command, 's.jsonl', ...flags], {
    files: { 's.jsonl': sessionWith(nested(100_000)) },
  });
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('nested too deeply: s.jsonl')]);
});
