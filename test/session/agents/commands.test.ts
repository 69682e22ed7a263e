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
