import { createRequire } from 'node:module';
import Ajv from 'ajv';
import * as fc from 'fast-check';
import type { Log } from 'sarif';
import { describe, expect, it } from 'vitest';
import type { CheckedFile } from '#analysis/check/checked-file.js';
import sarif from '#cli/commands/check/reporters/sarif.js';
import { checkedFile, files, orphan, printed, RULES, runOver } from '../../../../support/check-run.js';
import { runs } from '../../../../support/runs.js';

const require = createRequire(import.meta.url);
const ajv = new Ajv({ schemaId: 'auto', meta: false });
ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json') as object);
/** The schema that code scanning validates with. */
const isValid = ajv.compile(require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json') as object);

async function logOf(all: readonly CheckedFile[]): Promise<Log> {
  const log = JSON.parse(await printed(sarif, runOver(all))) as Log;
  expect(isValid(log), JSON.stringify(isValid.errors)).toBe(true);
  return log;
}

describe('sarif', () => {
  it('is valid whatever the files are called and sessions say', async () => {
    await fc.assert(
      fc.asyncProperty(files, async (all) => {
        const [run] = (await logOf(all)).runs;
        expect(run?.results?.map(({ ruleId }) => ruleId)).toEqual(
          all.flatMap(({ findings }) => findings.map(({ rule }) => rule)),
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it('the schema refuses what is no SARIF', async () => {
    const log = await logOf([checkedFile('a.jsonl', [orphan(1)])]);
    expect(isValid({ ...log, version: '2.0.0' })).toBe(false);
    expect(isValid({ ...log, runs: [{ results: [] }] })).toBe(false);
  });

  it.each([
    [String.raw`C:\My work\a#1.jsonl`, 'file:///C:/My%20work/a%231.jsonl'],
    ['d:/a.jsonl', 'file:///d:/a.jsonl'],
    [String.raw`\\server\share\a.jsonl`, 'file://server/share/a.jsonl'],
  ])('addresses %s of Windows', async (file, uri) => {
    const [run] = (await logOf([checkedFile(file, [orphan(1)])])).runs;
    expect(run?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation).toEqual({ uri });
  });

  it('names the rule, the place and what was found', async () => {
    const finding = orphan(4, { offset: 100, length: 20, place: 'parentId', fix: 'link it' });
    const [run] = (await logOf([checkedFile('a b/ü#1.jsonl', [finding])])).runs;
    const [result] = run?.results ?? [];
    expect(result).toMatchObject({
      ruleId: 'orphan',
      level: 'error',
      message: { text: 'its parent is not in the file (parentId); to fix it: link it' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'a%20b/%C3%BC%231.jsonl', uriBaseId: '%SRCROOT%' },
            region: { startLine: 4, byteOffset: 100, byteLength: 20 },
          },
          logicalLocations: [{ name: 'u4', fullyQualifiedName: 'u4/parentId' }],
        },
      ],
    });
    const rule = run?.tool.driver.rules?.[result?.ruleIndex ?? -1];
    expect(rule).toMatchObject({ id: 'orphan', helpUri: expect.stringContaining('/docs/rules/orphan.md') as string });
    expect(run?.tool.driver.rules).toHaveLength(RULES.length + 1);
  });

  it('names a file outside of the repository by its full path', async () => {
    const [run] = (await logOf([checkedFile('/tmp/a b.jsonl', [orphan(4)])])).runs;
    expect(run?.results?.[0]?.locations?.[0]?.physicalLocation?.artifactLocation).toEqual({
      uri: 'file:///tmp/a%20b.jsonl',
    });
  });

  it('knows a finding again by its entry, not by its line', async () => {
    const prints = async (...lines: readonly (readonly [number, string | null])[]): Promise<readonly unknown[]> => {
      const findings = lines.map(([line, entryId]) => orphan(line, { entryId }));
      return ((await logOf([checkedFile('a.jsonl', findings)])).runs[0]?.results ?? []).map(
        ({ partialFingerprints }) => partialFingerprints?.['primaryLocationLineHash'],
      );
    };
    const [first, second, third] = await prints([4, 'u1'], [5, 'u1'], [6, 'u2']);
    expect(await prints([40, 'u1'])).toEqual([first]);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await prints([4, null])).toEqual(await prints([9, null]));
  });

  it('has no message that a reader would take for a link or an argument', async () => {
    const [run] = (await logOf([checkedFile('a.jsonl', [orphan(1, { message: '{0} [a](b)' })])])).runs;
    expect(run?.results?.[0]?.message.text).toBe(String.raw`{{0}} [a\](b)`);
  });
});
