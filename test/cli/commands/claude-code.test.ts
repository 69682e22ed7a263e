import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const FILE = '/home/ada/.claude/projects/-work-app/0b1c.jsonl';
const SUBAGENT = '/home/ada/.claude/projects/-work-app/0b1c/subagents/agent-a1.jsonl';

function session(): ClaudeCodeLog {
  const log = new ClaudeCodeLog();
  log.user('Look at the weather');
  log.record('progress', { data: {} });
  log.answer('msg_1', call('t1'));
  log.result('t1', 'it rains in Bergen');
  log.answer('msg_2', textBlock('It rains.'));
  return log;
}

const ID = '258c7280';
const files = { [FILE]: session().text };

describe('commands on a session of Claude Code', () => {
  it('name the lines of its own file', async () => {
    const { stdout, exitCode } = await ctx(['grep', 'Bergen', FILE, '--json'], { files });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ line: 4 });
    expect((await ctx(['log', FILE, '--json'], { files })).stdout).toContain('"line":5');
  });

  it('print its lines as stored', async () => {
    const { stdout } = await ctx(['cat', FILE, 'HEAD', '--raw'], { files });
    expect(stdout).toBe(`${session().lines[4]}\n`);
  });

  it.each(['log', 'tree', 'stats', 'cache', 'facts', 'status', 'diff', 'check', 'report'])(
    'read it: ctx %s',
    async (name) => {
      const more = name === 'diff' ? ['HEAD^..HEAD'] : name === 'report' ? ['--output', '/r.html'] : [];
      const { exitCode, stderr } = await ctx([name, FILE, ...more], { files });
      const warning = name === 'report' ? expect.stringMatching(/1 user name in paths: add --redact/) : '';
      expect([name, exitCode, stderr]).toEqual([name, 0, warning]);
    },
  );

  it('count no call where an answer records no usage', async () => {
    const calls = async (text: string): Promise<unknown> => {
      const { stdout } = await ctx(['stats', FILE, '--json'], { files: { [FILE]: text } });
      return (JSON.parse(stdout) as { usageRecorded: { calls: number } }).usageRecorded.calls;
    };
    const lines = session().lines.map((text) => {
      const { message, ...line } = JSON.parse(text) as { message?: Record<string, unknown> };
      if (message?.['role'] === 'assistant') delete message['usage'];
      return JSON.stringify({ ...line, message });
    });
    expect(await calls(session().text)).toBe(2);
    expect(await calls(lines.join('\n'))).toBe(0);
  });

  it('say how far each part of the context is recorded', async () => {
    const shown = async (text: string): Promise<string> =>
      (await ctx(['show', FILE], { files: { [FILE]: text }, columns: 120 })).stdout;
    // A version without the words of attachments does not record all that it tells the model.
    expect(await shown(session().text)).toContain(
      'Claude Code 2.1.144 records compactions, usage; approximate: messages; missing: system, tools\n',
    );
    const log = session();
    log.record('attachment', { attachment: { type: 'date' }, rendered: [{ content: 'It is Monday.' }] });
    expect(await shown(log.text)).toContain('records messages, compactions, usage; missing: system, tools\n');
    log.record('attachment', { attachment: { type: 'of_the_future' }, version: '2.9.0' });
    expect(await shown(log.text)).toContain('approximate: messages, compactions; missing');
  });

  it('say that an answer without a stop reason has only the usage of its beginning', async () => {
    const log = session();
    log.answer('msg_3', textBlock('And then'), log.leaf, { stop_reason: null });
    const given = { files: { [FILE]: log.text, '/other.jsonl': session().text } };
    expect((await ctx(['show', FILE], given)).stdout).toContain('approximate: messages, usage;');
    const warned = 'ctx: warning: partial-usage: the cost is at least the one shown';
    for (const how of [[FILE], [FILE, '/other.jsonl'], [FILE, '/other.jsonl', '--by', 'model']]) {
      const { exitCode, stderr } = await ctx(['stats', ...how], given);
      expect([exitCode, stderr.slice(0, warned.length), stderr.split('\n').length]).toEqual([0, warned, 2]);
    }
    // The client writes an error as an answer, without a stop reason.
    const failed = session();
    failed.answer('msg_3', textBlock('API Error'), failed.leaf, { model: '<synthetic>' });
    expect((await ctx(['stats', FILE], { files: { [FILE]: failed.text } })).stderr).toBe('');
  });

  it('estimate the context after such an answer, and mark its output', async () => {
    const log = session();
    log.answer('msg_3', textBlock('And then. '.repeat(100)), log.leaf, { stop_reason: null });
    const given = { files: { [FILE]: log.text } };
    expect((await ctx(['cat', FILE, 'HEAD'], given)).stdout).toContain(', 9 out (partial)');
    expect((await ctx(['cat', FILE, 'HEAD~1'], given)).stdout).toMatch(/, 9 out$/m);
    const { stdout } = await ctx(['show', FILE], given);
    expect(stdout).toMatch(/^ {2}~1,4\d\d tokens: 1,043 recorded; ~3\d\d added since/m);
    const entries = (await ctx(['log', FILE, '--json'], given)).stdout.trimEnd().split('\n');
    const sizes = entries.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(sizes.at(-2)).toMatchObject({ contextTokens: 1052, contextTokensSource: 'recorded' });
    expect(sizes.at(-1)?.['contextTokensSource']).not.toBe('recorded');
    expect(stdout).toContain(`~${Number(sizes.at(-1)?.['contextTokens']).toLocaleString('en')} tokens: 1,043 recorded`);
  });

  it('never write to it: ctx migrate', async () => {
    const given = { ...files, 's.md': 'A summary.' };
    const short = FILE.replace('/home/ada', '~');
    const ran = await ctx(['migrate', FILE], { files: given });
    expect([ran.exitCode, ran.stderr]).toEqual([
      4,
      `ctx: a session of Claude Code is never written to: ${short}: convert it first: ctx convert ${short} --output 0b1c.pi.jsonl\n`,
    ]);
    expect(ran.files[FILE]).toEqual(given[FILE]);
  });

  it.each([
    ['revert', ID, 'HEAD'],
    ['apply', '/patch.json', ID],
    ['apply', ID, '/patch.json'],
    ['compact', ID, '--yes'],
    ['prune', ID, '--yes'],
  ])('find it by its id, and never write to it: ctx %s %s', async (...argv) => {
    const file = `/home/ada/.claude/projects/-work-app/${ID}-ae70-4798-800f-63464d01a85d.jsonl`;
    const given = { [file]: session().text, '/patch.json': '[]' };
    const { exitCode, stderr } = await ctx(argv, { files: given, env: { HOME: '/home/ada' } });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('a session of Claude Code is never written to')]);
  });

  it('redact into a copy that Claude Code opens, and say how', async () => {
    const { stdout, exitCode } = await ctx(['redact', FILE, '--output', '/new.jsonl'], { files });
    expect([exitCode, stdout.split('\n').at(-2)]).toEqual([0, 'resume: claude --resume /new.jsonl --fork-session']);
    expect((await ctx(['redact', FILE, '--dry-run'], { files })).stdout).not.toContain('resume:');
  });

  it('show a line that was written since', async () => {
    const log = session();
    log.user('And tomorrow?');
    const { stdout } = await ctx(['log', FILE, '--follow', '--json'], { files, later: [{ [FILE]: log.text }] });
    expect(stdout).toContain('And tomorrow?');
  });
});

