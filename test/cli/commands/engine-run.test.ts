import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const weather = readFileSync(`${projectFolder}/fixtures/weather.jsonl`, 'utf8');

async function run(argv: readonly string[], world: World = {}) {
  return ctx(['engine', 'run', 'w.jsonl', ...argv], { files: { 'w.jsonl': weather, ...world.files }, ...world });
}

async function data(argv: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<AssemblyDocument> {
  const { stdout, exitCode, stderr } = await run([...argv, '--json'], { files: { 'w.jsonl': weather, ...files } });
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  return schemas.assembly.parse(JSON.parse(stdout));
}

describe('ctx engine run', () => {
  it('says who put what where, and what each cost; all of it adds up', async () => {
    const { placed, tokens, engine, budget } = await data(['--budget', '200k']);
    expect({ engine, budget }).toEqual({ engine: 'three-phase', budget: 200_000 });
    expect(placed.map(({ by, place, cache }) => [by, place, cache])).toEqual([
      ['system-role', 'system', 'stable'],
      ['tool-definitions', 'tools', 'stable'],
      ['entry', 'conversation', null],
      ['plan-status', 'tail', 'dynamic'],
      ['error-retention', 'tail', 'dynamic'],
      ['todo-rewriter', 'tail', 'dynamic'],
    ]);
    const sum = placed.reduce((all, row) => all + row.tokens, 0);
    expect(tokens.total - sum).toBeGreaterThanOrEqual(0);
    expect(tokens.total - sum).toBeLessThan(15);
  });

  it('has the prefix of the request before, and its own end', async () => {
    const before = await data(['--budget', '200k', '--at', '@{request:2}']);
    const after = await data(['--budget', '200k', '--at', '@{request:3}']);
    expect(after.system).toEqual(before.system);
    expect(JSON.stringify(after.tools)).toBe(JSON.stringify(before.tools));
    expect(after.messages.cached.slice(0, before.messages.cached.length)).toEqual(before.messages.cached);
    expect(after.messages.cached.length).toBeGreaterThan(before.messages.cached.length);
    expect(after.messages.uncached).toHaveLength(1);
  });

  it('knows the files and texts of the configuration', async () => {
    const config = {
      assembly: {
        injectors: [
          { name: 'memory', file: 'MEMORY.md' },
          { name: 'house', phase: 'system', text: 'Never push to main.' },
          { name: 'system-role', budget: 100 },
        ],
      },
    };
    const files = { '/home/ada/weather/ctx.config.json': JSON.stringify(config), 'MEMORY.md': '- Ada likes UTC.' };
    const { system, messages, placed } = await data([], files);
    expect(system.parts.at(-1)).toMatchObject({ name: 'house', text: 'Never push to main.' });
    expect(JSON.stringify(messages.cached[0])).toContain('Ada likes UTC.');
    expect(placed.find(({ by }) => by === 'system-role')).toMatchObject({ maxTokens: 100, cutFrom: 638 });
    const { stdout } = await run([], { files: { 'w.jsonl': weather, ...files } });
    expect(stdout).toContain('cut:\n  system-role from 638 to its budget of 100\n');
  });

  it('shows every engine that is built in', async () => {
    for (const engine of ['recorded', 'none', 'pi', 'turn-prune']) {
      const { placed, origins } = await data(['--engine', engine, '--budget', '200k']);
      expect(placed.filter(({ place }) => place !== 'conversation').map(({ by, place }) => [by, place])).toEqual([
        ['session', 'system'],
        ['session', 'tools'],
      ]);
      expect(origins.length).toBeGreaterThan(0);
    }
  });

  it('says what the engine did on the way, and whether it fits', async () => {
    const { deeds, overflow, origins } = await data(['--budget', '1500']);
    expect(deeds.map(({ kind }) => kind)).toContain('prune');
    expect(origins.some(({ by }) => by === 'shortened' || by === 'summary')).toBe(true);
    expect(overflow).toBe(false);
    const { stdout, exitCode } = await run(['--budget', '250']);
    expect(stdout).toContain('over the budget');
    expect(exitCode).toBe(1);
  });

  it('prints all of it with --full', async () => {
    const { stdout } = await run(['--full']);
    expect(stdout).toContain('Current Goal: ');
    expect(stdout).toContain('"description"');
  });

  it('is the same each time, and takes the context window of the model where no budget is set', async () => {
    const [one, other] = [await run(['--json']), await run(['--json'])];
    expect(one.stdout).toBe(other.stdout);
    expect(JSON.parse(one.stdout)).toMatchObject({ budget: 200_000, overflow: false });
  });

  describe('with an engine of the user', () => {
    const shortEngine = {
      info: { id: 'short', name: 'Short' },
      ingest: async () => ({ ingested: true }),
      assemble: async ({ messages }: { messages: readonly object[] }) => ({
        messages: [{ role: 'user', content: 'In short.' }, ...messages.slice(-1)],
        estimatedTokens: 10,
        systemPromptAddition: 'Be short.',
      }),
      compact: async () => ({ ok: true, compacted: false }),
    };
    const world = (exported: unknown): World => ({
      files: { 'w.jsonl': weather, 'engine.ts': '' },
      startPlugin: pluginsHere({ 'engine.ts': exported }),
    });

    it('says what it has made, and what it has left as it was', async () => {
      const { stdout } = await run(
        ['--engine', 'engine.ts', '--json'],
        world(() => shortEngine),
      );
      const { engine, placed, origins, system } = JSON.parse(stdout) as AssemblyDocument;
      expect(engine).toBe('engine.ts');
      expect(system.compiled).toMatch(/^Be short\./);
      expect(placed.map(({ by, place, messages }) => [by, place, messages])).toEqual([
        ['engine.ts', 'system', 0],
        ['session', 'system', 0],
        ['session', 'tools', 0],
        ['engine', 'conversation', 1],
        ['entry', 'conversation', 1],
      ]);
      expect(origins).toMatchObject([
        { by: 'engine', entryId: null },
        { by: 'entry', entryId: '5be19c02' },
      ]);
    });

    it('says if a provider would reject the request, and ends with 1', async () => {
      const partsCalls = {
        ...shortEngine,
        assemble: async ({ messages }: { messages: readonly { role: string }[] }) => ({
          messages: messages.filter(({ role }) => role !== 'assistant'),
          estimatedTokens: 3000,
        }),
      };
      const there = world(() => partsCalls);
      const { exitCode, stdout } = await run(['--engine', 'engine.ts'], there);
      expect(exitCode).toBe(1);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain('a provider would reject it: ');
      const { refusals } = JSON.parse(
        (await run(['--engine', 'engine.ts', '--json'], there)).stdout,
      ) as AssemblyDocument;
      expect(refusals).toEqual([expect.stringContaining('(result-without-call)')]);
      expect((await data([])).refusals).toEqual([]);
    });

    it('ends with 3 where that fails, and says how', async () => {
      const engine = { ...shortEngine, assemble: () => Promise.reject(new Error('no idea')) };
      const { exitCode, stdout, stderr } = await run(
        ['--engine', 'engine.ts'],
        world(() => engine),
      );
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(stderr).toContain('ctx: the engine failed at assemble: no idea (');
    });
  });

  it.each([
    [['--engine', 'three-fase'], 'ctx: there is no engine "three-fase": did you mean "three-phase"?'],
    [['--engine', 'x.ts'], 'built in are recorded, none, pi, turn-prune, three-phase'],
    [['--budget', '0'], 'ctx: invalid value "0" for TOKENS: --budget: write 1 or more'],
    [['--at', 'nowhere'], 'nowhere'],
  ])('refuses %j', async (argv, message) => {
    const { exitCode, stderr, stdout } = await run(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
