import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const ID = '019c8a59-e9dd-71f0-9ae3-4079fe9726a9';
const fixture = (name: string): Buffer => readFileSync(path.join(projectFolder, 'fixtures/agents', name));
const ROLLOUT = `/home/ada/.codex/sessions/2026/02/23/rollout-2026-02-23T12-54-34-${ID}.jsonl`;
const CHAT = '/home/ada/.gemini/tmp/0a/chats/session-2026-03-02T09-00-aabbccdd.json';
const files = { [ROLLOUT]: fixture('codex/rollout.jsonl'), [CHAT]: fixture('gemini-cli/session.json') };
const env = { HOME: '/home/ada' };

describe('a listing of the sessions of an agent', () => {
  const FOLDER = '/home/ada/.codex/sessions/2026/02/23/rollout-2026-02-23T12-54-3';
  const same = '019c8a59-e9dd-71f0-9ae3-4079fe972600';
  const rollouts = [
    `${FOLDER}1-${same}.jsonl`,
    // The thread has gone back, so that its id names the newer file.
    `${FOLDER}2-${same}_019c8a59-e9de-71f0-9ae3-4079fe972601.jsonl`,
    `${FOLDER}3-019c8a5b-e9dd-71f0-9ae3-4079fe972602.jsonl`,
    // The archive has a copy.
    `${FOLDER}4-019c8a5c-e9dd-71f0-9ae3-4079fe972603.jsonl`,
    '/home/ada/.codex/archived_sessions/rollout-2026-02-23T12-54-34-019c8a5c-e9dd-71f0-9ae3-4079fe972603.jsonl',
  ];
  const all = { ...files, ...Object.fromEntries(rollouts.map((file) => [file, fixture('codex/rollout.jsonl')])) };

  it.each(['codex', 'all'])('names each by its shortest id, which leads to its file: --agent %s', async (agent) => {
    const listed = await ctx(['ls', '--agent', agent], { files: all, env, columns: 80 });
    const names = listed.stdout.split('\n').flatMap((line) => /^ ?(\/\S+|[0-9a-f]{8}\S*)/.exec(line)?.[1] ?? []);
    const found = await Promise.all(
      names.map(async (name) => {
        const { stdout } = await ctx(['show', name, 'HEAD~1', '--json'], { files: all, env });
        return (JSON.parse(stdout) as { session: { file: string } }).session.file;
      }),
    );
    const expected = Object.keys(all).filter((file) => agent === 'all' || file.includes('codex'));
    expect(found.toSorted()).toEqual(expected.toSorted());
    const paths = names.filter((name) => name.startsWith('/'));
    expect(new Set(paths)).toEqual(new Set([rollouts[0], rollouts[3], rollouts[4]]));
    expect(names).toEqual(expect.arrayContaining(['019c8a5b', '019c8a59-e9dd-71f0-9ae3-4079fe9726a']));
  });
});

describe('a listing of subagents', () => {
  const folder = `/home/ada/.claude/projects/p/0b1c2d3e-0000-4000-8000-000000000001/subagents`;
  const line = (agentId: string): string =>
    `${JSON.stringify({ type: 'user', uuid: 'u1', parentUuid: null, isSidechain: true, agentId, sessionId: 's', version: '2.1.39', timestamp: '2026-03-02T09:00:00.000Z', message: { role: 'user', content: 'Go' } })}\n`;
  const sub = ['acompact-9f00aa', 'acompact-9f00ab', 'a1b2c3d4e5f60718'];
  const some = Object.fromEntries(sub.map((id) => [`${folder}/agent-${id}.jsonl`, line(id)]));

  it('names each by the beginning of its id, which leads to its file', async () => {
    const { stdout } = await ctx(['ls', '--agent', 'claude-code'], { files: some, env, columns: 80 });
    const names = stdout.split('\n').flatMap((row) => /agent-\S+/.exec(row)?.[0] ?? []);
    expect(names.toSorted()).toEqual(['agent-a1b2c3d', 'agent-acompact-9f00aa', 'agent-acompact-9f00ab']);
    const shown = await ctx(['show', 'agent-a1b2c3d'], { files: some, env, columns: Infinity });
    expect(shown).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`agent-${sub[2]}.jsonl in ${folder.replace('/home/ada', '~')}`),
    });
  });
});

