import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const files = { 's.jsonl': readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8') };

function run(...argv: readonly string[]) {
  return ctx(argv, { files });
}

function documents(stdout: string): readonly unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
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
    const { stdout } = await run('cache', 's.jsonl', '--each', '--fields', 'request,break.class');
    const lines = documents(stdout);
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
  it('keeps the newest entries of a log and its titles, and tells how many are missing', async () => {
    const { stdout, exitCode } = await run('log', 's.jsonl', '--max-tokens', '100');
    const whole = (await run('log', 's.jsonl')).stdout;
    expect(exitCode).toBe(0);
    expect(stdout.length).toBeLessThanOrEqual(400);
    const [titles, note, ...rest] = stdout.split('\n');
    expect(titles).toMatch(/^entry /);
    expect(note).toBe(
      `… ${whole.split('\n').length - 1 - rest.length} lines before these, cut at 100 tokens (--max-tokens)`,
    );
    expect(rest.length).toBeGreaterThan(2);
    expect(whole.endsWith(`\n${rest.join('\n')}`)).toBe(true);
  });

  it.each([['--oneline'], ['--format', '{id}'], ['--graph'], ['--all']])(
    'keeps the newest with %s',
    async (...flags) => {
      const [whole, { stdout }] = [
        await run('log', 's.jsonl', ...flags),
        await run('log', 's.jsonl', ...flags, '--max-tokens', '60'),
      ];
      const [note = '', ...rest] = stdout.split('\n').slice(whole.stdout.includes('~added') ? 1 : 0);
      expect(note).toMatch(/^… \d+ lines before these/);
      expect(rest.length).toBeGreaterThan(1);
      expect(whole.stdout.endsWith(`\n${rest.join('\n')}`)).toBe(true);
    },
  );

  it('keeps the first lines of other answers, and of a log that begins with the newest entry', async () => {
    for (const line of [
      ['log', 's.jsonl', '--reverse'],
      ['tree', 's.jsonl'],
      ['show', 's.jsonl'],
    ]) {
      const { stdout } = await run(...line, '--max-tokens', '100');
      const start = stdout.replace(/… cut at 100 tokens \(--max-tokens\)\n$/, '');
      expect(start).not.toBe(stdout);
      expect(start.split('\n').length).toBeGreaterThan(2);
      expect((await run(...line)).stdout.startsWith(start)).toBe(true);
    }
  });

  it('leaves an answer alone that fits', async () => {
    expect(await run('log', 's.jsonl', '--max-tokens', '10k')).toEqual(await run('log', 's.jsonl'));
  });

  it('keeps the newest entries as JSON, after a line that tells how many are missing', async () => {
    const { stdout, stderr } = await run('log', 's.jsonl', '--json', '--max-tokens', '300');
    const [cut, ...rest] = documents(stdout);
    const whole = documents((await run('log', 's.jsonl', '--json')).stdout);
    expect(stdout.length).toBeLessThanOrEqual(1200);
    expect(schemas.cut.parse(cut)).toMatchObject({ maxTokens: 300, kept: 'last', leftOut: whole.length - rest.length });
    expect(rest.length).toBeGreaterThan(1);
    expect(rest).toEqual(whole.slice(-rest.length));
    expect(stderr).toBe('ctx: cut at 300 tokens (--max-tokens)\n');
  });

  it('keeps the summary of the cache and the newest breaks as JSON', async () => {
    const breaks = readFileSync(path.join(projectFolder, 'fixtures/cache-breaks.jsonl'), 'utf8');
    const cache = (...flags: readonly string[]) =>
      ctx(['cache', 'c.jsonl', '--json', ...flags], { files: { 'c.jsonl': breaks } });
    const whole = documents((await cache()).stdout);
    const [cut, ...rest] = documents((await cache('--max-tokens', '1200')).stdout);
    expect(schemas.cut.parse(cut)).toMatchObject({ kept: 'last', leftOut: whole.length - rest.length });
    expect(rest.length).toBeGreaterThan(1);
    expect(rest).toEqual(whole.slice(-rest.length));
    expect(rest.at(-1)).toMatchObject({ schema: 'ctx/cache-summary' });
  });

  it('ends other JSON Lines with a line about the cut', async () => {
    const { stdout, stderr } = await run('tree', 's.jsonl', '--json', '--max-tokens', '300');
    const got = documents(stdout);
    expect(stdout.length).toBeLessThanOrEqual(1200);
    expect(schemas.cut.parse(got.at(-1))).toMatchObject({ maxTokens: 300, kept: 'first', leftOut: null });
    expect(got.slice(0, -1)).toEqual(
      documents((await run('tree', 's.jsonl', '--json')).stdout).slice(0, got.length - 1),
    );
    expect(stderr).toBe('ctx: cut at 300 tokens (--max-tokens)\n');
  });

  it('puts no note among the rows of CSV and the lines of NDJSON', async () => {
    const csv = await run('cache', 's.jsonl', '--format', 'csv', '--max-tokens', '100');
    expect((await run('cache', 's.jsonl', '--format', 'csv')).stdout.startsWith(csv.stdout)).toBe(true);
    expect(csv.stderr).toBe('ctx: cut at 100 tokens (--max-tokens)\n');
    const torn = { 't.jsonl': files['s.jsonl'].slice(0, 20_000) };
    const { stdout } = await ctx(['check', 't.jsonl', '--format', 'ndjson', '--max-tokens', '50'], { files: torn });
    expect(documents(stdout)).toMatchObject([{ schema: 'ctx/cut' }]);
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
    const line = ['compact', 's.jsonl', '--yes', '--keep-recent', '100', '--json', flag, value];
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
    const lines = documents(stdout);
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
