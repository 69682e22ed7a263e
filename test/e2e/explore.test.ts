import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSession } from '#context/open.js';
import { Log } from '../fixtures/log.js';
import { press, stateOf, textOf, withEnvelope } from '../support/exploring.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { Pty } from '../support/pty.js';
import { linesOf, svgOf, THEMES } from '../support/terminal-picture.mjs';

const binary = path.join(projectFolder, 'bin/ctx.js');
let folder = '';
let open: Pty[] = [];

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-explore-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const pty of open) pty.close();
  open = [];
});

interface Options {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  readonly revision?: string;
}

/** Explores a file on a screen of some size, which leaves a row of its terminal free. */
function explore(file: string, { columns = 80, rows = 24, env = {}, revision }: Options = {}): Pty {
  const size = { columns, rows: rows + 1 };
  const pty = new Pty([process.execPath, binary, 'explore', file, ...(revision === undefined ? [] : [revision])], {
    cwd: projectFolder,
    env,
    ...size,
  });
  open.push(pty);
  return pty;
}

/** Ends it by a signal, after which the terminal is as it was. */
async function endBySignal(pty: Pty, signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): Promise<void> {
  pty.kill(signal);
  await pty.ends();
  expect(pty.isSane()).toBe(true);
}

/** A screen that somebody has looked at, which the tests of its pieces write with `UPDATE=1`. */
function golden(name: string): string {
  return readFileSync(path.join(projectFolder, `test/golden/explore/${name}.txt`), 'utf8').trimEnd();
}

const weather = 'fixtures/weather.jsonl';