describe('the id of a session of another agent', () => {
  it('needs eight characters, which the error for fewer says', async () => {
    const hint = 'name a file, eight characters of an id of another agent: ctx ls lists';
    expect((await ctx(['show', '019c8a5'], { files, env })).stderr).toContain(hint);
    expect((await ctx(['show', '019c8a58'], { files, env })).stderr).not.toContain(hint);
  });

  it.each([
    [ID, ROLLOUT],
    ['019c8a59', ROLLOUT],
    ['019c8a59-e9dd', ROLLOUT],
    ['aabbccdd', CHAT],
  ])('names its file: %s', async (id, file) => {
    const { stdout, exitCode } = await ctx(['show', id, 'HEAD~1', '--json'], { files, env });
    expect([exitCode, (JSON.parse(stdout) as { session: object }).session]).toEqual([
      0,
      expect.objectContaining({ file }),
    ]);
    for (const name of ['log', 'check', 'stats', 'report', 'diff'])
      expect((await ctx([name, id, ...(name === 'report' ? ['-o', '/r.html'] : [])], { files, env })).exitCode).toBe(0);
  });

  it('is an error if no session has it, or several', async () => {
    const none = await ctx(['show', '019c8a58'], { files, env });
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('no session id "019c8a58"')]);
    const copy = ROLLOUT.replace('/sessions/2026/02/23/', '/archived_sessions/');
    const both = await ctx(['show', '019c8a59'], { files: { ...files, [copy]: fixture('codex/rollout.jsonl') }, env });
    expect([both.exitCode, both.stderr]).toEqual([3, expect.stringContaining('is ambiguous')]);
  });

  it('names the newest file of a thread of Codex that went back', async () => {
    const [, thread = ''] = /-(019c8a59.*)\.jsonl$/.exec(ROLLOUT) ?? [];
    const later = ROLLOUT.replace('2026-02-23T', '2026-02-24T').replace(
      '.jsonl',
      '_019c8a99-0000-7000-8000-000000000000.jsonl',
    );
    const both = { ...files, [later]: fixture('codex/rollout.jsonl') };
    for (const id of [thread, '019c8a99']) {
      const { stdout } = await ctx(['show', id, '--json'], { files: both, env });
      expect(stdout).toContain(later);
    }
  });

  it('is an entry of the latest session of Pi if that has it', async () => {
    const pi = '/home/ada/.pi/agent/sessions/--w--/2026-03-02T09-00-00-000Z_s1.jsonl';
    const lines = ['{"type":"session","version":3,"id":"s1"}', '{"type":"label","id":"aabbccdd","parentId":null}'];
    const { stdout } = await ctx(['show', 'aabbccdd', '--json'], { files: { ...files, [pi]: lines.join('\n') }, env });
    expect(stdout).toContain(pi);
  });
});

describe('all and all:AGENT', () => {
  const pi = '/home/ada/.pi/agent/sessions/--w--/2026-03-02T09-00-00-000Z_s1.jsonl';
  const all = { ...files, [pi]: '{"type":"session","version":3,"id":"s1"}' };
  const counted = async (...args: readonly string[]): Promise<unknown> => {
    const { stdout, stderr } = await ctx(['stats', ...args, '--json'], { files: all, env });
    if (stdout === '') return stderr;
    return (JSON.parse(stdout) as { sessions: { file: string }[] }).sessions.map(({ file }) => file);
  };

  it('are the sessions of all agents, or of one, for a command that takes many', async () => {
    expect(await counted('all')).toEqual([pi, ROLLOUT, CHAT]);
    expect(await counted('all:codex')).toEqual([ROLLOUT]);
    expect(await counted('all:gemini', 'all:pi')).toEqual([CHAT, pi]);
    expect(await counted('all', '!all:pi')).toEqual([ROLLOUT, CHAT]);
    const { stdout } = await ctx(['grep', 'a', 'all:codex', '--json'], { files: all, env });
    expect(stdout).toContain(ROLLOUT);
    expect(stdout).not.toContain(CHAT);
  });

  it('is a file of that name, where there is one', async () => {
    const { stdout } = await ctx(['stats', 'all', '--json'], { files: { ...all, all: all[pi] ?? '' }, env });
    expect((JSON.parse(stdout) as { sessions: object[] }).sessions).toEqual([expect.objectContaining({ file: 'all' })]);
  });

  it('is an error for an unknown agent, and for one without sessions', async () => {
    expect(await counted('all:codec')).toContain('did you mean');
    expect(await counted('all:opencode')).toContain('no session was found');
    expect(await counted('all:qwen-code')).toContain('no session was found');
  });

  it('have names in ctx stats that lead to their sessions', async () => {
    const { stdout } = await ctx(['stats', 'all', '--by', 'session'], { files: all, env, columns: 80 });
    for (const name of ['s1', '019c8a59', 'aabbccdd']) {
      expect(stdout).toMatch(new RegExp(` {2}${name}$`, 'm'));
      expect((await ctx(['show', name], { files: all, env })).exitCode).toBe(0);
    }
  });
});

