import { describe, expect, it } from 'vitest';
import type { IndexFolder } from '#platform/files/index-folder.js';
import { ClaudeCodeLog } from '../../../support/claude-code.js';
import { memoryIndex } from '../../../support/memory-index.js';
import { ctx } from '../../../support/memory-io.js';

const FILE = '/home/ada/.claude/projects/-app/0b1c2d3e-0000-4000-8000-00000000abcd.jsonl';
const call = (id: string, command = 'ls'): unknown => ({ type: 'tool_use', id, name: 'Bash', input: { command } });

const log = new ClaudeCodeLog();
log.user('Count the boats.');
log.answer('msg_1', call('toolu_1'));
log.result('toolu_1', 'two boats');
log.answer('msg_2', call('toolu_2'));

interface Answered {
  readonly answer: unknown;
  readonly exitCode: number;
  readonly stderr: string;
}

async function ask(
  args: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
  index?: IndexFolder,
  text = log.text,
): Promise<Answered> {
  const input = {
    session_id: 's',
    transcript_path: FILE,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 'toolu_2',
    ...fields,
  };
  const { stdout, stderr, exitCode } = await ctx(['guard', 'budget', ...args], {
    files: { [FILE]: text, '-': JSON.stringify(input) },
    ...(index && { index }),
  });
  return { answer: stdout === '' ? null : JSON.parse(stdout), exitCode, stderr };
}

