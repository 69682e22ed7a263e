import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { locateSession, locateToWrite } from '#cli/locate.js';
import { listPiSessionFiles } from '#cli/sessions/pi-files.js';
import type { Surroundings } from '#cli/surroundings.js';
import { memoryFiles } from '../support/memory-io.js';

const SESSIONS = '/home/ada/.pi/agent/sessions';
const HERE = `${SESSIONS}/--home-ada-weather--`;
const THERE = `${SESSIONS}/--home-ada-other--`;

/** Files are named from the oldest to the newest. */
function ioWith(files: readonly string[], rest: Partial<Surroundings> = {}): Surroundings {
  return {
    env: {},
    cwd: '/home/ada/weather',
    home: '/home/ada',
    files: memoryFiles(Object.fromEntries(files.map((file) => [file, '']))),
    ...rest,
  };
}

async function refusal(io: Surroundings, name: string): Promise<CtxError> {
  try {
    await locateSession(io, name);
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error(`"${name}" was found`);
}

const ALL = [
  `${HERE}/2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl`,
  `${HERE}/2026-01-02T00-00-00-000Z_0198aaaa-2222.jsonl`,
  `${THERE}/2026-01-03T00-00-00-000Z_0198bbbb-3333.jsonl`,
  `${THERE}/2026-01-04T00-00-00-000Z_0198aaaa-11112.jsonl`,
  `${THERE}/2026-01-05T00-00-00-000Z_my_own_id.jsonl`,
  `${THERE}/notes.txt`,
] as const;

describe('a session is found', () => {
  it.each([
    ['by -, which is standard input', '-', '-'],
    ['by its path', ALL[2], ALL[2]],
    ['by the name of its file', '2026-01-03T00-00-00-000Z_0198bbbb-3333.jsonl', ALL[2]],
    ['by its id', '0198bbbb-3333', ALL[2]],
    ['by its id, though it begins another one', '0198aaaa-1111', ALL[0]],
    ['by a prefix of its id', '0198b', ALL[2]],
    ['by a prefix that only one id has', '0198aaaa-11112', ALL[3]],
    ['by an id with underscores', 'my_own_id', ALL[4]],
    ['as the latest one of this directory', 'latest', ALL[1]],
  ])('%s', async (_name, name, file) => {
    expect(await locateSession(ioWith(ALL), name)).toBe(file);
  });

  it('as the latest one of all where this directory has none', async () => {
    expect(await locateSession(ioWith(ALL, { cwd: '/tmp' }), 'latest')).toBe(ALL[4]);
  });

  it('as the latest one, whatever its name, and not as a file of lines that is no session', async () => {
    const header = '{"type":"session","version":3,"id":"x","timestamp":"2026-01-09T00:00:00.000Z","cwd":"/"}';
    const files = { [ALL[0]]: '', [`${HERE}/copy.jsonl`]: header, [`${HERE}/events.jsonl`]: '{"event":"click"}\n' };
    expect(await locateSession(ioWith([], { files: memoryFiles(files) }), 'latest')).toBe(`${HERE}/copy.jsonl`);
  });

  it('as the latest one by its time, not by its name', async () => {
    const [older, newer] = [
      `${HERE}/2026-01-09T00-00-00-000Z_older.jsonl`,
      `${HERE}/2026-01-01T00-00-00-000Z_newer.jsonl`,
    ];
    expect(await locateSession(ioWith([older, newer]), 'latest')).toBe(newer);
  });

  it.each([
    ['/srv/a:b\\c', '--srv-a-b-c--'],
    ['C:\\work', '--C--work--'],
    ['/', '----'],
  ])('as the latest one of %s', async (cwd, folder) => {
    const [mine, newer] = [`${SESSIONS}/${folder}/1_mine.jsonl`, `${THERE}/2_newer.jsonl`];
    expect(await locateSession(ioWith([mine, newer], { cwd }), 'latest')).toBe(mine);
  });

  it('as the session of the Pi that runs the command, from its first written entry on', async () => {
    const env = { PI_SESSION_FILE: ALL[3] };
    expect(await locateSession(ioWith(ALL, { env }), 'latest')).toBe(ALL[3]);
    expect(await locateToWrite(ioWith(ALL, { env }), undefined)).toBe(ALL[3]);
    expect(await locateSession(ioWith(ALL, { env }), '0198b')).toBe(ALL[2]);
    expect(await locateSession(ioWith(ALL, { env: { PI_SESSION_FILE: '/not/yet.jsonl' } }), 'latest')).toBe(ALL[1]);
  });

  it('as the session of the Claude Code or Codex that runs the command, of two the one written last', async () => {
    const [outer, inner] = ['0b1c2d3e-0000-4000-8000-000000000001', '0b1c2d3e-0000-7000-8000-000000000002'];
    const ofClaude = `/home/ada/.claude/projects/-home-ada-other/${outer}.jsonl`;
    const ofCodex = `/home/ada/.codex/sessions/2026/01/06/rollout-2026-01-06T00-00-00-${inner}.jsonl`;
    const files = [ofClaude, ofCodex, ...ALL];
    const find = (env: Surroundings['env'], io = ioWith(files, { env })) =>
      Promise.all([locateSession(io, 'latest'), locateToWrite(io, undefined)]);
    expect(await find({ CLAUDE_CODE_SESSION_ID: outer })).toEqual([ofClaude, ofClaude]);
    expect(await find({ CODEX_THREAD_ID: inner })).toEqual([ofCodex, ofCodex]);
    const both = { CLAUDE_CODE_SESSION_ID: outer, CODEX_THREAD_ID: inner };
    expect(await find(both)).toEqual([ofCodex, ofCodex]);
    expect(await find(both, ioWith([ofCodex, ofClaude, ...ALL], { env: both }))).toEqual([ofClaude, ofClaude]);
    // Pi names a file, before which nothing is searched; what is named and not there yet is as if nothing was.
    expect(await find({ ...both, PI_SESSION_FILE: ALL[3] })).toEqual([ALL[3], ALL[3]]);
    expect(await find({ CLAUDE_CODE_SESSION_ID: '0b1c2d3e' })).toEqual([ALL[1], ALL[1]]);
  });

  it('as the newest one of this directory, whichever agent wrote it', async () => {
    const folder = '/home/ada/.claude/projects/-home-ada-weather';
    const record = (cwd: string): string =>
      `${JSON.stringify({ type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's', cwd, version: '2.1.332', message: { role: 'user', content: 'Hi' }, timestamp: '2026-01-06T00:00:00.000Z' })}\n`;
    const [here, there] = ['0b1c2d3e-0000-4000-8000-000000000001', '0b1c2d3e-0000-4000-8000-000000000002'];
    const ofClaude = {
      [`${folder}/${here}.jsonl`]: record('/home/ada/weather'),
      [`${folder}/${there}.jsonl`]: record('/home/ada/other'),
    };
    const ofPi = { [ALL[0]]: '' };
    const found = (files: Readonly<Record<string, string>>): Promise<string> =>
      locateSession(ioWith([], { files: memoryFiles(files) }), 'latest');
    expect(await found({ ...ofPi, ...ofClaude })).toBe(`${folder}/${here}.jsonl`);
    expect(await found({ ...ofClaude, ...ofPi })).toBe(ALL[0]);
    expect(await found(ofClaude)).toBe(`${folder}/${here}.jsonl`);
  });

  it.each(['latest', '0198bbbb-3333'])('as a file first, even if it is called %s', async (name) => {
    expect(await locateSession(ioWith([...ALL, name]), name)).toBe(name);
  });

  it.each(['missing.jsonl', './0198b', 'folder/0198b', String.raw`folder\0198b`])(
    'as a path without a look at the disk, where %s can only be a path',
    async (name) => {
      expect(await locateSession(ioWith(ALL), name)).toBe(name);
    },
  );
});

describe('the name of a file', () => {
  const name = '0b1c2d3e-0000-4000-8000-000000000001.jsonl';
  const claude = `/home/ada/.claude/projects/-home-ada-weather/${name}`;

  it('names the session of another agent', async () => {
    expect(await locateSession(ioWith([...ALL, claude]), name)).toBe(claude);
  });

  it('stays a path where no session, or more than one, has it', async () => {
    const copy = `/home/ada/.claude/projects/-tmp/${name}`;
    expect(await locateSession(ioWith([claude, copy]), name)).toBe(name);
    expect(await locateSession(ioWith(ALL), name)).toBe(name);
    expect(await locateSession(ioWith([claude]), `./${name}`)).toBe(`./${name}`);
  });
});

describe("Pi's folder of sessions", () => {
  it.each([
    ['/opt/pi', '/opt/pi/sessions'],
    ['~', '/home/ada/sessions'],
    ['~/pi', '/home/ada/pi/sessions'],
    ['~other', '~other/sessions'],
    ['', SESSIONS],
    [undefined, SESSIONS],
  ])('with PI_CODING_AGENT_DIR=%s is %s', async (folder, sessions) => {
    const file = `${sessions}/--home-ada-weather--/1_the-id.jsonl`;
    const io = ioWith([file], { env: { PI_CODING_AGENT_DIR: folder } });
    expect(await locateSession(io, 'the-id')).toBe(file);
    expect(await locateSession(io, 'latest')).toBe(file);
  });
});

describe('without a home folder', () => {
  // What stands in the working folder may be somebody else's.
  const planted = ['.pi/agent/sessions/--home-ada-weather--/1_the-id.jsonl'];

  it.each(['', 'ada', '.'])('that is known (%j), no session is looked for', async (home) => {
    for (const name of ['latest', 'the-id'])
      expect(await refusal(ioWith(planted, { home }), name)).toMatchObject({
        kind: 'input',
        message: 'the home folder is unknown, so the folder of Pi is too',
        where: '$HOME',
      });
    expect([...listPiSessionFiles(ioWith(planted, { home }))]).toEqual([]);
    expect(await locateSession(ioWith(planted, { home }), planted[0]!)).toBe(planted[0]);
  });

  it("Pi's may still be named", async () => {
    const io = ioWith(['/opt/pi/sessions/--x--/1_the-id.jsonl'], { home: '', env: { PI_CODING_AGENT_DIR: '/opt/pi' } });
    expect(await locateSession(io, 'the-id')).toBe('/opt/pi/sessions/--x--/1_the-id.jsonl');
    const atHome = ioWith(planted, { home: '', env: { PI_CODING_AGENT_DIR: '~/pi' } });
    expect((await refusal(atHome, 'the-id')).where).toBe('$HOME');
  });
});

describe('a session is not found', () => {
  it('by an id that no session has', async () => {
    const { kind, message, where, hint } = await refusal(ioWith(ALL), 'missing');
    expect({ kind, message, where }).toEqual({
      kind: 'input',
      message: 'no file and no session id "missing"',
      where: SESSIONS,
    });
    expect(hint).toMatch(/latest/);
  });

  it.each(['bbbb', '3333', 'notes', '2026'])('by %j, which is not how an id begins', async (name) => {
    expect((await refusal(ioWith(ALL), name)).message).toBe(`no file and no session id "${name}"`);
  });

  it('by a prefix that several ids have, which are listed', async () => {
    expect(await refusal(ioWith(ALL), '0198aaaa')).toMatchObject({
      kind: 'input',
      message: 'session id "0198aaaa" is ambiguous',
      where: SESSIONS,
      hint: 'name one of 3: 0198aaaa-1111, 0198aaaa-2222, 0198aaaa-11112',
    });
  });

  it('by a prefix of the ids of a session of Pi and of another agent, but by the whole id of Pi', async () => {
    const ofPi = `${HERE}/1_0b1c2d3e-0000-4000-8000-00000000000a.jsonl`;
    const ofClaude = '/home/ada/.claude/projects/-x/0b1c2d3e-0000-4000-8000-00000000000b.jsonl';
    const io = ioWith([ofPi, ofClaude]);
    expect(await refusal(io, '0b1c2d3e')).toMatchObject({
      kind: 'input',
      message: 'session id "0b1c2d3e" is ambiguous',
      hint: `name a file: ${ofPi}, or ${ofClaude}`,
    });
    expect(await locateSession(io, '0b1c2d3e-0000-4000-8000-00000000000a')).toBe(ofPi);
    expect(await locateSession(io, '0b1c2d3e-0000-4000-8000-00000000000b')).toBe(ofClaude);
  });

  it('of an unknown agent, also where many are meant', async () => {
    expect(await refusal(ioWith(ALL), 'all:codx')).toMatchObject({
      kind: 'usage',
      message: 'unknown agent "codx"',
      hint: 'did you mean "codex"?',
    });
  });

  it.each([
    ['all', 'latest:all'],
    ['all:codex', 'latest:codex'],
  ])('by %s, which means many', async (name, latest) => {
    expect(await refusal(ioWith(ALL), name)).toMatchObject({
      kind: 'usage',
      message: `"${name}" means many sessions, and this command takes one`,
      hint: `name one, such as latest or ${latest}`,
    });
    expect(await locateSession(ioWith([name]), name)).toBe(name);
  });

  it('by a prefix that more ids have than anybody wants to read', async () => {
    const many = Array.from({ length: 9 }, (_, at) => `${HERE}/${at}_same-${at}.jsonl`);
    expect((await refusal(ioWith(many), 'same')).hint).toBe(
      'name one of 9: same-0, same-1, same-2, same-3, same-4, and 4 more',
    );
  });

  it('as the latest one where there is none', async () => {
    expect(await refusal(ioWith([`${HERE}/notes.txt`]), 'latest')).toMatchObject({
      kind: 'input',
      message: 'there are no sessions of Pi or of another agent yet',
      where: SESSIONS,
    });
  });
});
