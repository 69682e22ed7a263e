import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reporter } from '#cli/commands/check/reporters/define.js';
import { reporters } from '#cli/commands/check/reporters/index.js';
import { renderers } from '#ui/doc/index.js';
import { checkedFile, files, orphan, printed, runOver, UNSAFE } from '../../../../support/check-run.js';
import { runs } from '../../../../support/runs.js';

describe.each(reporters)('the reporter $name', (reporter: Reporter) => {
  it('lets nothing of a session through that could be obeyed', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        expect(await printed(reporter, runOver(all))).not.toMatch(UNSAFE);
      }),
      { numRuns: runs(200) },
    );
  });

  it('says the same twice', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        expect(await printed(reporter, runOver(all))).toBe(await printed(reporter, runOver(all)));
      }),
      { numRuns: 20 },
    );
  });

  it('says something of a run in which nothing was found, and ends in a newline', async () => {
    const text = await printed(reporter, runOver([checkedFile('a.jsonl', [])]));
    expect(text).toMatch(/\n$/);
  });

  it('hides what is too mild, and shows it when it is asked for', async () => {
    const mild = orphan(7, { rule: 'abandoned-leaves', severity: 'note', message: 'A MILD ONE' });
    const all = [checkedFile('a.jsonl', [mild, orphan(9, { message: 'A BAD ONE' })])];
    const strict = await printed(reporter, runOver(all, { mildest: 'error' }));
    expect([strict.includes('A MILD ONE'), strict.includes('A BAD ONE')]).toEqual([false, true]);
    expect(await printed(reporter, runOver(all))).toContain('A MILD ONE');
  });

  it('is called otherwise than the others, and shows notes only to programs', () => {
    expect(reporters.filter(({ name }) => name === reporter.name)).toEqual([reporter]);
    expect(reporter.mildest).toBe(['json', 'ndjson'].includes(reporter.name) ? 'note' : 'warning');
  });
});

it('there is a reporter for every format that all commands have', () => {
  const names = new Set(reporters.map(({ name }) => name));
  expect(renderers.filter(({ name }) => !names.has(name))).toEqual([]);
});

it.each(reporters)(
  '$name ends its pieces with a line, so that a terminal can show something in between',
  async ({ report }) => {
    const all = ['a', 'b', 'c'].map((name) => checkedFile(`${name}.jsonl`, [orphan(1), orphan(2)]));
    const run = runOver(all);
    for await (const piece of report({ ...run, view: { ...run.view, isTerminal: true } }))
      if (typeof piece === 'string') expect(piece).toMatch(/^$|\n$/);
  },
);
