import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { emulated } from '../support/emulated.js';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';
import { Pty } from '../support/pty.js';
import { isWhole, tried } from '../support/runs.js';

const WIDTHS = [80, 100, 120];

const LINES = `
show weather.jsonl
show weather.jsonl --full
show weather.jsonl --message 5
show weather.jsonl --part tools
show weather.jsonl --part system --full
show edits.jsonl
ls sessions
ls
log weather.jsonl
log weather.jsonl --oneline
log branches.jsonl --graph --all
log compacted-twice.jsonl
tree branches.jsonl
tree working.jsonl
cat weather.jsonl HEAD~3
cat compacted-twice.jsonl @{compaction}
grep isoDate weather.jsonl
grep -C 2 isoDate weather.jsonl
grep e compacted-twice.jsonl --where hidden
grep -i the working.jsonl --count
diff weather.jsonl
diff weather.jsonl @{request:1} @{request:9}
diff weather.jsonl HEAD~4 --stat
diff weather.jsonl --side-by-side --full
stats weather.jsonl
stats weather.jsonl --full
stats sessions --by session
stats sessions --by model
stats sessions --by day
cache cache-breaks.jsonl
cache cache-breaks.jsonl --each
cache weather.jsonl --chart
loss compacted-twice.jsonl
loss compacted-twice.jsonl --full
facts working.jsonl
facts working.jsonl --full
facts working.jsonl --packet --tokens 500
query --tables
status pressure.jsonl --limit 60k
status pressure.jsonl --limit 60k --history --each
prune pressure.jsonl --zone red --limit 100k --dry-run
prune pressure.jsonl --limit 60k --dry-run
prune --list
prune --explain distill
compact working.jsonl --keep-recent 100 --dry-run
revert compacted-twice.jsonl @{compaction} --dry-run
check sessions --full
check --list-rules
check --explain secrets
check --print-config
repair orphan.jsonl --dry-run
migrate old.jsonl --check
redact working.jsonl --dry-run
export --list
extract weather.jsonl --to HEAD~3 --dry-run
simulate weather.jsonl --limit 20k --full
simulate glued.jsonl --limit 60k --chart
engine run weather.jsonl --budget 32k --full
engine check weather.jsonl
show nowhere.jsonl
show weather.jsonl HEAD~99
statz weather.jsonl
status weather.jsonl --limit many
help agents
`
  .trim()
  .split('\n');

const NAMES = readdirSync(path.join(projectFolder, 'fixtures')).filter((name) => name.endsWith('.jsonl'));
const fixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
const FILES = {
  ...Object.fromEntries(NAMES.flatMap((name) => [name, `sessions/${name}`].map((file) => [file, fixture(name)]))),
  'glued.jsonl': fixture('damaged/glued-lines.jsonl'),
  'orphan.jsonl': fixture('damaged/orphan.jsonl'),
  'old.jsonl': fixture('version-1.jsonl'),
  '/home/ada/.pi/agent/sessions/--home-ada-weather--/2026-03-02T09-00-00-000Z_weather.jsonl': fixture('weather.jsonl'),
};

async function printed(line: string, columns: number): Promise<string> {
  const { stdout, stderr } = await ctx(line.split(' '), { files: FILES, isTerminal: true, columns, rows: 900 });
  return stderr + stdout;
}

/** Words of letters only: numbers are written shorter where there is less room, and a cut cell ends with `…`. */
function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => /^[\p{L}`'"(-][\p{L}/_-]*\p{L}[`'".,:;)]*$/u.test(word));
}

/** The words at the ends of lines, which a bad wrap would break. */
function lastWords(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => wordsOf(line.trimEnd().split(' ').at(-1) ?? ''));
}

describe('a terminal', () => {
  it('has 64 command lines to show', () => {
    expect(new Set(LINES).size).toBe(64);
  });

  it.each(tried(LINES, 2))('gets no line that is too long, and no word broken: ctx %s', async (line) => {
    // The narrowest, and a wider one.
    const widths = isWhole ? WIDTHS : [WIDTHS[0]!, WIDTHS[1 + ((LINES.indexOf(line) / 2) % 2)]!];
    const known = new Set(wordsOf(stripVTControlCharacters(await printed(line, 1000))));
    for (const columns of widths) {
      const { text, overlong } = await emulated(await printed(line, columns), columns);
      const broken = lastWords(text).filter((word) => !known.has(word));
      expect({ columns, isEmpty: text.trim() === '', overlong, broken }).toEqual({
        columns,
        isEmpty: false,
        overlong: [],
        broken: [],
      });
    }
  });

  it('gets the whole text of what a diff added', async () => {
    const { text } = await emulated(await printed('diff weather.jsonl', 80), 80);
    const added = text.slice(text.indexOf('+   11')).replaceAll(/\s+/g, ' ');
    expect(added).toContain('The code did not change since the last test run. + 12 user');
  });

  it.each(WIDTHS)('gives the program its width: %s columns', async (columns) => {
    const program = [process.execPath, path.join(projectFolder, 'bin/ctx.js')];
    // A terminal may lose the last output of a program that ends, so a shell outlives it.
    const shell = `"$0" "$@"; echo '${END}'; read -r _`;
    const pty = new Pty(['/bin/sh', '-c', shell, ...program, 'check', '--list-rules', '--no-pager'], {
      columns,
      rows: 900,
      env: { PI_CODING_AGENT_DIR: '/nowhere' },
      cwd: projectFolder,
    });
    try {
      const text = (await pty.shows(END)).replace(END, '').trimEnd();
      expect(pty.overlong()).toEqual([]);
      expect(text).toBe((await emulated(await printed('check --list-rules', columns), columns)).text.trimEnd());
      pty.press('\n');
      await pty.ends();
    } finally {
      pty.close();
    }
  });
});

const END = '-- end --';
