import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const ID = '0198aaaa-1111-7000-8000-000000000001';
const FOLDER = '/home/ada/.pi/agent/sessions/--home-ada-work-weather-worktrees-forecast--';
const NAME = `2026-01-01T00-00-00-000Z_${ID}.jsonl`;
const FILE = `${FOLDER}/${NAME}`;

function fixture(name: string): string {
  return readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
}

async function onTerminal(session: string, ...argv: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await ctx(argv, { files: { [FILE]: fixture(session) }, isTerminal: true });
  return stripVTControlCharacters(stdout + stderr).split('\n');
}

describe('a path that is longer than a line of a terminal', () => {
  it.each([
    ['weather.jsonl', ['show', ID]],
    ['weather.jsonl', ['status']],
    ['weather.jsonl', ['stats', ID]],
    ['weather.jsonl', ['cache', ID]],
    ['weather.jsonl', ['doctor', ID]],
    ['weather.jsonl', ['diff', ID, 'HEAD~2', 'HEAD']],
    ['damaged/torn-tail.jsonl', ['show', ID]],
    ['version-1.jsonl', ['compact', ID, '--yes']],
  ])('is shortened: %s, %j', async (session, argv) => {
    const lines = await onTerminal(session, ...argv);
    expect(lines.join('\n')).toContain(ID.slice(0, 8));
    expect(lines.filter((one) => one.length > 80 && !one.startsWith('Resume '))).toEqual([]);
  });

  it('is an id in a command, which the user can paste', async () => {
    const lines = await onTerminal('damaged/torn-tail.jsonl', 'show', ID);
    expect(lines).toContain('ctx: for details: ctx check 0198aaaa');
    const refused = await onTerminal('version-1.jsonl', 'compact', ID, '--yes');
    expect(refused.find((one) => one.startsWith('hint: '))).toMatch(/^hint: migrate it first: ctx migrate 0198aaaa /);
  });

  it('is whole elsewhere', async () => {
    const { stderr } = await ctx(['show', ID], { files: { [FILE]: fixture('damaged/torn-tail.jsonl') } });
    expect(stderr).toContain(`ctx check ~${FILE.slice('/home/ada'.length)}\n`);
  });
});
