import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StatsDocument } from '#analysis/stats/document.js';
import { sumBy } from '#base/lists.js';
import type { ImportDocument } from '#cli/commands/convert/document.js';
import { ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const readFixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');

const FILES = {
  'pi.jsonl': readFixture('working.jsonl'),
  'claude.jsonl': readFixture('agents/claude-code/session.jsonl'),
  'codex.jsonl': readFixture('agents/codex/rollout.jsonl'),
};
const ENV = { HOME: '/home/ada' };

async function convert(...argv: readonly string[]) {
  const ran = await ctx(['convert', ...argv], { files: FILES, env: ENV, now: Date.UTC(2026, 2, 4, 12) });
  const added = Object.keys(ran.files).filter((name) => !(name in FILES));
  return { ...ran, added };
}

describe('ctx convert', () => {
  it('puts a session where Claude Code looks for it, and ends with the command that opens it there', async () => {
    const { exitCode, stdout, stderr, added, files } = await convert('pi.jsonl', '--to', 'claude-code', '--install');
    expect([exitCode, stderr, added.length]).toEqual([0, '', 1]);
    const [, id] = /^\/home\/ada\/\.claude\/projects\/-home-ada-weather\/([0-9a-f-]{36})\.jsonl$/.exec(added[0]!) ?? [];
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`resume: claude --resume ${id}`);
    expect(stdout).toContain('Pi → Claude Code: ');
    expect(files['pi.jsonl']).toBe(FILES['pi.jsonl']);
    const shown = await ctx(['show', added[0]!, '--json'], { files });
    expect(JSON.parse(shown.stdout)).toMatchObject({ session: { id, agent: { name: 'claude-code' } } });
  });

  it('names the folder in which Claude Code finds the session, if that is another one', async () => {
    const { stdout } = await convert('codex.jsonl', '--to', 'claude-code', '--install');
    expect(stdout).toMatch(/^resume: cd \S+ && claude --resume [0-9a-f-]{36}$/m);
  });

  it('puts a session where Codex looks for it', async () => {
    const { stdout, added } = await convert('claude.jsonl', '--to', 'codex', '--install');
    const name = /^\/home\/ada\/\.codex\/sessions\/2026\/03\/04\/rollout-2026-03-04T12-00-00-([0-9a-f-]{36})\.jsonl$/;
    expect(stdout).toMatch(new RegExp(`^resume: codex resume ${name.exec(added[0]!)?.[1]}$`, 'm'));
  });

  it('names the command to run first where the context is above the window of the session', async () => {
    const log = new ClaudeCodeLog();
    log.user('Hi');
    log.answer('msg_1', textBlock('Hello.'));
    log.user('word '.repeat(5000));
    const files = { 'long.jsonl': log.text, '/home/ada/weather/ctx.config.json': JSON.stringify({ limit: 3000 }) };
    const ran = await ctx(['convert', 'long.jsonl', '-o', '/work/new.jsonl'], { files, env: ENV });
    expect(ran.stderr).toContain('larger than the window of 3,000 tokens');
    expect(ran.stdout).toMatch(/\nfirst: ctx compact \/work\/new\.jsonl\n$/);
    expect(ran.stdout).not.toContain('resume:');
  });

  it('puts a session where Pi looks for it, and never replaces one there', async () => {
    const once = await convert('claude.jsonl', '--install');
    expect(once.added).toEqual([
      expect.stringMatching(/^\/home\/ada\/\.pi\/agent\/sessions\/--[\w-]+--\/\S+_\S+\.jsonl$/),
    ]);
    expect(once.stdout).toContain(`resume: pi --session ${once.added[0]?.replace('/home/ada', '~')}\n`);
    const twice = await ctx(['convert', 'claude.jsonl', '--install', '--force'], { files: once.files, env: ENV });
    expect([twice.exitCode, twice.stderr]).toEqual([4, expect.stringContaining('exists')]);
  });

  it('gives a session of Pi an id of its own, so that the id of the original means the original', async () => {
    const id = '5f0c7a10-2b7e-4c1d-9a55-0e6d1c2b3a4f';
    const original = `/home/ada/.claude/projects/-home-ada-shop/${id}.jsonl`;
    const world = { files: { [original]: FILES['claude.jsonl'] }, env: ENV };
    const { stdout, files } = await ctx(['convert', id, '--install', '--json'], world);
    const { sessionId, newSession, output } = JSON.parse(stdout) as ImportDocument;
    expect([sessionId, newSession.id === id, output]).toEqual([id, false, expect.stringContaining(newSession.id)]);
    for (const [name, agent] of [
      [id, 'claude-code'],
      [newSession.id, 'pi'],
    ] as const) {
      const shown = await ctx(['show', name, '--json'], { files, env: ENV });
      const { session } = JSON.parse(shown.stdout) as { session: { id: string; agent?: { name: string } | null } };
      expect([session.id, session.agent?.name ?? 'pi']).toEqual([name, agent]);
    }
    const both = await ctx(['stats', 'all', '--json'], { files, env: ENV });
    const one = await ctx(['stats', id, '--json'], world);
    const totalOf = (text: string): readonly number[] => {
      const { sessions } = JSON.parse(text) as StatsDocument;
      return [
        sessions.length,
        ...(['calls', 'input'] as const).map((key) => sumBy(sessions, (each) => each.usageRecorded[key])),
      ];
    };
    const [, ...total] = totalOf(one.stdout);
    expect([totalOf(both.stdout), total.every((count) => count > 0)]).toEqual([[2, ...total], true]);
  });

  it.each([
    ['claude', 'claude-code'],
    ['claude-code', 'claude-code'],
    ['pi', 'pi'],
  ])('takes --to %s for %s', async (word, to) => {
    const { stdout } = await convert('codex.jsonl', '--to', word, '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ to });
  });

  it('stays in the folder of Pi, whatever the id of a session', async () => {
    const hostile = FILES['codex.jsonl'].replaceAll(/"id":"[^"]*"/g, '"id":"../../../x"');
    const { files } = await ctx(['convert', 'h.jsonl', '--install'], { files: { 'h.jsonl': hostile }, env: ENV });
    const added = Object.keys(files).find((name) => name !== 'h.jsonl');
    expect(added).toMatch(/^\/home\/ada\/\.pi\/agent\/sessions\/--[\w-]+--\/[^/]+\.jsonl$/);
  });

  it('writes a session elsewhere, which Claude Code forks, and Codex does not open', async () => {
    const toClaude = await convert('pi.jsonl', '--to', 'claude-code', '-o', 'new.jsonl');
    expect([toClaude.added, toClaude.stdout]).toEqual([
      ['new.jsonl'],
      expect.stringContaining('resume: claude --resume new.jsonl --fork-session\n'),
    ]);
    const toCodex = await convert('pi.jsonl', '--to', 'codex', '-o', 'new.jsonl');
    expect(toCodex.stdout).toContain('Codex opens no session here: --install puts it where Codex looks\n');
    expect(toCodex.stdout).not.toContain('resume:');
  });

  it('prints what does not carry over, also as JSON', async () => {
    const { stdout, added } = await convert('pi.jsonl', '--to', 'codex', '--dry-run');
    expect(stdout).toContain('does not carry over:\n');
    expect(stdout).toContain('1 block of thinking, which only the model that wrote it can check');
    expect([added, stdout]).toEqual([[], expect.stringContaining('nothing was written\n')]);
    const json = await convert('pi.jsonl', '--to', 'codex', '--dry-run', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      schema: 'ctx/import',
      agent: 'pi',
      to: 'codex',
      output: null,
      resume: null,
      newSession: { messages: 32, isInstalled: false },
      losses: expect.arrayContaining([
        { kind: 'thinking', count: 1, text: '1 block of thinking, which only the model that wrote it can check' },
      ]) as unknown,
    });
  });

  it('writes a session of Pi unless told otherwise, as ctx import', async () => {
    const [one, other] = [
      await convert('codex.jsonl', '--dry-run'),
      await ctx(['import', 'codex.jsonl', '--dry-run'], { files: FILES }),
    ];
    expect([other.stdout, other.exitCode]).toEqual([one.stdout, 0]);
    expect(one.stdout).toContain('does not carry over:\n');
    expect(one.stdout).toContain('1 part of the prompt and the tool definitions: Pi sends its own\n');
    expect(one.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /\d tools? of Codex: the calls of .+ stay as history, and Pi goes on with its own tools /,
    );
  });

  it.each([
    [['pi.jsonl', '--dry-run'], 3, 'this is a session of Pi already'],
    [['codex.jsonl', '--to', 'codex', '--dry-run'], 3, 'this is a session of Codex already'],
    [['codex.jsonl', '--to', 'claude-code'], 2, '--install'],
    [['codex.jsonl', '--to', 'c', '--dry-run'], 2, 'choices are pi, claude-code, codex'],
    [['codex.jsonl', '--to', 'gemini-cli', '--dry-run'], 2, 'choices are pi, claude-code, codex'],
    [['codex.jsonl', '--install', '-o', 'x.jsonl'], 2, '--install'],
  ])('%j is refused with a hint', async (argv, code, words) => {
    const { exitCode, stderr, added } = await convert(...argv);
    expect([exitCode, stderr, added]).toEqual([code, expect.stringContaining(words), []]);
  });

  it('lists the losses and the damage of a trajectory like those of a session', async () => {
    const forked = readFixture('branches.jsonl');
    const files = { 's.jsonl': forked, 'damaged.jsonl': `${forked}{"type":"message","id":\n` };
    const ran = await ctx(['convert', 's.jsonl', '--to', 'atif', '--dry-run'], { files });
    expect(ran.stdout).toContain('does not carry over:\n  4 messages on other branches\n');
    const damaged = await ctx(['convert', 'damaged.jsonl', '--to', 'atif', '--dry-run'], { files });
    expect(damaged).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining('1 damaged line left out: see ctx check\n'),
    });
  });
});

it.each(['handoff', 'resume'])('the word %s leads to ctx convert', async (word) => {
  expect((await ctx([word])).stderr).toContain('ctx convert --to codex --install');
});
