import { describe, expect, it } from 'vitest';
import { type JsonObject, listObjects } from '#base/json.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import { activePath } from '#session/tree/tree.js';
import { call, ClaudeCodeLog, textBlock } from '../../../support/claude-code.js';
import { bytes } from '../../../support/entries.js';
import { runs } from '../../../support/runs.js';

const MANY = Math.max(5000, runs(20_000));

function open(log: ClaudeCodeLog): Promise<OpenSession> {
  return openSession(bytes(log.text));
}

/** The role and the text of each message in the context at the leaf. */
async function contextOf(log: ClaudeCodeLog): Promise<readonly string[]> {
  const { messages } = envelopeAt(await open(log));
  return messages.cached.map((message) => `${message.role}: ${wordsOf(message['content'])}`);
}

function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listObjects(content)
    .map((block) => String(block['text'] ?? block['name'] ?? block['type']))
    .join(' + ');
}

function onPath(session: OpenSession, type: string): readonly JsonObject[] {
  return activePath(session.tree)
    .filter((head) => head.type === type)
    .map((head) => session.entry(head));
}

/** A prompt and an answer. */
function turn(log: ClaudeCodeLog, number: number): string {
  log.user(`Prompt ${number}`);
  return log.answer(`msg_${number}`, textBlock(`Answer ${number}`));
}

describe('an answer', () => {
  it('is one message of all of its lines, with the usage of the last one', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.answer('msg_1', { type: 'thinking', thinking: 'Hm.', signature: 'abc=' });
    log.answer('msg_1', textBlock('Hello.'), log.leaf, {
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 7 },
    });
    const [, answer] = onPath(await open(log), 'message').map(({ message }) => message);
    expect(answer).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'abc=' },
        { type: 'text', text: 'Hello.' },
      ],
      usage: { input: 1, output: 7, totalTokens: 8, cost: {} },
      stopReason: 'stop',
      responseId: 'msg_1',
    });
  });

  it('gets the results of parallel calls back, which are on forks of their own', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    const one = log.answer('msg_1', call('t1', 'Read'));
    const two = log.answer('msg_1', call('t2', 'Bash'));
    log.result('t1', 'a file', one, one);
    log.result('t2', 'a list', two, two);
    log.answer('msg_2', textBlock('Done.'));
    expect(await contextOf(log)).toEqual([
      'user: Look',
      'assistant: Read + Bash',
      'toolResult: a file',
      'toolResult: a list',
      'assistant: Done.',
    ]);
  });

  it('has the results of parallel calls in the order of the file, whatever their times and forks are, also if one is repeated', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    const [one, two, three] = ['t1', 't2', 't3'].map((id) => log.answer('msg_1', call(id)));
    log.result('t2', 'second', null, two);
    log.result('t1', 'first', null, one);
    log.result('t3', 'third', null, three);
    log.answer('msg_2', textBlock('Done.'));
    const expected = ['toolResult: second', 'toolResult: first', 'toolResult: third'];
    expect((await contextOf(log)).slice(2, 5)).toEqual(expected);
    const at = log.lines.findIndex((line) => line.includes('"second"'));
    log.lines[at] = log.lines[at]!.replace(/"timestamp":"[^"]*"/, '"timestamp":"2026-09-02T00:00:00.000Z"');
    expect((await contextOf(log)).slice(2, 5)).toEqual(expected);
    log.lines.push(log.lines[at]);
    expect((await contextOf(log)).slice(2, 5)).toEqual(expected);
  });

  it('has the results of an answer that went on between them in the order of the file, and then what hooks added', async () => {
    const log = new ClaudeCodeLog();
    const hook = (content: string): string =>
      log.record('attachment', {
        attachment: { type: 'hook_additional_context', content: [content], hookEvent: 'PostToolUse', toolUseID: 't1' },
      });
    log.user('Look');
    const one = log.answer('msg_1', call('t1'));
    const two = log.answer('msg_1', call('t2'));
    log.result('t2', 'second', null, two);
    log.result('t1', 'first', null, one);
    hook('Mind the gap.');
    log.answer('msg_1', call('t3'));
    log.result('t3', 'third');
    log.answer('msg_2', textBlock('Done.'));
    expect(await contextOf(log)).toEqual([
      'user: Look',
      'assistant: Bash + Bash + Bash',
      'toolResult: second',
      'toolResult: first',
      'toolResult: third',
      expect.stringContaining('Mind the gap.'),
      'assistant: Done.',
    ]);
  });

  it('may have thousands of results in one line', async () => {
    const log = new ClaudeCodeLog();
    const ids = Array.from({ length: MANY }, (_, at) => `t${at}`);
    log.user('Look');
    log.record('assistant', {
      message: { id: 'm', role: 'assistant', model: 'x', content: ids.map((id) => call(id)) },
    });
    log.user(ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: `out of ${id}` })));
    const context = await contextOf(log);
    expect(context).toHaveLength(MANY + 2);
    expect(context.at(-1)).toBe(`toolResult: out of t${MANY - 1}`);
  });

  it('may have the id of a call that thousands of others have', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    for (let round = 0; round < MANY; round += 1) {
      log.answer(`m${round}`, call('call_0'));
      log.result('call_0', `out ${round}`);
    }
    const context = await contextOf(log);
    expect(context).toHaveLength(2 * MANY + 1);
    expect(context.at(-1)).toBe(`toolResult: out ${MANY - 1}`);
  });

  it('of the client itself has no usage and is an error if the request failed', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.record('assistant', {
      isApiErrorMessage: true,
      message: {
        id: 'x',
        role: 'assistant',
        model: '<synthetic>',
        content: [textBlock('API Error: 529')],
        usage: { input_tokens: 0 },
      },
    });
    const session = await open(log);
    expect(onPath(session, 'message').at(-1)?.['message']).toMatchObject({
      stopReason: 'error',
      errorMessage: 'API Error: 529',
      usage: { cost: {} },
    });
    expect(onPath(session, 'model_change')).toEqual([]);
  });
});

