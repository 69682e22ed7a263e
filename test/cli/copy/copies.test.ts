import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { call, ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { generateRollout } from '../../support/codex-rollouts.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';
import { diceOf } from '../../support/seeded-secrets.js';
import { generateWorkedClaudeCode } from '../../support/worked-claude-code.js';
import { generateWorkedRollout } from '../../support/worked-codex.js';

const FOLDER = '/home/ada/.claude/projects/-work-app';
const FILE = `${FOLDER}/258c7280-ae70-4798-800f-63464d01a85d.jsonl`;
const ENV = { HOME: '/home/ada' };

/** Two turns with the same listing in each, and a compaction between them if `isCompacted`. */
function talk(isCompacted = false): ClaudeCodeLog {
  const log = new ClaudeCodeLog();
  for (const turn of [1, 2, 3]) {
    log.user(`What files are there? (${turn})`);
    const context = isCompacted && turn === 3 ? 900 : 1000 * turn;
    const usage = { input_tokens: context, output_tokens: 9 };
    log.answer(`msg_${turn}a`, call(`t${turn}`), log.leaf, { usage });
    log.result(`t${turn}`, 'README.md\n'.repeat(300));
    log.answer(`msg_${turn}b`, textBlock('One.'), log.leaf, { usage: { ...usage, input_tokens: context + 800 } });
    if (isCompacted && turn === 2) {
      log.boundary({ preTokens: 900, trigger: 'manual' });
      log.summary('They asked for files.');
    }
  }
  return log;
}

const files = { [FILE]: talk().text, 's.md': 'They asked for the files.' };

const newFiles = (after: Readonly<Record<string, unknown>>, before: object): readonly string[] =>
  Object.keys(after).filter((name) => !(name in before));

it('a prune of a session of Codex leaves the tools that it found as they are, says so, and prunes the rest', async () => {
  const item = (payload: object): string =>
    `${JSON.stringify({ timestamp: '2026-11-01T09:00:00.000Z', type: 'response_item', payload })}\n`;
  const user = (text: string): string =>
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const tools = Array.from({ length: 90 }, (_, at) => ({ name: `tool-${at}`, description: 'Draws a map of the town' }));
  const meta = { type: 'session_meta', payload: { id: 's', timestamp: '2026-11-01T09:00:00.000Z', cwd: '/w' } };
  const rollout = [
    `${JSON.stringify(meta)}\n`,
    user('Find a tool'),
    item({ type: 'tool_search_call', call_id: 'c1', arguments: { query: 'maps' } }),
    item({ type: 'tool_search_output', call_id: 'c1', tools }),
    item({ type: 'function_call', name: 'shell', call_id: 'c2', arguments: '{"command":["ls"]}' }),
    item({ type: 'function_call_output', call_id: 'c2', output: 'README.md\n'.repeat(900) }),
    ...['And now?', 'Thanks', 'Go on'].map(user),
  ].join('');
  const given = { 'r.jsonl': rollout };
  const ran = await ctx(['prune', 'r.jsonl', '--strategy', 'compress', '-o', 'new.jsonl'], { files: given, env: ENV });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'note: 1 result of tool_search left as it is: a list of found tools has no text to shorten',
  );
  const copy = String(ran.files['new.jsonl']);
  expect(copy).toContain(rollout.split('\n')[3]);
  expect(copy.length).toBeLessThan(rollout.length - 5000);
});

