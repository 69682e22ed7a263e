import { describe, expect, it } from 'vitest';
import type { Example } from '#analysis/check/define.js';
import { assistant, entry, HEADER, textContent, toolCall, toolResult, user } from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import { splitCommand } from '#analysis/check/policy/command-patterns.js';
import { check } from '../../support/check.js';
import { ctx, type Ran } from '../../support/memory-io.js';

function found(rule: string, options: unknown, lines: Example): Promise<readonly Finding[]> {
  return check([HEADER, ...lines], { rules: [rule], options: { [rule]: options } });
}

const messages = async (rule: string, options: unknown, lines: Example): Promise<readonly string[]> =>
  (await found(rule, options, lines)).map(({ message }) => message);

interface Call {
  readonly tool: string;
  readonly args?: object;
  readonly fails?: boolean;
}

/** A question, and calls one after another, each with its result. */
function calling(...calls: readonly Call[]): Example {
  let parent = 'u1';
  return [
    user('u1', null, 'Please look after it.'),
    ...calls.flatMap(({ tool, args = {}, fails = false }, at) => {
      const call = assistant(`a${at}`, parent, [toolCall(`c${at}`, tool, { ...args })]);
      const result = toolResult(`r${at}`, `a${at}`, `c${at}`, 'done', { toolName: tool, isError: fails });
      parent = `r${at}`;
      return [call, result];
    }),
  ];
}

const bash = (command: unknown, fails = false): Call => ({ tool: 'bash', args: { command }, fails });

describe('forbidden-tools', () => {
  it('finds the calls of a tool whose definition is not recorded, once for each tool', async () => {
    const lines = calling(bash('ls'), { tool: 'web_fetch' }, bash('pwd'), bash('id'));
    const findings = await found('forbidden-tools', { tools: ['bash', 'web_*'] }, lines);
    expect(findings.map(({ message, entryId, related }) => ({ message, entryId, related }))).toEqual([
      { message: 'the tool "bash" was called 3 times, which is not allowed', entryId: 'a0', related: ['a2', 'a3'] },
      { message: 'the tool "web_fetch" was called once, which is not allowed', entryId: 'a1', related: [] },
    ]);
    expect(await messages('forbidden-tools', { tools: ['write'] }, lines)).toEqual([]);
  });

  it('finds calls that a compaction has removed from the context, and none of another branch', async () => {
    const lines = [
      ...calling(bash('curl http://a.b')),
      entry('compaction', 'k1', 'r0', { summary: 'They looked.', firstKeptEntryId: 'k1', tokensBefore: 10 }),
    ];
    expect(await messages('forbidden-tools', { tools: ['bash'] }, lines)).toHaveLength(1);
    const elsewhere = [...lines, user('u2', 'u1', 'Another way.')];
    expect(await messages('forbidden-tools', { tools: ['bash'] }, elsewhere)).toEqual([]);
  });
});

describe('forbidden-commands', () => {
  it.each<[string, unknown]>([
    ['a text', 'npm publish --tag next'],
    ['one of several', 'cd pkg && npm publish; echo done'],
    ['one in a pipe', 'yes | npm publish'],
    ['the line that Codex passes to a shell', ['bash', '-lc', 'npm publish']],
    ['a list of words', ['npm', 'publish']],
  ])('finds %s', async (_what, command) => {
    expect(await messages('forbidden-commands', { commands: ['npm publish*'] }, calling(bash(command)))).toHaveLength(
      1,
    );
  });

  it.each<[string, string]>([
    ['exec_command', 'cmd'],
    ['shell', 'command'],
    ['run_shell_command', 'command'],
  ])('finds the command of %s', async (tool, key) => {
    const lines = calling({ tool, args: { [key]: 'rm -rf build' } });
    expect(await messages('forbidden-commands', { commands: ['rm -rf *'] }, lines)).toEqual([
      'the command "rm -rf build" was run once, which is not allowed',
    ]);
  });

  it('finds nothing where the words stand in another argument or another command', async () => {
    const lines = calling({ tool: 'write', args: { content: 'npm publish' } }, bash('echo npm publish'));
    expect(await messages('forbidden-commands', { commands: ['npm publish*'] }, lines)).toEqual([]);
  });

  it('splits a line into its commands', () => {
    expect(splitCommand(' a && b || c; d | e & f\ng ')).toEqual([
      'a && b || c; d | e & f\ng',
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
    ]);
  });
});

