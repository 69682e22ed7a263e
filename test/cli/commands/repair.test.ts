import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repairIntoNewFile } from '#cli/commands/repair/command.js';
import { schemas } from '#cli/schemas.js';
import type { Io } from '#platform/io.js';
import { HEADER, lines, TALK } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, memoryFiles, type Ran } from '../../support/memory-io.js';

const SOUND = lines(HEADER, ...TALK);
const TORN = SOUND.slice(0, -20);
const ORPHAN = SOUND.replace('"parentId":"a1"', '"parentId":"gone"');

function fix(file: string, ...flags: readonly string[]): Promise<Ran> {
  return ctx(['repair', 'old.jsonl', ...flags], { files: { 'old.jsonl': file, 'there.jsonl': 'there' } });
}

describe('ctx repair', () => {
  it('writes the repaired session to a new file and leaves the old one alone', async () => {
    const { exitCode, files, stdout } = await fix(ORPHAN, '--output', 'new.jsonl');
    expect(exitCode).toBe(0);
    expect(String(files['new.jsonl'])).toBe(SOUND);
    expect(files['old.jsonl']).toBe(ORPHAN);
    expect(Object.keys(files)).not.toContain('new.jsonl.lost');
    expect(stdout).toContain('u2: now follows "a1", the entry before it in the file');
  });

  it('keeps what is lost in a file beside it, and says so by its exit code', async () => {
    const { exitCode, files, stdout } = await fix(TORN, '--output', 'new.jsonl');
    expect(exitCode).toBe(1);
    expect(String(files['new.jsonl'])).toBe(lines(HEADER, ...TALK.slice(0, -1)));
    expect(String(files['new.jsonl']) + String(files['new.jsonl.lost'])).toBe(TORN);
    expect(stdout).toMatch(/torn-tail +\d+ bytes lost, from byte \d+ on/);
  });

  it('says what it would do, and does nothing', async () => {
    const { exitCode, files, stdout } = await fix(TORN, '--dry-run', '--output', 'new.jsonl');
    expect([exitCode, Object.keys(files)]).toEqual([1, ['old.jsonl', 'there.jsonl']]);
    expect(stdout).toContain('nothing was written to new.jsonl');
    const without = await fix(TORN, '--dry-run');
    expect([without.exitCode, Object.keys(without.files)]).toEqual([1, ['old.jsonl', 'there.jsonl']]);
  });

  it('copies a clean session as it is', async () => {
    const { exitCode, files, stdout } = await fix(SOUND, '--output', 'new.jsonl');
    expect([exitCode, String(files['new.jsonl'])]).toEqual([0, SOUND]);
    expect(stdout).toContain('nothing to repair');
  });

  it('reports in JSON, which can be found in the lost bytes again', async () => {
    const junk = SOUND.replace('\n', '\nfirst junk\n') + 'second junk';
    const { stdout, files } = await fix(junk, '--output', 'new.jsonl', '--json');
    const report = schemas.repair.parse(JSON.parse(stdout));
    expect(report).toMatchObject({ file: 'old.jsonl', output: 'new.jsonl', lostFile: 'new.jsonl.lost', repairs: [] });
    const lost = String(files['new.jsonl.lost']);
    let at = 0;
    for (const { offset, length } of report.lost) {
      expect(lost.slice(at, at + length)).toBe(junk.slice(offset, offset + length));
      at += length;
    }
    expect([lost, at]).toEqual(['first junk\nsecond junk', lost.length]);
    expect(report.lost.map(({ rule, line }) => [rule, line])).toEqual([
      ['malformed-line', 2],
      ['torn-tail', 7],
    ]);
  });

  it('reads standard input', async () => {
    const { exitCode, files } = await ctx(['repair', '-', '--output', 'new.jsonl'], { files: { '-': ORPHAN } });
    expect([exitCode, String(files['new.jsonl'])]).toEqual([0, SOUND]);
  });

  it('takes id and time of a new header from the name of the file', async () => {
    const name = '2026-01-05T09-00-00-000Z_019aaaa8-d8de-704a-8bad-619b71e216b3.jsonl';
    const { files } = await ctx(['repair', name, '--output', 'new'], { files: { [name]: lines(...TALK) } });
    expect(String(files['new'])).toBe(
      lines(
        '{"type":"session","version":3,"id":"019aaaa8-d8de-704a-8bad-619b71e216b3","timestamp":"2026-01-05T09:00:00.000Z"}',
        ...TALK,
      ),
    );
  });
});

