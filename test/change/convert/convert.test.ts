import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asText } from '#base/json.js';
import { buildUuid } from '#base/uuid.js';
import { type ConvertedSession, convertSession } from '#change/convert/convert-session.js';
import { openSession } from '#context/open.js';
import { claudeWriter } from '#session/agents/claude-code/write/conversation-writer.js';
import { codexWriter } from '#session/agents/codex/conversation-writer.js';
import type { ConversationWriter } from '#session/agents/conversation.js';
import { call, ClaudeCodeLog, generateClaudeCode, textBlock } from '../../support/claude-code.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { projectFolder } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

/** Converts a session, which throws unless the new one shows the carried messages. */
async function convert(text: string, writer: ConversationWriter): Promise<ConvertedSession> {
  let count = 0;
  const newId = (): string => (count += 1).toString(16).padStart(8, '0');
  const stamps = {
    sessionId: 'aaaaaaaa-0000-4000-8000-000000000000',
    timestamp: '2026-03-01T10:00:00.000Z',
    newId: () => buildUuid(newId),
  };
  return convertSession(await openSession(Buffer.from(text)), writer, stamps, '/w');
}

/** The messages of a conversion, each as its role and what it says. */
function wordsOf({ messages }: ConvertedSession): readonly string[] {
  return messages.map(({ role, content }) => {
    const words = content.map(({ type, text, name, id }) =>
      asText(type === 'toolCall' ? `${asText(name)}#${asText(id)}` : (text ?? type)),
    );
    return `${role}: ${words.join(' | ')}`;
  });
}

const WRITERS = [
  ['Claude Code', claudeWriter],
  ['Codex', codexWriter],
] as const;

const FIXTURES = [
  'agents/claude-code/session.jsonl',
  'agents/claude-code/requests.jsonl',
  'agents/codex/rollout.jsonl',
  'agents/codex/version-0.50.jsonl',
  'agents/gemini-cli/session.jsonl',
  'agents/gemini-cli/session.json',
  'agents/opencode/export.json',
  'agents/qwen-code/session.jsonl',
  'compacted-twice.jsonl',
  'working.jsonl',
  'version-1.jsonl',
];

const GENERATED = runs(60);

describe.each(WRITERS)('a conversion to %s', (_title, writer) => {
  it.each(FIXTURES)('of %s shows the carried messages', async (name) => {
    const { messages } = await convert(readFixture(name), writer);
    expect(messages.length).toBeGreaterThan(1);
  });

  it.each([
    ['Claude Code', generateClaudeCode],
    ['Codex', generateRollout],
    ['Pi', (seed: number) => generateSession({ seed, odd: seed % 2 === 0 ? 0.05 : 0, transforms: 0.05 })],
  ] as const)('of generated sessions of %s shows the carried messages', async (_from, generate) => {
    let written = 0;
    for (let seed = 0; seed < GENERATED; seed += 1) {
      try {
        await convert(generate(seed), writer);
        written += 1;
      } catch (error) {
        expect(error).toMatchObject({ message: expect.stringContaining('no message') as string });
      }
    }
    expect(written).toBeGreaterThan(GENERATED * 0.75);
  });
});

