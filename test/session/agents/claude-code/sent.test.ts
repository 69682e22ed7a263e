import { describe, expect, it } from 'vitest';
import { asString, type JsonObject, listObjects } from '#base/json.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import { activePath } from '#session/tree/tree.js';
import { countTurns } from '../../../../src/session/tree/turns.js';
import { reminder, RequestLog, resultBlock } from '../../../support/claude-code-requests.js';
import { call, ClaudeCodeLog, textBlock } from '../../../support/claude-code.js';
import { bytes } from '../../../support/entries.js';
import { ctx } from '../../../support/memory-io.js';

const open = (log: ClaudeCodeLog): Promise<OpenSession> => openSession(bytes(log.text));

/** The messages in the context at the leaf, in short words. */
async function shown(log: ClaudeCodeLog): Promise<readonly string[]> {
  return envelopeAt(await open(log)).messages.cached.map(({ role, content, toolCallId }) => {
    const blocks = typeof content === 'string' ? [textBlock(content)] : listObjects(content);
    const words = blocks.map(({ type, text, id }) =>
      type === 'text' ? asString(text) : `${String(type)} ${String(id)}`,
    );
    return `${role}${toolCallId === undefined ? '' : ` ${asString(toolCallId)}`}: ${words.join(' + ')}`;
  });
}

const hook = (type: string, event: string, more: JsonObject): JsonObject => ({
  attachment: { type, hookEvent: event, hookName: event, toolUseID: 't1', ...more },
});

describe('what hooks of Claude Code add', () => {
  it('beside calls follows all results of the answer, in the order of the file', async () => {
    const log = new ClaudeCodeLog();
    log.user('Build it');
    const first = log.answer('msg_1', call('t1'));
    const second = log.answer('msg_1', call('t2'));
    log.record('attachment', hook('hook_success', 'PreToolUse', { content: '', stdout: '{}' }));
    log.record('attachment', hook('hook_additional_context', 'PreToolUse', { content: ['before t2: OTTER'] }));
    log.result('t2', 'two', null, second);
    log.record('attachment', hook('hook_additional_context', 'PostToolUse', { content: ['after t2'] }));
    log.record('attachment', hook('hook_additional_context', 'PreToolUse', { content: ['before', 't1'] }));
    log.result('t1', 'one', null, first);
    log.record('attachment', hook('hook_additional_context', 'PostToolUse', { content: ['after t1'] }));
    log.answer('msg_2', textBlock('Built.'));
    expect(await shown(log)).toEqual([
      'user: Build it',
      'assistant: toolCall t1 + toolCall t2',
      'toolResult t2: two',
      'toolResult t1: one',
      'user: before t2: OTTER',
      'user: after t2',
      'user: before\nt1',
      'user: after t1',
      'assistant: Built.',
    ]);
    const { tree } = await open(log);
    expect(activePath(tree)).toHaveLength(tree.heads.length);
    const found = await ctx(['grep', 'OTTER', '/s.jsonl'], { files: { '/s.jsonl': log.text } });
    expect(found.stdout).toContain('before t2: OTTER');
  });

  it('is sent while its call still runs', async () => {
    const log = new ClaudeCodeLog();
    log.user('Build it');
    log.answer('msg_1', call('t1'));
    log.record('attachment', hook('hook_additional_context', 'PreToolUse', { content: ['Careful.'] }));
    expect(await shown(log)).toEqual(['user: Build it', 'assistant: toolCall t1', 'user: Careful.']);
  });

  it('as plain output is sent only at a prompt and at the start of a session', async () => {
    const log = new ClaudeCodeLog();
    const print = (event: string, content: string): string =>
      log.record('attachment', hook('hook_success', event, { content, stdout: content }));
    print('SessionStart', 'starts');
    log.user('Go');
    print('UserPromptSubmit', 'submitted');
    print('UserPromptSubmit', '');
    log.answer('msg_1', call('t1'));
    log.result('t1', 'one');
    for (const event of ['PostToolUse', 'SubagentStart', 'PreCompact', 'Notification']) print(event, `at ${event}`);
    log.answer('msg_2', textBlock('Done.'));
    print('Stop', 'stopped');
    log.record('attachment', hook('hook_system_message', 'Stop', { content: 'for the screen' }));
    log.record('attachment', hook('hook_non_blocking_error', 'Stop', { stderr: 'failed' }));
    log.record('attachment', hook('hook_stopped_continuation', 'Stop', { message: 'Enough.' }));
    const [start, go, submitted, ...others] = await shown(log);
    expect([start, go, submitted]).toEqual(['user: starts', 'user: Go', 'user: submitted']);
    expect(others.slice(0, 3)).toEqual(['assistant: toolCall t1', 'toolResult t1: one', 'assistant: Done.']);
    expect(others.slice(3)).toEqual([expect.stringContaining('Enough.')]);
  });
});