describe('ctx status', () => {
  it('does not say when Pi compacts', async () => {
    const { stdout } = await ctx(['status', FILE], { files });
    expect(stdout).toContain('Advice');
    expect(stdout).not.toMatch(/^Pi /m);
    expect(stdout).not.toMatch(/^Try /m);
    const { stdout: json } = await ctx(['status', FILE, '--json'], { files });
    expect(JSON.parse(json)).toMatchObject({ pi: null, limit: 1_000_000, limitSource: 'assumed' });
  });

  it.each([
    ['the name of the model', { model: 'claude-sonnet-4-5[1m]' }, 150_000, 'auto', 1_000_000, 'recorded'],
    ['a compaction above the small one', { model: 'claude-sonnet-4-5' }, 400_000, 'manual', 1_000_000, 'assumed'],
    ['an automatic compaction below it', { model: 'claude-sonnet-4-6' }, 150_000, 'auto', 200_000, 'assumed'],
    ['nothing', { model: 'claude-sonnet-4-6' }, 150_000, 'manual', 1_000_000, 'assumed'],
  ])('knows the context window from %s', async (_, fields, preTokens, trigger, limit, limitSource) => {
    const log = new ClaudeCodeLog();
    log.user('One');
    log.answer('msg_1', textBlock('1'), log.leaf, fields);
    log.boundary({ preTokens, trigger });
    log.summary('All of it.');
    const { stdout } = await ctx(['status', FILE, '--json'], { files: { [FILE]: log.text } });
    expect(JSON.parse(stdout)).toMatchObject({ limit, limitSource });
  });

  it.each([
    ['2.1.74', 'claude-opus-4-6', 200_000, 200_000],
    ['2.1.75', 'claude-opus-4-6', 200_000, 1_000_000],
    ['1.0.99', 'claude-opus-4-6', 9000, 200_000],
    ['3.0.0', 'claude-opus-4-6', 9000, 1_000_000],
    ['2.1.39', 'claude-opus-4-6', 200_001, 1_000_000],
    ['2.1.39', 'gpt-4.1', 9000, 1_047_576],
    ['', 'claude-opus-4-6', 9000, 1_000_000],
  ])('assumes for Claude Code %j, %s and %i tokens a window of %i', async (version, model, tokens, limit) => {
    const log = new ClaudeCodeLog();
    log.user('One');
    log.answer('msg_1', textBlock('1'), log.leaf, { model, usage: { input_tokens: tokens, output_tokens: 0 } });
    const text = log.text.replaceAll('"version":"2.1.144"', JSON.stringify({ version }).slice(1, -1));
    const { stdout } = await ctx(['status', FILE, '--json'], { files: { [FILE]: text } });
    expect(JSON.parse(stdout)).toMatchObject({ limit, limitSource: 'assumed' });
  });
});

