import path from 'node:path';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { withProgram } from '../support/with-program.js';

const program = path.join(projectFolder, 'bin/ctx.js');

interface Terminal {
  /** What was printed since the last call, as soon as it holds a text. */
  until(text: string): Promise<string>;
  type(keys: string): void;
}

/** Runs a line in bash, on a terminal of twelve lines. */
async function inBash(
  env: Readonly<Record<string, string>>,
  use: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const { PAGER: _, CTX_PAGER: __, LESS: ___, SSH_TTY: ____, SSH_CONNECTION: _____, ...rest } = process.env;
  const child = spawn('bash', ['--norc', '--noprofile', '-i'], {
    cols: 120,
    rows: 12,
    cwd: projectFolder,
    env: { ...rest, TERM: 'xterm', PS1: '> ', HISTFILE: '', NO_COLOR: '1', ...env },
  });
  let printed = '';
  const waiting = new Set<() => void>();
  child.onData((data) => {
    printed += data;
    for (const look of waiting) look();
  });
  try {
    await use({
      type: (keys) => child.write(keys),
      until: (text) =>
        new Promise((resolve, reject) => {
          const tooLong = setTimeout(
            () => reject(new Error(`no ${JSON.stringify(text)} in ${JSON.stringify(printed)}`)),
            200_000,
          );
          const look = (): void => {
            if (!printed.includes(text)) return;
            clearTimeout(tooLong);
            waiting.delete(look);
            resolve(printed);
            printed = '';
          };
          waiting.add(look);
          look();
        }),
    });
  } finally {
    child.kill();
  }
}

describe('on a terminal', () => {
  it('bash completes what is typed', async () => {
    await inBash({}, async ({ type, until }) => {
      type(`ctx() { node ${program} "$@"; }; eval "$(ctx completion bash)"; echo rea''dy\r`);
      await until('ready');
      type('ctx sho\t');
      await until('ctx show ');
      type('fixtures/weather.jsonl --at @{compa\t');
      type('; echo en""d\r');
      expect(await until('end')).toContain('{compaction} ');
    });
  });

  withProgram('less', () => {
    it('long text is shown by less, which leaves the terminal as it was', async () => {
      await inBash({}, async ({ type, until }) => {
        type(`node ${program} show fixtures/weather.jsonl --full; echo "code"=$?\r`);
        expect(await until('\r\n:')).toContain('Forecast shows the wrong day');
        // An interrupt is for the pager, which says something of it or not, and may miss a key meanwhile.
        type('\u0003');
        const leaving = setInterval(() => type('q'), 300);
        await until('code=0').finally(() => clearInterval(leaving));
        // What was typed too often is taken back.
        type('\u0015stty -a | grep -c " echo "; echo do""ne\r');
        expect(await until('done')).toMatch(/[\r\n]1\r\n/);
      });
    });
  });

  it.each([
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM: 'xterm-kitty', SSH_TTY: '/dev/pts/1' }, false],
    [{ FORCE_HYPERLINK: '1', SSH_TTY: '/dev/pts/1' }, true],
    [{ TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }, false],
    [{}, false],
  ])('names of files are hyperlinks with %j: %s', async (env, isLinked) => {
    await inBash({ CTX_PAGER: '', ...env }, async ({ type, until }) => {
      type(`unset CI; node ${program} show fixtures/weather.jsonl; echo "code"=$?\r`);
      expect((await until('code=0')).includes('\u001b]8;;file://')).toBe(isLinked);
    });
  });

  it('a pager that reads one line is enough of it, and the exit code stays', async () => {
    await inBash({ CTX_PAGER: 'head -n 1' }, async ({ type, until }) => {
      type(`node ${program} log fixtures/weather.jsonl; echo "code"=$?\r`);
      const printed = await until('code=0');
      expect(printed).toContain('preview');
      expect(printed).not.toContain('c7a10e55');
    });
  });
});