describe('required-calls', () => {
  it('names each tool and command that is missing', async () => {
    const options = { tools: ['read', 'grep*'], commands: ['npm test*', 'npm run lint'] };
    expect(
      await messages('required-calls', options, calling(bash('npm test -- --run'), { tool: 'grep_files' })),
    ).toEqual(['no tool called "read" was called', 'no command like "npm run lint" was run']);
  });
});

describe('max-calls', () => {
  const lines = calling(bash('make', true), bash('make', true), bash('make'), { tool: 'read' }, bash('make'));

  it.each<[object, readonly string[]]>([
    [{ total: 5, failed: 2, repeated: 3, tools: { bash: 4 } }, []],
    [{ total: 4 }, ['there were 5 tool calls, more than the 4 allowed']],
    [{ failed: 1 }, ['there were 2 failed tool calls, more than the 1 allowed']],
    [{ repeated: 2 }, ['"make" was run 3 times in a row, more than the 2 allowed']],
    [
      { tools: { 'b*': 1, read: 0 } },
      ['there were 4 calls of "b*", more than the 1 allowed', 'there was 1 call of "read", more than the 0 allowed'],
    ],
  ])('with %j', async (options, expected) => {
    expect(await messages('max-calls', options, lines)).toEqual(expected);
  });
});

describe('max-usage', () => {
  const usage = (input: number, output: number, cacheRead = 0) => ({
    usage: { input, output, cacheRead, cacheWrite: 0, totalTokens: input + output + cacheRead },
  });
  const lines = [
    user('u1', null, 'Go.'),
    assistant('a1', 'u1', [textContent('One.')], usage(100, 20)),
    user('u2', 'a1', 'On.'),
    assistant('a2', 'u2', [textContent('Two.')], usage(10, 30, 110)),
  ];

  it('adds up requests and tokens', async () => {
    expect(await messages('max-usage', { requests: 2, total: 270, input: 110, output: 50 }, lines)).toEqual([]);
    expect(await messages('max-usage', { requests: 1, total: 269, input: 109, output: 49 }, lines)).toEqual([
      'the session used 2 requests, more than the 1 allowed',
      'the session used 270 tokens, more than the 269 allowed',
      'the session used 110 uncached input tokens, more than the 109 allowed',
      'the session used 50 output tokens, more than the 49 allowed',
    ]);
  });

  it('says that it was not checked where no answer records its usage', async () => {
    const [finding] = await found('max-usage', { total: 1 }, [
      user('u1', null, 'Go.'),
      assistant('a1', 'u1', [textContent('One.')], { usage: undefined }),
    ]);
    expect(finding).toMatchObject({
      message: 'not checked: no answer records its usage, so the tokens are unknown',
      checked: false,
    });
  });
});

describe('max-growth', () => {
  const session = (...calls: readonly Call[]): string =>
    [HEADER, ...calling(...calls)]
      .map((line) => JSON.stringify(line))
      .join('\n')
      .concat('\n');
  const config = (options: object): string =>
    JSON.stringify({ rules: { 'max-growth': ['error', { session: 'good.jsonl', ...options }] } });

  function grown(options: object, now: string): Promise<Ran> {
    return ctx(['check', 's.jsonl', '--rules', 'max-growth'], {
      cwd: '/p',
      files: {
        's.jsonl': now,
        'good.jsonl': session(bash('make'), bash('make test')),
        '/p/ctx.config.json': config(options),
      },
    });
  }

  it('compares with a recorded session, which the configuration names', async () => {
    const more = session(bash('make'), bash('make test'), bash('make'));
    const ran = await grown({ measures: ['calls', 'requests'] }, more);
    expect(ran).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('tool calls: 3, more than 20 %') as string,
    });
    expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'requests: 3, more than 20 % above the 2 of good.jsonl (+50 %)',
    );
    expect(await grown({ measures: ['calls', 'requests'], percent: 50 }, more)).toMatchObject({ exitCode: 0 });
    expect(await grown({}, session(bash('make')))).toMatchObject({ exitCode: 0 });
  });

  it('needs that session', async () => {
    expect(await grown({ session: 'gone.jsonl' }, session(bash('make')))).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('gone.jsonl') as string,
    });
  });
});
