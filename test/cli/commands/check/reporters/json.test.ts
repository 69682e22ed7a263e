import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { toVisibleJson } from '#base/visible.js';
import json, { ndjsonReporter } from '#cli/commands/check/reporters/json.js';
import { schemas } from '#cli/schemas.js';
import { checkedFile, files, orphan, printed, runOver } from '../../../../support/check-run.js';

it.each([true, false])(
  'json is one document that keeps to its schema, laid out as JSON.stringify does it',
  async (isTerminal) => {
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        const run = runOver(all);
        const text = await printed(json, { ...run, view: { ...run.view, isTerminal } });
        const value = schemas.check.parse(JSON.parse(text));
        expect(text).toBe(`${toVisibleJson(JSON.stringify(JSON.parse(text), null, isTerminal ? 2 : 0))}\n`);
        expect(value.files.map(({ file }) => file)).toEqual(all.map(({ file }) => file));
        expect(value.files.map(({ findings }) => findings.map(({ message }) => message))).toEqual(
          all.map(({ findings }) => findings.map(({ message }) => message)),
        );
      }),
    );
  },
);

it('json counts also what it does not list', async () => {
  const all = [checkedFile('a.jsonl', [orphan(1), orphan(2)], 40), checkedFile('b.jsonl', [])];
  const value = JSON.parse(await printed(json, runOver(all, { mildest: 'error' }))) as unknown;
  expect(value).toMatchObject({
    files: [{ counts: { orphan: 42 }, findings: [{ rule: 'orphan', offset: null }, {}] }, { counts: {} }],
    totals: { files: 2, unreadable: 0, withFindings: 1, errors: 42, warnings: 0, notes: 0 },
  });
});

it('ndjson has a line for each finding and each file, which keep to their schemas', async () => {
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      const text = await printed(ndjsonReporter, runOver(all));
      const lines = text.split('\n').slice(0, -1);
      const expected = all.flatMap(({ findings }) => [...findings.map(() => 'ctx/check-finding'), 'ctx/check-file']);
      const values = lines.map((line) => JSON.parse(line) as { schema: string });
      expect(values.map(({ schema }) => schema)).toEqual(expected);
      for (const value of values)
        (value.schema === 'ctx/check-file' ? schemas['check-file'] : schemas['check-finding']).parse(value);
    }),
  );
});
