import { describe, expect, it } from 'vitest';
import { DATABASES } from '#session/scan/known-databases.js';
import { KNOWN_FILES } from '#session/scan/known-files.js';
import { detectOtherFile } from '#session/scan/other-files.js';
import { expectLinearTime } from '../../support/growth.js';
import { ctx } from '../../support/memory-io.js';

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const document = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const database = (sql: string): string => `SQLite format 3\0\u0010\0\0${sql}`;

const DROID_MESSAGE = {
  type: 'message',
  id: 'm1',
  timestamp: '2026-04-02T10:00:00Z',
  message: { role: 'user', content: [{ type: 'text', text: 'Sort the list' }] },
};

/** A sample of each kind of session that ctx names and does not read, with its format and version. */
const SESSIONS: readonly (readonly [named: string, content: string])[] = [
  ['a Claude Code session (JSON lines)', line({ parentUuid: null, isSidechain: false, type: 'user', message: {} })],
  ['a Codex session (JSON lines)', line({ timestamp: '2026-01-01T00:00:00Z', type: 'session_meta' })],
  ['a Codex session (JSON lines)', `\ufeff${line({ timestamp: '2026-01-01T00:00:00Z', type: 'session_meta' })}`],
  ['a Gemini CLI session (JSON or JSON lines)', document({ lastUpdated: '2026-01-01T00:00:00Z', messages: [] })],
  ['a Kimi CLI session (JSON lines, version 1.9)', line({ type: 'metadata', protocol_version: '1.9' })],
  ['a Kimi CLI session (JSON lines)', line({ role: '_checkpoint', id: 0 })],
  ['a Kimi Code session (JSON lines)', line({ type: 'context.append_message', time: 1, message: { role: 'user' } })],
  ['a Kimi Code session (JSON lines)', line({ type: 'usage.record', model: 'k', usage: {}, usageScope: 'turn' })],
  ['a Kiro session (JSON lines, version 1)', line({ version: 'v1', kind: 'Prompt', data: {} })],
  ['a Kiro session (JSON lines, version 3)', line({ version: 'v3', kind: 'Prompt', data: {} })],
  ['a Hermes session (JSON)', document({ session_id: 'h', session_start: '2026-01-01T00:00:00' })],
  ['a NAC session (JSON lines)', line({ type: 'session_meta', logical_id: 'session:s' })],
  ['a Cursor session (a row of its database)', line({ key: 'composerData:1', value: {} })],
  [
    'a Cursor session (text, of early 2026)',
    'user:\n<user_query>\nSort the list\n</user_query>\n\nassistant:\nDone.\n',
  ],
  ['a Copilot CLI session (JSON lines)', line({ type: 'session.start', data: { producer: 'agent' }, id: 'a' })],
  ['a Copilot CLI session (JSON lines)', line({ type: 'tool.execution_start', data: {}, id: 'a', parentId: 'b' })],
  [
    'a Droid session (JSON lines, version 2)',
    line({ type: 'session_start', id: 'd', title: 'T', version: 2, cwd: '/d' }) + line(DROID_MESSAGE),
  ],
  ['a Droid session (JSON lines)', line({ type: 'session_start', id: 'd', cwd: '/d' }) + line(DROID_MESSAGE)],
  ['an ATIF trajectory (JSON, version 2.0)', document({ schema_version: 'ATIF-v2.0', runs: [] })],
  ['a VS Code chat session (JSON or a log of changes)', line({ kind: 1, k: ['customTitle'], v: 'T' })],
  ['an Amp session (JSON, version 7)', line({ v: 7, id: 'T-0a1b2c3d-4444-5555-6666-777788889999', messages: [] })],
  ['a Cline session (JSON, version 1)', document({ version: 1, updated_at: '2026-05-01T08:00:00Z', messages: [] })],
  [
    'a Cline, Roo Code or Kilo Code task (JSON)',
    '[{"role":"user","content":[{"type":"text","text":"<task>\\nSort it\\n</task>"}]}]',
  ],
  ['a Goose session (JSON lines before 1.10, or an export)', line({ working_dir: '/g', message_count: 2 })],
  ['a Goose session (JSON lines before 1.10, or an export)', document({ working_dir: '/g', conversation: [] })],
  ['a Continue session (JSON)', line({ sessionId: 'c', title: 'T', workspaceDirectory: '/c', history: [] })],
  ['a Grok CLI session (JSON lines)', line({ timestamp: 1, method: 'session/update', params: { sessionId: 'g' } })],
  ['a Grok CLI session (JSON lines)', line({ type: 'user', content: [{ type: 'text', text: 'Hi' }] })],
  [
    'a Grok CLI session (JSON lines)',
    line({ type: 'system', content: 'You help.' }) +
      line({ type: 'user', content: [{ type: 'text', text: 'Hi' }], prompt_index: 0 }),
  ],
  [
    'an Antigravity session (JSON lines)',
    line({ step_index: 0, source: 'USER_EXPLICIT', type: 'USER_INPUT', status: 'DONE', content: 'Sort the list' }),
  ],
  ['a Plandex session (its messages)', document({ id: 'm', orgId: 'o', planId: 'p', role: 'user', message: 'Hi' })],
  ['an OpenHands session (its events)', document({ id: 0, source: 'user', action: 'message', args: {} })],
  ['a SWE-agent trajectory (JSON)', document({ environment: 'main', trajectory: [{ action: 'ls' }], history: [] })],
  ['a SWE-agent trajectory (JSON)', document({ trajectory: [], history: [], info: {} })],
  ['a Zed session (a text thread, version 0.4.0)', document({ id: 'z', zed: 'context', version: '0.4.0', text: 'Hi' })],
  ['an LM Studio chat history (JSON)', document({ name: 'N', pinned: false, usePerChatPredictionConfig: true })],
  ['a Google AI Studio chat history (JSON)', document({ runSettings: {}, chunkedPrompt: { chunks: [] } })],
  ['an Open WebUI chat history (an export)', document([{ id: 'i', user_id: 'u', title: 'T', chat: { id: 'c' } }])],
  ['an Aider history (text, of requests)', 'TO LLM 2026-04-01T09:00:00\n-------\nSYSTEM You help.\n'],
  ['an Aider chat history (Markdown)', '# aider chat started at 2026-04-01 09:00:00\n\n> Aider v0.9\n'],
  ['a Claude.ai chat history (an export)', document([{ uuid: 'u', name: 'N', chat_messages: [] }])],
  ['a ChatGPT chat history (an export)', document([{ title: 'T', create_time: 1, mapping: {} }])],
  ['an opencode session (JSON)', document({ id: 'm', sessionID: 's', role: 'user' })],
  ['a Claude Cowork session (JSON)', document({ sessionId: 's', cliSessionId: 'c' })],
];