describe('the tree', () => {
  it('keeps a rewind as a branch, and the newest tip is the leaf', async () => {
    const log = new ClaudeCodeLog();
    const first = turn(log, 1);
    turn(log, 2);
    log.leaf = first;
    turn(log, 3);
    expect(await contextOf(log)).toEqual([
      'user: Prompt 1',
      'assistant: Answer 1',
      'user: Prompt 3',
      'assistant: Answer 3',
    ]);
    expect((await open(log)).tree.heads.length).toBe(7);
  });

  it('may have more children at one record than a call has arguments', async () => {
    const log = new ClaudeCodeLog();
    const root = log.user('Hi');
    for (let count = 0; count < 150_000; count += 1)
      log.lines.push(`{"type":"progress","uuid":"${count}","parentUuid":"${root}"}`);
    expect(await contextOf(log)).toEqual(['user: Hi']);
  });

  it('reads a long chain of progress records in one pass', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    for (let count = 0; count < 20_000; count += 1) log.record('progress', { data: {} });
    log.user('More');
    expect(await contextOf(log)).toEqual(['user: Hi', 'user: More']);
  });

  it('runs through progress records, which are not entries', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.record('progress', { data: {} });
    log.answer('msg_1', textBlock('Hello.'));
    expect(await contextOf(log)).toEqual(['user: Hi', 'assistant: Hello.']);
  });

  it('leaves sidechains beside the active path', async () => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    log.user('A task', { isSidechain: true }, null);
    expect(await contextOf(log)).toEqual(['user: Prompt 1', 'assistant: Answer 1']);
  });

  it('takes the last of several records with one uuid', async () => {
    const log = new ClaudeCodeLog();
    log.user('Old');
    log.lines.push(log.lines[0]?.replace('Old', 'New') ?? '');
    log.answer('msg_1', textBlock('Hello.'));
    expect(await contextOf(log)).toEqual(['user: New', 'assistant: Hello.']);
  });

  it('notes a parent that is not in the file, and names it', async () => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    log.record('progress', { data: {} }, 'feedbead-dead');
    log.user('Hi');
    log.user('Ho', {}, 'not hexadecimal');
    const session = await open(log);
    expect(session.problems).toMatchObject([
      { code: 'orphan', line: 4, message: 'its parent "feedbead" is not in the file, so the path begins here' },
      { code: 'orphan', line: 5 },
    ]);
    expect(await contextOf(log)).toEqual(['user: Ho']);
    const { heads } = session.tree;
    expect(heads.parentAt(heads.length - 1)).toBe(-1);
  });

  it('never names an entry of the file as a parent that is lost', async () => {
    const log = new ClaudeCodeLog();
    const first = log.user('Hi');
    log.user('Ho', {}, `${first.slice(0, 8)}-dead`);
    expect(await contextOf(log)).toEqual(['user: Ho']);
    expect((await open(log)).problems).toMatchObject([{ code: 'orphan', line: 2 }]);
  });

  it('does not miss the parents of the records of a subagent, which another file may have', async () => {
    const log = new ClaudeCodeLog();
    log.user('A task', { isSidechain: true, agentId: 'a1' }, 'feedbead-dead');
    expect((await open(log)).problems).toEqual([]);
  });
});

