import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonOf } from '#cli/schemas.js';
import { ctxOnDisk, type DiskRun } from '../../support/disk-io.js';
import { projectFolder } from '../../support/files.js';

type ArchiveDocument = JsonOf<'archive'>;

let home = '';
beforeEach(() => (home = fs.mkdtempSync(path.join(tmpdir(), 'ctx-archive-'))));
afterEach(() => {
  fs.chmodSync(home, 0o700);
  fs.rmSync(home, { recursive: true, force: true });
});

const ID = '0f6d3c1e-7a42-4a0e-9d55-1c2b3a4d5e6f';
const OLD = Date.UTC(2026, 4, 1, 12) / 1000;
const MAIN = `.claude/projects/-home-ada-app/${ID}.jsonl`;
const claude = fs.readFileSync(path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl'), 'utf8');
const weather = fs.readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const lines = claude.split(/(?<=\n)/);

function write(name: string, content: string, time = OLD): string {
  const file = path.join(home, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  fs.utimesSync(file, time, time);
  return file;
}

const archive = (): string => path.join(home, '.local/share/ctx/archive');

/** The names in the archive, with the contents. */
function readArchived(folder = archive()): Readonly<Record<string, string>> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [name, zlib.gunzipSync(fs.readFileSync(path.join(folder, name))).toString()]),
  );
}

function ctx(...argv: readonly string[]): Promise<DiskRun> {
  return ctxOnDisk(argv, { home });
}

async function archiveAll(...argv: readonly string[]): Promise<ArchiveDocument> {
  const { stdout } = await ctx('archive', '--json', ...argv);
  return JSON.parse(stdout) as ArchiveDocument;
}

const changesOf = ({ copied }: ArchiveDocument): readonly string[] => copied.map(({ change }) => change);

const COPY = `claude-code/projects/-home-ada-app/${ID}.jsonl.gz`;