describe('ctx guard budget', () => {
  it('says nothing below the limits', async () => {
    const limits = ['--context', '2k', '--cost', '5', '--calls', 'bash=3', '--repeat', '3'];
    expect(await ask(limits)).toEqual({ answer: null, exitCode: 0, stderr: '' });
  });

  it.each([
    [['--context', '1k'], 'the context has 1.1k tokens, and the limit is 1.0k. To go on, run /compact'],
    [['--cost', '0.0001'], 'the session has cost ~$0.00'],
    [['--calls', 'b*=2'], 'the session has 2 calls of b*, and the limit is 2'],
    [['--repeat', '2'], 'Bash was called 2 times with equal input since your last prompt'],
  ])('warns at %s', async (limits, sentence) => {
    expect(await ask(limits)).toMatchObject({
      answer: { systemMessage: expect.stringContaining(sentence) },
      exitCode: 0,
    });
  });

  it('counts the calls of a virtual message, which ran, but no answer for it', async () => {
    const inScript = new ClaudeCodeLog();
    inScript.lines.push(...log.lines);
    const usage = { input_tokens: 1_000_000, output_tokens: 1_000_000 };
    const message = { id: 'msg_3', role: 'assistant', model: 'claude-opus-4-6', content: [call('toolu_3')], usage };
    inScript.record('assistant', { isVirtual: true, message });
    inScript.user('Not a prompt.', { isVirtual: true });
    const fields = { tool_use_id: 'toolu_3' };
    const answers = await Promise.all([
      ask(['--cost', '1'], fields, undefined, inScript.text),
      ask(['--calls', 'bash=3'], fields, undefined, inScript.text),
      ask(['--repeat', '3'], fields, undefined, inScript.text),
    ]);
    const [cost, calls, repeat] = answers.map(({ answer }) => answer);
    expect(cost).toBeNull();
    expect(calls).toMatchObject({ systemMessage: expect.stringContaining('has 3 calls of bash') });
    expect(repeat).toMatchObject({ systemMessage: expect.stringContaining('was called 3 times') });
  });

  it('compares the calls of one turn only', async () => {
    const later = new ClaudeCodeLog();
    later.user('Count the boats.');
    later.answer('msg_1', call('toolu_1'));
    later.result('toolu_1', 'two boats');
    later.user('Again.');
    later.answer('msg_2', call('toolu_2'));
    expect((await ask(['--repeat', '2'], {}, undefined, later.text)).answer).toBeNull();
  });

  it.each([
    ['PreToolUse', 'stop', {}, { continue: false, stopReason: expect.stringContaining('ctx stopped') }],
    ['PostToolUse', 'stop', {}, { continue: false }],
    ['UserPromptSubmit', 'stop', {}, { continue: false }],
    ['Stop', 'stop', {}, { systemMessage: expect.any(String) }],
    ['PreToolUse', 'ask', {}, { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }],
    ['PostToolUse', 'ask', {}, { systemMessage: expect.any(String) }],
    ['PreToolUse', 'stop', { turn_id: 't' }, { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['PostToolUse', 'stop', { turn_id: 't' }, { systemMessage: expect.any(String) }],
    ['PreToolUse', 'ask', { turn_id: 't' }, { systemMessage: expect.any(String) }],
  ])('at %s it answers to %s', async (event, action, fields, answer) => {
    const args = ['--context', '1k', '--action', action];
    expect((await ask(args, { hook_event_name: event, ...fields })).answer).toMatchObject(answer);
  });

  it('warns once, and again when the value has grown', async () => {
    const index = memoryIndex();
    expect((await ask(['--calls', 'Bash=2'], {}, index)).answer).not.toBeNull();
    expect((await ask(['--calls', 'Bash=2'], {}, index)).answer).toBeNull();
    const more = new ClaudeCodeLog();
    more.lines.push(...log.lines);
    more.answer('msg_3', call('toolu_3', 'pwd'));
    expect((await ask(['--calls', 'Bash=2'], {}, index, more.text)).answer).toMatchObject({
      systemMessage: expect.stringContaining('3 calls of Bash'),
    });
  });

  it('keeps apart what hooks with other limits have told, and a warning from a question', async () => {
    const index = memoryIndex();
    const ofCalls = ['--calls', 'Bash=2'];
    expect((await ask(ofCalls, {}, index)).answer).not.toBeNull();
    expect((await ask(['--cost', '5'], {}, index)).answer).toBeNull();
    expect((await ask(['--calls', 'Bash=3'], {}, index)).answer).toBeNull();
    expect((await ask(ofCalls, {}, index)).answer).toBeNull();
    const question = await ask([...ofCalls, '--action', 'ask'], { hook_event_name: 'PreToolUse' }, index);
    expect(question.answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'ask' } });
  });

  it('warns again after the value was below the limit', async () => {
    const index = memoryIndex();
    expect((await ask(['--context', '1k'], {}, index)).answer).not.toBeNull();
    const later = new ClaudeCodeLog();
    later.lines.push(...log.lines);
    const small = { usage: { input_tokens: 3, output_tokens: 9 } };
    later.answer('msg_3', call('toolu_3', 'pwd'), later.leaf, small);
    expect((await ask(['--context', '1k'], {}, index, later.text)).answer).toBeNull();
    later.answer('msg_4', call('toolu_4', 'pwd'));
    expect((await ask(['--context', '1k'], {}, index, later.text)).answer).not.toBeNull();
  });

  it('states the least cost where the price of a model is unknown', async () => {
    const later = new ClaudeCodeLog();
    later.lines.push(...log.lines);
    later.answer('msg_3', call('toolu_3', 'pwd'), later.leaf, { model: 'unheard-of-1' });
    expect((await ask(['--cost', '0.0001'], {}, undefined, later.text)).answer).toMatchObject({
      systemMessage: expect.stringContaining('the session has cost at least ~$'),
    });
  });

  it('masks control characters in the name of a tool', async () => {
    const { answer } = await ask(['--repeat', '2'], { tool_name: 'B\u001b[31mash' });
    expect((answer as { systemMessage: string }).systemMessage).toContain('B␛[31mash was called 2 times');
  });

  it.each([
    ['no file', { transcript_path: '/gone.jsonl' }, 'the agent goes on'],
    ['no session', { transcript_path: null }, 'the agent saves no session'],
    ['no event', { hook_event_name: undefined }, 'it has no "hook_event_name"'],
  ])('lets the agent go on with %s', async (_, fields, reason) => {
    const { answer, exitCode, stderr } = await ask(['--cost', '1', '--action', 'stop'], fields);
    expect({ answer, exitCode }).toEqual({ answer: null, exitCode: 0 });
    expect(stderr).toContain(reason);
    expect(stderr.split('\n')).toHaveLength(2);
  });

  it('never has the exit code with which a hook refuses', async () => {
    for (const args of [['--context', 'lots'], ['--unknown'], ['--calls', 'bash'], ['--cost', '-1']])
      expect((await ask(args)).exitCode).toBe(1);
  });
});
