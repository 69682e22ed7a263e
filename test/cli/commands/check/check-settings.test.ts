import { describe, expect, it } from 'vitest';
import { ANSWERED, HEADER } from '#analysis/check/example.js';
import type { CheckConfig } from '#cli/commands/check/document.js';
import type { WrittenConfig } from '#cli/config/schema.js';
import { schemas } from '#cli/schemas.js';
import { lines } from '../../../support/entries.js';
import { ctx, type Ran, type World } from '../../../support/memory-io.js';

const HERE = '/home/ada/weather';
const SESSION = lines(HEADER, ...ANSWERED);

function check(config: unknown, flags: readonly string[] = [], world: World = {}): Promise<Ran> {
  const files = { 's.jsonl': SESSION, [`${HERE}/ctx.config.json`]: JSON.stringify(config), ...world.files };
  return ctx(['check', ...flags], { ...world, files });
}

async function resolved(config: WrittenConfig, flags: readonly string[] = [], world: World = {}): Promise<CheckConfig> {
  const { stdout, stderr, exitCode } = await check(config, ['--print-config', '--json', ...flags], world);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return schemas['check-config'].parse(JSON.parse(stdout));
}

async function ruleIn(name: string, config: WrittenConfig, flags: readonly string[] = []): Promise<unknown> {
  const { rules } = await resolved(config, flags);
  const { severity, options, from } = rules.find((rule) => rule.name === name)!;
  return options === null ? [severity, from] : [severity, options, from];
}

describe('the configuration that is in force', () => {
  it('is the default without a configuration', async () => {
    const { rules, ...rest } = await resolved({});
    expect(rest).toEqual({
      schema: 'ctx/check-config',
      schemaVersion: 1,
      file: 'ctx.config.json',
      files: { value: [], from: 'default' },
      requests: { value: 'leaf', from: 'default' },
      limit: { value: null, from: 'default' },
      contextBaseline: { value: null, from: 'default' },
      baseline: { value: null, from: 'default' },
      maxWarnings: { value: null, from: 'default' },
    });
    expect(new Set(rules.map(({ from }) => from))).toEqual(new Set(['default']));
    expect(rules.find(({ name }) => name === 'torn-tail')).toMatchObject({ severity: 'error' });
    expect(rules.find(({ name }) => name === 'max-cost')).toMatchObject({ severity: 'off' });
  });

  it('is what the file says, and flags before that', async () => {
    const config: WrittenConfig = {
      requests: 'all',
      limit: '1k',
      maxWarnings: 3,
      known: 'known.json',
      files: ['s.jsonl'],
    };
    expect(await resolved(config)).toMatchObject({
      requests: { value: 'all', from: 'config' },
      limit: { value: 1000, from: 'config' },
      maxWarnings: { value: 3, from: 'config' },
      baseline: { value: 'known.json', from: 'config' },
      files: { value: ['s.jsonl'], from: 'config' },
    });
    const flags = ['--requests', 'leaf', '--limit', '2k', '--max-warnings', '0', '--known', 'other.json'];
    expect(await resolved(config, flags)).toMatchObject({
      requests: { value: 'leaf', from: 'flag' },
      limit: { value: 2000, from: 'flag' },
      maxWarnings: { value: 0, from: 'flag' },
      baseline: { value: 'other.json', from: 'flag' },
    });
  });

  it('is that of the file that is named, or of none', async () => {
    const world = { files: { 'other.json': '{"limit":5}' } };
    expect(await resolved({ limit: 4 }, ['--config', 'other.json'], world)).toMatchObject({
      file: 'other.json',
      limit: { value: 5 },
    });
    expect(await resolved({ limit: 4 }, ['--no-config'])).toMatchObject({ file: null, limit: { value: null } });
  });

  it('may be exported by a program', async () => {
    const programs = { [`${HERE}/ctx.config.ts`]: { limit: 7 } };
    const { stdout } = await ctx(['check', '--print-config', '--json'], { programs });
    expect(JSON.parse(stdout)).toMatchObject({ file: 'ctx.config.ts', limit: { value: 7 } });
  });

  it('names files from its own folder', async () => {
    const config: WrittenConfig = {
      files: ['sessions', '!sessions/draft-*', '/var/all.jsonl', '.'],
      baseline: './ci/known.json',
    };
    expect(await resolved(config, [], { cwd: `${HERE}/src/deep` })).toMatchObject({
      file: '../../ctx.config.json',
      files: { value: ['../../sessions', '!../../sessions/draft-*', '/var/all.jsonl', '../..'] },
      baseline: { value: '../../ci/known.json' },
    });
  });

  it('is printed as text that is JSON too', async () => {
    const asText = await check({ limit: 4 }, ['--print-config']);
    const asJson = await check({ limit: 4 }, ['--print-config', '--json']);
    expect(JSON.parse(asText.stdout)).toEqual(JSON.parse(asJson.stdout));
  });
});