describe('a compaction', () => {
  it('keeps nothing, and the history stays above it', async () => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    log.boundary();
    log.summary('So far: one turn.');
    turn(log, 2);
    const session = await open(log);
    const [compaction] = onPath(session, 'compaction');
    expect(compaction).toMatchObject({
      summary: 'So far: one turn.',
      tokensBefore: 150_000,
      details: { trigger: 'auto' },
    });
    expect(compaction?.['firstKeptEntryId']).toBe(compaction?.['id']);
    expect(onPath(session, 'message')).toHaveLength(4);
    expect((await contextOf(log)).slice(1)).toEqual(['user: Prompt 2', 'assistant: Answer 2']);
  });

  it('shows its summary as it was sent, without the words of Pi', async () => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    log.boundary();
    log.summary('This session is being continued from a previous conversation.');
    expect(await contextOf(log)).toEqual(['user: This session is being continued from a previous conversation.']);
  });

  it('shows its summary after one without a summary', async () => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    log.boundary();
    log.boundary();
    log.summary('So far: one turn.');
    expect(await contextOf(log)).toEqual([expect.stringContaining('So far: one turn.')]);
  });

  it.each(['preservedMessages', 'preservedSegment'])('keeps the messages of %s', async (field) => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    const prompt = log.user('Prompt 2');
    const answer = log.answer('msg_2', textBlock('Answer 2'));
    const anchorUuid = log.uuidAhead(1);
    const kept = { anchorUuid, uuids: [prompt, answer], headUuid: prompt, tailUuid: answer };
    log.boundary({ [field]: kept });
    log.summary('So far: one turn.');
    turn(log, 3);
    const context = await contextOf(log);
    expect(context.slice(1)).toEqual([
      'user: Prompt 2',
      'assistant: Answer 2',
      'user: Prompt 3',
      'assistant: Answer 3',
    ]);
    expect(context[0]).toContain('So far: one turn.');
    expect((await open(log)).problems).toEqual([]);
  });

  it.each([
    ['a list', false],
    ['a segment', true],
  ])('that keeps all messages before it by %s is the summary of a branch', async (_, isSegment) => {
    const log = new ClaudeCodeLog();
    log.boundary();
    log.summary('An earlier summary.');
    const end = turn(log, 1);
    const left = turn(log, 2);
    log.summarizeAfter(end, 'So far: turn 2.', isSegment);
    turn(log, 3);
    const session = await open(log);
    expect(session.problems).toEqual([]);
    expect(await contextOf(log)).toEqual([
      'user: An earlier summary.',
      'user: Prompt 1',
      'assistant: Answer 1',
      'user: So far: turn 2.',
      'user: Prompt 3',
      'assistant: Answer 3',
    ]);
    const head = session.tree.heads.ofType('branch_summary').next().value!;
    expect(session.entry(head)).toMatchObject({ parentId: end.slice(0, 8), fromId: left.slice(0, 8) });
    // What follows a kept message does not follow the summary.
    log.leaf = end;
    turn(log, 4);
    expect((await contextOf(log)).slice(2)).toEqual(['assistant: Answer 1', 'user: Prompt 4', 'assistant: Answer 4']);
  });

  it('repeats the context at the end if it keeps messages that are not together', async () => {
    const log = new ClaudeCodeLog();
    const prompt = log.user('Prompt 1');
    log.answer('msg_1', textBlock('Answer 1'));
    turn(log, 2);
    const anchorUuid = log.uuidAhead(1);
    log.boundary({ preservedMessages: { anchorUuid, uuids: [prompt, log.leaf] } });
    log.summary('So far.');
    log.user('Prompt 3');
    expect(await contextOf(log)).toEqual(['user: So far.', 'user: Prompt 1', 'assistant: Answer 2', 'user: Prompt 3']);
    expect((await open(log)).problems).toMatchObject([{ code: 'restated-context', severity: 'note' }]);
  });

  it.each(['preservedMessages', 'preservedSegment'])('may keep %s thousands of times', async (field) => {
    const log = new ClaudeCodeLog();
    const [prompt, answer] = [log.user('Prompt'), turn(log, 1)];
    for (let count = 0; count < MANY; count += 1) {
      const anchorUuid = log.uuidAhead(1);
      log.boundary({ [field]: { anchorUuid, uuids: [prompt, answer], headUuid: prompt, tailUuid: answer } });
      log.summary(`Summary ${count}`);
    }
    turn(log, 2);
    const context = await contextOf(log);
    expect(context[0]).toContain(`Summary ${MANY - 1}`);
    expect(context.slice(-2)).toEqual(['user: Prompt 2', 'assistant: Answer 2']);
  });

  it('of single results replaces their text', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    log.answer('msg_1', call('t1'));
    log.result('t1', 'a long list');
    log.record('system', {
      subtype: 'microcompact_boundary',
      microcompactMetadata: { compactedToolIds: ['t1', 'gone'] },
    });
    log.user('Go on');
    expect((await contextOf(log))[2]).toBe('toolResult: [Old tool result content cleared]');
  });
});