describe('ctx archive', () => {
  it('keeps the sessions of all agents with what belongs to them', async () => {
    write(MAIN, claude);
    write(`.claude/projects/-home-ada-app/${ID}/subagents/agent-a1b2c3d.jsonl`, claude);
    write(`.claude/projects/-home-ada-app/${ID}/subagents/agent-a1b2c3d.meta.json`, '{}');
    write(`.claude/projects/-home-ada-app/${ID}/tool-results/toolu_1.txt`, 'a long result');
    write('.claude/projects/-home-ada-app/memory/MEMORY.md', 'no part of a session');
    write('.pi/agent/sessions/--home-ada--/2026-05-01T12-00-00-000Z_s1.jsonl', weather);
    write(
      '.gemini/tmp/app/chats/session-2026-05-01T12-00-1a2b3c4d.jsonl',
      '{"sessionId":"1a2b3c4d","projectHash":"x"}\n',
    );
    write('.gemini/tmp/app/tool-outputs/session-1a2b3c4d-0000/run.txt', 'output');
    write('.gemini/tmp/app/tool-outputs/session-ffffffff-0000/run.txt', 'of another session');
    write('.gemini/tmp/app/.project_root', '/home/ada/app');
    const rollout = `rollout-2026-05-01T12-00-00-${ID}.jsonl`;
    write(`.codex/archived_sessions/${rollout}`, '{"type":"session_meta","payload":{}}\n');
    const { agents, sideFiles } = await archiveAll();
    expect(agents.map(({ agent, new: added }) => `${agent} ${added}`)).toEqual([
      'claude-code 2',
      'codex 1',
      'gemini-cli 1',
      'pi 1',
    ]);
    expect(sideFiles).toMatchObject({ new: 4, failed: 0 });
    expect(Object.keys(readArchived())).toEqual(
      [
        COPY,
        `claude-code/projects/-home-ada-app/${ID}/subagents/agent-a1b2c3d.jsonl.gz`,
        `claude-code/projects/-home-ada-app/${ID}/subagents/agent-a1b2c3d.meta.json.gz`,
        `claude-code/projects/-home-ada-app/${ID}/tool-results/toolu_1.txt.gz`,
        `codex/sessions/2026/05/01/${rollout}.gz`,
        'gemini-cli/tmp/app/.project_root.gz',
        'gemini-cli/tmp/app/chats/session-2026-05-01T12-00-1a2b3c4d.jsonl.gz',
        'gemini-cli/tmp/app/tool-outputs/session-1a2b3c4d-0000/run.txt.gz',
        'pi/sessions/--home-ada--/2026-05-01T12-00-00-000Z_s1.jsonl.gz',
      ].toSorted(),
    );
    expect(readArchived()[COPY]).toBe(claude);
    const { mode, mtimeMs } = fs.statSync(path.join(archive(), COPY));
    expect([mode & 0o777, Math.round(mtimeMs)]).toEqual([0o600, OLD * 1000]);
    expect(fs.statSync(archive()).mode & 0o777).toBe(0o700);
  });

  it('is a folder that the other commands read, and in which each call counts once', async () => {
    write(MAIN, claude);
    write(`.claude/projects/-home-ada-app/${ID}/subagents/agent-a1b2c3d.jsonl`, lines.slice(0, 4).join(''));
    await archiveAll();
    const live = path.join(home, '.claude');
    const withoutPlace = (text: string): string =>
      [live, path.join(archive(), 'claude-code')]
        .flatMap((folder) => [folder, folder.replace(home, '~')])
        .reduce((rest, folder) => rest.replaceAll(folder, ''), text)
        .replaceAll('.jsonl.gz', '.jsonl');
    const read = async (argv: readonly string[], ...folders: readonly string[]): Promise<string> =>
      (await ctx(...argv, ...folders)).stdout;
    for (const argv of [
      ['stats', '--json'],
      ['stats', '--by', 'model'],
      ['grep', '-c', 'a', '--where', 'all'],
    ]) {
      const before = await read(argv, live);
      expect(withoutPlace(await read(argv, archive()))).toBe(withoutPlace(before));
      expect(before).not.toBe('');
    }
    const usageOf = async (...folders: readonly string[]): Promise<unknown> =>
      (JSON.parse(await read(['stats', '--json'], ...folders)) as { total: unknown }).total;
    expect(await usageOf(live, archive())).toEqual(await usageOf(live));
    const listed = (await ctx('ls', archive())).stdout;
    expect(listed).toContain(`${ID}.jsonl.gz`);
    expect(listed).toContain('└─ ');
  });

  it('copies only what has changed, and keeps what was deleted', async () => {
    write(MAIN, lines.slice(0, 3).join(''));
    const other = write('.pi/agent/sessions/--home-ada--/2026-05-01T12-00-00-000Z_s1.jsonl', weather);
    expect(changesOf(await archiveAll())).toEqual(['new', 'new']);
    const { ino } = fs.statSync(path.join(archive(), COPY));
    expect(changesOf(await archiveAll())).toEqual([]);
    expect(fs.statSync(path.join(archive(), COPY)).ino).toBe(ino);
    write(MAIN, claude, OLD + 60);
    fs.rmSync(other);
    expect(changesOf(await archiveAll())).toEqual(['grown']);
    fs.rmSync(path.join(home, MAIN));
    expect(await archiveAll()).toMatchObject({ agents: [], copied: [], failed: [] });
    expect(Object.values(readArchived())).toEqual([claude, weather]);
  });

  it('notices a session that grew within the same time', async () => {
    write(MAIN, lines.slice(0, 3).join(''));
    await archiveAll();
    write(MAIN, lines.slice(0, 4).join(''));
    expect(changesOf(await archiveAll())).toEqual(['grown']);
  });

  it('copies nothing for a session that was only touched, and takes its time', async () => {
    write(MAIN, claude);
    await archiveAll();
    write(MAIN, claude, OLD + 3600);
    expect(await archiveAll()).toMatchObject({ copied: [], agents: [{ unchanged: 1 }] });
    expect(fs.statSync(path.join(archive(), COPY)).mtimeMs).toBe((OLD + 3600) * 1000);
  });

  it('keeps the earlier copy of a session that was rewritten, each state once', async () => {
    const [first, second] = [claude, `${lines[0]}${lines[2]}`];
    for (const [at, content] of [first, second, first, second].entries()) {
      write(MAIN, content, OLD + at);
      const { copied } = await archiveAll();
      expect(copied).toMatchObject([{ change: at === 0 ? 'new' : 'rewritten' }]);
      expect(copied[0]?.kept === null).toBe(at === 0);
    }
    const all = readArchived();
    expect(Object.keys(all)).toEqual([
      expect.stringMatching(/\.jsonl\.gz$/),
      expect.stringMatching(/\.older-[\da-f]{12}\.jsonl\.gz$/),
      expect.stringMatching(/\.older-[\da-f]{12}\.jsonl\.gz$/),
    ]);
    expect(all[COPY]).toBe(second);
    expect(Object.values(all).toSorted()).toEqual([first, second, second].toSorted());
    expect((await ctx('ls', archive())).stdout).toContain('.older-');
  });

  it('replaces a document whose messages are all in the new one, and keeps one with others', async () => {
    const file = '.gemini/tmp/app/chats/session-2026-05-01T12-00-1a2b3c4d.json';
    const document = (...messages: readonly string[]): string =>
      JSON.stringify({
        sessionId: '1a2b3c4d',
        projectHash: 'x',
        lastUpdated: messages.length,
        messages: messages.map((id) => ({ id })),
      });
    const changes: (string | undefined)[] = [];
    for (const [at, content] of [document('a'), document('a', 'b'), document('a', 'c')].entries()) {
      write(file, content, OLD + at);
      changes.push(...changesOf(await archiveAll()));
    }
    expect(changes).toEqual(['new', 'grown', 'rewritten']);
    expect(Object.values(readArchived()).toSorted()).toEqual([document('a', 'b'), document('a', 'c')].toSorted());
  });

  it('replaces a damaged copy', async () => {
    write(MAIN, claude);
    await archiveAll();
    const copy = path.join(archive(), COPY);
    const bytes = fs.readFileSync(copy);
    for (const damaged of [
      bytes.subarray(0, 1000),
      Buffer.alloc(0),
      bytes.map((byte, at) => (at === 900 ? ~byte : byte)),
    ]) {
      fs.writeFileSync(copy, damaged);
      const [copied] = (await archiveAll()).copied;
      expect(copied?.change).toMatch(/grown|rewritten/);
      expect(zlib.gunzipSync(fs.readFileSync(copy)).toString()).toBe(claude);
    }
  });

  it('archives what Codex has compressed or moved under one name', async () => {
    const name = `rollout-2026-05-01T12-00-00-${ID}.jsonl`;
    const content = '{"type":"session_meta","payload":{}}\n';
    const live = write(`.codex/sessions/2026/05/01/${name}`, content);
    await archiveAll();
    fs.renameSync(live, write(`.codex/archived_sessions/${name}.gz`, ''));
    fs.writeFileSync(path.join(home, `.codex/archived_sessions/${name}.gz`), zlib.gzipSync(content));
    expect(await archiveAll()).toMatchObject({ copied: [], agents: [{ agent: 'codex', unchanged: 1 }] });
    expect(Object.keys(readArchived())).toEqual([`codex/sessions/2026/05/01/${name}.gz`]);
  });

  it('writes nothing with --dry-run', async () => {
    write(MAIN, claude);
    const { stdout } = await ctx('archive', '--dry-run');
    expect(stdout).toContain('nothing was written; 1 file would be copied');
    expect(fs.existsSync(archive())).toBe(false);
  });

  it('archives the sessions of one agent, and named ones, also from other folders', async () => {
    write(MAIN, claude);
    write('.pi/agent/sessions/--home-ada--/2026-05-01T12-00-00-000Z_s1.jsonl', weather);
    expect((await archiveAll('--agent', 'claude', '--dry-run')).copied.map(({ agent }) => agent)).toEqual([
      'claude-code',
    ]);
    const file = write('backup/copied/weather.jsonl', weather);
    write('backup/copied/notes.jsonl', '{"a":1}\n');
    write('backup/copied/weather/secret.txt', 'no part of it');
    const to = path.join(home, 'kept');
    await archiveAll('--to', to, path.join(home, 'backup'), ID.slice(0, 8));
    expect(Object.keys(readArchived(to))).toEqual([COPY, path.join('elsewhere', `${file.slice(1)}.gz`)]);
    // The archive itself is not archived.
    await archiveAll('--to', to, home);
    expect(Object.keys(readArchived(to)).some((name) => name.includes('kept'))).toBe(false);
  });

  it('refuses the folder of an agent, an unknown agent, and a name without a session', async () => {
    write(MAIN, claude);
    const at = async (...argv: readonly string[]) => {
      const { exitCode, stderr } = await ctx('archive', ...argv);
      return [exitCode, stderr];
    };
    expect(await at('--to', path.join(home, '.claude/projects/mine'))).toEqual([
      2,
      expect.stringContaining('an agent keeps its sessions there'),
    ]);
    expect(await at('--agent', 'claud')).toEqual([2, expect.stringContaining('claude-code')]);
    expect(await at('nothing.jsonl')).toEqual([3, expect.stringContaining('nothing.jsonl')]);
    fs.rmSync(path.join(home, '.claude'), { recursive: true });
    expect(await at()).toEqual([1, expect.stringContaining('there is no session to archive')]);
    expect(fs.existsSync(archive())).toBe(false);
  });

  it('has its folder from a configuration only if the user has allowed that', async () => {
    write(MAIN, claude);
    write('app/ctx.config.json', '{"archive":"stolen"}');
    const { exitCode, stderr } = await ctxOnDisk(['archive'], { home, cwd: path.join(home, 'app') });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('which you have not allowed')]);
    fs.rmSync(path.join(home, 'app'), { recursive: true });
    write('.config/ctx/config.json', '{"archive":"../../mine"}');
    await archiveAll();
    expect(Object.keys(readArchived(path.join(home, 'mine')))).toEqual([COPY]);
  });

  it('copes with hostile names, and leaves out what links lead to', async () => {
    const names = ['a\nb', 'two  spaces', '-rf', '$(touch x)', '\u001b[2J', 'ä'];
    for (const name of names) write(`.claude/projects/${name}/${ID}.jsonl`, claude);
    const secret = write('secret/key.txt', 'private');
    const side = path.join(home, `.claude/projects/ä/${ID}`);
    fs.mkdirSync(side);
    fs.symlinkSync(secret, path.join(side, 'key.txt'));
    fs.symlinkSync(path.dirname(secret), path.join(side, 'folder'));
    fs.symlinkSync(path.dirname(secret), path.join(home, `.claude/projects/-rf/${ID}`));
    fs.symlinkSync(home, path.join(home, '.claude/projects/circle'));
    const { stdout, exitCode } = await ctx('archive');
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('\u001b');
    expect(Object.keys(readArchived())).toEqual(
      names.map((name) => `claude-code/projects/${name}/${ID}.jsonl.gz`).toSorted(),
    );
    expect(fs.existsSync(path.join(home, 'x'))).toBe(false);
  });

  it.skipIf(process.getuid?.() === 0)('archives the rest if something cannot be read', async () => {
    write(MAIN, claude);
    const closed = path.dirname(write(`.claude/projects/closed/${ID}.jsonl`, claude));
    const file = write(`.claude/projects/open/${ID}.jsonl`, claude);
    fs.chmodSync(closed, 0);
    fs.chmodSync(file, 0);
    const { exitCode, stderr } = await ctx('archive');
    fs.chmodSync(closed, 0o700);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('no permission to read this file');
    expect(stderr).toContain('this folder cannot be read');
    expect(Object.keys(readArchived())).toEqual([COPY]);
  });

  it('goes on past a file that has become a folder, and says which', async () => {
    write(MAIN, claude);
    write('.pi/agent/sessions/--home-ada--/2026-05-01T12-00-00-000Z_s1.jsonl', weather);
    fs.mkdirSync(path.join(archive(), COPY), { recursive: true });
    const { exitCode, stderr } = await ctx('archive');
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('this is a folder')]);
    expect(fs.readdirSync(archive())).toContain('pi');
  });

  it('leaves an archive alone to which another process writes', async () => {
    write(MAIN, claude);
    const runs = await Promise.all(Array.from({ length: 4 }, () => ctx('archive')));
    expect(runs.map(({ exitCode }) => exitCode).toSorted((a, b) => a - b)).toEqual([0, 4, 4, 4]);
    expect(runs.map(({ stderr }) => stderr).join('')).toContain('another ctx archive is writing to this archive');
    expect((await ctx('archive')).exitCode).toBe(0);
    expect(readArchived()).toEqual({ [COPY]: claude });
  });
});