describe('a rule', () => {
  it('is what its own setting says, else that of its group, else what it is by itself', async () => {
    expect(await ruleIn('torn-tail', { rules: { 'torn-tail': 'note' } })).toEqual(['note', 'config']);
    expect(await ruleIn('torn-tail', { rules: { file: 'warning' } })).toEqual(['warning', 'config']);
    expect(await ruleIn('torn-tail', { rules: { file: 'off', 'torn-tail': ['error'] } })).toEqual(['error', 'config']);
    expect(await ruleIn('torn-tail', { rules: { 'torn-tail': 'off', file: 'error' } })).toEqual(['off', 'config']);
    expect(await ruleIn('torn-tail', { rules: { tree: 'off' } })).toEqual(['error', 'default']);
  });

  it('that needs to be configured is not switched off by its group', async () => {
    const rules: WrittenConfig['rules'] = { policy: 'off', 'max-cost': ['warning', { dollars: 2 }] };
    expect(await ruleIn('max-cost', { rules })).toEqual(['warning', { dollars: 2 }, 'config']);
  });

  it('runs only where it is selected, alone or with its group', async () => {
    expect(await ruleIn('orphan', {}, ['--rules', 'file,torn-tail'])).toEqual(['off', 'flag']);
    expect(await ruleIn('orphan', {}, ['--rules', 'file , orphan'])).toEqual(['error', 'default']);
    expect(await ruleIn('orphan', { rules: { orphan: 'note' } }, ['--rules', 'tree'])).toEqual(['note', 'config']);
  });

  it('that is off runs where it is selected by its name, and not with its group', async () => {
    expect(await ruleIn('orphan', { rules: { tree: 'off' } }, ['--rules', 'tree'])).toEqual(['off', 'config']);
    expect(await ruleIn('orphan', { rules: { tree: 'off' } }, ['--rules', 'orphan'])).toEqual(['error', 'flag']);
    const rules: WrittenConfig['rules'] = { 'max-cost': ['off', { dollars: 2 }] };
    expect(await ruleIn('max-cost', { rules }, ['--rules', 'max-cost'])).toEqual(['error', { dollars: 2 }, 'flag']);
  });

  it('called like something that every object has is unknown', async () => {
    const { exitCode, stderr } = await check({ rules: { constructor: 'error' } });
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('unknown rule') as string,
    });
  });
});

describe('an invalid setting is reported with its place and a hint', () => {
  it.each([
    [{ rule: {} }, 'unknown key "rule": ctx.config.json: did you mean "rules"?'],
    [{ colour: 1 }, 'unknown key "colour": ctx.config.json: the keys are files, rules, requests'],
    [{ rules: { 'torn-tails': 'off' } }, 'unknown rule "torn-tails": ctx.config.json: did you mean "torn-tail"?'],
    [{ rules: { xyz: 'off' } }, 'unknown rule "xyz": ctx.config.json: ctx check --list-rules names them all'],
    [{ rules: { 'torn-tail': 'of' } }, 'rules.torn-tail must be "off", "note", "warning", "error", or a list'],
    [{ rules: { 'torn-tail': ['of', {}] } }, 'rules.torn-tail must be "off"'],
    [{ rules: { file: ['error', {}] } }, 'the group "file" takes no options'],
    [{ rules: { policy: 'error' } }, 'the group "policy" has only rules that are off until you set them: ctx.config'],
    [{ rules: { orphan: ['error', { a: 1 }] } }, 'the rule "orphan" takes no options: ctx.config.json: leave them out'],
    [{ rules: { 'max-cost': 'error' } }, 'the rule "max-cost" needs options: ctx.config.json: write them'],
    [
      { rules: { 'max-cost': ['error', { dollar: 1 }] } },
      'unknown key "dollar" in rules.max-cost[1]: ctx.config.json: did you mean "dollars"?',
    ],
    [{ rules: { 'max-cost': ['error', { dollars: '1' }] } }, 'rules.max-cost[1].dollars must be a number'],
    [{ rules: { 'max-cost': ['off', { dollars: '1' }] } }, 'rules.max-cost[1].dollars must be a number'],
    [
      { rules: { 'max-file-size': ['error', { max: '1 XB' }] } },
      'rules.max-file-size[1].max must be a number of bytes',
    ],
    [{ rules: { 'max-context-tokens': ['error', {}] } }, 'rules.max-context-tokens[1] must name one of total'],
    [{ rules: { 'required-parts': ['error', { parts: [] }] } }, 'rules.required-parts[1].parts must hold at least 1'],
    [{ limit: 0 }, 'limit must be a number of tokens, such as 200000 or "200k"'],
    [{ limit: 1.5 }, 'limit must be a number of tokens, such as 200000 or "200k"'],
    [{ limit: 'much' }, 'limit must be a number of tokens, such as 200000 or "200k"'],
    [{ maxWarnings: -1 }, 'maxWarnings must be at least 0'],
    [{ requests: 'last' }, 'requests must be "leaf" or "all"'],
    [{ files: 'sessions' }, 'files must be a list'],
    [{ files: ['a', ''] }, 'files[1] must not be empty'],
    [
      { baseline: 'none.json' },
      'there is no such file of recorded findings: none.json: write it with --write-known none.json',
    ],
    [{ contextBaseline: 'none.json' }, 'there is no file for "contextBaseline": none.json'],
    [[], 'the configuration must be an object'],
    ['all', 'the configuration must be an object'],
    [null, 'there is no configuration: ctx.config.json: an empty configuration is {}'],
  ])('%j', async (config, said) => {
    const { exitCode, stderr } = await check(config, ['s.jsonl']);
    expect(stderr).toContain(`ctx: ${said}`);
    expect(exitCode).toBe(2);
  });

  it.each([
    [['--rules', ''], 'no rules are named'],
    [['--rules', 'fil'], 'unknown rule "fil": did you mean "file"?'],
    [['--rules', 'file,max-cst'], 'unknown rule "max-cst": did you mean "max-cost"?'],
    [['--rules', 'max-cost'], 'the rule "max-cost" needs options: write them into the configuration, such as {"rules"'],
    [['--config', 'none.json'], 'no such configuration: none.json'],
    [['--explain', 'orphn'], 'unknown rule "orphn": did you mean "orphan"?'],
  ])('%j', async (flags, said) => {
    const { exitCode, stderr } = await ctx(['check', 's.jsonl', ...flags], { files: { 's.jsonl': SESSION } });
    expect(stderr).toContain(`ctx: ${said}`);
    expect(exitCode).toBe(2);
  });
});