describe('ctx grep of entries', () => {
  it.each(['all', 'path'])('finds a plain text wherever its pattern is found: --where %s', async (where) => {
    const found = async (pattern: string): Promise<string> => {
      const { stdout } = await ctx(['grep', pattern, ID, '--where', where, '-c'], { files, env });
      return stdout;
    };
    expect(await found('cat src')).toBe(await found('[c]at src'));
    expect(await found('cat src')).toContain('1 match');
  });
});

describe('latest:AGENT', () => {
  const pi = '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_s1.jsonl';
  const [older, subagent] = ['1', '3'].map((day) =>
    ROLLOUT.replace('/23/', `/2${day}/`).replace('019c8a59', `019c8a5${day}`),
  );
  const rollout = (cwd: string, source: unknown): string =>
    [
      { type: 'session_meta', payload: { id: cwd, cwd, source } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] },
      },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
  const here = {
    [pi]: '{"type":"session","version":3,"id":"s1","cwd":"/home/ada/weather"}',
    [String(older)]: rollout('/home/ada/weather', 'cli'),
    ...files,
    [String(subagent)]: rollout('/home/ada/weather', { subagent: { thread_spawn: {} } }),
  };
  const named = async (word: string, cwd = '/home/ada/weather'): Promise<unknown> => {
    const { stdout, stderr } = await ctx(['log', word, '--json'], { files: here, env, cwd });
    const shown = await ctx(['show', word, '--json'], { files: here, env, cwd });
    return shown.exitCode === 0
      ? (JSON.parse(shown.stdout) as { session: { file: string } }).session.file
      : stderr + stdout;
  };

  it('is the newest session of an agent: of the working directory, without those of subagents', async () => {
    expect(await named('latest:codex')).toBe(older);
    expect(await named('latest:codex', '/elsewhere')).toBe(ROLLOUT);
    expect(await named('latest:gemini-cli')).toBe(CHAT);
    expect(await named('latest')).toBe(older);
    expect(await named('latest:pi')).toBe(pi);
  });

  it('is the newest of all agents and Pi for latest:all', async () => {
    expect(await named('latest:all')).toBe(older);
    const { stdout } = await ctx(['show', 'latest:all', '--json'], { files: { [pi]: here[pi] ?? '' }, env });
    expect(stdout).toContain(pi);
  });

  it('may be a side of ctx diff, and the session of ctx rpc', async () => {
    const { stdout } = await ctx(['diff', 'latest:codex@HEAD', `${ID}@HEAD`, '--json'], { files, env });
    expect(stdout).toContain(ROLLOUT);
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: { file: 'latest:codex' } });
    const answer = await ctx(['rpc'], { files: { ...files, '-': request }, env });
    expect(answer.stdout).toContain(ROLLOUT);
  });

  it('is an error for an unknown agent, and for one without sessions', async () => {
    expect(await named('latest:codec')).toContain('did you mean');
    expect(await named('latest:opencode')).toContain('no session was found');
    expect(await named('latest:qwen-code')).toContain('no session was found');
  });

  it.each([
    ['latest:codex', ['show', 'latest:codex', '@{re'], '@{request:1}'],
    ['an id', ['cache', '019c8a59', '--at', '@{re'], '@{request:1}'],
    ['a side of ctx diff', ['diff', 'latest:codex@HE'], 'latest:codex@HEAD'],
  ])('has the completions of its entries: %s', async (_name, words, expected) => {
    const { stdout } = await ctx(['completion', 'zsh', '--', ...words], { files, env });
    expect(stdout).toContain(`${expected}\t`);
  });

  it('is completed', async () => {
    const { stdout } = await ctx(['completion', 'bash', '--', 'ctx', 'show', 'latest:co'], { files, env });
    expect(stdout).toBe('latest:codex\t\nlatest:copilot-cli\t\n:files\n');
  });
});