/** What is beside sessions, or is made of them. */
const OTHERS: readonly (readonly [named: string, content: string])[] = [
  ['the output of pi --mode json', line({ type: 'message_end', message: { role: 'user' } })],
  ['the output of claude --output-format stream-json', line({ type: 'system', subtype: 'init', session_id: 's' })],
  ['the output of codex exec --json', line({ type: 'thread.started', thread_id: 't' })],
  ['the output of gemini --output-format stream-json', line({ type: 'init', session_id: 's', model: 'g' })],
  [
    'the output of droid exec --output-format stream-json',
    line({ type: 'message', session_id: 's', timestamp: '2026-04-02T10:00:00Z', role: 'user', text: 'Sort the list' }),
  ],
  [
    'the output of droid exec --output-format stream-json',
    line({ type: 'system', subtype: 'init', session_id: 's', cwd: '/d', tools: [] }) +
      line({ type: 'completion', session_id: 's', finalText: 'Done' }),
  ],
  [
    'the output of cursor-agent --output-format stream-json',
    line({ type: 'system', subtype: 'init', session_id: 's', cwd: '/d' }) +
      line({ type: 'tool_call', subtype: 'started', call_id: 'c', session_id: 's' }),
  ],
  ['the summary of a session of Grok CLI', document({ info: { id: 'g' }, chat_format_version: 1 })],
  ['the state of a session of Kimi Code', document({ title: 'T', isCustomTitle: false, agents: { main: {} } })],
  [
    'the list of tasks of Cline, Roo Code or Kilo Code',
    document([{ id: 't', ts: 1_770_000_000_000, task: 'Sort the list', tokensIn: 5, tokensOut: 2 }]),
  ],
  ['the prompt history of Aider', '\n# 2026-04-01 09:00:00.123456\n+Sort the list\n'],
  ['a transcript of SpecStory', '<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Sort the list\n'],
  ['the log of llm', database('CREATE TABLE [responses] ([prompt] TEXT, [prompt_json] TEXT, [response_json] TEXT)')],
  ['the database of Warp', database('CREATE TABLE ai_queries (id INTEGER, conversation_id TEXT, input TEXT)')],
  ['a trajectory log of OpenClaw', line({ traceSchema: 'openclaw-trajectory', type: 'x' })],
  ['a workflow journal of Claude Code', line({ type: 'started', agentId: 'a' })],
  ['the prompt history of Claude Code', line({ display: 'Hi', pastedContents: {} })],
  ['the prompt history of Codex', line({ session_id: 's', ts: 1, text: 'Hi' })],
  ['an ACP log', line({ jsonrpc: '2.0', method: 'session/update', params: {} })],
  ['a compaction of Cline', document({ version: 1, updated_at: 'now', source_message_count: 4, messages: [] })],
  [
    'the settings of a session of Cline',
    document({ version: 1, session_id: 's', enable_tools: true, enable_spawn: true }),
  ],
  [
    'the screen of a task of Cline, Roo Code or Kilo Code',
    '[{"ts":1770000000000,"type":"say","say":"task","text":"x"}]',
  ],
  ['Markdown', `# Title\n\n${'Some text.\n'.repeat(200)}`],
  ['plain text', 'MIT License\n\nCopyright\n'],
  ['a binary file', '\0\u0001\u0002\ufffd\0'],
  ['an SQLite database', database('tablenotesnotes\u0007CREATE TABLE notes (id, session TEXT)')],
  ['the database of opencode', database('CREATE TABLE `part` (`id` text PRIMARY KEY)')],
  ['the database of Goose', database('CREATE TABLE sessions (id, working_dir TEXT, extension_data TEXT)')],
  ['a database of Cursor', database('CREATE TABLE cursorDiskKV (key TEXT UNIQUE, value BLOB)')],
  [
    'the database of a chat of the Cursor command line',
    database('CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)'),
  ],
  ['a database of VS Code', database('CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)')],
  ['the list of sessions of Cline', database('CREATE TABLE sessions (status_lock INTEGER, enable_spawn INTEGER)')],
  ['the database of Kiro CLI', database('CREATE TABLE conversations_v2 (key TEXT)')],
  ['the database of Kiro CLI', database('CREATE TABLE conversations (key TEXT)')],
  ['the database of Crush', database('CREATE TABLE sessions (parent_session_id TEXT, prompt_tokens INTEGER)')],
  ['the threads of Zed', database('CREATE TABLE IF NOT EXISTS threads (id TEXT, data_type TEXT, data BLOB)')],
];

