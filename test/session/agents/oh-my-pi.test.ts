import { describe, expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import { readSentRole } from '#context/replay/convert.js';
import { Log } from '../../fixtures/log.js';
import { bytes, HEADER, lines } from '../../support/entries.js';
import { expectLinearTime } from '../../support/growth.js';
import { ctx } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

/** A header as oh-my-pi writes it. */
const TITLED = { title: 'Paint' };

const CALL = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'plan.md' } };

/** The role and the text of each message that is sent. */
async function sent(log: Log, at = 'HEAD'): Promise<readonly string[]> {
  const { messages } = envelopeAt(await openSession(bytes(log.text())), at);
  return messages.cached.map((message) => {
    const content = message['content'];
    const blocks = Array.isArray(content) ? (content as Json[]) : [{ type: 'text', text: content }];
    return `${readSentRole(message)}: ${blocks.map(({ type, text }) => String(text ?? type)).join(' ')}`;
  });
}

function talk(): Log {
  return new Log('omp', TITLED).user('u1', 'Paint it red.').assistant('a1', 'Red it is.');
}

describe('/clear', () => {
  it('takes everything before it out of the context', async () => {
    const log = talk().entry('rb', 'reset_boundary', {}).user('u2', 'Which colour?').assistant('a2', 'None yet.');
    expect(await sent(log)).toEqual(['user: Which colour?', 'assistant: None yet.']);
    expect(await sent(log, 'a1')).toEqual(['user: Paint it red.', 'assistant: Red it is.']);
    expect(await sent(log, 'rb')).toEqual([]);
  });

  it('takes a summary out too, and a later compaction may keep messages before it', async () => {
    const log = talk()
      .entry('k1', 'compaction', { summary: 'A talk.', firstKeptEntryId: 'a1', tokensBefore: 9 })
      .entry('rb', 'reset_boundary', {})
      .user('u2', 'Anew.');
    expect(await sent(log)).toEqual(['user: Anew.']);
    log.entry('k2', 'compaction', { summary: 'All of it.', firstKeptEntryId: 'a1', tokensBefore: 9 });
    expect(await sent(log)).toEqual([expect.stringContaining('All of it.'), 'assistant: Red it is.', 'user: Anew.']);
  });

  it('is the cause of the cache break after it', async () => {
    const usage = (cacheWrite: number): Json => ({
      usage: { input: 3, output: 9, cacheRead: 0, cacheWrite, totalTokens: cacheWrite + 12 },
    });
    const log = new Log('omp', TITLED)
      .user('u1', 'Paint it red.')
      .assistant('a1', 'Red it is.', usage(50_000))
      .entry('rb', 'reset_boundary', {})
      .user('u2', 'Which colour?')
      .assistant('a2', 'None yet.', usage(8000));
    const { stdout } = await ctx(['cache', 's.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(stdout).toMatch(/clear +1 /);
    const logged = await ctx(['log', 's.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(logged.stdout).toContain('clears the context');
  });

  it('may happen very often', async () => {
    await expectLinearTime((count) => {
      const log = new Log('omp', TITLED);
      for (let at = 0; at < count; at += 1) log.user(`u${at}`, `Topic ${at}.`).entry(`r${at}`, 'reset_boundary', {});
      log.user('last', 'The end.');
      return async () => expect(await sent(log)).toEqual(['user: The end.']);
    }, 250);
  });

  it('is not undone by ctx revert', async () => {
    const log = talk().entry('rb', 'reset_boundary', {}).user('u2', 'Which colour?');
    const { exitCode, stderr } = await ctx(['revert', 's.jsonl', 'rb', '--yes'], { files: { 's.jsonl': log.text() } });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('a session of oh-my-pi is never written to')]);
  });
});

describe('messages that only oh-my-pi writes', () => {
  it('are sent: mentioned files, Python of the user, and words of the developer', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const files = [
      { path: 'plan.md', content: 'Step 1' },
      { path: 'empty.txt', content: '' },
    ];
    const log = new Log('omp', TITLED)
      .message('f1', { role: 'fileMention', files })
      .message('f2', { role: 'fileMention', files: [{ path: 'a.png', content: '', image }] })
      .message('p1', { role: 'pythonExecution', code: 'print(3)', output: '3', exitCode: 0 })
      .message('p2', { role: 'pythonExecution', code: '1/0', output: '', exitCode: 1 })
      .message('p3', { role: 'pythonExecution', code: 'secret', output: '', excludeFromContext: true })
      .message('d1', { role: 'developer', content: [{ type: 'text', text: 'Only plan.' }] });
    expect(await sent(log)).toEqual([
      'developer: <file path="plan.md">\nStep 1\n</file>\n<file path="empty.txt">\n</file>',
      'user: <file path="a.png">\n</file> image',
      'user: Ran Python:\n```python\nprint(3)\n```\nOutput:\n```\n3\n```',
      'user: Ran Python:\n```python\n1/0\n```\n(no output)\n\nExecution failed with code 1',
      'developer: Only plan.',
    ]);
    const { stdout } = await ctx(['log', 's.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(stdout).toContain('mention: <file path');
    expect(stdout).toContain('python: Ran Python:');
  });

  it('include those of extensions as a developer, but for words of the user', async () => {
    const log = talk()
      .entry('rb', 'mode_change', { mode: 'plan' })
      .entry('c1', 'custom_message', { customType: 'rule', content: 'Be brief.', display: false })
      .entry('c2', 'custom_message', {
        customType: 'skill-prompt',
        content: 'Do it.',
        display: true,
        attribution: 'user',
      })
      .entry('c3', 'custom_message', { customType: 'other', content: 'Also.', display: true, attribution: 'user' })
      .entry('c4', 'custom_message', { customType: 'prewalk-plan', content: 'Never sent.', display: true });
    expect((await sent(log)).slice(2)).toEqual(['developer: Be brief.', 'user: Do it.', 'developer: Also.']);
  });

  it('leave out the results of calls in failed answers', async () => {
    const failed = { role: 'assistant', content: [CALL], stopReason: 'aborted', provider: 'p', model: 'm', usage: {} };
    const result = { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'No.' }] };
    const log = talk().entry('mc', 'mode_change', { mode: 'none' }).message('a2', failed).message('r2', result);
    expect((await sent(log)).filter((text) => text.startsWith('toolResult'))).toEqual([]);
    log.message('a3', { ...failed, stopReason: 'toolUse' }).message('r3', result);
    expect((await sent(log)).filter((text) => text.startsWith('toolResult'))).toEqual(['toolResult: No.']);
  });
});

describe('a remote compaction', () => {
  const HISTORY = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Paint it red.' }] },
    { type: 'compaction', encrypted_content: 'abc' },
  ];
  const remote = (fields: Json = {}): Json => ({
    summary: 'Remote.',
    method: 'remote',
    firstKeptEntryId: 'u2',
    tokensBefore: 9,
    preserveData: { openaiRemoteCompaction: { provider: 'openai', replacementHistory: HISTORY } },
    ...fields,
  });
  const REPLACED = ['user: Paint it red.', 'user: [encrypted compaction, 3 characters]'];

  it('is what the provider made of the messages, and nothing of them is sent twice', async () => {
    const log = talk().user('u2', 'And blue?').entry('k1', 'compaction', remote()).user('u3', 'Go on.');
    expect(await sent(log)).toEqual([...REPLACED, 'user: Go on.']);
    const { stdout } = await ctx(['show', 's.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(stdout).not.toContain('[summary] Paint it red.');
    expect(stdout).not.toContain('keeps from u2');
  });

  it('is followed by the entries that it does not cover', async () => {
    const through = { providerReplayThroughEntryId: 'a1' };
    const log = talk().user('u2', 'And blue?').entry('k1', 'compaction', remote(through)).user('u3', 'Go on.');
    expect(await sent(log)).toEqual([...REPLACED, 'user: And blue?', 'user: Go on.']);
  });

  it('ends with the next compaction', async () => {
    const log = talk()
      .user('u2', 'And blue?')
      .entry('k1', 'compaction', remote())
      .entry('k2', 'compaction', { summary: 'Both.', firstKeptEntryId: 'u2', tokensBefore: 9 });
    expect(await sent(log)).toEqual([expect.stringContaining('Both.'), 'user: And blue?']);
  });
});

describe('a session', () => {
  it.each<readonly [what: string, log: Log, agent: string | undefined]>([
    ['of Pi', new Log('s').user('u1', 'Paint it red.'), undefined],
    ['with a model in one field', new Log('s').entry('m', 'model_change', { model: 'zai/glm' }), 'oh-my-pi'],
    ['with an entry of oh-my-pi', new Log('s').entry('t', 'title_change', { title: 'Paint' }), 'oh-my-pi'],
    ['with a message of oh-my-pi', new Log('s').message('d', { role: 'developer', content: 'x' }), 'oh-my-pi'],
    ['with a title in its header', talk(), 'oh-my-pi'],
    ['with a model of Pi', new Log('s').entry('m', 'model_change', { provider: 'zai', modelId: 'glm' }), undefined],
    ['in which the user quotes a record', new Log('s').user('u', '{"type":"title_change","title":"x"}'), undefined],
    ['of OpenClaw', new Log('s').entry('c', 'custom', { customType: 'model-snapshot', data: {} }), 'openclaw'],
    [
      'in the newest format of OpenClaw, before any entry that is its own',
      new Log('s', { version: 4 }).user('1eaa1999-3865-4d67-a8d6-0d3570c8f166', 'Red.'),
      'openclaw',
    ],
    [
      'in the newest format of OpenClaw',
      new Log('s', { version: 4, cwd: '/home/ada/.openclaw/workspace' }).user('u1', 'Red.'),
      'openclaw',
    ],
    ['of version 4 in another folder', new Log('s', { version: 4 }).user('u1', 'Red.'), undefined],
  ])('%s', async (_what, log, agent) => {
    const session = await openSession(bytes(log.text()));
    expect(session.agent?.name).toBe(agent);
    const listed = await ctx(['ls', '/s', '--json'], { files: { '/s/s.jsonl': log.text() } });
    expect(listed.exitCode).toBe(0);
  });
});

it('a conversion with the usage of a request for a summary is none of oh-my-pi', async () => {
  const usage = { type: 'model_usage', id: 'm', parentId: null, timestamp: '2026-01-01T00:00:00.000Z' };
  const header = { ...HEADER, importedFrom: { agent: 'kimi-code', version: null } };
  expect((await openSession(bytes(lines(header, usage)))).agent).toBe(undefined);
  expect((await openSession(bytes(lines(HEADER, usage)))).agent?.name).toBe('oh-my-pi');
});

describe('calls without results', () => {
  it('are not sent again once the user goes on, and neither are their signatures', async () => {
    const thought = { type: 'thinking', thinking: 'Hm.', thinkingSignature: 'signed' };
    const answer = { role: 'assistant', content: [thought, CALL], stopReason: 'toolUse', provider: 'p', model: 'm' };
    const log = talk().message('a2', answer);
    expect((await sent(log)).at(-1)).toBe('assistant: thinking toolCall');
    log.user('u2', 'Go on.');
    const { messages } = envelopeAt(await openSession(bytes(log.text())));
    expect(messages.cached[2]?.content).toEqual([{ type: 'thinking', thinking: 'Hm.' }]);
    expect((await sent(log, 'a2')).at(-1)).toBe('assistant: thinking toolCall');
  });
});

describe('an answer that the user interrupted', () => {
  it('is sent without its last thoughts, if a note about them follows', async () => {
    const content = [
      { type: 'text', text: 'First,' },
      { type: 'thinking', thinking: 'then' },
    ];
    const log = talk()
      .message('a2', { role: 'assistant', content, stopReason: 'aborted', provider: 'p', model: 'm' })
      .entry('i', 'custom_message', {
        customType: 'interrupted-thinking',
        content: 'You thought: then',
        display: false,
      });
    const { messages } = envelopeAt(await openSession(bytes(log.text())));
    expect(messages.cached[3]).toMatchObject({ content: [{ type: 'text', text: 'First,' }], stopReason: 'stop' });
  });
});

describe('a session that a killed process ended on an older branch', () => {
  const exit = { customType: 'session_exit', data: { kind: 'signal' } };

  it('is named, with the branch that it hides', async () => {
    const log = talk().user('u2', 'And blue?').from('a1').entry('x', 'custom', exit);
    const { problems, tree } = await openSession(bytes(log.text()));
    expect(tree.leaf?.id).toBe('x');
    expect(problems).toMatchObject([{ code: 'stale-leaf', line: 5, message: expect.stringContaining('entry u2') }]);
  });

  it('is sound where the process ended on the newest one', async () => {
    const { problems } = await openSession(bytes(talk().entry('x', 'custom', exit).text()));
    expect(problems).toEqual([]);
  });
});

it('a newer version of the format is read, with a warning', async () => {
  const { problems } = await openSession(bytes(new Log('omp', { ...TITLED, version: 4 }).user('u', 'Red.').text()));
  expect(problems).toMatchObject([{ code: 'unknown-version', severity: 'warning' }]);
});

describe('answers that OpenClaw wrote for its transcript', () => {
  const copy = (id: string, provider: string, model: string): Json => ({
    role: 'assistant',
    content: [{ type: 'text', text: `Copy ${id}` }],
    api: 'openai-responses',
    provider,
    model,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { total: 0 } },
    stopReason: 'stop',
  });

  it.each(['delivery-mirror', 'gateway-injected'])('are not sent: %s', async (model) => {
    const log = new Log('claw')
      .user('u1', 'Paint it red.')
      .assistant('a1', 'Red it is.')
      .message('d1', copy('d1', 'openclaw', model))
      .user('u2', 'Again.')
      .assistant('a2', 'Red.')
      .message('d2', copy('d2', 'openclaw', model));
    expect(await sent(log)).toEqual([
      'user: Paint it red.',
      'assistant: Red it is.',
      'user: Again.',
      'assistant: Red.',
    ]);
    expect(envelopeAt(await openSession(bytes(log.text()))).meta.model?.modelId).not.toBe(model);
    const cache = await ctx(['cache', 's.jsonl', '--each', '--json'], { files: { 's.jsonl': log.text() } });
    expect(cache.stdout).not.toContain('model switch');
  });
});

describe('a leaf that OpenClaw chose', () => {
  const reset = (): Log =>
    new Log('claw', { version: 4, cwd: '/home/ada/.openclaw/workspace' })
      .user('u1', 'Red.')
      .entry('r', 'reset', { reason: 'new' })
      .user('u2', 'Blue.');

  it('stays where it is after a reset, also for an unknown entry, and can be chosen again by that move', async () => {
    const log = reset().entry('l1', 'leaf', { targetId: 'unknown' }).user('u3', 'Green.');
    expect(await sent(log)).toEqual(['user: Blue.', 'user: Green.']);
    log.entry('l2', 'leaf', { targetId: 'l1' }).user('u4', 'White.');
    expect(await sent(log)).toEqual(['user: Blue.', 'user: White.']);
  });
});
