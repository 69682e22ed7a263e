import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { Pty } from '../support/pty.js';

const program = path.join(projectFolder, 'bin/ctx.js');
const W = 'fixtures/weather.jsonl';

const COMMANDS: readonly (readonly string[])[] = [
  ['show', W],
  ['show', W, '--message', '5'],
  ['cat', W, 'HEAD~3'],
  ['diff', W, '@{request:1}', '@{request:9}'],
  ['status', 'fixtures/pressure.jsonl', '--limit', '60k'],
  ['cache', 'fixtures/cache-breaks.jsonl'],
  ['stats', W],
  ['stats', 'fixtures', '--by', 'session'],
  ['loss', 'fixtures/compacted-twice.jsonl'],
  ['simulate', W, '--limit', '20k', '--full'],
  ['grep', 'isoDate', W],
  ['prune', 'fixtures/pressure.jsonl', '--zone', 'red', '--limit', '100k', '--dry-run'],
  ['check', 'fixtures', '--full'],
  ['check', '--list-rules'],
  ['export', '--list'],
];

const END = '-- end --';

interface Screen {
  readonly text: string;
  readonly overlong: readonly string[];
}

async function screenOf(args: readonly string[], columns: number): Promise<Screen> {
  const env = { NO_COLOR: '1', PI_CODING_AGENT_DIR: '/nowhere' };
  // A terminal may lose what a program writes last before it ends, so a shell outlives it.
  const shell = `"$0" "$@"; echo '${END}'; read -r _`;
  const pty = new Pty(['/bin/sh', '-c', shell, process.execPath, program, ...args, '--no-pager'], {
    columns,
    rows: 900,
    env,
    cwd: projectFolder,
  });
  try {
    const text = await pty.shows(END);
    const overlong = pty.overlong();
    pty.press('\n');
    await pty.ends();
    return { text: text.replace(END, ''), overlong };
  } finally {
    pty.close();
  }
}

/** Words of letters only: numbers are written shorter where there is less room, and a cut cell ends with `…`. */
function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => /^\p{L}{2,}[.,:;]?$/u.test(word));
}

/** The last words of lines, which a bad wrap would break. */
function lastWords(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => wordsOf(line.trimEnd().split(' ').at(-1) ?? ''));
}

describe('a terminal', () => {
  it.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
    'gets no line that is too long, and no word broken: ctx %s',
    { timeout: 60_000 },
    async (_name, args) => {
      const wide = await screenOf(args, 1000);
      const known = new Set(wordsOf(wide.text));
      for (const columns of [80, 100, 120]) {
        const { text, overlong } = await screenOf(args, columns);
        expect(text.trim(), `${columns} columns`).not.toBe('');
        expect(overlong, `${columns} columns`).toEqual([]);
        expect(
          lastWords(text).filter((word) => !known.has(word)),
          `${columns} columns`,
        ).toEqual([]);
      }
    },
  );

  it('gets the whole text of what a diff added', { timeout: 60_000 }, async () => {
    const { text } = await screenOf(['diff', W], 80);
    const added = text.slice(text.indexOf('+   11')).replaceAll(/\s+/g, ' ');
    expect(added).toContain('The code did not change since the last test run. + 12 user');
  });
});
