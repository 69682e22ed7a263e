import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';

const binary = path.join(projectFolder, 'bin/ctx.js');
const weather = path.join(projectFolder, 'fixtures/weather.jsonl');
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-rpc-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('answers while its input is open, keeps sessions open, and reads what was written since', async () => {
  const file = path.join(folder, 's.jsonl');
  copyFileSync(weather, file);
  const process = execa(binary, ['rpc'], { cwd: folder, buffer: false });
  const answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  const leaf = async (): Promise<unknown> => {
    const request = { id: 1, method: 'get_context', params: { file, fields: ['at.entryId', 'meta.requestIndex'] } };
    process.stdin.write(`${JSON.stringify(request)}\n`);
    const { value } = await answers.next();
    return (JSON.parse(value as string) as { result: unknown }).result;
  };
  expect(await leaf()).toEqual({ at: { entryId: 'e0f4d7b6' }, meta: { requestIndex: 14 } });
  const time = '2026-03-04T00:00:00.000Z';
  const user = { role: 'user', content: 'More?', timestamp: 0 };
  const more = { type: 'message', id: 'more0001', parentId: 'e0f4d7b6', timestamp: time, message: user };
  appendFileSync(file, `${JSON.stringify(more)}\n`);
  expect(await leaf()).toMatchObject({ at: { entryId: 'more0001' } });
  const [header = '', first = ''] = readFileSync(weather, 'utf8').split('\n');
  writeFileSync(file, `${header}\n${first}\n`);
  expect(await leaf()).toMatchObject({ at: { entryId: (JSON.parse(first) as { id: string }).id } });
  process.stdin.end('{"id":2,"method":"status"');
  const { value } = await answers.next();
  expect(JSON.parse(value as string)).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await process).toMatchObject({ exitCode: 0 });
});

it('ends quietly when its reader goes away', async () => {
  const request = JSON.stringify({ id: 1, method: 'get_context', params: { file: weather } });
  const script = `set -o pipefail; yes '${request}' | ${binary} rpc | head -n 2 > /dev/null; echo "\${PIPESTATUS[1]}"`;
  const { stdout } = await execa('bash', ['--norc', '-c', script]);
  expect(stdout).toBe('0');
});

it('refuses a named pipe, which would block all requests', async () => {
  const pipe = path.join(folder, 'pipe.jsonl');
  await execa('mkfifo', [pipe]);
  const input = `${JSON.stringify({ id: 1, method: 'status', params: { file: pipe } })}\n`;
  const { stdout } = await execa(binary, ['rpc'], { input });
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, error: { code: -32003, where: pipe } });
});
