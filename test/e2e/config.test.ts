import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ctxInFolder, type DiskRun } from '../support/disk-io.js';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-e2e-config-'));
  mkdirSync(path.join(folder, 'sessions/deep'), { recursive: true });
  cpSync(path.join(projectFolder, 'fixtures/damaged/orphan.jsonl'), path.join(folder, 'sessions/orphan.jsonl'));
  cpSync(path.join(projectFolder, 'fixtures/weather.jsonl'), path.join(folder, 'sessions/weather.jsonl'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Allows the configuration of the project to run. */
const trust = (): Promise<unknown> =>
  execa(binary, ['trust', '--yes'], { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: '' } });

/** Runs the built program in a folder of the project. */
async function check(
  where: string,
  ...flags: readonly string[]
): Promise<{ exitCode: number | undefined; out: string }> {
  const options = {
    cwd: path.join(folder, where),
    reject: false,
    all: true,
    env: { HOME: folder, XDG_CONFIG_HOME: '' },
  } as const;
  const { exitCode, all } = await execa(binary, ['check', ...flags], options);
  return { exitCode, out: all };
}

/** Like `check`, in this process: a configuration in JSON needs no process of its own. */
const checkHere = (where: string, ...flags: readonly string[]): Promise<DiskRun> =>
  ctxInFolder(path.join(folder, where), ['check', ...flags], folder);

it('the built program takes a configuration in TypeScript, wherever it is installed', async () => {
  const config = `
    import { defineConfig } from 'pi-ctx';
    enum Most { Bytes = 100 }
    export default defineConfig({ files: ['sessions/*.jsonl'], rules: { tree: 'note', 'max-file-size': ['warning', { max: Most.Bytes }] } });
  `;
  writeFileSync(path.join(folder, 'ctx.config.ts'), config);
  await trust();
  const { exitCode, out } = await check('sessions/deep');
  expect(out).toContain('../orphan.jsonl');
  expect(out).toContain('max-file-size');
  expect(exitCode).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(['.config', 'ctx.config.ts', 'sessions']);
});

it('the program records findings and knows them again, from any folder', async () => {
  expect(await checkHere('.', 'sessions')).toMatchObject({ exitCode: 1 });
  expect(await checkHere('.', 'sessions', '--write-baseline', 'known.json')).toMatchObject({ exitCode: 0 });
  expect(await checkHere('sessions/deep', '..', '--baseline', '../../known.json')).toMatchObject({ exitCode: 0 });
  writeFileSync(path.join(folder, 'package.json'), '{"ctx":{"baseline":"known.json","files":["sessions"]}}');
  expect(await checkHere('sessions')).toMatchObject({ exitCode: 0 });
  expect(await checkHere('sessions', '--no-config', '.')).toMatchObject({ exitCode: 1 });
});

it('a configuration that is a program can be named by a relative path', async () => {
  writeFileSync(path.join(folder, 'own.mjs'), "export default { rules: { 'max-file-size': ['error', { max: 1 }] } };");
  const { exitCode, out } = await check('.', 'sessions/weather.jsonl', '--config', 'own.mjs');
  expect(out).toContain('max-file-size');
  expect(exitCode).toBe(1);
});

it.each([
  ['exits', 'process.exit(0);'],
  ['waits for what never comes', 'await new Promise(() => {}); export default {};'],
])('a configuration that %s is an error', async (_, program) => {
  writeFileSync(path.join(folder, 'ctx.config.mjs'), program);
  await trust();
  const { exitCode, out } = await check('.', 'sessions/orphan.jsonl');
  expect(out).toContain('the process ended before the command did');
  expect(exitCode).toBe(2);
  const json = await check('.', 'sessions/orphan.jsonl', '--json');
  expect(JSON.parse(json.out)).toMatchObject({ schema: 'ctx/error', kind: 'usage', exitCode: 2 });
});

it('what a configuration prints is not part of the answer', async () => {
  writeFileSync(path.join(folder, 'ctx.config.mjs'), 'console.log("from the program"); export default {};');
  await trust();
  const flags = ['check', 'sessions/weather.jsonl', '--json'];
  const { stdout, stderr } = await execa(binary, flags, { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: '' } });
  expect(JSON.parse(stdout)).toMatchObject({ schema: 'ctx/check' });
  expect(stderr).toBe('from the program');
});
