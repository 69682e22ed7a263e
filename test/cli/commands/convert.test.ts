import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
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

  it('puts a session where Pi looks for it, and never replaces one there', async () => {
    const once = await convert('claude.jsonl', '--install');
    expect(once.added).toEqual([
      expect.stringMatching(/^\/home\/ada\/\.pi\/agent\/sessions\/--[\w-]+--\/\S+_\S+\.jsonl$/),
    ]);
    expect(once.stdout).toContain(`resume: pi --session ${once.added[0]}\n`);
    const twice = await ctx(['convert', 'claude.jsonl', '--install', '--force'], { files: once.files, env: ENV });
    expect([twice.exitCode, twice.stderr]).toEqual([4, expect.stringContaining('exists')]);
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
    expect(one.stdout).toContain('Pi ignores 1 transform');
  });

  it.each([
    [['pi.jsonl', '--dry-run'], 3, 'this is a session of Pi already'],
    [['codex.jsonl', '--to', 'codex', '--dry-run'], 3, 'this is a session of Codex already'],
    [['codex.jsonl', '--to', 'claude-code'], 2, '--install'],
    [['codex.jsonl', '--to', 'gemini-cli', '--dry-run'], 2, 'choices are pi, claude-code, codex'],
    [['codex.jsonl', '--install', '-o', 'x.jsonl'], 2, '--install'],
  ])('%j is refused with a hint', async (argv, code, words) => {
    const { exitCode, stderr, added } = await convert(...argv);
    expect([exitCode, stderr, added]).toEqual([code, expect.stringContaining(words), []]);
  });
});

it.each(['handoff', 'resume'])('the word %s leads to ctx convert', async (word) => {
  expect((await ctx([word])).stderr).toContain('did you mean "convert"?');
});