describe('what Claude Code tells about a change', () => {
  it('has each tool once', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    const names = Array.from({ length: 30 }, (_, at) => `mcp__maps__tool_${at}`);
    const delta = { type: 'deferred_tools_delta', addedNames: names, addedLines: names, removedNames: ['Old'] };
    log.record('attachment', { attachment: delta });
    log.record('attachment', {
      attachment: { type: 'mcp_instructions_delta', addedNames: ['m'], addedBlocks: ['Be kind.'] },
    });
    expect((await shown(log)).slice(1)).toEqual([`user: ${[...names, 'Old'].join('\n')}`, 'user: Be kind.']);
  });
});

describe('calls of Claude Code without results, and results without calls', () => {
  it('are left out when the conversation goes on', async () => {
    const log = new ClaudeCodeLog();
    log.user('Deploy');
    log.answer('msg_1', { type: 'thinking', thinking: 'First look.', signature: 'c2ln' });
    log.answer('msg_1', call('t1'));
    expect((await shown(log)).at(-1)).toContain('toolCall t1');
    log.user('Are you there?');
    log.answer('msg_2', textBlock('I check both.'));
    log.answer('msg_2', call('t2'));
    log.answer('msg_2', call('t3'));
    log.result('t3', 'fine');
    log.user('And?');
    log.answer('msg_3', textBlock('Half of it.'));
    expect(await shown(log)).toEqual([
      'user: Deploy',
      'user: Are you there?',
      'assistant: I check both. + toolCall t3',
      'toolResult t3: fine',
      'user: And?',
      'assistant: Half of it.',
    ]);
    const world = { files: { '/s.jsonl': log.text } };
    expect((await ctx(['export', '/s.jsonl', '--format', 'anthropic'], world)).stdout).not.toMatch(/No result|t1|t2/);
    expect((await ctx(['check', '/s.jsonl'], world)).stdout).toContain('no problems');
    expect((await ctx(['import', '/s.jsonl', '--output', '/i.jsonl'], world)).stderr).toBe('');
    expect((await open(log)).problems.map(({ code, line }) => [code, line])).toEqual([
      ['left-out-call', 2],
      ['left-out-call', 5],
    ]);
  });

  it.each<[name: string, write: (log: ClaudeCodeLog) => void]>([
    ['without a call', (log) => log.result('gone', 'stray')],
    ['that an answer between does not call', (log) => log.result('t0', 'stray')],
    ['for the second time', (log) => log.result('t1', 'stray')],
    [
      'for the second time in one message',
      (log) =>
        log.user([1, 2].map((at) => ({ type: 'tool_result', tool_use_id: 't2', content: at === 1 ? 'b' : 'stray' }))),
    ],
  ])('are left out: a result %s', async (_name, write) => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    log.answer('msg_0', call('t0'));
    log.result('t0', 'z');
    log.answer('msg_1', call('t1'));
    log.answer('msg_1', call('t2'));
    log.result('t1', 'a');
    write(log);
    if (!log.text.includes('"content":"b"')) log.result('t2', 'b');
    log.answer('msg_2', textBlock('Seen.'));
    expect((await shown(log)).slice(3)).toEqual([
      'assistant: toolCall t1 + toolCall t2',
      'toolResult t1: a',
      'toolResult t2: b',
      'assistant: Seen.',
    ]);
    expect((await ctx(['check', '/s.jsonl'], { files: { '/s.jsonl': log.text } })).stdout).toContain('no problems');
  });
});

