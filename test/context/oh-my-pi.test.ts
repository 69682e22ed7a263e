import { describe, expect, it } from 'vitest';
import { envelopeAt, openSession } from '#context/open.js';
import { readSentRole } from '#context/replay/convert.js';
import { isOhMyPiSession } from '#session/oh-my-pi.js';
import { Log } from '../fixtures/log.js';
import { bytes } from '../support/entries.js';
import { ctx } from '../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

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
  return new Log('omp').user('u1', 'Paint it red.').assistant('a1', 'Red it is.');
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
    const log = new Log('omp')
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
    const log = new Log('omp');
    for (let at = 0; at < 4000; at += 1) log.user(`u${at}`, `Topic ${at}.`).entry(`r${at}`, 'reset_boundary', {});
    log.user('last', 'The end.');
    const before = performance.now();
    expect(await sent(log)).toEqual(['user: The end.']);
    expect(performance.now() - before).toBeLessThan(3000);
  });

  it('is not undone by ctx revert', async () => {
    const log = talk().entry('rb', 'reset_boundary', {}).user('u2', 'Which colour?');
    const { exitCode, stderr } = await ctx(['revert', 's.jsonl', 'rb', '--yes'], { files: { 's.jsonl': log.text() } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('nothing to undo')]);
  });
});

describe('messages that only oh-my-pi writes', () => {
  it('are sent: mentioned files, Python of the user, and words of the developer', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
    const files = [
      { path: 'plan.md', content: 'Step 1' },
      { path: 'empty.txt', content: '' },
    ];
    const log = new Log('omp')
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
    expect(stdout).toContain('@plan.md @empty.txt');
    expect(stdout).toContain('>>> print(3) → 3');
  });

  it('include those of extensions as a developer, but for words of the user', async () => {
    const log = talk()
      .entry('rb', 'mode_change', { mode: 'plan' })
      .entry('c1', 'custom_message', { customType: 'rule', content: 'Be brief.', display: false })
      .entry('c2', 'custom_message', { customType: 'skill', content: 'Do it.', display: true, attribution: 'user' });
    expect((await sent(log)).slice(2)).toEqual(['developer: Be brief.', 'user: Do it.']);
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
  it.each<readonly [what: string, log: Log, isIt: boolean]>([
    ['of Pi', talk(), false],
    ['with a model in one field', new Log('s').entry('m', 'model_change', { model: 'zai/glm' }), true],
    ['with an entry of oh-my-pi', talk().entry('t', 'title_change', { title: 'Paint' }), true],
    ['with a message of oh-my-pi', talk().message('d', { role: 'developer', content: 'x' }), true],
    ['with a model of Pi', new Log('s').entry('m', 'model_change', { provider: 'zai', modelId: 'glm' }), false],
  ])('%s', async (_what, log, isIt) => {
    const session = await openSession(bytes(log.text()));
    expect(isOhMyPiSession(session)).toBe(isIt);
    const { stdout } = await ctx(['show', 's.jsonl'], { files: { 's.jsonl': log.text() } });
    expect(stdout.includes('oh-my-pi records usage; approximate: messages, compactions')).toBe(isIt);
  });
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
    const log = talk()
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
    const cache = await ctx(['cache', 's.jsonl', '--json'], { files: { 's.jsonl': log.text() } });
    expect(cache.stdout).not.toContain('model switch');
  });
});