describe('advice', () => {
  it('does not name commands that write to the file', async () => {
    const full = await ctx(['status', FILE, '--limit', '25'], { files });
    expect(full.stdout).toMatch(/with --install instead of --dry-run: a copy that\s+Claude Code resumes/);
    const dry = await ctx(['compact', FILE, '--summary', 's.md', '--keep-recent', '1', '--dry-run'], {
      files: { ...files, 's.md': 'A summary.' },
    });
    expect(dry.stdout).toContain('would write a copy: compacted');
    expect((await ctx(['revert', FILE], { files })).stderr).toContain('--install puts it where Claude Code looks');
    expect((await ctx(['revert', FILE, '--install'], { files })).stderr).toContain('nothing to undo');
    const open = session();
    open.answer('msg_3', call('t2'));
    const { stdout } = await ctx(['check', FILE, '--severity', 'note'], { files: { [FILE]: open.text } });
    expect(stdout).toMatch(/open-call/);
    expect(stdout).not.toContain('→');
  });

  it('does not name what Pi would do', async () => {
    const log = session();
    log.user('Again?');
    const usage = { input_tokens: 90_000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    log.answer('msg_3', textBlock('Yes.'), log.leaf, { usage });
    const { stdout } = await ctx(['cache', FILE], { files: { [FILE]: log.text } });
    expect(stdout).toContain('1 break');
    expect(stdout).not.toContain('Pi shows');
  });

  it('does not claim a thinking level that is not recorded', async () => {
    expect((await ctx(['show', FILE], { files })).stdout).toContain('thinking unknown');
    const { stdout } = await ctx(['export', FILE, '--format', 'anthropic', '--max-tokens', '9'], { files });
    expect(stdout).not.toContain('"thinking":');
  });
});

describe('ctx ls', () => {
  it('lists the sessions of another agent in a folder, and names files that hold none', async () => {
    const { stdout, stderr } = await ctx(['ls', '/home/ada/.claude/projects'], {
      files: { ...files, '/home/ada/.claude/projects/a.jsonl': '{}\n' },
    });
    expect(stdout.split('\n').filter((line) => line.includes('.jsonl'))).toHaveLength(1);
    expect(stderr).toContain('left out 1 file: ~/.claude/projects/a.jsonl');
    const json = await ctx(['ls', '/home/ada/.claude/projects', '--json'], { files });
    expect(json.stdout).toContain('"agent":"claude-code"');
  });
});

describe('ctx convert, under its old name', () => {
  it('names what Pi does not get', async () => {
    const rollout = readFileSync(path.join(projectFolder, 'fixtures/agents/codex/rollout.jsonl'));
    const { stdout } = await ctx(['import', 'r.jsonl', '--dry-run'], { files: { 'r.jsonl': rollout } });
    expect(stdout).toContain('1 replaced history: 5 entries added for Pi\n');
    expect(stdout).toContain('1 part of the prompt and the tool definitions: Pi sends its own\n');
  });

  it('writes a session of Pi with the same context', async () => {
    const { exitCode, files: after, stdout } = await ctx(['import', FILE, '--output', '/new.jsonl'], { files });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Claude Code 2.1.144 → Pi: 5 entries')]);
    const imported = await ctx(['show', '/new.jsonl', '--part', 'messages', '--json'], { files: after });
    const original = await ctx(['show', FILE, '--part', 'messages', '--json'], { files });
    const contents = [imported, original].map(({ stdout: text }) => [...text.matchAll(/"text":"[^"]*"/g)].join());
    expect(contents[0]).toBe(contents[1]);
    expect((await ctx(['check', '/new.jsonl'], { files: after })).exitCode).toBe(0);
  });

  it('refuses a session of Pi', async () => {
    const { exitCode, stderr } = await ctx(['import', 's.jsonl', '--dry-run'], {
      files: { 's.jsonl': '{"type":"session","version":3,"id":"s"}\n' },
    });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('this is a session of Pi already')]);
  });
});

describe('ctx ls --agent', () => {
  const env = { HOME: '/home/ada' };

  it('lists the sessions of an agent where they are, subagents below the session that started them', async () => {
    const log = new ClaudeCodeLog('7');
    log.user('A task', { isSidechain: true, agentId: 'a1' }, null);
    const { stdout, exitCode } = await ctx(['ls', '--agent', 'claude-code', '--json'], {
      files: { ...files, [SUBAGENT]: log.text },
      env,
    });
    expect(exitCode).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toMatchObject([
      { file: FILE, agent: 'claude-code', title: 'Look at the weather' },
      { file: SUBAGENT, agent: 'claude-code', id: 'agent-a1', parentSession: FILE },
    ]);
  });

  it.each([
    ['ls', '--agent', 'claude'],
    ['ls', '/home', '--agent', 'claude'],
    ['show', 'latest:claude'],
  ])('takes the first word of a name: ctx %s %s %s', async (...argv) => {
    const whole = argv.map((word) => word.replace('claude', 'claude-code'));
    const [short, long] = await Promise.all([argv, whole].map((one) => ctx(one, { files, env })));
    expect(short).toEqual(long);
    expect(short?.exitCode).toBe(0);
  });

  it('passes over a newest session without messages', async () => {
    const empty = new ClaudeCodeLog();
    empty.other({ type: 'file-history-snapshot', messageId: 'm', snapshot: {} });
    const place = FILE.replace(/[^/]+$/, 'ffffffff-0000-4000-8000-000000000000.jsonl');
    const world = { files: { ...files, [place]: empty.text }, env };
    const shown = await ctx(['show', 'latest:claude'], { files, env });
    expect(await ctx(['show', 'latest:claude'], world)).toMatchObject({ exitCode: 0, stdout: shown.stdout });
    const only = await ctx(['check', 'latest:claude'], { files: { [place]: empty.text }, env });
    expect(only.stdout).toContain('in 1 session');
  });

  it('names the agents that there are', async () => {
    const { exitCode, stderr } = await ctx(['ls', '--agent', 'none'], { files, env });
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/unknown agent "none".*claude-code.*all/)]);
  });
});