describe('an error that Claude Code wrote as an answer', () => {
  it('is in the log, and was never sent', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    const message = { role: 'assistant', model: '<synthetic>', id: 'e1', content: [textBlock('API Error: 529')] };
    log.record('assistant', { message, isApiErrorMessage: true });
    log.user('Again');
    log.answer('msg_1', textBlock('Hello.'));
    expect(await shown(log)).toEqual(['user: Hi', 'user: Again', 'assistant: Hello.']);
    const world = { files: { '/s.jsonl': log.text } };
    expect((await ctx(['log', '/s.jsonl'], world)).stdout).toContain('API Error: 529');
    expect((await ctx(['show', '/s.jsonl', '--json'], world)).stdout).not.toContain('API Error');
  });
});

describe('a command that Claude Code answered itself', () => {
  it('is sent, with its output, and starts no turn', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.answer('msg_1', textBlock('Hello.'));
    log.record('system', { subtype: 'local_command', content: '<command-name>/status</command-name>' });
    log.record('system', {
      subtype: 'local_command',
      content: '<local-command-stdout>Plan: team</local-command-stdout>',
    });
    log.record('system', { subtype: 'turn_duration', durationMs: 5 });
    log.user('What is my plan?');
    expect(await shown(log)).toEqual([
      'user: Hi',
      'assistant: Hello.',
      'user: <command-name>/status</command-name>',
      'user: <local-command-stdout>Plan: team</local-command-stdout>',
      'user: What is my plan?',
    ]);
    const { tree } = await open(log);
    expect(countTurns(activePath(tree)).turns).toBe(2);
  });
});

