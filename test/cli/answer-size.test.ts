import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';

const files = { 's.jsonl': readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8') };

function run(...argv: readonly string[]) {
  return ctx(argv, { files });
}

describe('--fields', () => {
  it('prints the members of a document that it names, in its order', async () => {
    const { stdout } = await run('show', 's.jsonl', '--fields', 'meta.size.tokens,schema,messages.uncached');
    expect(JSON.parse(stdout)).toEqual({
      meta: { size: { tokens: 1878 } },
      schema: 'ctx/envelope',
      messages: { uncached: [] },
    });
  });

  it('walks lists', async () => {
    const { stdout } = await run('show', 's.jsonl', '--fields', 'tools.name');
    expect(JSON.parse(stdout)).toEqual({ tools: ['read', 'edit', 'write'].map((name) => ({ name })) });
  });

  it('selects of each line, keeps null, and leaves out lines of another kind', async () => {
    const { stdout } = await run('cache', 's.jsonl', '--fields', 'request,break.class');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toHaveLength(14);
    expect(lines[0]).toEqual({ request: 1, break: null });
  });

  it('names the members that there are where it names none of them', async () => {
    expect(await run('stats', 's.jsonl', '--fields', 'sise')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/^ctx: the answer has no field "sise": choose schema, .*usageRecorded/),
    });
    expect(await run('log', 's.jsonl', '--fields', 'sise')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('selects of a document that comes in pieces', async () => {
    const { stdout } = await run('check', 's.jsonl', '--fields', 'files.file');
    expect(JSON.parse(stdout)).toEqual({ files: [{ file: 's.jsonl' }] });
    expect(await run('check', 's.jsonl', '--fields', 'sise')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('needs JSON', async () => {
    expect(await run('stats', 's.jsonl', '--fields', 'tools', '--format', 'csv')).toMatchObject({ exitCode: 2 });
  });
});

describe('--max-tokens', () => {
  it('cuts text after a whole line, and tells that there is more', async () => {
    const { stdout, exitCode } = await run('log', 's.jsonl', '--max-tokens', '100');
    expect(exitCode).toBe(0);
    expect(stdout.length).toBeLessThanOrEqual(400);
    expect(stdout).toMatch(/^entry .*\n(?:.*\n)+… cut at 100 tokens \(--max-tokens\)\n$/);
  });

  it('leaves an answer alone that fits', async () => {
    expect(await run('log', 's.jsonl', '--max-tokens', '10k')).toEqual(await run('log', 's.jsonl'));
  });

  it('cuts JSON Lines after a line, and tells it on standard error', async () => {
    const { stdout, stderr } = await run('log', 's.jsonl', '--json', '--max-tokens', '200');
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toHaveLength(2);
    expect(stderr).toBe('ctx: cut at 200 tokens (--max-tokens)\n');
  });

  it('refuses a JSON document that is larger, and takes one that its fields make small', async () => {
    const large = ['show', 's.jsonl', '--max-tokens', '100', '--json'];
    expect(await run(...large)).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await run(...large, '--fields', 'meta.size.tokens')).toMatchObject({ exitCode: 0 });
  });

  it.each(['json', 'sarif', 'junit'])('refuses a larger document of ctx check in %s', async (format) => {
    const line = ['check', 's.jsonl', '--format', format];
    expect(await run(...line, '--max-tokens', '40')).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await run(...line, '--max-tokens', '100k')).toEqual(await run(...line));
  });

  it.each([
    ['--max-tokens', '40', /^ctx: the answer takes \d+ tokens, more than --max-tokens 40; it is whole, /],
    ['--fields', 'sise', /^ctx: the answer has no field "sise"; it is whole, /],
    ['--fields', 'si\u001bse', /^ctx: the answer has no field "si\u241Bse"; it is whole, /],
  ])('with %s, never denies that a file was written', async (flag, value, note) => {
    const line = ['compact', 's.jsonl', '--keep-recent', '100', '--json', flag, value];
    const wrote = await run(...line);
    expect(wrote).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(note) });
    expect(JSON.parse(wrote.stdout)).toMatchObject({ command: 'compact', file: 's.jsonl' });
    expect(wrote.files['s.jsonl']!.length).toBeGreaterThan(files['s.jsonl'].length);
    expect(await run(...line, '--dry-run')).toMatchObject({ exitCode: flag === '--fields' ? 2 : 4, stdout: '' });
  });

  it('is the limit of the answer that a request allows in ctx export', async () => {
    const { stdout } = await run('export', 's.jsonl', '--format', 'openai-chat', '--max-tokens', '5000');
    expect(JSON.parse(stdout)).toMatchObject({ max_completion_tokens: 5000 });
  });
});

describe('a selection as JSON', () => {
  it('prints a line for each message', async () => {
    const { stdout } = await run('show', 's.jsonl', '--role', 'toolResult', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([{ number: 4, line: 33, isCached: true }, { number: 8 }, { number: 10 }]);
    expect(lines[0]).toMatchObject({ schema: 'ctx/message', message: { role: 'toolResult', toolName: 'bash' } });
  });

  it('prints a part under its name', async () => {
    const { stdout } = await run('show', 's.jsonl', '--part', 'tools', '--tool', 'edit', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ tools: [{ name: 'edit' }] });
    expect(JSON.parse((await run('show', 's.jsonl', '--part', 'options', '--json')).stdout)).toHaveProperty('options');
  });

  it('refuses --full, which JSON always is', async () => {
    expect(await run('show', 's.jsonl', '--full', '--json')).toMatchObject({ exitCode: 2 });
  });
});