describe('ctx repair refuses', () => {
  it.each([
    [[], 'ctx repair needs --output or --dry-run or --install: add --output FILE or --dry-run or --install'],
    [['--force'], 'ctx repair needs --output or --dry-run or --install'],
    [['--output', 'x', '--rules', 'file'], "unknown option '--rules'"],
    [['--output', 'x', '--format', 'sarif'], "'sarif' is invalid"],
    [['--output', 'x', 'there.jsonl'], 'too many arguments'],
  ])('%j as a command line that makes no sense', async (flags, what) => {
    const { exitCode, stderr } = await ctx(['repair', 'old.jsonl', ...flags], {
      files: { 'old.jsonl': TORN, 'there.jsonl': TORN },
    });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(what) as unknown]);
  });

  it('to write over a file, unless it is told to', async () => {
    const refused = await fix(ORPHAN, '--output', 'there.jsonl');
    expect([refused.exitCode, refused.files['there.jsonl']]).toEqual([4, 'there']);
    const forced = await fix(ORPHAN, '--output', 'there.jsonl', '--force');
    expect([forced.exitCode, String(forced.files['there.jsonl'])]).toEqual([0, SOUND]);
  });

  it('to write over the session itself', async () => {
    const { exitCode, files } = await fix(ORPHAN, '--output', 'old.jsonl', '--force');
    expect([exitCode, files['old.jsonl']]).toEqual([4, ORPHAN]);
  });

  it('both files where there is one of the lost bytes already', async () => {
    const world = { files: { 'old.jsonl': TORN, 'new.jsonl.lost': 'there' } };
    const { exitCode, files } = await ctx(['repair', 'old.jsonl', '--output', 'new.jsonl'], world);
    expect([exitCode, Object.keys(files), files['new.jsonl.lost']]).toEqual([4, Object.keys(world.files), 'there']);
  });

  it('to leave the lost bytes of an earlier run beside a whole file', async () => {
    const there = { 'new.jsonl': 'there', 'new.jsonl.lost': 'there' };
    for (const [name, files] of [
      ['repair', { ...there, 'old.jsonl': ORPHAN }],
      ['migrate', { ...there, 'old.jsonl': SOUND }],
    ] as const) {
      const ran = await ctx([name, 'old.jsonl', '--output', 'new.jsonl', '--force'], { files });
      expect([ran.exitCode, String(ran.files['new.jsonl.lost'])]).toEqual([0, '']);
      expect(ran.stdout).toMatch(/^new\.jsonl\.lost: 0 /m);
    }
  });

  it.each([
    ['', 'the file is empty; it cannot be repaired'],
    ['{"event":"click"}\nhello\n', 'it has no header and no entry; it cannot be repaired'],
  ])('%j, which is no session', async (file, what) => {
    const { exitCode, stderr, files } = await fix(file, '--output', 'new.jsonl');
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(what) as unknown]);
    expect(Object.keys(files)).toEqual(['old.jsonl', 'there.jsonl']);
  });

  it('a session that another program writes to', async () => {
    const disk: Record<string, string> = { 'old.jsonl': TORN };
    let looks = 0;
    const files = { ...memoryFiles(disk), modified: () => (looks += 1) };
    const stdout = { columns: 80 } as Io['stdout'];
    const stderr = { isTerminal: false } as Io['stderr'];
    const io = { files, stdout, stderr, now: () => 0 } as unknown as Io;
    const flags = { output: 'new.jsonl', install: undefined, drop: undefined, force: undefined, 'dry-run': undefined };
    const keepOpen = <Opened>(opened: Opened): Opened => opened;
    await expect(repairIntoNewFile({ io, args: ['old.jsonl'], flags, keepOpen })).rejects.toMatchObject({
      kind: 'refused',
    });
    expect(Object.keys(disk)).toEqual(['old.jsonl']);
  });
});

const DAMAGED = path.join(projectFolder, 'fixtures/damaged');

it.each(readdirSync(DAMAGED).filter((name) => name !== 'empty.jsonl'))(
  'a second run finds nothing to repair in fixtures/damaged/%s',
  async (name) => {
    const file = readFileSync(path.join(DAMAGED, name));
    const { files } = await ctx(['repair', 'f', '--output', 'g'], { files: { f: file } });
    const again = await ctx(['repair', 'g', '--output', 'h', '--json'], { files });
    expect(schemas.repair.parse(JSON.parse(again.stdout))).toMatchObject({ repairs: [], lost: [] });
    expect(again.files['h']).toEqual(again.files['g']);
  },
);
