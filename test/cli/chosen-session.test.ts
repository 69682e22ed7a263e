import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';

const CLAUDE = '/home/ada/.claude/projects/-home-ada-shop/5f0c7a10-2b7e-4c1d-9a55-0e6d1c2b3a4f.jsonl';
const PI = '/home/ada/.pi/agent/sessions/--home-ada-weather--/1_0198.jsonl';
const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
const OF_CLAUDE = { [CLAUDE]: readFixture('agents/claude-code/session.jsonl') };
const OF_PI = { [PI]: readFixture('weather.jsonl') };

async function firstLine(files: Readonly<Record<string, string>>, cwd: string, ...argv: readonly string[]) {
  const { stdout } = await ctx(argv, { files, cwd, env: { HOME: '/home/ada' } });
  return stdout.split('\n')[0];
}

describe.each(['status', 'show', 'doctor'])('ctx %s without a name', (command) => {
  it('begins with the reason where the folder has no session', async () => {
    const reason = 'this folder has no session: this is the newest of all agents';
    expect(await firstLine(OF_CLAUDE, '/tmp/empty', command)).toBe(reason);
  });

  it('names the original of a copy, which is newer', async () => {
    const { stdout, files } = await ctx(['redact', CLAUDE, '--pattern', 'cent', '--install', '--json'], {
      files: OF_CLAUDE,
      cwd: '/home/ada/shop',
      env: { HOME: '/home/ada' },
    });
    const { copy } = JSON.parse(stdout) as { readonly copy: { readonly file: string } };
    const { [CLAUDE]: original, ...others } = files;
    // The newest file is the last one.
    const both = { [CLAUDE]: original, ...others } as Readonly<Record<string, string>>;
    expect(Object.keys(both).at(-1)).toBe(copy.file);
    const reason = 'the newest session of this folder, forked from 5f0c7a10';
    expect(await firstLine(both, '/home/ada/shop', command)).toBe(reason);
  });

  it('gives no reason for a session of the folder, or one that was named', async () => {
    expect(await firstLine(OF_CLAUDE, '/home/ada/shop', command)).not.toContain('this folder');
    expect(await firstLine(OF_CLAUDE, '/tmp/empty', command, 'latest:claude')).not.toContain('this folder');
  });
});

it.each([
  ['status', 'Pi'],
  ['show', 'Pi'],
  ['doctor', 'all agents'],
])('ctx %s takes the newest of %s where the folder has no session, and says so', async (command, of) => {
  const reason = `this folder has no session: this is the newest of ${of}`;
  expect(await firstLine({ ...OF_CLAUDE, ...OF_PI }, '/tmp/empty', command)).toBe(reason);
});
