import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEADER, lines, TALK } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const CHECK = ['check', 'w.jsonl', '--rules', 'file', '--snapshot', 'snaps'];
type Files = Record<string, string | Uint8Array>;
/** What is written stays in `files`. */
async function check(files: Files, args: readonly string[] = [], more: World = {}): Promise<Ran> {
  const ran = await ctx([...CHECK, ...args], { ...more, files });
  Object.assign(files, ran.files);
  return ran;
}
const findings = async (files: Files, args: readonly string[] = []): Promise<Record<string, unknown>[]> => {
  const { stdout } = await check(files, [...args, '--format', 'ndjson']);
  const printed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return printed.filter(({ rule }) => rule === 'snapshot');
};

describe('ctx check --snapshot', () => {
  it('takes snapshots that are not there, and agrees with them afterwards', async () => {
    const files: Files = { 'w.jsonl': weather };
    const first = await check(files, ['--at', 'HEAD, @{request:1}']);
    expect(first).toMatchObject({ exitCode: 0, stderr: 'ctx: warning: snapshot: 2 snapshots taken in snaps\n' });
    expect(Object.keys(files)).toEqual(['w.jsonl', 'snaps/w@HEAD.json', 'snaps/w@%40%7Brequest%3A1%7D.json']);
    expect(await check(files, ['--at', 'HEAD,@{request:1}'])).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('fails when one byte of a system part is another, and says where', async () => {
    const files: Files = { 'w.jsonl': weather };
    const args = ['--at', '@{request:1}'];
    await check(files, args);
    const part = (JSON.parse(weather.split('\n')[3]!) as { message: { sections: { preamble: string } } }).message
      .sections.preamble;
    const start = weather.indexOf(part.slice(0, 30));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 29 }), async (at) => {
        const flipped = weather[start + at] === 'x' ? 'y' : 'x';
        const changed = weather.slice(0, start + at) + flipped + weather.slice(start + at + 1);
        const found = await findings({ ...files, 'w.jsonl': changed }, args);
        expect(found.length).toBeGreaterThan(0);
        expect(found[0]).toMatchObject({ severity: 'error', place: expect.stringContaining('preamble') as string });
        expect(found[0]!['message']).toMatch(/^@\{request:1\}: the system part "preamble" was changed/);
        expect(found[0]!['entryId']).toEqual(expect.any(String));
      }),
      { numRuns: 15 },
    );
  });

  it('replaces them with --update', async () => {
    const files: Files = { 'w.jsonl': weather };
    await check(files);
    const changed = { ...files, 'w.jsonl': weather.replaceAll('You are', 'You were') };
    expect(changed['w.jsonl']).not.toBe(weather);
    expect((await check(changed)).exitCode).toBe(1);
    expect((await check(changed, ['--update'])).exitCode).toBe(0);
    expect((await check(changed)).exitCode).toBe(0);
  });

  it('takes none in CI, where they would be lost', async () => {
    const files: Files = { 'w.jsonl': weather };
    const { exitCode, stdout } = await check(files, [], { env: { CI: 'true' } });
    expect([exitCode, Object.keys(files)]).toEqual([1, ['w.jsonl']]);
    expect(stdout).toContain('there is no snapshot of HEAD in snaps/w@HEAD.json');
  });

  it('says when a revision is gone, and when a file is no snapshot', async () => {
    const files: Files = { 'w.jsonl': weather };
    await check(files, ['--at', 'HEAD~30']);
    const short = weather.split('\n').slice(0, 5).join('\n') + '\n';
    expect(await findings({ ...files, 'w.jsonl': short }, ['--at', 'HEAD~30'])).toMatchObject([
      { message: 'the snapshot snaps/w@HEAD~30.json is of HEAD~30, which is no longer in the session' },
    ]);
    const broken = await check({ ...files, 'snaps/w@HEAD.json': '{}' });
    expect([broken.exitCode, broken.stderr]).toEqual([
      2,
      expect.stringMatching(/^ctx: not a snapshot: .*: take it again with --update\n$/),
    ]);
    const { stderr } = await check({ ...files, 'snaps/w@HEAD.json': '{' });
    expect(stderr).toContain('not a snapshot: it is not JSON');
  });

  it('names each session that lacks a revision, and takes the snapshots of the others', async () => {
    const files: Files = { 'w.jsonl': weather, 'talk.jsonl': lines(HEADER, ...TALK) };
    const flags = ['--at', '@{compaction}', '--rules', 'file', '--snapshot', 'snaps'];
    const {
      exitCode,
      stdout,
      stderr,
      files: after,
    } = await ctx(['check', 'talk.jsonl', 'w.jsonl', ...flags], { files });
    expect([exitCode, Object.keys(after).toSorted()]).toEqual([
      1,
      [...Object.keys(files), 'snaps/w@%40%7Bcompaction%7D.json'].toSorted(),
    ]);
    expect(stdout).toMatch(/^talk\.jsonl\n.*there is no snapshot of @\{compaction\}, which is not in the session\n/s);
    expect(stderr).toContain('1 snapshot taken in snaps');
    const alone = await ctx(['check', 'talk.jsonl', ...flags], { files });
    expect(alone.exitCode).toBe(2);
  });

  it('is needed by the flags that are about it', async () => {
    const { exitCode, stderr } = await ctx(['check', 'w.jsonl', '--update'], { files: { 'w.jsonl': weather } });
    expect([exitCode, stderr]).toEqual([2, 'ctx: --update needs --snapshot: add --snapshot DIR\n']);
  });
});
