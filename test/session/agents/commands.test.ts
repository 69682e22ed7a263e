import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const SESSIONS = [
  'claude-code/session.jsonl',
  'claude-code/requests.jsonl',
  'codex/rollout.jsonl',
  'codex/version-0.50.jsonl',
  'gemini-cli/session.jsonl',
  'gemini-cli/session.json',
  'opencode/export.json',
  'qwen-code/session.jsonl',
];

const READING = [
  'show',
  'log',
  'tree',
  'cache',
  'stats',
  'loss',
  'check',
  'status',
  'tree --filter all',
  'show --json',
];

test.each(SESSIONS)('every reading command takes %s, and ctx check has no findings', async (name) => {
  const files = { '/f/session': readFileSync(path.join(projectFolder, 'fixtures/agents', name)) };
  for (const command of READING) {
    const [verb = '', ...flags] = command.split(' ');
    const { exitCode, stderr } = await ctx([verb, '/f/session', ...flags], { files });
    const isOfCompactions = verb === 'loss' && stderr.includes('no compaction');
    if (!isOfCompactions) expect([command, exitCode]).toEqual([command, 0]);
  }
  const { stdout } = await ctx(['grep', '.', '/f/session', '--count'], { files });
  expect(stdout.trim()).not.toBe('0');
  expect((await ctx(['diff', '/f/session', '@{request:1}..HEAD'], { files })).exitCode).toBe(0);
});

test.each(SESSIONS)('ctx check has no findings in what ctx import writes for %s', async (name) => {
  const files = { '/f/session': readFileSync(path.join(projectFolder, 'fixtures/agents', name)) };
  const { files: after } = await ctx(['import', '/f/session', '--output', '/f/new.jsonl'], { files });
  const { exitCode, stdout } = await ctx(['check', '/f/new.jsonl'], { files: after });
  expect([exitCode, stdout]).toEqual([0, expect.any(String)]);
});

test('ctx repair links the entries after a damaged line, once they are imported', async () => {
  const lines = readFileSync(path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl'), 'utf8').split('\n');
  const torn = lines.map((line, at) => (at === 13 ? line.slice(0, 60) : line)).join('\n');
  const messages = async (file: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<number> => {
    const { stdout } = await ctx(['show', file, '08464e89', '--json'], { files });
    return (JSON.parse(stdout) as { messages: { cached: unknown[] } }).messages.cached.length;
  };
  expect(await messages('/f/s', { '/f/s': torn })).toBe(5);
  const { files, stdout } = await ctx(['import', '/f/s', '--output', '/f/new.jsonl'], { files: { '/f/s': torn } });
  expect(stdout).toContain('1 entry without its parent: ctx repair links it to the entry before\n');
  const repaired = await ctx(['repair', '/f/new.jsonl', '--output', '/f/repaired.jsonl'], { files });
  expect(repaired.stdout).toContain('orphan  98c4751b: now follows "672088f6", the entry before it in the file');
  expect(await messages('/f/repaired.jsonl', repaired.files)).toBe(14);
});