describe('in a real terminal', () => {
  it('shows what it should, draws each frame at once, and leaves the terminal with its history as it was', async () => {
    const pty = explore(weather);
    await expect.poll(() => pty.screen()).toBe(golden('tree-80'));
    pty.press('\t\u001b[C');
    await expect.poll(() => pty.screen()).toBe(golden('envelope-80'));
    await pty.finishesFrame();
    const start = pty.written.length;
    pty.press('\tk');
    await pty.shows(/^›.*changelog/m);
    await pty.finishesFrame();
    const frames = pty.written.slice(start).split('\u001b[?2026h').slice(1);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame).toMatch(/\u001b\[2K[^]*\? help[^]*\u001b\[\?2026l/);
    expect(pty.written).not.toContain('\u001b[3J');
    pty.press('q');
    expect(await pty.ends()).toMatchObject({ exitCode: 0 });
    expect([pty.isSane(), pty.screen()]).toEqual([true, '']);
  });

  it('begins at the entry that is named, ends by SIGTERM, and does not begin where there is no such entry', async () => {
    const named = explore(weather, { revision: '@{turn:1}' });
    await named.shows('before the first of 14 requests');
    await endBySignal(named, 'SIGTERM');
    const pty = explore(weather, { revision: 'nowhere' });
    expect(await pty.ends()).toMatchObject({ exitCode: 2 });
    expect(pty.screen()).toContain('no revision "nowhere"');
  });

  it('looks as in the pictures of the manual', async () => {
    const [columns, rows] = [100, 30];
    const pty = explore(weather, { columns, rows });
    await pty.shows('12 user');
    pty.press('[b');
    await pty.shows(/options (?!e0f4d7b6)[^]* 6 user [^]*cache break at request 12 of 14/);
    await pty.settles();
    const draw = (theme: 'light' | 'dark'): string =>
      svgOf({ lines: linesOf(pty.cells, 0, rows), columns }, THEMES[theme]);
    // A busy machine may draw the last frame after a pause.
    await vi.waitFor(() => expectGenerated('docs/screens/explore-light.svg', draw('light')), 100_000);
    expectGenerated('docs/screens/explore-dark.svg', draw('dark'));
  });

  it('is driven by all of its keys, in colours of the terminal', async () => {
    const pty = explore(weather);
    await pty.shows('12 user');
    expect(pty.written).toMatch(/\u001b\[32m/);
    pty.press('/6379529a\r');
    await pty.shows(/^›.*Then we keep/m);
    pty.press('\u001b[A\u001b[Bkj');
    await pty.shows(/^›.*Then we keep/m);
    pty.press('e');
    await pty.shows('ctx cat fixtures/weather.jsonl 6379529a');
    pty.press('qc');
    await pty.shows(/─ Cache[^]*prompt tokens/);
    pty.press('qp');
    await pty.shows(/─ Prune[^]*(would append|nothing to prune)/);
    pty.press('qx');
    await pty.shows(/─ Compact[^]*nothing to compact/);
    expect(pty.screen()).not.toContain('w write it');
    pty.press('qd');
    await pty.shows('marked');
    pty.press('/^compaction\r');
    await pty.shows(/^›.*compaction/m);
    pty.press('d');
    await pty.shows(/─ Diff[^]*af810455/);
    pty.press('ql');
    await pty.shows(/─ Loss[^]*af810455/);
    pty.press('qffff');
    await pty.shows('Tree all 44');
    pty.press('ft');
    await pty.shows('Log 30');
    pty.press('?');
    await pty.shows('half a page');
    pty.press('qy');
    await pty.shows('copied: af810455');
    expect(pty.written).toContain(`\u001b]52;c;${Buffer.from('af810455').toString('base64')}\u0007`);
    expect(pty.written).not.toMatch(/\u001b\[[34]8[;:]/);
    pty.press('\u0003');
    expect(await pty.ends()).toMatchObject({ exitCode: 0 });
  });

  it('says in words what a screen reader reads', async () => {
    const pty = explore(weather, { env: { INK_SCREEN_READER: 'true' } });
    await pty.shows(/^\(selected\) ephemeral \(leaf\)/m);
    pty.press('k');
    await pty.shows(/^\(selected\) user Add a line/m);
    pty.press('\t');
    await pty.shows(/^\(selected\) +12 user 10 tokens/m);
    expect(pty.screen()).not.toMatch(/[─│█›]/);
    pty.press('q');
    expect(await pty.ends()).toMatchObject({ exitCode: 0 });
  });

  it('is driven by the mouse, and leaves it to the terminal at the end', async () => {
    const pty = explore(weather);
    await pty.shows('12 user');
    pty.press('\u001b[<64;5;5M');
    await pty.shows(/^›.*Done: two/m);
    pty.press('\u001b[<0;5;3M\u001b[<0;5;3m\u001b[<0;5;3M\u001b[<0;5;3m');
    await pty.shows(/─ Entry/);
    pty.press('q\u001b[<0;40;5M\u001b[<32;51;5M\u001b[<0;51;5m');
    await pty.shows(/^.{50}│/m);
    pty.press('/one\u001b[D\u001b[D\u001b[200~x\ry\u001b[201~');
    await pty.shows('/ox yne');
    pty.press('\u001b');
    await pty.shows('? help');
    pty.press('q');
    expect(await pty.ends()).toMatchObject({ exitCode: 0 });
    expect(pty.isSane()).toBe(true);
  });

  it('takes keys from its first screen on, without an echo in it, and ends by SIGINT', async () => {
    const slow = path.join(folder, 'slow.cjs');
    writeFileSync(
      slow,
      `const write = process.stdout.write.bind(process.stdout);
      process.stdout.write = (text, ...rest) => {
        const isWritten = write(text, ...rest);
        if (String(text).includes('? help')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
        return isWritten;
      };`,
    );
    const pty = explore(weather, { env: { NODE_OPTIONS: `--require=${slow}` } });
    await pty.shows('? help');
    pty.press('kjk');
    await pty.shows(/^›.*changelog/m);
    expect(pty.written).not.toContain('kjk');
    await endBySignal(pty, 'SIGINT');
  });

  it('shrinks and grows with its window', async () => {
    const pty = explore(weather, { columns: 200, rows: 60 });
    await pty.shows('12 user');
    pty.resize(40, 13);
    await expect.poll(() => pty.screen()).toBe(golden('tree-40'));
    pty.resize(80, 25);
    await pty.shows('12 user');
    const [wide, narrow] = [golden('tree-80'), pty.screen()].map((text) => text.split('\n'));
    // Where the list was scrolled to may differ, but nothing else.
    for (const rest of [
      [0, 2],
      [18, 24],
    ] as const)
      expect(narrow!.slice(...rest)).toEqual(wide!.slice(...rest));
    expect(narrow!.slice(2, 18).map((line) => line[39])).toEqual(Array.from({ length: 16 }, () => '│'));
  });

  it('follows a file that grows, and ends by SIGHUP', async () => {
    const file = path.join(folder, 'grows.jsonl');
    const log = new Log('grows').user('a0000001', 'one').user('a0000002', 'two');
    writeFileSync(file, log.text());
    const before = log.text().length;
    const pty = explore(file);
    await pty.shows(/^›.*two/m);
    appendFileSync(file, log.user('a0000003', 'three').text().slice(before));
    await pty.shows(/^›.*three/m);
    writeFileSync(file, new Log('anew').user('b0000001', 'fresh').text());
    await pty.shows('fresh');
    await endBySignal(pty, 'SIGHUP');
  });

  it('gives the terminal to a pager and to the shell, and takes it back', async () => {
    const pty = explore(weather, { env: { PAGER: 'cat; read -r line </dev/tty' } });
    await pty.shows('12 user');
    pty.press('o');
    await pty.shows('the freeze ends on Friday');
    pty.press('\r');
    await pty.shows(/^›.*ephemeral/m);
    const before = pty.written.length;
    pty.press('\u001a');
    await expect.poll(() => pty.written.includes('\u001b[?1049l', before)).toBe(true);
    pty.kill('SIGCONT');
    await pty.shows(/^›.*ephemeral/m);
    pty.press('k');
    await pty.shows(/^›.*changelog/m);
  });

  it('writes a plan and undoes it, each after a question, or prints the command', async () => {
    const file = path.join(folder, 'written.jsonl');
    const before = readFileSync(path.join(projectFolder, weather));
    writeFileSync(file, before);
    const pty = explore(file);
    await pty.shows('12 user');
    pty.press('p');
    await pty.shows('nothing to prune in zone green');
    expect(pty.screen()).not.toContain('w write it');
    pty.press('+');
    await pty.shows(/--zone yellow[^]*w write it/);
    pty.press('+');
    await pty.shows(/--zone red[^]*w write it/);
    pty.press('w');
    await pty.shows('Append it to the session?');
    expect(readFileSync(file).equals(before)).toBe(true);
    pty.press('y');
    await pty.shows(/appended 1 entry/);
    expect(readFileSync(file).subarray(0, before.length).equals(before)).toBe(true);
    pty.press('q');
    await pty.shows(/^›.*context_transform ←/m);
    pty.press('u');
    await pty.shows('w write it');
    pty.press('wy');
    await pty.shows(/appended[^]*modified in the last five minutes/);
    pty.press('q');
    await pty.shows('q quit');
    const length = readFileSync(file).length;
    pty.press('p');
    await pty.shows('nothing to prune in zone green');
    pty.press('+');
    await pty.shows('w write it');
    pty.press('wq');
    await pty.ends();
    expect(pty.screen()).toMatch(/^ctx prune .*written.jsonl --zone yellow$/);
    expect(readFileSync(file).length).toBe(length);
  });
});

describe('the terminal is as it was', () => {
  it('after an uncaught exception', async () => {
    const [script, sign] = [path.join(folder, 'crash.cjs'), path.join(folder, 'now')];
    writeFileSync(
      script,
      `const waiting = setInterval(() => {
        if (!require('node:fs').existsSync(${JSON.stringify(sign)})) return;
        clearInterval(waiting);
        throw new Error('out of the blue');
      }, 20);
      waiting.unref();`,
    );
    const pty = explore(weather, { env: { NODE_OPTIONS: `--require=${script}` } });
    await pty.shows('12 user');
    writeFileSync(sign, '');
    expect(await pty.ends()).toMatchObject({ exitCode: 70 });
    expect(pty.isSane()).toBe(true);
    expect(pty.screen()).toContain('out of the blue');
  });

  it('where the file is no session', async () => {
    const pty = explore('package.json');
    expect(await pty.ends()).toMatchObject({ exitCode: 3 });
    expect([pty.isSane() || !pty.written.includes('?1049h'), pty.screen()]).toMatchObject([true, /not a Pi session/]);
  });
});

/** One with branches, one of an old version. The pictures of the pieces show a long one. */
const chosen = [
  ['fixtures/branches.jsonl', 200, 60],
  ['fixtures/version-1.jsonl', 40, 12],
] as const;

it.each(chosen)('shows %s as the pieces say, without colours, and leaves the terminal', async (file, columns, rows) => {
  const pty = explore(file, { columns, rows, env: { NO_COLOR: '1' } });
  let state = withEnvelope(stateOf(await openSession(file), columns, rows));
  await expect.poll(() => pty.screen()).toBe(textOf(state).trimEnd());
  for (const keys of ['kkk', 'g', 't', 'G']) {
    state = withEnvelope(press(state, ...keys.split('')).state);
    pty.press(keys);
    await expect.poll(() => pty.screen()).toBe(textOf(state).trimEnd());
  }
  pty.press('q');
  expect(await pty.ends()).toMatchObject({ exitCode: 0 });
  expect([pty.isSane(), pty.screen()]).toEqual([true, '']);
  expect(pty.written).not.toMatch(/\u001b\[(?:3\d|4\d|1|2)m/);
});

it('without a session, shows a list of all, and returns to it as it was', async () => {
  const home = path.join(folder, 'home');
  const sessions = path.join(home, '.pi/agent/sessions/weather');
  mkdirSync(sessions, { recursive: true });
  copyFileSync(path.join(projectFolder, weather), path.join(sessions, 'weather.jsonl'));
  writeFileSync(
    path.join(sessions, 'dates.jsonl'),
    new Log('dates').user('a0000001', 'Which file formats dates?').text(),
  );
  const pty = new Pty([process.execPath, binary, 'explore'], { cwd: projectFolder, env: { HOME: home } });
  open.push(pty);
  await pty.shows('Sessions 2');
  pty.press('forecast');
  await pty.shows(/Sessions 1\/2[^]* assistant Done: two lines/);
  pty.press('\r');
  await pty.shows('q sessions');
  pty.press('q');
  await pty.shows(/Sessions 1\/2[^]* > forecast/);
  pty.press('\u001b');
  await pty.shows('Sessions 2');
  pty.press('\u001b');
  expect(await pty.ends()).toMatchObject({ exitCode: 0 });
  expect([pty.isSane(), pty.screen()]).toEqual([true, '']);
});

describe('without a terminal', () => {
  it.each([
    [[weather], /needs a terminal/],
    [['-'], /standard input cannot be explored/],
    [[weather, '--json'], /unknown option '--json'/],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stderr } = await execa(binary, ['explore', ...args], { reject: false, cwd: projectFolder });
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 2, stderr: expect.stringMatching(message) as string });
  });
});

describe('other commands', () => {
  it('are built without React and Ink', () => {
    const built = path.join(projectFolder, 'dist/cli');
    const holding = readdirSync(built).filter((name) => {
      const isScript = name.endsWith('.js');
      return isScript && /react\.transitional\.element|YGNode/.test(readFileSync(path.join(built, name), 'utf8'));
    });
    // The explorer and its list of sessions share one file.
    expect(holding).toHaveLength(1);
  });

  it('load nothing of the explorer', async () => {
    const file = (name: string): string => path.join(projectFolder, 'test', name);
    const lines = ['show', 'tree', 'log', 'stats', 'check', 'cache'].map((name) => [name, weather]);
    const LOADED = path.join(folder, 'loaded.txt');
    const answer = path.join(folder, 'answer.json');
    const program = ['--import', file('support/loaded.mjs'), file('security/run-all.cjs')];
    const env = { LOADED };
    await execa(process.execPath, [...program, binary, JSON.stringify(lines), answer], { cwd: projectFolder, env });
    const runs = JSON.parse(readFileSync(answer, 'utf8')) as readonly { readonly exitCode: number }[];
    expect(runs.map(({ exitCode }) => exitCode)).toEqual(lines.map(() => 0));
    const loaded = readFileSync(LOADED, 'utf8').replaceAll(pathToFileURL(projectFolder).href, '');
    expect(loaded).toContain('dist/cli/main.js');
    expect(loaded).not.toMatch(/ink|explore|report|uplot/);
  });
});
