import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonOf } from '#cli/schemas.js';
import { damaged } from '../fixtures/damaged.js';
import { Log } from '../fixtures/log.js';
import { ctxInFolder, type DiskRun } from '../support/disk-io.js';
import { HEADER, lines, user } from '../support/entries.js';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
/** With so many files of a megabyte, several threads are worth it. */
const COUNT = 10;
const ORPHAN = damaged['damaged/orphan.jsonl']!;
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-check-'));
  mkdirSync(path.join(folder, 'big'));
  mkdirSync(path.join(folder, 'small'));
  mkdirSync(path.join(folder, 'none'));
  const orphans = Array.from({ length: 1000 }, (_, at) => user(`u${at}`, `gone${at}`));
  writeFileSync(path.join(folder, 'orphans.log'), lines(HEADER, ...orphans));
  const long = 'x'.repeat(1_000_000);
  for (let at = 10; at < 10 + COUNT; at += 1)
    writeFileSync(
      path.join(folder, `big/${at}.jsonl`),
      new Log(`s${at}`).user('u1', 'hi').assistant('a1', long).text(),
    );
  writeFileSync(path.join(folder, 'big/empty.jsonl'), '');
  writeFileSync(path.join(folder, 'big/orphan.jsonl'), ORPHAN);
  writeFileSync(path.join(folder, 'small/a b.jsonl'), ORPHAN);
  copyFileSync(path.join(folder, 'small/a b.jsonl'), path.join(folder, 'small/[x].jsonl'));
  symlinkSync('nowhere', path.join(folder, 'small/broken.jsonl'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function check(
  argv: readonly string[],
  input = '',
): Promise<{ readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string }> {
  const { exitCode, stdout, stderr } = await execa(binary, ['check', '--rules', 'file,tree', ...argv], {
    cwd: folder,
    reject: false,
    input,
  });
  return { exitCode, stdout, stderr };
}

/** Like `check`, in this process: for what only depends on the files. */
function checkHere(argv: readonly string[]): Promise<DiskRun> {
  return ctxInFolder(folder, ['check', '--rules', 'file,tree', ...argv]);
}

async function report(argv: readonly string[], input = ''): Promise<JsonOf<'check'>> {
  return JSON.parse((await check([...argv, '--json'], input)).stdout) as JsonOf<'check'>;
}

describe('ctx check', () => {
  it('finds the same in several threads as in one, in the same order', async () => {
    const together = await report(['big']);
    expect(together.files).toHaveLength(COUNT + 2);
    expect(together.files.map(({ file }) => file)).toEqual(together.files.map(({ file }) => file).toSorted());
    expect(together.totals).toMatchObject({ unreadable: 1, withFindings: 2, errors: 2 });
    const alone = await report(['big/orphan.jsonl']);
    expect(together.files.at(-1)).toEqual(alone.files[0]);
    expect(together.files[0]).toEqual((await report(['big/10.jsonl'])).files[0]);
  });

  it('takes patterns, folders and names with odd characters', async () => {
    const names = async (...argv: readonly string[]): Promise<readonly string[]> =>
      (JSON.parse((await checkHere([...argv, '--json'])).stdout) as JsonOf<'check'>).files.map(({ file }) => file);
    expect(await names('**/{a*,1[01]}.jsonl')).toEqual(['big/10.jsonl', 'big/11.jsonl', 'small/a b.jsonl']);
    expect(await names('small/[x].jsonl')).toEqual(['small/[x].jsonl']);
    expect(await names('small', path.join(folder, 'small/a b.jsonl'))).toEqual(['small/[x].jsonl', 'small/a b.jsonl']);
    expect(await names(`${folder}/sm*/a*`)).toEqual([`${folder}/small/a b.jsonl`]);
    expect(await names('big', '!big/[12]*', '!**/e*')).toEqual(['big/orphan.jsonl']);
  });

  it('reads standard input and fifos', async () => {
    const { totals } = await report(['-'], String(ORPHAN));
    expect(totals).toMatchObject({ files: 1, errors: 1 });
    const script = `cat 'small/a b.jsonl' | ${binary} check <(cat 'small/a b.jsonl') - --rules tree --format ndjson | grep -c orphan`;
    expect((await execa('bash', ['--norc', '-c', script], { cwd: folder })).stdout).toBe('4');
  });

  it.each([
    [['none'], 3, /^ctx: no session file in this folder: none/],
    [['*.txt'], 3, /^ctx: no file matches this pattern/],
    [['small/broken.jsonl'], 3, /^ctx: no file|^ctx: no such file/],
    [['big', '-q'], 1, /^$/],
  ])('%j exits with %d', async (argv, exitCode, message) => {
    const ran = await checkHere(argv);
    expect({ exitCode: ran.exitCode, stdout: ran.stdout }).toEqual({ exitCode, stdout: '' });
    expect(ran.stderr).toMatch(message);
  });

  // One that prints as it reads, and one that prints at the end.
  it.each(['ndjson', 'sarif'])('%s ends quietly when its reader has gone', async (format) => {
    const script = `${binary} check orphans.log --format ${format} | head -1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await execa('bash', ['--norc', '-c', script], { cwd: folder });
    expect({ code: ['0', '1'].includes(stdout), stderr }).toEqual({ code: true, stderr: '' });
  });
});