describe('ctx cache', () => {
  const usage = (read: number, write: number): object => ({
    input_tokens: 3,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
    output_tokens: 5,
  });

  it("shows the provider's own reason beside the cause, and how often they agree", async () => {
    const log = new ClaudeCodeLog();
    log.user('One');
    log.answer('msg_1', textBlock('1'), log.leaf, { usage: usage(0, 20_000) });
    log.user('Two');
    const diagnostics = { cache_miss_reason: { type: 'model_changed', cache_missed_input_tokens: 20_000 } };
    log.answer('msg_2', textBlock('2'), log.leaf, { model: 'claude-haiku-4-5', usage: usage(0, 20_500), diagnostics });
    const { stdout } = await ctx(['cache', FILE], { files: { [FILE]: log.text }, columns: 160 });
    expect(stdout).toContain(
      [
        'provider   reports 1 miss; the session shows the same cause for 1 of 1',
        '           #2 model_changed (20,000 tokens): model switch',
      ].join('\n'),
    );
    expect(stdout).not.toContain('also model switch');
    expect(stdout).toContain('the provider reports model_changed');
    const { stdout: json } = await ctx(['cache', FILE, '--each', '--json'], { files: { [FILE]: log.text } });
    expect(json).toContain('"providerReason":{"type":"model_changed","missedTokens":20000}');
    expect(json).toContain('"providerReasons":{"reported":1,"compared":1,"agreed":1,"misses":[{"request":2,');
    const unnamed = log.text.replace('"model_changed"', '"unavailable"');
    const { stdout: none } = await ctx(['cache', FILE], { files: { [FILE]: unnamed } });
    expect(none).toContain('reports 1 miss, and names no cause');
  });

  it('shows what the provider cleared from requests before the model saw them', async () => {
    const log = new ClaudeCodeLog();
    const cleared = (tokens: number): object => ({
      applied_edits: [
        { type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: tokens },
        { type: 'clear_thinking_20251015', cleared_thinking_turns: 1, cleared_input_tokens: 10 },
      ],
    });
    const answers = [{ applied_edits: [] }, cleared(4000), cleared(5000), null];
    for (const [at, edits] of answers.entries()) {
      log.user(`${at}`);
      const read = at === 0 || at === 1 ? 0 : 20_000;
      const more = { usage: usage(read, read === 0 ? 20_000 : 10), context_management: edits };
      log.answer(`msg_${at}`, textBlock('.'), log.leaf, more);
    }
    const { stdout } = await ctx(['cache', FILE], { files: { [FILE]: log.text }, columns: 160 });
    expect(stdout).toContain('by the provider from 2 requests, up to 5,010 tokens; the model did not see them');
    expect(stdout).toContain('the provider cleared 4,010 tokens');
    const { stdout: json } = await ctx(['cache', FILE, '--each', '--json'], { files: { [FILE]: log.text } });
    expect(json).toContain('"providerEdits":{"toolUses":2,"thinkingTurns":1,"tokens":4010}');
    expect(json).toContain('"providerEdits":{"requests":2,"mostTokens":5010}');
    expect(json.match(/"providerEdits"/g)).toHaveLength(3);
  });
});