describe('checking by a configuration', () => {
  it('looks at the files that it names, where the command line names none', async () => {
    const files = { 'other.jsonl': lines(HEADER, ...ANSWERED, '{"torn') };
    expect((await check({ files: ['other.jsonl'] }, [], { files })).stdout).toContain('other.jsonl');
    expect((await check({ files: ['other.jsonl'] }, ['s.jsonl'], { files })).exitCode).toBe(0);
  });

  it('knows what sessions do not record', async () => {
    const rules: WrittenConfig['rules'] = { 'required-tools': ['error', { tools: ['read'] }] };
    expect((await check({ rules }, ['s.jsonl'])).stdout).toContain('the session does not record its tools');
    const files = { 'base.json': '{"tools":[{"name":"read"}],"limit":100}' };
    const withUse: WrittenConfig = {
      contextBaseline: 'base.json',
      rules: { ...rules, 'max-context-use': ['error', { percent: 1 }] },
    };
    const { stdout } = await check(withUse, ['s.jsonl'], { files });
    expect(stdout).not.toContain('required-tools');
    expect(stdout).toMatch(/of 100\s+tokens/);
  });

  it('takes its number of warnings', async () => {
    const rules: WrittenConfig['rules'] = {
      'max-cost': ['warning', { dollars: 0 }],
      'max-file-size': ['warning', { max: 1 }],
    };
    expect((await check({ rules }, ['s.jsonl'])).exitCode).toBe(0);
    expect((await check({ rules, maxWarnings: 0 }, ['s.jsonl'])).exitCode).toBe(1);
    expect((await check({ rules, maxWarnings: 0 }, ['s.jsonl', '--max-warnings', '1'])).exitCode).toBe(0);
  });
});

describe('what a rule is about', () => {
  it.each(['torn-tail', 'max-cost', 'nul-bytes', 'line-too-long', 'result-without-call'])(
    'is said of %s',
    async (name) => {
      const asText = await ctx(['check', '--explain', name]);
      const page = schemas.rule.parse(JSON.parse((await ctx(['check', '--explain', name, '--json'])).stdout));
      expect(asText).toMatchObject({ exitCode: 0, stderr: '' });
      expect(asText.stdout).toContain(`${name}\n${page.summary}.`);
      expect(page.example!.findings.length === 0).toBe(page.example!.session === null);
      for (const { message } of page.example!.findings) expect(asText.stdout).toContain(message);
    },
  );

  it('fits the terminal', async () => {
    const { stdout } = await ctx(['check', '--explain', 'torn-tail'], { isTerminal: true, columns: 40 });
    const [help = ''] = stdout.split('\n\n').slice(1);
    expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  it('is listed for all of them', async () => {
    const { stdout } = await ctx(['check', '--list-rules', '--json']);
    const pages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => schemas.rule.parse(JSON.parse(line)));
    const asText = await ctx(['check', '--list-rules'], { columns: Infinity });
    expect(pages.length).toBeGreaterThan(20);
    expect(asText.stdout.trimEnd().split('\n')).toHaveLength(pages.length);
    for (const { name } of pages) expect(asText.stdout).toContain(name);
  });
});