describe('a session that another agent goes on with', () => {
  const HEADER = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' };

  function ofPi(...messages: readonly object[]): string {
    const entries = messages.map((message, at) => {
      const parentId = at === 0 ? null : `e${at - 1}`;
      return { type: 'message', id: `e${at}`, parentId, timestamp: HEADER.timestamp, message };
    });
    return [HEADER, ...entries].map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  const user = (text: string): object => ({ role: 'user', content: text });
  const answer = (...content: readonly object[]): object => ({ role: 'assistant', content, provider: 'p', model: 'm' });
  const toolCall = (id: string, name = 'read'): object => ({ type: 'toolCall', id, name, arguments: { path: 'a' } });
  const result = (toolCallId: string, text: string, isError = false): object => {
    return { role: 'toolResult', toolCallId, toolName: 'read', content: [{ type: 'text', text }], isError };
  };

  it('lacks thinking, failed answers, calls without results and results without calls, which are counted', async () => {
    const text = ofPi(
      user('Read a.'),
      answer({ type: 'thinking', thinking: 'Hm.', thinkingSignature: 'x' }, toolCall('c1'), toolCall('c2')),
      result('c1', 'A'),
      result('c9', 'lost'),
      { ...answer({ type: 'text', text: 'Oops' }), stopReason: 'error' },
      answer({ type: 'text', text: 'It says A.' }),
    );
    const converted = await convert(text, claudeWriter);
    expect(wordsOf(converted)).toEqual([
      'user: Read a.',
      'assistant: read#c1',
      'toolResult: A',
      'assistant: It says A.',
    ]);
    expect(converted.losses).toEqual([
      { kind: 'thinking', count: 1 },
      { kind: 'tools', count: 1 },
      { kind: 'calls', count: 1 },
      { kind: 'results', count: 1 },
      { kind: 'answers', count: 1 },
    ]);
  });

  it('has results directly after their calls, and ids that no other call has', async () => {
    const text = ofPi(
      user('Read.'),
      answer(toolCall('call|1', 'fs.read')),
      user('Quick!'),
      result('call|1', 'A'),
      answer(toolCall('call|1', 'fs.read')),
      result('call|1', 'B'),
    );
    const converted = await convert(text, codexWriter);
    expect(wordsOf(converted)).toEqual([
      'user: Read.',
      'assistant: fs_read#call_1',
      'toolResult: A',
      'user: Quick!',
      'assistant: fs_read#call_1_2',
      'toolResult: B',
    ]);
    expect(converted.movedResults).toBe(1);
  });

  it('has failed results, which Codex cannot mark', async () => {
    const text = ofPi(user('Read.'), answer(toolCall('c1')), result('c1', 'no such file', true));
    const [toClaude, toCodex] = [await convert(text, claudeWriter), await convert(text, codexWriter)];
    expect(toClaude.messages.at(-1)).toMatchObject({ isError: true });
    expect(toCodex.messages.at(-1)).toMatchObject({ isError: false });
    expect(toCodex.losses).toContainEqual({ kind: 'failures', count: 1 });
    expect(toClaude.losses.map(({ kind }) => kind)).not.toContain('failures');
  });

  it('has images that providers take, and no others', async () => {
    const image = (mimeType: string): object => ({ type: 'image', mimeType, data: 'aGk=' });
    const text = ofPi({
      role: 'user',
      content: [{ type: 'text', text: 'See' }, image('image/png'), image('image/bmp')],
    });
    for (const writer of [claudeWriter, codexWriter]) {
      const converted = await convert(text, writer);
      expect(wordsOf(converted)).toEqual(['user: See | image']);
      expect(converted.losses).toEqual([{ kind: 'images', count: 1 }]);
    }
  });

  it('begins with the summary of its last compaction, as its new agent writes one', async () => {
    const toClaude = await convert(readFixture('compacted-twice.jsonl'), claudeWriter);
    expect(Buffer.from(toClaude.bytes).toString()).toMatch(/^.*"compact_boundary".*\n.*"isCompactSummary":true/);
    const toCodex = await convert(readFixture('compacted-twice.jsonl'), codexWriter);
    expect(Buffer.from(toCodex.bytes).toString()).toMatch(/^.*"session_meta".*\n.*"type":"compacted"/);
  });

  it('has long results whole: Codex is told not to cut them', async () => {
    const text = ofPi(user('Read.'), answer(toolCall('c1')), result('c1', 'é'.repeat(10_000)));
    const { bytes } = await convert(text, codexWriter);
    expect(Buffer.from(bytes).toString()).toContain('"metadata":{"fallback_token_limit_override":5000}');
  });

  it('has no answer of a provider of its new agent, so that no call is counted twice', async () => {
    const { context } = await convert(readFixture('working.jsonl'), claudeWriter);
    expect(context.meta).toMatchObject({ usage: null, model: null });
  });

  it('lacks what Claude Code says about itself, and has files and words of hooks', async () => {
    const log = new ClaudeCodeLog();
    log.user('Look at @a.txt');
    log.record('attachment', { attachment: { type: 'skill_listing', content: 'Many skills' } });
    log.record('attachment', { attachment: { type: 'file', content: 'The file a.txt' } });
    log.answer('msg_1', call('t1'));
    log.result('t1', 'out');
    log.answer('msg_2', textBlock('Done.'));
    const converted = await convert(log.text, codexWriter);
    expect(wordsOf(converted)).toEqual([
      'user: Look at @a.txt',
      'user: The file a.txt',
      'assistant: Bash#t1',
      'toolResult: out',
      'assistant: Done.',
    ]);
    expect(converted.losses).toContainEqual({ kind: 'self-description', count: 1 });
  });

  it('lacks what Codex says about itself, and what only its provider can read', async () => {
    const item = (role: string, text: string): object => {
      return { type: 'message', role, content: [{ type: 'input_text', text }] };
    };
    const history = [
      item('developer', 'Be brief.'),
      item('user', 'Old words'),
      { type: 'compaction', encrypted_content: 'x' },
    ];
    const lines = [
      { type: 'session_meta', payload: { id: 's', timestamp: HEADER.timestamp, cwd: '/w' } },
      { type: 'compacted', payload: { message: '', replacement_history: history } },
      { type: 'response_item', payload: item('developer', '<permissions instructions>') },
      { type: 'response_item', payload: item('user', '<environment_context>x</environment_context>') },
      { type: 'response_item', payload: item('user', '<user_shell_command>ls</user_shell_command>') },
      { type: 'response_item', payload: item('user', 'New words') },
    ];
    const text = lines.map((line) => `${JSON.stringify({ timestamp: HEADER.timestamp, ...line })}\n`).join('');
    const converted = await convert(text, claudeWriter);
    expect(wordsOf(converted)).toEqual([
      'user: Old words',
      'user: <user_shell_command>ls</user_shell_command>',
      'user: New words',
    ]);
    expect(converted.losses).toEqual([
      { kind: 'self-description', count: 3 },
      { kind: 'sealed', count: 1 },
    ]);
  });

  it('keeps its name and its folder', async () => {
    const named = { type: 'session_info', id: 'n', parentId: 'e0', timestamp: HEADER.timestamp, name: 'Rain' };
    const text = `${ofPi(user('Hello'))}${JSON.stringify(named)}\n`;
    for (const writer of [claudeWriter, codexWriter]) {
      const { context } = await convert(text, writer);
      expect(context.session).toMatchObject({ name: 'Rain', cwd: '/w' });
    }
  });

  it('is refused if no message is left', async () => {
    await expect(convert(ofPi(), claudeWriter)).rejects.toMatchObject({ kind: 'refused' });
  });
});