describe('ctx ls', () => {
  it('lists JSON documents of an agent', async () => {
    const { stdout } = await ctx(['ls', '--agent', 'gemini-cli', '--json'], { files, env });
    expect(stdout).toContain(CHAT);
    expect((await ctx(['ls', '/home/ada/.gemini'], { files, env })).stdout).toContain('session-2026-03-02T09-00');
  });

  it('recognises the files of a folder by their content, each once', async () => {
    const agents = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'qwen-code'];
    const mixed = {
      '/x/claude-code.jsonl': fixture('claude-code/session.jsonl'),
      '/x/codex.jsonl': fixture('codex/rollout.jsonl'),
      '/x/gemini-cli.json': fixture('gemini-cli/session.json'),
      '/x/opencode.json': fixture('opencode/export.json'),
      '/x/chats/qwen-code.jsonl': fixture('qwen-code/session.jsonl'),
      '/x/pi.jsonl': '{"type":"session","version":3,"id":"s1"}',
      '/x/other.json': '{}',
    };
    const listed = async (agent: string): Promise<readonly unknown[]> => {
      const { stdout } = await ctx(['ls', '/x', '--agent', agent, '--json'], { files: mixed });
      const lines = stdout.trim().split('\n');
      return lines.map((line) => (JSON.parse(line) as { agent?: string }).agent ?? 'pi').toSorted();
    };
    expect(await listed('all')).toEqual([...agents, 'pi'].toSorted());
    const { stdout: whole } = await ctx(['ls', '/x', '--json'], { files: mixed });
    expect(whole).toBe((await ctx(['ls', '/x', '--agent', 'all', '--json'], { files: mixed })).stdout);
    for (const agent of [...agents, 'pi']) expect(await listed(agent)).toEqual([agent]);
    const { exitCode, stdout } = await ctx(['report', '/x', '-o', '/site', '--json'], { files: mixed });
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ sessions: agents.length + 1 })]);
  });

  it('takes the names for all sessions of other commands', async () => {
    const listed = async (...argv: string[]) => (await ctx(['ls', ...argv, '--json'], { files, env })).stdout;
    expect(await listed('all')).toBe(await listed('--agent', 'all'));
    expect(await listed('all:codex')).toBe(await listed('--agent', 'codex'));
    expect(await listed('all:codex')).toContain(ROLLOUT);
  });

  it('names the agent of each session in a folder of several agents only', async () => {
    const mixed = { '/x/a.jsonl': fixture('codex/rollout.jsonl'), '/x/b.jsonl': fixture('../weather.jsonl') };
    const { stdout } = await ctx(['ls', '/x'], { files: mixed });
    const [title = '', ...rows] = stdout.trimEnd().split('\n');
    expect(title).toMatch(/^session +agent +age /);
    expect(new Set(rows.map((row) => /^\S+ +(\S+)/.exec(row)?.[1]))).toEqual(new Set(['codex', 'pi']));
    const { stdout: one } = await ctx(['ls', '/x', '--agent', 'codex'], { files: mixed });
    expect(one).toMatch(/^session +age /);
  });

  it('names the folder in which there is nothing to list', async () => {
    const { stderr } = await ctx(['ls', '/home/ada/.gemini', '--agent', 'codex'], { files, env });
    expect(stderr).toContain('nothing to list in ~/.gemini');
    const { stderr: ofNone } = await ctx(['ls', '--agent', 'all'], { files: {}, env });
    expect(ofNone).toContain('nothing to list in the folders of all agents');
    expect((await ctx(['ls', '--agent', 'qwen-code'], { files, env })).stderr).toContain(
      'nothing to list in the folders of qwen-code',
    );
  });

  it('tells a user without any session to name another folder', async () => {
    expect((await ctx(['ls'], { files: {}, env })).stderr).toContain('name another folder');
  });

  it('completes the names of agents', async () => {
    const { stdout } = await ctx(['completion', 'bash', '--', 'ctx', 'ls', '--agent', 'co'], { files, env });
    expect(stdout).toBe('codex\t\ncopilot-cli\t\n:none\n');
  });
});