describe('other records', () => {
  it('a cut of results, also by a tool server, replaces those that are longer than its words, and no errors', async () => {
    const log = new ClaudeCodeLog();
    const long = 'a long list '.repeat(10);
    log.user('Look');
    for (const [id, text] of Object.entries({ t1: long, t2: 'short', t3: long, t4: long, t5: long })) {
      log.answer(`msg_${id}`, call(id));
      if (id === 't3') log.user([{ type: 'tool_result', tool_use_id: id, content: text, is_error: true }]);
      else log.result(id, text);
    }
    const cut = (callIds: unknown, more: object = {}): string =>
      log.record('attachment', { attachment: { type: 'tool_results_cut', callIds, standIn: '[cleared]', ...more } });
    cut(['t1', 't2', 't3', 'gone', 7]);
    cut(['t5'], { cause: 'withdrawn_by_tool' });
    cut(['t4'], { cause: 'unknown' });
    cut(['t4'], { standIn: '' });
    cut('t4');
    log.user('Go on');
    const results = (await contextOf(log)).filter((line) => line.startsWith('toolResult'));
    expect(results).toEqual(['[cleared]', 'short', long, long, '[cleared]'].map((text) => `toolResult: ${text}`));
    log.record('attachment', { attachment: { type: 'date' }, rendered: [{ content: 'It is Monday.' }] });
    expect((await open(log)).agent?.parts.messages).toBe('recorded');
  });

  it('an attachment without words was not sent, in a version that records them', async () => {
    const log = new ClaudeCodeLog();
    const attachment = { type: 'session_context', context: {} };
    log.record('attachment', { attachment, version: '2.1.200' });
    log.record('attachment', { attachment, version: '2.1.330' });
    log.record('attachment', { attachment: { type: 'file' }, renderedRole: 'user', version: '2.1.330' });
    log.record('attachment', { attachment: { type: 'date' }, rendered: [{ content: 'Monday' }], version: '2.1.330' });
    log.user('Hi');
    expect(await contextOf(log)).toEqual(['user: {"context":{}}', 'user: {}', 'user: Monday', 'user: Hi']);
  });

  it('a replacement is what the model saw instead of a result', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    log.answer('msg_1', call('t1'));
    log.result('t1', 'a long list');
    log.answer('msg_2', textBlock('Done.'));
    const replacements = [{ kind: 'tool-result', toolUseId: 't1', replacement: 'saved to a file' }];
    log.other({ type: 'content-replacement', replacements });
    expect((await contextOf(log))[2]).toBe('toolResult: saved to a file');
  });

  it('a prompt snapshot declares the system prompt and the tools', async () => {
    const log = new ClaudeCodeLog();
    const tools = [{ name: 'Bash', description: 'Run a command', schema: { type: 'object' } }];
    log.record('attachment', { attachment: { type: 'prompt_snapshot', systemPrompt: ['Be brief.', 'Use tools.'] } });
    const last = { type: 'prompt_snapshot', cliPrefix: 'You are a tool.', systemPrompt: ['Be brief.'], tools };
    log.record('attachment', { attachment: last });
    log.user('Hi');
    const session = await open(log);
    const envelope = envelopeAt(session);
    expect(envelope.system.parts).toMatchObject([{ text: 'You are a tool.' }, { text: 'Be brief.' }]);
    expect(envelope.tools).toEqual([{ name: 'Bash', description: 'Run a command', parameters: { type: 'object' } }]);
    expect(session.agent?.parts).toMatchObject({ system: 'recorded', tools: 'recorded' });
  });

  it('an attachment is a message of its own data, marked as approximate', async () => {
    const log = new ClaudeCodeLog();
    log.record('attachment', { attachment: { type: 'nested_memory', content: 'Use tabs.' } });
    log.record('attachment', { attachment: { type: 'command_permissions', allowed: [] } });
    log.user('Hi');
    const session = await open(log);
    expect(await contextOf(log)).toEqual(['user: Use tabs.', 'user: Hi']);
    expect(onPath(session, 'custom_message')).toMatchObject([{ details: { approximate: true } }]);
    expect(session.agent?.parts).toMatchObject({ system: 'missing', messages: 'approximate' });
  });

  it('an attachment has its words of the request, if they are recorded', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    const text = '<system-reminder>\nToday is Monday.\n</system-reminder>';
    for (const renderedRole of ['system', 'user'])
      log.record('attachment', {
        attachment: { type: `date_${renderedRole}` },
        rendered: [{ content: text }],
        renderedRole,
      });
    expect((await contextOf(log)).slice(1)).toEqual(['user: Today is Monday.', `user: ${text}`]);
    const session = await open(log);
    expect(session.agent?.parts.messages).toBe('recorded');
    expect(onPath(session, 'custom_message').map(({ details }) => details)).toEqual([undefined, undefined]);
  });

  it('the prompt and the tools of a request are in force from its answer on', async () => {
    const log = new ClaudeCodeLog();
    const asked = (shapeHash: string, name?: string): void => {
      const tools = [{ name, description: 'Run a command', input_schema: { type: 'object' } }];
      const shape = {
        system: [
          { type: 'text', text: 'Be a tool.' },
          { type: 'text', text: `Be ${name}.` },
        ],
        tools,
      };
      if (name !== undefined) log.other({ type: 'api-request-shape', shapeHash, shape });
      log.other({ type: 'api-request', shapeHash, keep: 0, tail: [] });
    };
    const snapshot = { type: 'prompt_snapshot', systemPrompt: ['Be brief.'] };
    log.user('Hi');
    log.record('attachment', { attachment: snapshot });
    asked('one', 'Bash');
    const first = log.answer('msg_1', textBlock('Hello.'));
    log.record('attachment', { attachment: snapshot });
    asked('one');
    const second = log.answer('msg_2', textBlock('Again.'));
    asked('two', 'Edit');
    log.answer('msg_3', textBlock('Done.'));
    const session = await open(log);
    const promptAt = (uuid: string): unknown => {
      const { system, tools } = envelopeAt(session, uuid.slice(0, 8));
      return [system.parts.map((part) => part.text), tools.map(({ name }) => name)];
    };
    expect([promptAt(first), promptAt(second)]).toEqual([
      [['Be a tool.', 'Be Bash.'], ['Bash']],
      [['Be a tool.', 'Be Bash.'], ['Bash']],
    ]);
    expect(envelopeAt(session).tools).toMatchObject([{ name: 'Edit', parameters: { type: 'object' } }]);
    expect(onPath(session, 'context_transform').map(({ transformerName }) => transformerName)).toEqual([
      'prompt-snapshot',
      'api-request',
      'api-request',
    ]);
    expect(session.agent?.parts).toMatchObject({ system: 'recorded', tools: 'recorded' });
  });

  it('a collapse, which is not replayed, makes the messages approximate', async () => {
    const log = new ClaudeCodeLog();
    const first = log.user('Hi');
    const last = log.answer('msg_1', textBlock('Hello.'));
    log.other({
      type: 'marble-origami-commit',
      summary: 'A greeting.',
      firstArchivedUuid: first,
      lastArchivedUuid: last,
    });
    const session = await open(log);
    expect(session.problems).toMatchObject([{ code: 'collapsed', severity: 'warning', line: 3 }]);
    expect(session.agent?.parts.messages).toBe('approximate');
  });

  it('a subagent that began with the context of its session says so, and its messages are approximate', async () => {
    const log = new ClaudeCodeLog();
    log.other({ type: 'fork-context-ref', agentId: 'a1', parentLastUuid: log.uuidAhead(9), contextLength: 12 });
    log.user('A task', { isSidechain: true, agentId: 'a1' });
    const session = await open(log);
    expect(session.problems).toMatchObject([{ code: 'inherited-context', severity: 'warning', line: 1 }]);
    expect(session.agent?.parts.messages).toBe('approximate');
  });

  it('a rewind that no message followed is where the session goes on', async () => {
    const log = new ClaudeCodeLog();
    const first = turn(log, 1);
    const second = turn(log, 2);
    const rewind = (leafUuid: string | null, fields: JsonObject = { explicit: true, rewound: true }): void =>
      log.other({ type: 'last-prompt', leafUuid, ...fields });
    const countMessages = async (): Promise<number> => (await contextOf(log)).length;
    rewind(first, {});
    expect(await countMessages()).toBe(4);
    rewind(first);
    rewind(first, {});
    expect(await countMessages()).toBe(2);
    rewind(second, {});
    expect(await countMessages()).toBe(4);
    rewind(null);
    expect(await countMessages()).toBe(0);
    log.leaf = first;
    turn(log, 3);
    expect(await countMessages()).toBe(4);
    rewind('22222222-2222-4222-8222-222222222222');
    expect(await countMessages()).toBe(4);
  });

  it('a virtual message, which the client only shows, is none', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look');
    const line = log.answer('msg_1', call('t1'));
    log.record('assistant', {
      isVirtual: true,
      message: { id: 'msg_2', role: 'assistant', model: 'claude-opus-4-6', content: [call('v1')] },
    });
    log.user([{ type: 'tool_result', tool_use_id: 'v1', content: 'within' }], { isVirtual: true });
    log.result('t1', 'of the script', line);
    log.answer('msg_3', textBlock('Done.'));
    const session = await open(log);
    expect(session.problems).toEqual([]);
    expect(await contextOf(log)).toEqual([
      'user: Look',
      'assistant: Bash',
      'toolResult: of the script',
      'assistant: Done.',
    ]);
  });

  it.each([
    [{}, ['user: Hi', 'user: Set model.']],
    [{ isDisplayOnly: true }, ['user: Hi']],
  ])('what a command printed is sent, unless it is only shown: %j', async (fields, context) => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.record('system', { subtype: 'local_command', content: 'Set model.', ...fields });
    log.record('system', { subtype: 'turn_duration' });
    expect(await contextOf(log)).toEqual(context);
  });

  it('the best title names the session', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.other({ type: 'custom-title', customTitle: 'Mine' });
    log.other({ type: 'ai-title', aiTitle: 'Theirs' });
    const { session } = envelopeAt(await open(log));
    expect(session.name).toBe('Mine');
    expect(session.agent).toMatchObject({ name: 'claude-code', version: '2.1.144' });
  });

  it('a change of model is an entry before the answer', async () => {
    const log = new ClaudeCodeLog();
    turn(log, 1);
    log.user('Prompt 2');
    log.answer('msg_2', textBlock('Answer 2'), log.leaf, { model: 'claude-haiku-4-5' });
    const models = onPath(await open(log), 'model_change').map(({ modelId }) => modelId);
    expect(models).toEqual(['claude-opus-4-6', 'claude-haiku-4-5']);
  });

  it('a subagent is a session of its own, with a link to the one that started it', async () => {
    const log = new ClaudeCodeLog();
    log.user('A task', { isSidechain: true, agentId: 'a1' }, 'not here');
    log.record('assistant', { isSidechain: true, agentId: 'a1', message: { id: 'm', role: 'assistant', content: [] } });
    const session = await open(log);
    expect(session.header.fields).toMatchObject({ id: 'agent-a1', parentSession: expect.stringMatching(/\.jsonl$/) });
    expect(activePath(session.tree)).toHaveLength(2);
    expect(session.problems).toEqual([]);
  });
});