describe('a change that is planned for a session of Claude Code', () => {
  // Progress is no entry.
  const log = session();
  log.record('progress', { data: {} });
  log.record('progress', { data: {} });
  log.user('And tomorrow?');
  log.answer('msg_3', textBlock('password=hunter2hunter2'));
  const last = log.lines.length;
  const given = { [FILE]: log.text };
  const compact = ['compact', FILE, '--keep-recent', '1'];

  const SHORT = FILE.replace('/home/ada', '~');

  it('names the lines of its own file, and none for an entry that is not written', async () => {
    const { stdout } = await ctx([...compact, '--dry-run'], { files: given });
    expect(stdout).toMatch(new RegExp(`^\\S+ line ${last} → \\S+, ${SHORT}$`, 'm'));
    const { stdout: json } = await ctx([...compact, '--dry-run', '--json'], { files: given });
    const { loss } = JSON.parse(json) as { loss: { left: { line: number }[] } };
    expect(loss.left.map(({ line }) => line)).toEqual([1, 3, 4, 5, last - 1]);
  });

  it('names the line that a new entry has in the copy', async () => {
    const { stdout, files: after } = await ctx([...compact, '--output', '/new.jsonl'], { files: given });
    const written = after['/new.jsonl']?.toString().trim().split('\n').length;
    expect(stdout).toMatch(
      new RegExp(`^\\S+ line ${last} of ${SHORT} → \\S+\\s+line ${Number(written) - 1} of\\s+/new.jsonl$`, 'm'),
    );
  });

  it('names the lines of its own file for what a redaction replaces', async () => {
    const { stdout } = await ctx(['redact', FILE, '--dry-run', '--json'], { files: given });
    const { redaction } = JSON.parse(stdout) as { redaction: { replacements: { line: number }[] } };
    expect(redaction.replacements.map(({ line }) => line)).toEqual([last]);
  });
});

describe('ctx stats of a session with subagents', () => {
  const given = { ...files, [SUBAGENT]: session().text };
  const folder = path.dirname(SUBAGENT);

  it('names their sessions, which it does not count', async () => {
    const { stdout } = await ctx(['stats', FILE], { files: given });
    expect(stdout).toContain('subagents: 1 session, 0 tokens, $0.00, not counted (--with-subagents)\n');
    expect((await ctx(['stats', FILE], { files })).stdout).not.toContain('not counted');
  });

  it('does not name them where it counts them', async () => {
    expect((await ctx(['stats', FILE, folder], { files: given })).stdout).not.toContain('not counted');
  });
});