describe('a file of another program', () => {
  it.each(SESSIONS)('is named with its format and version, refused, and never repaired: %s', async (named, content) => {
    const files = { '/f/s.jsonl': content };
    for (const command of ['show', 'check', 'log', 'stats']) {
      const { exitCode, stdout, stderr } = await ctx([command, '/f/s.jsonl'], { files });
      const said = `this looks like ${named}, in a format that ctx does not read: /f/s.jsonl: `;
      expect([command, exitCode, stdout, stderr]).toEqual([command, 3, '', expect.stringContaining(said)]);
    }
    const repaired = await ctx(['repair', '/f/s.jsonl', '--output', '/f/new.jsonl'], { files });
    expect([repaired.exitCode, repaired.stdout, Object.keys(repaired.files)]).toEqual([3, '', ['/f/s.jsonl']]);
  });

  it.each(OTHERS)('is named, and is no session: %s', async (named, content) => {
    const files = { '/f/s.jsonl': content };
    const { exitCode, stdout, stderr } = await ctx(['show', '/f/s.jsonl'], { files });
    const said = `this looks like ${named}, not a session: /f/s.jsonl: `;
    expect([exitCode, stdout, stderr]).toEqual([3, '', expect.stringContaining(said)]);
    const repaired = await ctx(['repair', '/f/s.jsonl', '--output', '/f/new.jsonl'], { files });
    expect([repaired.exitCode, Object.keys(repaired.files)]).toEqual([3, ['/f/s.jsonl']]);
  });

  it('has a sample here for each kind in the table', () => {
    const sampled = new Set([...SESSIONS, ...OTHERS].map(([, content]) => find(content)?.what));
    expect([...KNOWN_FILES, ...DATABASES].map(({ what }) => what).filter((what) => !sampled.has(what))).toEqual([]);
  });

  it('is told in linear time, whatever its texts are', async () => {
    await expectLinearTime((count) => {
      const text = JSON.stringify({ text: 'a'.repeat(count) });
      return () => expect(find(text)).toBeNull();
    }, 3750);
    await expectLinearTime((count) => {
      const tables = database(`CREATE TABLE t (${'CREATE TABLE threads '.repeat(count)})`);
      return () => expect(find(tables)?.what).toBe('an SQLite database');
    }, 190);
  });

  it.each([
    [
      'a Claude Code session (JSON lines, version 2.1.332)',
      line({ parentUuid: null, version: '2.1.332', message: {} }),
    ],
    ['a Codex session (JSON lines)', line({ timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload: {} })],
    ['a Kimi Code session (JSON lines)', line({ type: 'usage.record', model: 'k', usage: {} })],
  ])('that is one torn line of %s is named as one without a whole record', async (named, text) => {
    const { exitCode, stderr } = await ctx(['show', 's.jsonl'], { files: { 's.jsonl': text.slice(0, -6) } });
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`this looks like ${named}, of which no record is whole: s.jsonl: restore it from a copy`);
  });

  it('has advice that can be followed', () => {
    const advised = [...KNOWN_FILES, ...DATABASES].flatMap(({ hint }) => hint ?? []);
    for (const hint of advised) expect(hint).toMatch(/^(?:read|export|rename|list|a task of Cline is read)/);
  });
});

function find(content: string) {
  return detectOtherFile(new TextEncoder().encode(content));
}