describe('a document', () => {
  const page = `5 0 obj << /Type /Page /Parent 2 0 R >> endobj ${'x'.repeat(60_000)}\n`;
  const pdf = (text: string): JsonObject => ({
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(text).toString('base64') },
  });

  it.each([
    ['its pages', `%PDF-1.7\n${page.repeat(3)}`, '[document, application/pdf, 3 pages, 181 kB]', 7200],
    [
      'the number in its page tree',
      `%PDF-1.7\n2 0 obj << /Type /Pages /Kids [3 0 R] /Count 14 >> endobj`,
      '[document, application/pdf, 14 pages, 1 kB]',
      33_600,
    ],
    ['its bytes', `%PDF-1.7\n${'z'.repeat(90_000)}`, '[document, application/pdf, 3 pages estimated, 91 kB]', 7200],
  ])('is shown as one, and counted by %s', async (_, text, shown, tokens) => {
    const log = new ClaudeCodeLog();
    log.user([pdf(text), textBlock('Sum up.')]);
    const envelope = envelopeAt(await open(log));
    expect(await contextOf(log)).toEqual([`user: ${shown} + Sum up.`]);
    expect(envelope.meta.tokens.cached).toBe(tokens + 2);
  });

  it('of text is its text, and one elsewhere is its address', async () => {
    const log = new ClaudeCodeLog();
    log.user([{ type: 'document', title: 'Notes', source: { type: 'text', media_type: 'text/plain', data: 'Rain.' } }]);
    log.user([{ type: 'document', title: 'Map', source: { type: 'url', url: 'https://example.com/map.pdf' } }]);
    expect(await contextOf(log)).toEqual(['user: Rain.', 'user: [document "Map", https://example.com/map.pdf]']);
  });
});

