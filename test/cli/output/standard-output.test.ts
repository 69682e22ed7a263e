import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadCommands } from '#cli/commands/index.js';
import { ClaudeCodeLog } from '../../support/claude-code.js';
import { compaction, HEADER, lines, TALK, user } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const OLD = readFileSync(path.join(projectFolder, 'fixtures/version-1.jsonl'));
const TALKED = lines(HEADER, ...TALK, compaction('k1', 'a2', 'u2'));
const OPS = [{ op: 'options_set', scope: 'cached', invalidateCacheReason: 'x', options: { maxTokens: 5 } }];
const LONG = lines(HEADER, user('u1', null, 'x'.repeat(4000)), ...TALK.slice(1));
const claude = new ClaudeCodeLog();
claude.user('Which files are there?');
const files = {
  's.jsonl': TALKED,
  'long.jsonl': LONG,
  'old.jsonl': OLD,
  'ops.json': JSON.stringify(OPS),
  'claude.jsonl': claude.text,
};

/** A command line of every command that writes a new file, without the name of that file. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  repair: ['s.jsonl'],
  apply: ['s.jsonl', 'ops.json'],
  compact: ['long.jsonl', '--keep-recent', '1'],
  prune: ['long.jsonl', '--strategy', 'turns', '--recent-turns', '1'],
  revert: ['s.jsonl', 'k1'],
  export: ['s.jsonl'],
  report: ['s.jsonl'],
  extract: ['s.jsonl', '--to', 'a1'],
  migrate: ['old.jsonl'],
  redact: ['s.jsonl', '--env', 'WORD'],
  convert: ['claude.jsonl'],
  'engine run': ['s.jsonl', '--budget', '100k', '--export', 'anthropic', '--model', 'claude-sonnet-4-5'],
};

const env = { WORD: 'question' };

it('every command that writes a new file is tried', async () => {
  const writing = (await loadCommands()).filter(({ flags }) => 'output' in flags).map(({ name }) => name);
  expect(Object.keys(LINES).toSorted()).toEqual(writing.filter((name) => name !== 'hooks').toSorted());
});

describe.each(Object.entries(LINES))('ctx %s --output -', (name, line) => {
  it('prints the file, and says on standard error what it says of it', async () => {
    const toFile = await ctx([...name.split(' '), ...line, '--output', 'new'], { files, env });
    const {
      exitCode,
      bytes,
      stderr,
      files: after,
    } = await ctx([...name.split(' '), ...line, '--output', '-'], { files, env });
    expect(toFile.exitCode, toFile.stderr).toBe(0);
    expect(exitCode).toBe(0);
    expect(Buffer.from(bytes).toString()).toBe(Buffer.from(toFile.files['new']!).toString());
    expect(stderr).toBe(toFile.stdout.replace(/^resume: .*\n/m, '').replace(/\bnew\b(?=:|$)/gm, '-') + toFile.stderr);
    expect(Object.keys(after)).toEqual(Object.keys(files));
  });

  it('is refused where standard output is a terminal', async () => {
    const ran = await ctx([...name.split(' '), ...line, '--output', '-'], { files, env, isTerminal: true });
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(stripVTControlCharacters(ran.stderr)).toBe(
      'error: a terminal is no place for a file\n  --output -\nhint: send it to a pipe or a file\n',
    );
  });
});

describe('--output -', () => {
  it('prints only the plan with --dry-run', async () => {
    const line = ['extract', 's.jsonl', '--dry-run'];
    const { stdout, stderr } = await ctx([...line, '--output', '-'], { files });
    expect({ stdout, stderr }).toEqual({ stdout: (await ctx(line, { files })).stdout, stderr: '' });
  });

  it('is refused where there is more than one file', async () => {
    const torn = { 's.jsonl': TALKED.slice(0, -20) };
    const repaired = await ctx(['repair', 's.jsonl', '--output', '-'], { files: torn });
    expect(repaired).toMatchObject({ exitCode: 2, files: torn });
    expect(repaired.stderr).toContain('damaged bytes are kept in a file next to the new one');
    const tables = await ctx(['export', 's.jsonl', '--format', 'parquet', '-o', '-'], { files });
    expect(tables).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
