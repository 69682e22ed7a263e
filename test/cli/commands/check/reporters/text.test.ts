import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Finding } from '#analysis/check/finding.js';
import text from '#cli/commands/check/reporters/text.js';
import { checkedFile, files, orphan, printed, runOver } from '../../../../support/check-run.js';
import { runs } from '../../../../support/runs.js';

const many = Array.from({ length: 12 }, (_, at) => orphan(at + 1, { fix: 'link it' }));
const label = orphan(30, { rule: 'dangling-label', severity: 'warning', message: 'it labels nothing' });

async function shown(...args: Parameters<typeof runOver>): Promise<string> {
  return printed(text, runOver(...args));
}

function view(columns: number, rows = Infinity): { view: { format: string; columns: number; rows: number } } {
  return { view: { format: 'text', columns, rows } };
}

describe('text', () => {
  it('fits on the screen, whatever was found', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(files, { maxLength: 4 }),
        fc.integer({ min: 40, max: 200 }),
        fc.integer({ min: 8, max: 60 }),
        async (all, columns, rows) => {
          const printedLines = (await shown(all.flat(), view(columns, rows))).trimEnd().split('\n');
          expect(printedLines.length).toBeLessThan(rows);
          for (const line of printedLines.slice(0, -1)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it('omits the blank line before totals of two lines', async () => {
    const note = orphan(1, { rule: 'abandoned-leaves', severity: 'note' });
    const of = async (more: number): Promise<readonly string[]> => {
      const all = [checkedFile('a.jsonl', [orphan(1), label, note], more), checkedFile('b.jsonl', [])];
      return (await shown(all, view(80, 13))).split('\n').slice(-5, -1);
    };
    const [blank, hidden, totals] = (await of(9)).slice(1);
    expect([blank, hidden]).toEqual(['', 'and 27 more findings: --full lists the first 1,000 of each rule']);
    expect(totals).toBe('10 errors, 10 warnings, 10 notes in 1 of 2 sessions');
    expect((await of(1_987_654_320)).slice(1)).toEqual([
      'and 5,962,962,960 more findings: --full lists the first 1,000 of each rule',
      '1,987,654,321 errors, 1,987,654,321 warnings, 1,987,654,321 notes in 1 of 2',
      '  sessions',
    ]);
  });

  it('accounts for every finding: it is shown, or counted as hidden', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 5, max: 40 }), async (count, rows) => {
        const found = Array.from({ length: count }, (_, at) => orphan(at + 1, { message: 'FOUND' }));
        const out = await shown([checkedFile('a.jsonl', found)], view(80, rows));
        const hidden = Number(/^and (\d+) more/m.exec(out)?.[1] ?? 0);
        expect((out.match(/\bu\d+\b/g) ?? []).length + hidden).toBe(count);
        expect(out.split('FOUND').length).toBeLessThanOrEqual(4);
      }),
    );
  });

  it('puts what is worst first, and a rule that fires often below its name', async () => {
    expect(await shown([checkedFile('a.jsonl', [label, ...many.slice(0, 4)])], view(100))).toBe(
      [
        'a.jsonl',
        '  orphan  error  4 times',
        '      → link it',
        '      its parent is not in the file',
        '      lines 1:u1, 2:u2, 3:u3, 4:u4',
        '  30  u30  warning  dangling-label  it labels nothing',
        '',
        '4 errors, 1 warning in 1 session',
        '',
      ].join('\n'),
    );
  });

  it('prints a message of a frequent rule once, with all of its places, and other messages with their own', async () => {
    const own = (at: number, message: string): Finding => orphan(at, { message });
    const found = [own(1, 'it is cut'), own(2, 'it is gone'), own(3, 'it is cut'), own(4, 'it is cut')];
    expect((await shown([checkedFile('a.jsonl', found)], view(100))).split('\n').slice(1, 5)).toEqual([
      '  orphan  error  4 times',
      '     it is cut',
      '     lines 1:u1, 3:u3, 4:u4',
      '  2  u2  it is gone',
    ]);
  });

  it('cuts the name of a rule on a narrow screen, where it would take a second line', async () => {
    const labels = Array.from({ length: 4 }, (_, at) => ({ ...label, line: at + 1 }));
    const out = await shown([checkedFile('a.jsonl', labels, 999_996)], view(40));
    expect(out).toContain('\n  dangling-label  warning  1,000,000 ti…\n');
  });

  it('says a fix once where several findings that follow one another have it', async () => {
    const out = await shown([checkedFile('a.jsonl', [orphan(1, { fix: 'mend' }), orphan(2, { fix: 'mend' }), label])]);
    expect(out).toBe(
      [
        'a.jsonl',
        '   1  u1   error    orphan          its parent is not in the file',
        '   2  u2   error    orphan          its parent is not in the file',
        '      → mend',
        '  30  u30  warning  dangling-label  it labels nothing',
        '',
        '2 errors, 1 warning in 1 session',
        '',
      ].join('\n'),
    );
  });

  it('shows five of a rule on a screen, and all where there is no end to it', async () => {
    const file = [checkedFile('a.jsonl', many, 1000)];
    const screen = await shown(file, view(80, 40));
    expect(screen).toMatch(/^ {6}lines 1:u1, 2:u2, 3:u3, 4:u4, 5:u5$/m);
    expect(screen).toContain(
      'and 1,007 more findings: --full lists the first 1,000 of each rule\n1,012 errors in 1 session\n',
    );
    const pipe = await shown(file);
    expect(pipe.match(/its parent/g)).toHaveLength(1);
    expect(pipe.match(/\bu\d+/g)).toHaveLength(12);
    expect(pipe).toContain('and 1,000 more findings: --json lists the first 1,000');
    expect(await shown([checkedFile('a.jsonl', many)], view(80, 40))).toContain(
      'and 7 more findings: --full lists all\n',
    );
  });

  it('breaks long messages between words, and cuts those of endless length', async () => {
    const words = 'many words that say much '.repeat(4).trim();
    const out = await shown(
      [checkedFile('a.jsonl', [orphan(1, { message: words }), orphan(2, { message: 'x'.repeat(500) })])],
      view(60),
    );
    expect(out.replaceAll(/\n {5}(?! )/g, ' ')).toContain(words);
    expect(out.match(/x/g)).toHaveLength(399);
    expect(out).toMatch(/^ {5}x+…$/m);
  });

  it('counts notes, and says how to see them', async () => {
    const note = orphan(1, { rule: 'abandoned-leaves', severity: 'note' });
    expect(await shown([checkedFile('a.jsonl', [note])], { mildest: 'warning' })).toBe(
      '1 note in 1 session (--severity note shows the notes)\n',
    );
    const all = [checkedFile('a.jsonl', [note]), checkedFile('b.jsonl', []), checkedFile('c.jsonl', [label])];
    expect(await shown(all, { mildest: 'note' })).toContain('\n1 warning, 1 note in 2 of 3 sessions\n');
  });
});