describe('an id of a call that a later answer uses again', () => {
  const result = (words: string): JsonObject => ({ type: 'tool_result', tool_use_id: 'call_1', content: words });

  it('is the first call, and the later one is left out with its result', async () => {
    const log = new ClaudeCodeLog();
    log.user('Rain?');
    log.answer('msg_1', call('call_1'));
    log.user([result('In Oslo.')]);
    log.answer('msg_2', textBlock('I look again.'));
    log.answer('msg_2', call('call_1'));
    log.user([result('In Bergen.')]);
    log.answer('msg_3', textBlock('In Oslo.'));
    const context = await contextOf(log);
    expect(context.map((each) => each.replace(/^assistant: \w+$/, 'a call'))).toEqual([
      'user: Rain?',
      'a call',
      'toolResult: In Oslo.',
      'assistant: I look again.',
      'assistant: In Oslo.',
    ]);
  });

  it('is a call of its own on another branch', async () => {
    const log = new ClaudeCodeLog();
    const asked = log.user('Rain?');
    log.answer('msg_1', call('call_1'), asked);
    log.user([result('In Oslo.')]);
    log.answer('msg_2', textBlock('It rains.'));
    log.user('Again?', {}, asked);
    log.answer('msg_3', call('call_1'));
    log.user('And?');
    log.answer('msg_4', textBlock('It does.'));
    expect(await contextOf(log)).toContain('assistant: Bash');
  });
});
