import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { check } from '../../support/check.js';
import { projectFolder } from '../../support/files.js';

const rules = await loadRules();

/** The smallest session that these find something in is too big for a test. */
const TOO_BIG = ['line-too-long'];

describe.each(rules.map((rule) => [rule.name, rule] as const))('the rule %s', (name, { summary, help, example }) => {
  const wanted = { rules: [name], options: { [name]: example.options } };

  it('finds something in its example', async () => {
    if (example.fires === null) return expect(TOO_BIG).toContain(name);
    expect((await check(example.fires, wanted)).map(({ rule }) => rule)).toContain(name);
  });

  it('finds nothing in the other one', async () => {
    expect(await check(example.silent, wanted)).toEqual([]);
  });

  it('is named and described', () => {
    expect(name).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
    expect(summary).toMatch(/^[A-Z][^\n]*[^.\s]$/);
    expect(summary.length).toBeLessThan(80);
    expect(help).toMatch(/\S\.$/);
  });
});

describe('the rules', () => {
  it('have names of their own', () => {
    const names = rules.map(({ name }) => name);
    expect(
      names.filter((name, at) => names.indexOf(name) !== at || RULE_GROUPS.some((group) => group === name)),
    ).toEqual([]);
  });
});

describe.each(RULE_GROUPS)('the group %s', (group) => {
  const folder = path.join(projectFolder, 'src/analysis/check', group);

  it('has a file with the name of each of its rules, and lists each', async () => {
    const isRule = (file: string): boolean => readFileSync(path.join(folder, file), 'utf8').includes('export default ');
    const files = readdirSync(folder).filter(isRule);
    const listed = await loadRules([group]);
    expect(listed.map(({ name }) => `${name}.ts`).toSorted()).toEqual(files.toSorted());
    expect(listed.filter((rule) => rule.group !== group)).toEqual([]);
  });
});
