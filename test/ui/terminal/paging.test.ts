import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Pager } from '#platform/terminal/pager.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

interface Paged extends Ran {
  /** The lines that started pagers. */
  readonly started: readonly string[];
  /** What each was given. */
  readonly shown: string;
  readonly ended: number;
}

/** Runs a command line on a terminal of ten lines, whose pager reads so many pieces. */
async function onTerminal(argv: readonly string[], world: World = {}, pieces = Infinity): Promise<Paged> {
  const started: string[] = [];
  let shown = '';
  let ended = 0;
  let left = pieces;
  const pager: Pager = {
    write(text) {
      if (left <= 0) return Promise.resolve(false);
      left -= 1;
      shown += String(text);
      return Promise.resolve(true);
    },
    end() {
      ended += 1;
      return Promise.resolve();
    },
  };
  const ran = await ctx(argv, {
    files: { 's.jsonl': weather },
    isTerminal: true,
    rows: 10,
    startPager: (line) => {
      started.push(line);
      return Promise.resolve(pager);
    },
    ...world,
  });
  return { ...ran, started, shown, ended };
}

describe('long output on a terminal', () => {
  it.each([
    [{}, 'less'],
    [{ PAGER: 'more' }, 'more'],
    [{ PAGER: 'more', CTX_PAGER: 'bat -p' }, 'bat -p'],
  ])('goes through the pager of %j', async (env, line) => {
    const { exitCode, stdout, started, shown, ended } = await onTerminal(['show', 's.jsonl'], { env });
    expect({ exitCode, stdout, started, ended }).toEqual({ exitCode: 0, stdout: '', started: [line], ended: 1 });
    const plain = await onTerminal(['show', 's.jsonl', '--no-pager']);
    expect(shown).toBe(plain.stdout);
    expect(plain.started).toEqual([]);
  });

  it.each([
    ['an empty CTX_PAGER', ['show', 's.jsonl'], { env: { CTX_PAGER: '', PAGER: 'less' } }],
    ['cat', ['show', 's.jsonl'], { env: { PAGER: 'cat' } }],
    ['a terminal that can do nothing', ['show', 's.jsonl'], { env: { TERM: 'dumb' } }],
    ['no terminal', ['show', 's.jsonl'], { isTerminal: false }],
    ['JSON', ['show', 's.jsonl', '--json'], {}],
    ['lines of JSON', ['show', 's.jsonl', '--each'], {}],
    ['bytes', ['cat', 's.jsonl', 'HEAD', '--raw'], { rows: 1 }],
    ['a screen that is shown again', ['show', 's.jsonl', '--watch'], {}],
    ['a log that goes on', ['log', 's.jsonl', '--follow'], {}],
    ['text that the screen holds', ['show', 's.jsonl', '--part', 'options'], {}],
  ])('goes through none with %s', async (_what, argv, world) => {
    const { stdout, started } = await onTerminal(argv, world);
    expect(started).toEqual([]);
    expect(stdout).not.toBe('');
  });

  it('is printed if the pager does not exist, with a warning if it was requested', async () => {
    const none = { startPager: () => Promise.resolve(null) };
    const usual = await onTerminal(['show', 's.jsonl'], none);
    expect(usual.stderr).toBe('');
    const asked = await onTerminal(['show', 's.jsonl'], { ...none, env: { PAGER: 'no\u001bne' } });
    expect(asked.stderr).toBe('ctx: warning: pager no␛ne not found: set CTX_PAGER to another program\n');
    expect(asked.stdout).toBe(usual.stdout);
    expect(usual.stdout).toMatch(/Forecast shows the wrong day/);
  });

  it('is no more than its reader wants, and the exit code stays', async () => {
    const all = await onTerminal(['log', 's.jsonl', '--all']);
    const some = await onTerminal(['log', 's.jsonl', '--all'], {}, 1);
    expect(some).toMatchObject({ exitCode: 0, ended: 1 });
    expect(all.shown.startsWith(some.shown)).toBe(true);
    const found = await onTerminal(['check', 's.jsonl', '--max-warnings', '0', '--rules', 'secrets', '--no-config'], {
      rows: 1,
    });
    expect(found).toMatchObject({
      ended: 1,
      exitCode: (
        await onTerminal(['check', 's.jsonl', '--max-warnings', '0', '--rules', 'secrets', '--no-config', '--no-pager'])
      ).exitCode,
    });
  });

  it('counts a line that is too long as several', async () => {
    const files = { 's.jsonl': new Log('long').user('u1', 'x'.repeat(500)).text() };
    const wide = await onTerminal(['cat', 's.jsonl', 'HEAD'], { files, rows: 20, columns: 200 });
    expect(wide.started).toEqual([]);
    const narrow = await onTerminal(['cat', 's.jsonl', 'HEAD'], { files, rows: 20, columns: 10 });
    expect(narrow.started).toEqual(['less']);
  });

  it('ends the pager before it prints an error', async () => {
    const { exitCode, ended, stderr } = await onTerminal(['show', 'none.jsonl']);
    expect({ exitCode, ended, stderr }).toMatchObject({
      exitCode: 3,
      ended: 0,
      stderr: expect.stringContaining('no such file') as string,
    });
  });

  it('is help, too', async () => {
    const { shown, exitCode } = await onTerminal(['help', 'revisions'], { rows: 5 });
    expect({ shown, exitCode }).toMatchObject({ exitCode: 0, shown: expect.stringContaining('@{turn:N}') as string });
  });
});

describe('names of files', () => {
  const linked = { hasHyperlinks: true };

  it('are hyperlinks where the terminal has them', async () => {
    const { stdout } = await onTerminal(['show', 's.jsonl', '--no-pager', '--no-color'], linked);
    expect(stdout).toContain('\u001b]8;;file:///home/ada/weather/s.jsonl\u001b\\s.jsonl\u001b]8;;\u001b\\');
  });

  it.each([
    ['where there is no terminal', { isTerminal: false, ...linked }],
    ['in a terminal without them', {}],
  ])('are plain text %s', async (_where, world) => {
    expect((await onTerminal(['show', 's.jsonl', '--no-pager', '--no-color'], world)).stdout).not.toContain('\u001b');
  });

  it('are plain text for a pager', async () => {
    const { shown } = await onTerminal(['show', 's.jsonl', '--no-color'], linked);
    expect(shown).toContain('s.jsonl');
    expect(shown).not.toContain('\u001b');
  });

  it('cannot end the link that they are, nor say more to the terminal', async () => {
    const name = 'a\u001b\\\u0007b.jsonl';
    const { stdout } = await onTerminal(['show', name, '--no-pager', '--no-color'], {
      ...linked,
      files: { [name]: weather },
    });
    expect(stdout).toContain(
      '\u001b]8;;file:///home/ada/weather/a%1B%5C%07b.jsonl\u001b\\a␛\\␇b.jsonl\u001b]8;;\u001b\\',
    );
    expect(stdout.match(/\u001b/g)).toHaveLength(4);
  });
});