describe('words that the user typed while the agent worked', () => {
  const RULE = 'never touch the file zebra.txt';

  function working(): ClaudeCodeLog {
    const log = new ClaudeCodeLog();
    log.user('Start the server');
    log.answer('msg_1', call('t1'));
    return log;
  }

  const queue = (log: ClaudeCodeLog, operation: string, content?: string): void =>
    log.other({
      type: 'queue-operation',
      operation,
      timestamp: '2026-09-01T00:01:00.000Z',
      ...(content && { content }),
    });

  async function expectWords(log: ClaudeCodeLog, at: number, words: string = RULE): Promise<void> {
    expect((await shown(log))[at]).toBe(`user: ${words}`);
    const world = { files: { '/s.jsonl': log.text } };
    const commands = [
      ['facts', '/s.jsonl'],
      ['log', '/s.jsonl', '--role', 'user', '--format', '{preview}'],
      ['grep', 'zebra', '/s.jsonl', '--role', 'user'],
    ];
    for (const command of commands)
      expect([command[0], (await ctx(command, world)).stdout]).toEqual([command[0], expect.stringContaining(RULE)]);
  }

  it('are a message of the user after the results, as an attachment', async () => {
    const log = working();
    log.result('t1', 'up');
    log.record('attachment', { attachment: { type: 'queued_command', prompt: RULE, commandMode: 'prompt' } });
    log.answer('msg_2', textBlock('It is up.'));
    await expectWords(log, 3);
  });

  it('are not notifications and messages of the client in the queue', async () => {
    const log = working();
    log.result('t1', 'up');
    const others = [{ commandMode: 'task-notification' }, { isMeta: true }, { origin: { kind: 'channel' } }];
    for (const more of others)
      log.record('attachment', { attachment: { type: 'queued_command', prompt: 'Task 7 ended.', ...more } });
    log.answer('msg_2', textBlock('It is up.'));
    expect((await shown(log)).slice(3, 6)).toEqual(Array(3).fill('user: Task 7 ended.'));
    const users = await ctx(['log', '/s.jsonl', '--role', 'user'], { files: { '/s.jsonl': log.text } });
    expect(users.stdout).not.toContain('Task 7');
  });

  it('are a message of the user in a version that records only the queue', async () => {
    const log = working();
    queue(log, 'enqueue', '<task-notification>\n<task-id>b1</task-id></task-notification>');
    queue(log, 'enqueue', 'and then stop');
    queue(log, 'enqueue', RULE);
    queue(log, 'remove');
    queue(log, 'remove');
    log.result('t1', 'up');
    log.answer('msg_2', textBlock('It is up.'));
    await expectWords(log, 4);
    expect((await shown(log)).slice(2)).toEqual([
      'toolResult t1: up',
      'user: and then stop',
      `user: ${RULE}`,
      'assistant: It is up.',
    ]);
  });

  it.each<[how: string, take: (log: ClaudeCodeLog) => void]>([
    ['taken off as a prompt', (log) => (queue(log, 'dequeue'), void log.user(RULE))],
    ['removed, and recorded as a prompt', (log) => (queue(log, 'remove'), void log.user(RULE))],
  ])('are there once: %s', async (_how, take) => {
    const log = working();
    queue(log, 'enqueue', RULE);
    log.result('t1', 'up');
    take(log);
    log.answer('msg_2', textBlock('It is up.'));
    expect((await shown(log)).filter((words) => words.includes(RULE))).toHaveLength(1);
  });

  it.each<[how: string, end: (log: ClaudeCodeLog) => void]>([
    ['taken back by the user', (log) => queue(log, 'popAll')],
    ['still in the queue', () => {}],
  ])('were not sent: %s', async (_how, end) => {
    const log = working();
    queue(log, 'enqueue', RULE);
    end(log);
    log.result('t1', 'up');
    log.answer('msg_2', textBlock('It is up.'));
    expect(await shown(log)).toHaveLength(4);
  });

  it('are not a command, which the client carries out once the turn has ended', async () => {
    const log = working();
    for (const words of ['/mcp', '/home/ada/zebra.txt is the file']) {
      queue(log, 'enqueue', words);
      queue(log, 'remove');
    }
    log.result('t1', 'up');
    log.answer('msg_2', textBlock('It is up.'));
    expect((await shown(log)).slice(2)).toEqual([
      'toolResult t1: up',
      'user: /home/ada/zebra.txt is the file',
      'assistant: It is up.',
    ]);
  });

  it('are shown after the result to whose text the client appended them', async () => {
    const log = new RequestLog();
    log.user('Start the server');
    const messages = [{ role: 'user', content: 'Start the server' }];
    log.ask(messages);
    const answer = log.answer(call('t1'));
    log.user([resultBlock('t1', 'up')]);
    const told = `The user sent a new message while you were working:\n${RULE}\n\nIMPORTANT: Go on with the task.`;
    const queued = { type: 'queued_command', prompt: RULE, commandMode: 'prompt' };
    const words = String(reminder(told)['text']);
    log.log.record('attachment', {
      version: '2.1.332',
      attachment: queued,
      rendered: [{ content: words }],
      renderedRole: 'user',
    });
    log.attachment('Still Monday.');
    const more = String(reminder('Still Monday.')['text']);
    const sent = resultBlock('t1', `up\n\n${words}\n\n${more}`);
    log.ask([...messages, answer, { role: 'user', content: [sent] }]);
    log.answer();
    await expectWords(log.log, 3, words);
    expect((await shown(log.log)).slice(2, 5)).toEqual(['toolResult t1: up', `user: ${words}`, `user: ${more}`]);
    expect((await open(log.log)).agent?.parts.messages).toBe('recorded');
  });
});

it('a mentioned file with recorded words is shown as the blocks that were sent', async () => {
  const log = new ClaudeCodeLog();
  log.user('Look at @plan.txt');
  const words = ['Called Read', 'Result of Read: one'].map((text) => ({
    content: `<system-reminder>\n${text}\n</system-reminder>`,
  }));
  log.record('attachment', {
    attachment: { type: 'file', filename: 'plan.txt' },
    rendered: words,
    renderedRole: 'user',
  });
  log.answer('msg_1', textBlock('It says one.'));
  expect(await shown(log)).toEqual([
    'user: Look at @plan.txt',
    `user: ${words.map(({ content }) => content).join(' + ')}`,
    'assistant: It says one.',
  ]);
});
