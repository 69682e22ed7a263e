import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { InjectorInput } from '#lab/api.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const RESEARCH = readFileSync(`${projectFolder}/fixtures/research.jsonl`, 'utf8');
const FOLDER = '/home/ada/.pi/agent/sessions/--home-ada-weather--';
const SESSION = `${FOLDER}/2026-03-02T09-00-00-000Z_research.jsonl`;

/** Runs the engine over the session under an assembly, which a named configuration holds. */
function run(assembly: object, flags: readonly string[] = [], world: World = {}): Promise<Ran> {
  const files = { [SESSION]: RESEARCH, 'my.json': JSON.stringify({ assembly }), ...world.files };
  return ctx(['engine', 'run', 'research', '--config', 'my.json', ...flags], { ...world, files });
}

async function documentOf(...given: Parameters<typeof run>): Promise<AssemblyDocument> {
  const [assembly, flags = [], world = {}] = given;
  const { stdout, stderr } = await run(assembly, [...flags, '--json'], world);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as AssemblyDocument;
}

const textsOf = ({ messages: { cached, uncached } }: AssemblyDocument): readonly string[] =>
  [...cached, ...uncached].map(({ content }) => JSON.stringify(content));

describe('the scratchpad of the engine', () => {
  it('opens a shortened result with the command that its text names', async () => {
    const { stdout } = await run({ results: { overCharacters: 1500 } }, ['--full']);
    const command = /Full data: ctx (cat \S+ t2r)\n/.exec(stdout)?.[1] ?? '';
    expect(command).toBe('cat research t2r');
    const opened = await ctx(command.split(' '), { files: { [SESSION]: RESEARCH } });
    expect(opened.stdout).toContain('def sort2_80(items)');
    expect(stdout).not.toContain('def sort2_80(items)');
  });

  it('opens it with a tool that the engine declares', async () => {
    const { tools } = await documentOf({ readResult: true });
    expect(tools.map(({ name }) => name)).toEqual(['bash', 'fetch', 'read', 'read_result', 'web_search']);
    const call = 'read_result {"entry":"t2r","offset":79}';
    const { stdout, exitCode } = await run({ readResult: true }, ['--call', call]);
    expect(stdout).toMatch(/^read_result .*\n {2}def sort2_79\(items\).*\n {2}def sort2_80\(items\)[^\n]*\n$/);
    expect(exitCode).toBe(0);
    const { call: answer } = await documentOf({ readResult: true }, [
      '--call',
      'read_result {"entry":"t2r","limit":1}',
    ]);
    expect(JSON.stringify(answer?.content)).toContain('[Lines 1-1 of 80. Use offset=2 to continue.]');
  });

  it('says which entry there is not, and which engine answers no calls', async () => {
    const missing = await run({ readResult: true }, ['--call', 'read_result {"entry":"t99"}']);
    expect(missing).toMatchObject({ exitCode: 1 });
    expect(missing.stdout).toContain('no message of this session has the entry t99');
    expect(await run({}, ['--call', 'read_result {"entry":"t2r"}'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the engine answers no tool calls') as unknown,
    });
    expect(await run({}, ['--call', 'read_result {'])).toMatchObject({ exitCode: 2 });
  });

  it('asks an engine of the user', async () => {
    const own = {
      info: { id: 'own', name: 'Own' },
      ingest: async () => ({ ingested: true }),
      assemble: async ({ messages }: { messages: readonly object[] }) => ({ messages, estimatedTokens: 9000 }),
      compact: async () => ({ ok: true, compacted: false }),
      callTool: async ({ toolName, input }: { toolName: string; input: object }) => ({
        content: [{ type: 'text', text: `${toolName} of ${JSON.stringify(input)}` }],
      }),
    };
    const world = { files: { 'own.ts': '' }, startPlugin: pluginsHere({ 'own.ts': own }) };
    const { stdout } = await run({}, ['--engine', 'own.ts', '--call', 'recall {"topic":"dates"}'], world);
    expect(stdout).toContain('recall of {"topic":"dates"}');
  });
});

describe('an injector with code', () => {
  const assembly = { injectors: [{ name: 'calls', phase: 'runtime', budget: 40, module: 'calls.ts' }] };
  const world = (exported: unknown): World => ({ startPlugin: pluginsHere({ 'calls.ts': exported }) });

  it('receives the conversation, and adds its text within its budget', async () => {
    const inject = ({ messages, query, goal, maxTokens }: InjectorInput) => ({
      heading: 'Calls',
      text: `${messages.length} messages, ${query} ${goal} ${maxTokens} ${'word '.repeat(100)}`,
    });
    const document = await documentOf(assembly, [], world(inject));
    expect(document.placed.find(({ by }) => by === 'calls')).toMatchObject({
      place: 'tail',
      cache: 'dynamic',
      maxTokens: 40,
    });
    expect(document.placed.find(({ by }) => by === 'calls')?.tokens).toBeLessThanOrEqual(40);
    expect(textsOf(document).at(-1)).toContain('## Calls\\n57 messages, What is left to do? Make the sorting');
  });

  it('may add nothing', async () => {
    const { placed } = await documentOf(
      assembly,
      [],
      world(() => null),
    );
    expect(placed.some(({ by }) => by === 'calls')).toBe(false);
  });

  it.each([
    ['gives a number', () => 7, 'it returned no text: the value must be string or object'],
    ['gives a wrong heading', () => ({ heading: 3, text: 'x' }), 'it returned no text: heading must be string'],
    [
      'mistypes a key',
      () => ({ txt: 'x' }),
      'it returned no text: text must be string; unknown key "txt": did you mean "text"?',
    ],
    ['throws', () => Promise.reject(new Error('no idea')), 'no idea (engine-assembly.test.ts:116)'],
  ])('is named where it %s', async (_, wrong, said) => {
    const { exitCode, stderr } = await run(assembly, [], world(wrong));
    const told = `ctx: the injector "calls" (calls.ts) failed: ${said}: correct the injector; nothing was written\n`;
    expect([exitCode, stderr]).toEqual([3, told]);
  });

  it('does not run where the user has not allowed the configuration', async () => {
    const files = { [SESSION]: RESEARCH, '/home/ada/weather/ctx.config.json': JSON.stringify({ assembly }) };
    const { exitCode, stderr } = await ctx(['engine', 'run', 'research'], { files, ...world(() => 'Hello.') });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('assembly.injectors[0].module runs code');
    expect(stderr).toContain('--config ctx.config.json');
  });
});

describe('a summarizer of an assembly', () => {
  const assembly = { summarizer: { name: 'command', 'summarizer-command': 'model --small' } };
  const asked: string[] = [];
  const runProgram: NonNullable<World['runProgram']> = async ({ program, input }) => {
    asked.push(`${program.join(' ')}: ${input}`);
    return { failure: 'none', exitCode: 0, stdout: `A model wrote this. ${'word '.repeat(1000)}`, stderr: '' };
  };

  it('writes the summary of old turns, once for each decay, and within 500 tokens', async () => {
    const { placed, deeds, messages } = await documentOf(assembly, ['--budget', '16000'], { runProgram });
    expect(asked).toHaveLength(deeds.length - 1);
    expect(asked[0]).toMatch(/^model --small: You are a context summarization assistant/);
    expect(asked[0]).toContain('Write one paragraph of at most 500 tokens.');
    expect(JSON.stringify(messages.cached[0])).toContain('A model wrote this.');
    const tokens = placed.find(({ by }) => by === 'summary')?.tokens ?? 0;
    expect(tokens).toBeGreaterThan(400);
    expect(tokens).toBeLessThanOrEqual(500);
  });

  it('does not run where the user has not allowed the configuration', async () => {
    const files = { [SESSION]: RESEARCH, '/home/ada/weather/ctx.config.json': JSON.stringify({ assembly }) };
    const { exitCode, stderr } = await ctx(['engine', 'run', 'research'], { files, runProgram });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(
        'assembly.summarizer runs a program or calls a model, which you have not allowed',
      ) as unknown,
    });
  });
});

describe('the end of a request', () => {
  it('is a block of the newest message of the user where the assembly says so', async () => {
    const { messages, origins } = await documentOf({ tail: 'newest-message' });
    expect(messages.uncached).toHaveLength(1);
    expect(messages.uncached[0]?.content).toEqual([
      { type: 'text', text: 'What is left to do?' },
      { type: 'text', text: expect.stringMatching(/^\[Current state\]/) as unknown },
    ]);
    expect(origins.at(-1)).toMatchObject({ by: 'tail', entryId: 'u15' });
    const alone = await documentOf({ tail: 'newest-message' }, ['--at', 't14r']);
    expect(alone.messages.uncached[0]?.content).toHaveLength(1);
    expect(alone.origins.at(-1)).toMatchObject({ by: 'tail', entryId: null });
  });

  it('is written in another way by each random seed', async () => {
    const tails = new Set<string | undefined>();
    for (let at = 0; at < 8 && tails.size < 2; at += 1)
      tails.add(textsOf(await documentOf({ variation: 'random' })).at(-1));
    expect(tails.size).toBeGreaterThan(1);
    expect(textsOf(await documentOf({ variation: 7 }))).toEqual(textsOf(await documentOf({ variation: 7 })));
  });
});