describe('a folder', () => {
  const folder = {
    '/x/gemini-cli.json': fixture('gemini-cli/session.json'),
    '/x/cut.json': fixture('gemini-cli/session.json').subarray(0, 300),
    '/x/below/opencode.json': fixture('opencode/export.json'),
    '/x/codex.jsonl': fixture('codex/rollout.jsonl'),
    '/x/pi.jsonl': '{"type":"session","version":3,"id":"s1"}\n{"type":"label","id":"aabbccdd","parentId":null}',
    '/x/package.json': '{"name":"x","messages":[]}',
    '/x/messages.json': '{"messages":[{"role":"user","content":"Hello"}]}',
    '/x/cut-config.json': '{"kind":"chat",',
  };
  const read = Object.keys(folder).slice(0, 5).toSorted();

  it('has the same sessions for every command', async () => {
    const filesIn = (lines: string): readonly string[] => {
      const named = lines.matchAll(/"file":\s?"(\/x\/[^"]+)"/g);
      return [...new Set([...named].map(([, file = '']) => file))].toSorted();
    };
    const outputOf = async (...words: string[]): Promise<string> => (await ctx(words, { files: folder })).stdout;
    expect(filesIn(await outputOf('ls', '/x', '--json'))).toEqual(read);
    expect(filesIn(await outputOf('check', '/x', '--json'))).toEqual(read);
    expect(filesIn(await outputOf('stats', '/x', '--json'))).toEqual(read);
    expect(JSON.parse(await outputOf('report', '/x', '-o', '/site', '--json'))).toMatchObject({
      sessions: read.length,
    });
    const sql = 'SELECT DISTINCT file FROM entries';
    const withEntries = read.filter((file) => file !== '/x/cut.json');
    expect(filesIn(await outputOf('query', sql, '/x', '--json'))).toEqual(withEntries);
    expect(filesIn(await outputOf('grep', '.', '/x', '--json'))).toEqual(
      withEntries.filter((file) => !file.endsWith('pi.jsonl')),
    );
  });

  it('reports a cut document as damaged', async () => {
    const { stdout, exitCode } = await ctx(['check', '/x/cut.json'], { files: folder });
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('malformed-line')]);
  });
});

describe('for a user without sessions of Pi', () => {
  const older = { [CHAT]: files[CHAT], [ROLLOUT]: files[ROLLOUT] };

  it.each([[['show', '--json']], [['show', 'latest', '--json']], [['diff', '--json']], [['stats', '--json']]])(
    'the newest session of another agent is the latest: ctx %j',
    async (argv) => {
      const { exitCode, stdout } = await ctx(argv, { files: older, env });
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining(ROLLOUT)]);
    },
  );

  it('the sessions of this folder are listed, of all agents; without one, all', async () => {
    const names = async (more: Record<string, Buffer>): Promise<readonly string[]> => {
      const { stdout } = await ctx(['ls', '--json'], { files: { ...more, ...older }, env });
      return stdout.split('\n').flatMap((line) => /"file":"([^"]*)"/.exec(line)?.[1] ?? []);
    };
    expect(await names({})).toEqual([ROLLOUT, CHAT]);
    const own = '/home/ada/.pi/agent/sessions/--x--/1_the-id.jsonl';
    expect(await names({ [own]: readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl')) })).toEqual([own]);
    const claude = '/home/ada/.claude/projects/-home-ada-weather/0b1c2d3e-0000-4000-8000-000000000000.jsonl';
    const text = fixture('claude-code/session.jsonl').toString().replaceAll('/home/ada/shop', '/home/ada/weather/maps');
    expect(await names({ [claude]: Buffer.from(text) })).toEqual([claude]);
  });

  it('the session of this folder is the one that is copied', async () => {
    const session = fixture('claude-code/session.jsonl').toString().replaceAll('/home/ada/shop', '/home/ada/weather');
    const here = '/home/ada/.claude/projects/-home-ada-weather/0b1c2d3e-0000-4000-8000-000000000000.jsonl';
    const argv = ['prune', '--strategy', 'errors', '--dry-run', '--json'];
    const { stdout, stderr } = await ctx(argv, { files: { [here]: session }, env });
    expect(stdout + stderr.replaceAll('~', '/home/ada')).toContain(here);
  });

  it('no session is found to write to', async () => {
    const { exitCode, stderr } = await ctx(['compact'], { files: older, env });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the current folder has no session')]);
    expect(stderr).toContain('name a session, such as latest:codex for the newest of Codex');
    const named = await ctx(['compact', 'latest:codex', '--dry-run', '--keep-recent', '1'], { files: older, env });
    expect(named.exitCode).toBe(0);
  });

  it('a listing of this folder tells how many sessions of others it leaves out', async () => {
    const own = '/home/ada/.pi/agent/sessions/--x--/1_the-id.jsonl';
    const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'));
    const world = { files: { ...older, [own]: weather }, env, columns: 120 };
    const last = async (...argv: string[]): Promise<string | undefined> =>
      (await ctx(['ls', ...argv], world)).stdout.trimEnd().split('\n').at(-1);
    expect(await last()).toBe('2 sessions of other folders: ctx ls all');
    for (const argv of [['--agent', 'pi'], ['all'], ['/home/ada/.pi'], ['--json'], ['--cwd', '.']])
      expect(await last(...argv)).not.toContain('of other folders');
    const alone = await ctx(['ls'], { files: { [own]: weather }, env });
    expect(alone.stdout).not.toContain('of other folders');
  });
});