describe('a session of Claude Code', () => {
  it.each([
    ['prune', '--strategy', 'dedupe'],
    ['compact', '--summary', 's.md', '--keep-recent', '1'],
  ])('is pruned and compacted as a copy that claude resumes: ctx %s', async (name, ...flags) => {
    const ran = await ctx([name, FILE, ...flags, '--install'], { files, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    const [file = '', ...others] = newFiles(ran.files, files);
    const [, id] = /^\/home\/ada\/\.claude\/projects\/-work-app\/([0-9a-f-]{36})\.jsonl$/.exec(file) ?? [];
    expect(others).toEqual([]);
    expect(ran.stdout.trimEnd().split('\n').slice(-2)).toEqual([
      `copy: ${file.replace('/home/ada', '~')}`,
      `resume: cd ~/app && claude --resume ${id}`,
    ]);
    expect(ran.stdout).toMatch(/^the next request shrinks by ~[\d,]+ tokens \(\d+%\): ~[\d,]+ → ~[\d,]+$/m);
    expect(ran.files[FILE]).toEqual(files[FILE]);
    const shown = await ctx(['show', file, '--json'], { files: ran.files });
    expect(JSON.parse(shown.stdout)).toMatchObject({ session: { id } });
  });

  it('is not copied without a message, since no client opens that', async () => {
    const named = { [FILE]: `${JSON.stringify({ type: 'summary', summary: 'Files', leafUuid: 'x' })}\n${talk().text}` };
    const ran = await ctx(['extract', FILE, '@{turn:1}~1', '--install'], { files: named, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('the copy would have no message')]);
    expect(newFiles(ran.files, named)).toEqual([]);
  });

  it('has the messages again that a compaction removed', async () => {
    const given = { [FILE]: talk(true).text };
    const before = await ctx(['show', FILE, '--part', 'messages'], { files: given });
    expect(before.stdout).not.toContain('(1)');
    const ran = await ctx(['revert', FILE, '@{compaction}', '--output', 'whole.jsonl'], { files: given, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('wrote a copy: 1 compaction taken back\nthe next request grows by');
    expect(ran.stdout).toContain('resume: claude --resume whole.jsonl --fork-session');
    const after = await ctx(['show', 'whole.jsonl', '--part', 'messages'], { files: ran.files });
    for (const turn of ['(1)', '(2)', '(3)']) expect(after.stdout).toContain(turn);
  });

  it('keeps its newest turn with what the client adds to it, and has a packet for the turns before', async () => {
    const log = new ClaudeCodeLog();
    for (const turn of [1, 2, 3]) {
      log.user(`What files are there? (${turn})`);
      log.answer(`msg_${turn}a`, call(`t${turn}`));
      log.result(`t${turn}`, `README-${turn}.md\n`.repeat(300));
      log.record('attachment', { attachment: { type: 'total_tokens_reminder', text: `Reminder ${turn}.` } });
      log.answer(`msg_${turn}b`, textBlock('One.'));
    }
    const given = { [FILE]: log.text };
    const argv = ['prune', FILE, '--strategy', 'turns', '--recent-turns', '1', '--output', 'pruned.jsonl', '--json'];
    const ran = await ctx(argv, { files: given, env: ENV });
    expect(JSON.parse(ran.stdout)).toMatchObject({ changes: { isCompacted: true, dropped: 0 } });
    const after = await ctx(['show', 'pruned.jsonl', '--part', 'messages', '--full'], { files: ran.files });
    for (const words of ['Context packet', '(3)', 'README-3', 'Reminder 3']) expect(after.stdout).toContain(words);
    for (const words of ['README-2', 'Reminder 2']) expect(after.stdout).not.toContain(words);
  });

  it('has the messages again that a compaction at its end removed', async () => {
    const compacted = await ctx(['compact', FILE, '--summary', 's.md', '--keep-recent', '1', '-o', 'c.jsonl'], {
      files,
    });
    const ran = await ctx(['revert', 'c.jsonl', '@{compaction}', '-o', 'whole.jsonl'], { files: compacted.files });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    const after = await ctx(['show', 'whole.jsonl', '--part', 'messages'], { files: ran.files });
    expect(after.stdout).not.toContain('They asked for the files.');
    for (const turn of ['(1)', '(2)', '(3)']) expect(after.stdout).toContain(turn);
  });

  describe('with subagents and saved results', () => {
    const BESIDE = FILE.replace(/\.jsonl$/, '');
    const subagent = new ClaudeCodeLog('7');
    subagent.user('A task', { isSidechain: true, agentId: 'a1' }, null);
    subagent.answer('msg_side', textBlock('Done.'));
    const damage = '{"sessionId":"0b1c2d3e-0000-4000-8000-00000000abcd","torn';
    const given: Readonly<Record<string, string | Uint8Array>> = {
      ...files,
      [`${BESIDE}/subagents/agent-a1.jsonl`]: subagent.text + damage,
      [`${BESIDE}/subagents/agent-a1.meta.json`]: '{"agentType":"general-purpose"}',
      [`${BESIDE}/subagents/workflows/wf_1/agent-a2.jsonl`]: subagent.text,
      [`${BESIDE}/tool-results/toolu_1.txt`]: Buffer.from([0, 255, 10]),
    };
    const argv = ['prune', FILE, '--strategy', 'dedupe'];

    it('has them with its own id, if it is installed', async () => {
      const ran = await ctx([...argv, '--install'], { files: given, env: ENV });
      expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
      expect(ran.stdout).toContain('with 4 files of its subagents and saved tool results');
      const added = newFiles(ran.files, given);
      const copy = added.find((name) => /\/[0-9a-f-]{36}\.jsonl$/.test(name)) ?? '';
      const id = path.basename(copy, '.jsonl');
      const beside = copy.replace(/\.jsonl$/, '');
      const names = Object.keys(given).filter((name) => name.startsWith(`${BESIDE}/`));
      expect(added.toSorted()).toEqual([copy, ...names.map((name) => name.replace(BESIDE, beside))].toSorted());
      // The session comes last, so that the agent finds all of it or nothing.
      expect(added.at(-1)).toBe(copy);
      const text = String(ran.files[`${beside}/subagents/agent-a1.jsonl`]);
      const [first = '', second = '', end] = text.split('\n');
      expect(end).toBe(damage);
      for (const line of [first, second]) {
        const value = JSON.parse(line) as Record<string, unknown>;
        expect(value).toMatchObject({ sessionId: id, forkedFrom: { messageUuid: value['uuid'] } });
      }
      for (const name of ['subagents/agent-a1.meta.json', 'tool-results/toolu_1.txt'])
        expect(Buffer.from(ran.files[`${beside}/${name}`]!)).toEqual(Buffer.from(given[`${BESIDE}/${name}`]!));
      for (const name of names) expect(ran.files[name]).toEqual(given[name]);
      const stats = await ctx(['stats', FILE, copy, '--with-subagents', '--json'], { files: ran.files });
      const alone = await ctx(['stats', FILE, '--with-subagents', '--json'], { files: ran.files });
      const usageIn = (printed: string): unknown => (JSON.parse(printed) as { usageRecorded: unknown }).usageRecorded;
      expect(usageIn(stats.stdout)).toEqual(usageIn(alone.stdout));
    });

    it('names their folder, if it is written elsewhere', async () => {
      const ran = await ctx([...argv, '-o', 'copy.jsonl', '--json'], { files: given, env: ENV });
      expect(newFiles(ran.files, given)).toEqual(['copy.jsonl']);
      const { copy, notes } = JSON.parse(ran.stdout) as { copy: object; notes: readonly string[] };
      expect(copy).toMatchObject({ sideFiles: 0 });
      expect(notes.at(-1)).toBe(`4 files of its subagents and saved tool results stay in ${BESIDE}`);
    });

    it('leaves them where they are, if it is redacted', async () => {
      const ran = await ctx(['redact', FILE, '--install', '--json'], { files: given, env: ENV });
      expect(newFiles(ran.files, given)).toHaveLength(1);
      const { copy, notes } = JSON.parse(ran.stdout) as { copy: object; notes: readonly string[] };
      expect(copy).toMatchObject({ isInstalled: true, sideFiles: 0 });
      expect(notes.at(-1)).toBe(`4 files of its subagents and saved tool results stay in ${BESIDE}`);
    });
  });

  it.each([
    ['compact', '--keep-recent', '100000'],
    ['prune', '--strategy', 'images'],
  ])('is copied as it is to the file that is named, if there is nothing to do: ctx %s', async (name, ...flags) => {
    const ran = await ctx([name, FILE, ...flags, '-o', 'copy.jsonl'], { files, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('copy.jsonl is a copy of the session');
    const [own, original] = await Promise.all(
      ['copy.jsonl', FILE].map((file) => ctx(['show', file, '--part', 'messages', '--json'], { files: ran.files })),
    );
    const messagesIn = (printed: string): unknown => (JSON.parse(printed) as { messages: unknown }).messages;
    expect(messagesIn(own!.stdout)).toEqual(messagesIn(original!.stdout));
  });

  it('needs a place for the copy', async () => {
    const ran = await ctx(['prune', FILE, '--strategy', 'dedupe', '--yes'], { files, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([
      4,
      `ctx: a session of Claude Code is never written to: ${FILE.replace('/home/ada', '~')}: write a copy of it: --install puts it where Claude Code looks for sessions, --output FILE elsewhere\n`,
    ]);
    expect(newFiles(ran.files, files)).toEqual([]);
  });

  it('shows what the copy would be, and writes none', async () => {
    const ran = await ctx(['prune', FILE, '--strategy', 'dedupe', '--dry-run', '--json'], { files, env: ENV });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      schema: 'ctx/copy',
      command: 'prune',
      agent: 'claude-code',
      copy: { file: null, isInstalled: false },
      changes: { isCompacted: false, undone: 0 },
      resume: null,
    });
    expect(newFiles(ran.files, files)).toEqual([]);
  });

  it('is not replaced by its copy, even by force', async () => {
    const argv = ['prune', FILE, '--strategy', 'dedupe', '--output', FILE, '--force'];
    const ran = await ctx(argv, { files, env: ENV });
    expect([ran.exitCode, ran.files[FILE]]).toEqual([4, files[FILE]]);
  });
});

describe('a copy', () => {
  const PI = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}\n';
  const SUBAGENT = `${FOLDER}/258c7280-ae70-4798-800f-63464d01a85d/subagents/agent-a1.jsonl`;

  it('is not installed for a session of Pi, to which ctx appends', async () => {
    for (const argv of [
      ['prune', 's.jsonl', '--yes'],
      ['redact', 's.jsonl'],
      ['extract', 's.jsonl'],
    ]) {
      const ran = await ctx([...argv, '--install'], { files: { 's.jsonl': PI } });
      expect([ran.exitCode, ran.stderr]).toEqual([
        2,
        expect.stringContaining('this one is of Pi: s.jsonl: leave it out'),
      ]);
    }
  });

  it('is not installed for a session of an agent without a copier', async () => {
    const file = 'fixtures/agents/gemini-cli/session.jsonl';
    const given = { [file]: readFileSync(path.join(projectFolder, file)) };
    for (const name of ['prune', 'compact', 'redact', 'extract']) {
      const ran = await ctx([name, file, '--install'], { files: given });
      expect([name, ran.exitCode, ran.stderr]).toEqual([
        name,
        4,
        `ctx: ctx writes no sessions of Gemini CLI, only those of Claude Code, Codex and Pi: ${file}: make a session of Pi, which can be changed: ctx convert ${file} --to pi --output NEW.jsonl\n`,
      ]);
      expect(newFiles(ran.files, given)).toEqual([]);
    }
  });

  it('is not made of the session of a subagent, which no client resumes', async () => {
    const log = new ClaudeCodeLog('7');
    log.user('A task', { isSidechain: true, agentId: 'a1' }, null);
    const given = { [SUBAGENT]: log.text };
    const ran = await ctx(['prune', SUBAGENT, '--install'], { files: given, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('name the session that started it')]);
  });

  it.each(['prune', 'compact', 'revert'])('has no form of the entries of Pi: ctx %s', async (name) => {
    const more = name === 'revert' ? ['@{compaction}'] : [];
    const form = name === 'prune' ? 'context_edit' : 'context_transform';
    const argv = [name, FILE, ...more, '--as', form, '--dry-run'];
    const ran = await ctx(argv, { files: { [FILE]: talk(true).text }, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([
      2,
      expect.stringContaining('--as has no meaning for a session of Claude'),
    ]);
  });

  it('may end at an earlier entry, compacted there', async () => {
    const log = talk();
    const given = { [FILE]: log.text, 's.md': 'They asked for the files.' };
    const listed = await ctx(['log', FILE, '--json'], { files: given });
    const entries = listed.stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { entryId: string });
    const at = entries[7]?.entryId ?? '';
    const argv = ['compact', FILE, '--at', at, '--summary', 's.md', '--keep-recent', '1', '-o', 'c.jsonl'];
    const ran = await ctx(argv, { files: given, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain(`the copy ends at ${at}; the original has the entries after it`);
    const shown = await ctx(['show', 'c.jsonl', '--part', 'messages'], { files: ran.files });
    expect(shown.stdout).toContain('[summary]');
    expect(shown.stdout).not.toContain('(3)');
  });

  it('takes back nothing but compactions', async () => {
    const file = 'fixtures/agents/claude-code/session.jsonl';
    const given = { [file]: readFileSync(path.join(projectFolder, file)) };
    const listed = await ctx(['log', file, '--all', '--json'], { files: given });
    const entries = listed.stdout
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as { entryId: string; type: string });
    const prompt = entries.find(({ type }) => type === 'context_transform')?.entryId ?? '';
    const ran = await ctx(['revert', file, prompt, '--dry-run'], { files: given, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('only compactions of Claude Code')]);
  });
});

const CODEX =
  '/home/ada/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl';
const TOKEN = `ghp_${diceOf(3)('A-Za-z0-9', 36)}`;

describe.each([
  ['Claude Code', FILE, talk().text.replaceAll('README', TOKEN), 'cd /home/ada/app && claude --resume'],
  ['Codex', CODEX, generateRollout(5).replaceAll('"role":"user"', `"role":"user","note":"${TOKEN}"`), 'codex resume'],
])('a session of %s', (_agent, file, text, resume) => {
  const given = { [file]: text, 's.md': 'They asked for files.' };

  async function copied(argv: readonly string[]) {
    const ran = await ctx([...argv, '--json'], { files: given, env: ENV });
    expect(ran.stderr).toBe('');
    const [name = '', ...others] = newFiles(ran.files, given);
    expect(others).toEqual([]);
    expect(ran.files[file]).toEqual(text);
    const document = schemas.copy.parse(JSON.parse(ran.stdout));
    expect(document.copy.file).toBe(name);
    expect(document.resume).toBe(`${resume} ${document.copy.sessionId}`);
    return { document, text: Buffer.from(ran.files[name] ?? '').toString(), exitCode: ran.exitCode, files: ran.files };
  }

  it('is redacted as a copy that the agent resumes', async () => {
    const { document, text: written, exitCode } = await copied(['redact', file, '--install']);
    expect(exitCode).toBe(0);
    expect(written).not.toContain(TOKEN);
    expect(written).toContain('[REDACTED:github-token:1]');
    expect(document.redaction).toMatchObject({ values: 1, kept: 0, damagedLines: 0 });
    const lines = text.split('\n');
    for (const { line } of document.redaction?.replacements ?? []) expect(lines[line - 1]).toContain(TOKEN);
  });

  it('lists what a redaction would replace, and writes nothing', async () => {
    const ran = await ctx(['redact', file, '--dry-run'], { files: given, env: ENV });
    expect(ran.stdout).toMatch(/^would write a copy: 1 secret in \d+ places\n/);
    expect(ran.stdout).toContain('[REDACTED:github-token:1]  GitHub token ghp_…');
    expect(ran.stdout).not.toContain(TOKEN);
    expect(newFiles(ran.files, given)).toEqual([]);
    // Only a copy that the user goes on with has requests that the prompt cache makes cheaper.
    expect(ran.stdout).not.toMatch(/^cache /m);
    const installed = await ctx(['redact', file, '--install', '--dry-run'], { files: given, env: ENV });
    const asData = await ctx(['redact', file, '--install', '--dry-run', '--json'], { files: given, env: ENV });
    const { cache } = schemas.copy.parse(JSON.parse(asData.stdout));
    expect(/^cache /m.test(installed.stdout)).toBe(cache.rebilledTokens > 0);
  });

  it('is extracted up to an entry, as a copy that the agent resumes', async () => {
    const { document, files: after } = await copied(['extract', file, '@{request:2}', '--install']);
    const name = document.copy.file ?? '';
    const shown = async (...argv: string[]) => {
      const ran = await ctx(['show', ...argv, '--json'], { files: after });
      const { messages } = JSON.parse(ran.stdout) as { messages: { cached: { content: unknown }[] } };
      return messages.cached.map(({ content }) => content);
    };
    expect(await shown(name)).toEqual(await shown(file, document.extraction?.to ?? ''));
    expect((await shown(name)).length).toBeLessThan((await shown(file)).length);
  });

  it('does not begin at a later entry', async () => {
    const ran = await ctx(['extract', file, '--from', 'HEAD~1', '--install'], { files: given, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('cannot begin at a later entry')]);
  });

  it('has a saved plan written as a copy, which is the one that the command itself writes', async () => {
    const compact = ['compact', file, '--summary', 's.md', '--keep-recent', '1'];
    const saved = await ctx([...compact, '--plan', 'plan.json'], { files: given, env: ENV });
    expect([saved.exitCode, newFiles(saved.files, given)]).toEqual([0, ['plan.json']]);
    expect(saved.stdout).toContain('note: ctx apply plan.json --install writes it\n');
    const refused = await ctx(['apply', 'plan.json', '--yes'], { files: saved.files, env: ENV });
    expect([refused.exitCode, refused.stderr]).toEqual([4, expect.stringContaining('is never written to')]);
    const dry = await ctx(['apply', 'plan.json', '--dry-run'], { files: saved.files, env: ENV });
    expect(dry.stdout).toMatch(/^would write a copy: compacted\n/);
    const ran = await ctx(['apply', 'plan.json', '-o', 'applied.jsonl'], { files: saved.files, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    const direct = await ctx([...compact, '-o', 'direct.jsonl'], { files: ran.files, env: ENV });
    const shown = async (name: string) => {
      const { stdout } = await ctx(['show', name, '--json'], { files: direct.files });
      return (JSON.parse(stdout) as { messages: { cached: { content: unknown }[] } }).messages.cached.map(
        ({ content }) => content,
      );
    };
    expect(await shown('applied.jsonl')).toEqual(await shown('direct.jsonl'));
    const grown = { ...saved.files, [file]: `${text}\n` };
    const late = await ctx(['apply', 'plan.json', '-o', 'late.jsonl'], { files: grown, env: ENV });
    expect([late.exitCode, late.stderr]).toEqual([4, expect.stringContaining('has changed since the plan')]);
  });
});

it('lists no messages that a boundary keeps where a prune drops them, in the form that every version opens', async () => {
  const given = { [FILE]: generateWorkedClaudeCode(13, false) };
  expect(given[FILE]).toContain('"preservedSegment":{');
  const argv = ['prune', FILE, '--strategy', 'turns', '--recent-turns', '1', '-o', 'new.jsonl'];
  const ran = await ctx(argv, { files: given, env: ENV });
  const [lists] = /(?<="preservedMessages":)\{[^}]*\}/.exec(String(ran.files['new.jsonl'])) ?? [];
  const anchorUuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
  expect(JSON.parse(lists ?? '')).toEqual({ anchorUuid, uuids: [], allUuids: [] });
});

it('keeps a recorded history of Codex apart from what a patch changes after it', async () => {
  const file =
    '/home/ada/.codex/sessions/2026/02/28/rollout-2026-02-28T10-00-00-019ca000-0000-7000-8000-000000000001.jsonl';
  const given = { [file]: generateWorkedRollout(104) };
  const { stdout } = await ctx(['show', file, '--json'], { files: given });
  const { cached } = (JSON.parse(stdout) as { messages: { cached: object[] } }).messages;
  expect(cached).toHaveLength(2);
  const messages = [...cached, { role: 'user', content: 'Be brief.', timestamp: 0 }];
  const op = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' };
  const patched = { ...given, 'p.json': JSON.stringify([op]) };
  const ran = await ctx(['apply', file, 'p.json', '-o', 'new.jsonl'], { files: patched, env: ENV });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const after = await ctx(['show', 'new.jsonl', '--part', 'messages'], { files: ran.files });
  expect(after.stdout).toContain('3  user  ');
});

describe('a patch of a session of Claude Code', () => {
  interface Said {
    readonly role: string;
    readonly content: unknown;
  }

  const shown = async (
    name: string,
    given: Readonly<Record<string, string | Uint8Array>>,
  ): Promise<readonly Said[]> => {
    const { stdout } = await ctx(['show', name, '--json'], { files: given });
    return (JSON.parse(stdout) as { messages: { cached: Said[] } }).messages.cached;
  };

  async function apply(change: (messages: readonly Said[]) => readonly unknown[], ...flags: readonly string[]) {
    const messages = change(await shown(FILE, files));
    const op = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'test' };
    const given = { ...files, 'p.json': JSON.stringify([op]) };
    const ran = await ctx(['apply', FILE, 'p.json', '-o', 'new.jsonl', ...flags], { files: given, env: ENV });
    const after = ran.exitCode === 0 ? await shown('new.jsonl', ran.files) : [];
    const contentsOf = (all: readonly unknown[]) =>
      (all as readonly Said[]).map(({ role, content }) => [
        role,
        typeof content === 'string' ? [{ type: 'text', text: content }] : content,
      ]);
    return { ran, wanted: contentsOf(messages), found: contentsOf(after) };
  }

  const user = (content: string) => ({ role: 'user', content, timestamp: 0 });
  const cut = (one: Said) => ({ ...one, content: [{ type: 'text', text: 'cut' }] });

  it.each([
    [
      'shortened results',
      (all: readonly Said[]) =>
        all.map((one) => (one.role === 'toolResult' ? { ...one, content: [{ type: 'text', text: 'cut' }] } : one)),
    ],
    ['a dropped turn', (all: readonly Said[]) => all.slice(4)],
    ['a text instead of the first messages', (all: readonly Said[]) => [user('It was so.'), ...all.slice(8)]],
    ['a text at the end', (all: readonly Said[]) => [...all, user('Be brief.')]],
    ['a dropped turn between others', (all: readonly Said[]) => [...all.slice(0, 4), ...all.slice(8)]],
    [
      'two edited messages in a row',
      (all: readonly Said[]) => all.map((one, at) => (at === 6 || at === 7 ? cut(one) : one)),
    ],
    [
      'a text instead of the first messages, an edit, and two texts at the end',
      (all: readonly Said[]) => [
        user('It was so.'),
        ...all.slice(8).map((one) => (one.role === 'toolResult' ? cut(one) : one)),
        user('Be brief.'),
        user('And kind.'),
      ],
    ],
  ])('becomes a copy with %s', async (_what, change) => {
    const { ran, wanted, found } = await apply(change);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    expect(found).toEqual(wanted);
  });

  it.each([
    [
      'a message between others',
      'adds a message before others',
      (all: readonly Said[]) => [...all.slice(0, 4), user('!'), ...all.slice(4)],
    ],
    ['messages that are moved', 'or moves them', (all: readonly Said[]) => [...all.slice(4), ...all.slice(0, 4)]],
    ['no message', 'leaves none of the messages', () => []],
    [
      'an answer at the end',
      'no text of the user',
      (all: readonly Said[]) => [...all, { ...all[3], content: [{ type: 'text', text: 'Mine.' }] }],
    ],
    [
      'a text of two blocks at the end',
      'no text of the user',
      (all: readonly Said[]) => [...all, { ...user(''), content: ['1', '2'].map((text) => ({ type: 'text', text })) }],
    ],
  ])('is refused with %s', async (_what, reason, change) => {
    const { ran } = await apply(change);
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('cannot hold this patch')]);
    expect(ran.stderr).toContain(reason);
    expect(Object.keys(ran.files)).not.toContain('new.jsonl');
  });

  it('has no names of a transform, and no other prompt', async () => {
    const named = await apply((all) => all, '--name', 'x');
    expect([named.ran.exitCode, named.ran.stderr]).toEqual([2, expect.stringContaining('--name has no meaning')]);
    const op = { op: 'system_part_set', scope: 'cached', partName: 'a', text: 'b', invalidateCacheReason: 'x' };
    const given = { ...files, 'p.json': JSON.stringify([op]) };
    const ran = await ctx(['apply', FILE, 'p.json', '--dry-run'], { files: given, env: ENV });
    expect([ran.exitCode, ran.stderr]).toEqual([4, expect.stringContaining('the prompt and the tools are those')]);
  });
});

it('takes back the newest compaction of Claude Code if none is named, and says which', async () => {
  const given = { [FILE]: talk(true).text };
  const ran = await ctx(['revert', FILE, '--install'], { files: given, env: ENV });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toMatch(/^note: undoes the newest change: [0-9a-f]{8} \(compaction\), line \d+$/m);
  const none = await ctx(['revert', FILE, '--install'], { files, env: ENV });
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('the path has no compaction')]);
  const planned = await ctx(['revert', FILE, '--plan', 'p.json'], { files: given, env: ENV });
  expect([planned.exitCode, planned.stderr]).toEqual([2, expect.stringContaining('--install or --output FILE')]);
});

describe('a copy that does not fit in the context window', () => {
  const given = { [FILE]: talk(true).text };
  const withLimit = (limit: number) => ({ ...given, '/home/ada/weather/ctx.config.json': JSON.stringify({ limit }) });

  it('has a warning with the command that shows what can go', async () => {
    const argv = ['revert', FILE, '--json'];
    const ran = await ctx([...argv, '--output', 'whole.jsonl'], { files: withLimit(2000), env: ENV });
    const { notes, size } = schemas.copy.parse(JSON.parse(ran.stdout));
    expect(size.before.tokens).toBeLessThan(2000);
    expect(size.after.tokens).toBeGreaterThan(2000);
    expect(notes[0]).toMatch(
      /^the context, ~[\d,]+ tokens, is larger than the window of 2,000 tokens; ctx prune whole\.jsonl --dry-run shows what can go$/,
    );
    const installed = await ctx([...argv, '--install'], { files: withLimit(2000), env: ENV });
    const { copy, notes: others } = schemas.copy.parse(JSON.parse(installed.stdout));
    expect(others[0]).toContain(`ctx prune ${copy.sessionId} --dry-run`);
    const dry = await ctx([...argv, '--dry-run'], { files: withLimit(2000), env: ENV });
    expect(dry.stdout).toContain('ctx prune COPY --dry-run');
  });

  it('has the next step instead of the command that resumes it', async () => {
    const ran = await ctx(['revert', FILE, '--install'], { files: withLimit(2000), env: ENV });
    const [, id] = /([0-9a-f-]{36})\.jsonl$/m.exec(ran.stdout) ?? [];
    expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe(`first: ctx prune ${id} --strategy distill --install`);
    expect(ran.stdout).not.toContain('resume:');
    const fits = await ctx(['revert', FILE, '--install'], { files: withLimit(100_000), env: ENV });
    expect(fits.stdout).toContain('resume: ');
    expect(fits.stdout).not.toContain('first: ');
  });

  it('is not what ctx why offers', async () => {
    const argv = ['why', 'files 1', FILE];
    const large = await ctx(argv, { files: withLimit(2000), env: ENV });
    expect(large.stdout).not.toContain('ctx revert');
    expect(large.stdout).toContain('to paste into the next prompt');
    const fits = await ctx(argv, { files: withLimit(100_000), env: ENV });
    expect(fits.stdout).toContain('ctx revert');
  });

  it('has none where it fits, or where a request has already been larger', async () => {
    for (const limit of [100_000, 800]) {
      const ran = await ctx(['revert', FILE, '--dry-run'], { files: withLimit(limit), env: ENV });
      expect(ran.stdout).not.toContain('larger than the window');
    }
  });

  it('has no row of what it pays off, since it makes requests longer', async () => {
    const ran = await ctx(['revert', FILE, '--dry-run'], { files: given, env: ENV });
    expect(ran.stdout).toMatch(/more per request$/m);
    expect(ran.stdout).not.toContain('pays off');
  });

  it.each([
    ['extract', FILE],
    ['redact', FILE],
    ['apply', 'plan.json'],
  ])('is warned of by ctx %s too', async (...argv) => {
    const log = talk(true);
    log.user('word '.repeat(9000));
    for (const [limit, isWarned] of [
      [2000, true],
      [100_000, false],
    ] as const) {
      const world = { files: { ...withLimit(limit), [FILE]: log.text }, env: ENV };
      const planned = await ctx(['prune', FILE, '--strategy', 'dedupe', '--plan', 'plan.json'], world);
      const ran = await ctx([...argv, '--install'], { ...world, files: planned.files });
      expect(ran.stdout.includes('is larger than the window of 2,000 tokens')).toBe(isWarned);
      expect(ran.stdout.includes('resume: ')).toBe(!isWarned);
    }
  });

  it('has the next step after ctx convert too', async () => {
    const convert = async (limit: number, ...flags: readonly string[]) => {
      const ran = await ctx(['convert', FILE, '--to', 'codex', ...flags], { files: withLimit(limit), env: ENV });
      return ran.stdout;
    };
    const large = await convert(1000, '--install');
    const [, id] = /([0-9a-f-]{36})\.jsonl: /.exec(large) ?? [];
    expect(large.trimEnd().split('\n').at(-1)).toBe(`first: ctx prune ${id} --strategy distill --install`);
    expect(large).not.toContain('resume: ');
    const { resume } = schemas.import.parse(JSON.parse(await convert(1000, '--install', '--json')));
    expect(resume).toBeNull();
    const fits = await convert(100_000, '--install');
    expect([fits.includes('resume: '), fits.includes('first: ')]).toEqual([true, false]);
    const elsewhere = await convert(1000, '-o', 'new.jsonl');
    expect([elsewhere.includes('Codex opens no session here'), elsewhere.includes('first: ')]).toEqual([true, false]);
  });

  it('is warned of by ctx convert too', async () => {
    for (const [to, limit, isWarned] of [
      ['codex', 1000, true],
      ['codex', 100_000, false],
      // A session of Pi has the context that was sent, so that it fits.
      ['pi', 1000, false],
    ] as const) {
      const ran = await ctx(['convert', FILE, '--to', to, '--dry-run'], { files: withLimit(limit), env: ENV });
      expect(ran.stderr.includes('is larger than the window of 1,000 tokens; ctx prune COPY')).toBe(isWarned);
    }
  });
});

it('says only that there is nothing to write, if a copy of Claude Code has no secret', async () => {
  const ran = await ctx(['redact', FILE, '--dry-run'], { files, env: ENV });
  expect(ran.stdout).toBe('no secret was found; nothing to write\n');
});

it('says what the policy would save where the named strategies find nothing', async () => {
  const argv = ['prune', FILE, '--strategy', 'images', '--zone', 'yellow', '--dry-run'];
  const ran = await ctx(argv, { files, env: ENV });
  const [, saved] = /the strategies of the policy would save ~([\d,]+) tokens:\n  (.*)\n$/.exec(ran.stdout) ?? [];
  expect(ran.stdout).toContain(`  ctx prune ${FILE.replace('/home/ada', '~')} --zone yellow --dry-run\n`);
  const next = await ctx(['prune', FILE, '--zone', 'yellow', '--dry-run'], { files, env: ENV });
  expect(next.stdout).toContain(`the next request shrinks by ~${saved} tokens`);
  const unnamed = await ctx(['prune', ...argv.slice(2)], { files, env: ENV, cwd: '/home/ada/app' });
  expect(unnamed.stdout).toContain('  ctx prune --zone yellow --dry-run\n');
  const other = await ctx([...argv, '--recent-turns', '2', '--no-config'], { files, env: ENV });
  expect(other.stdout).toContain(
    `  ctx prune ${FILE.replace('/home/ada', '~')} --zone yellow --recent-turns 2 --no-config --dry-run\n`,
  );
  const { stdout } = await ctx(['prune', FILE, '--strategy', 'images', '--zone', 'green', '--json', '--dry-run'], {
    files,
    env: ENV,
  });
  expect(schemas['prune-check'].parse(JSON.parse(stdout)).next).toBe(null);
});

it('takes a compaction of Codex back that records no history, and keeps the messages before it', async () => {
  const lines = [
    {
      type: 'session_meta',
      payload: { id: '019c8a59-e9dd-71f0-9ae3-4079fe9726a9', cwd: '/work', cli_version: '0.46.0' },
    },
    said('user', 'First question'),
    said('assistant', 'First answer'),
    { type: 'compacted', payload: { message: 'They asked one thing.' } },
    said('user', 'Second question'),
  ];
  const text = lines
    .map((line, at) => `${JSON.stringify({ timestamp: `2025-10-01T10:00:0${at}.000Z`, ...line })}\n`)
    .join('');
  const ran = await ctx(['revert', 's.jsonl', '-o', 'copy.jsonl'], { files: { 's.jsonl': text }, env: ENV });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const shown = await ctx(['show', 'copy.jsonl', '--part', 'messages'], { files: ran.files });
  expect(shown.stdout.match(/(?:First|Second|They) \w+/g)).toEqual([
    'First question',
    'First answer',
    'Second question',
  ]);
});

function said(role: 'user' | 'assistant', text: string): object {
  const type = role === 'user' ? 'input_text' : 'output_text';
  return { type: 'response_item', payload: { type: 'message', role, content: [{ type, text }] } };
}

it('a copy of a session of Codex is installed as a rollout of today', async () => {
  const file =
    '/home/ada/.codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl';
  const given = { [file]: generateRollout(5), 's.md': 'A summary.' };
  const ran = await ctx(['compact', file, '--summary', 's.md', '--keep-recent', '1', '--install'], {
    files: given,
    env: ENV,
  });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const [written = '', ...others] = newFiles(ran.files, given);
  expect(others).toEqual([]);
  const [, id] =
    /^\/home\/ada\/\.codex\/sessions\/\d{4}\/\d\d\/\d\d\/rollout-[\dT-]{19}-([0-9a-f-]{36})\.jsonl$/.exec(written) ??
    [];
  expect(ran.stdout.trimEnd().split('\n').at(-1)).toBe(`resume: codex resume ${id}`);
  const elsewhere = await ctx(['compact', file, '--summary', 's.md', '--keep-recent', '1', '-o', 'c.jsonl'], {
    files: given,
    env: ENV,
  });
  expect(elsewhere.stdout).not.toContain('resume:');
  expect(elsewhere.files[file]).toEqual(given[file]);
});

it('a compaction of Codex is called one, although it is recorded as the history after it', async () => {
  const file = 'sessions/rollout.jsonl';
  const world = { [file]: readFileSync(`${projectFolder}/fixtures/agents/codex/rollout.jsonl`, 'utf8') };
  const reverted = await ctx(['revert', file, '--dry-run'], { files: world });
  expect(reverted.stdout).toMatch(/^note: undoes the newest change: [0-9a-f]{8} \(compaction\), line \d+$/m);
  const found = await ctx(['find', 'compaction', '--in', 'sessions'], { files: world });
  expect(found.stdout).toMatch(/^ {2}[0-9a-f]{8} {2}compaction/m);
  expect(found.stdout).not.toContain('context_transform:');
});

it('takes one compaction of Codex back, and keeps an earlier one that its summary was made of', async () => {
  const timestamp = '2026-03-02T09:00:00.000Z';
  const user = (text: string): object => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
  const rows = [
    ['session_meta', { id: '019ca000-0000-7000-8000-000000000001', timestamp, cwd: '/work', cli_version: '0.171.0' }],
    ['response_item', user('The first prompt')],
    ['compacted', { message: '', replacement_history: [user('The first summary')] }],
    ['response_item', user('The second prompt')],
    ['compacted', { message: 'The second summary' }],
    ['response_item', user('The third prompt')],
  ] as const;
  const text = rows.map(([type, payload]) => `${JSON.stringify({ timestamp, type, payload })}\n`).join('');
  const ran = await ctx(['revert', 'rollout.jsonl', '-o', 'new.jsonl'], { files: { 'rollout.jsonl': text }, env: ENV });
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const { stdout } = await ctx(['show', 'new.jsonl', '--part', 'messages'], { files: ran.files });
  const shown = [...stdout.matchAll(/The \w+ (?:prompt|summary)/g)].map(([words]) => words);
  expect(shown).toEqual(['The first summary', 'The second prompt', 'The third prompt']);
});
