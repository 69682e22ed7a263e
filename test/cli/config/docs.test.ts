import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RULE_GROUPS } from '#analysis/check/define.js';
import { loadRules } from '#analysis/check/index.js';
import { configSchema } from '#cli/config/schema.js';
import { schemas } from '#cli/schemas.js';
import { projectFolder } from '../../support/files.js';

const read = (name: string): string => readFileSync(path.join(projectFolder, name), 'utf8');
const manual = read('docs/reference/configuration.md');
/** `ctx check --snapshot` configures the rule `snapshot`. */
const policies = (await loadRules(['policy'])).filter(({ name }) => name !== 'snapshot');

describe('docs/reference/configuration.md', () => {
  it.each(Object.keys(configSchema.shape).filter((key) => key !== '$schema'))('explains %s', (key) => {
    expect(manual).toContain(`\n| \`${key}\` | `);
  });

  it.each(RULE_GROUPS)('names the group %s', (group) => {
    expect(manual).toContain(`\`${group}\``);
  });
});

describe('docs/rules/README.md', () => {
  const rows = read('docs/rules/README.md').split('\n');

  it.each(policies)('lists $name with its options', ({ name, example }) => {
    const row = rows.find((line) => line.startsWith(`| [${name}](`));
    for (const option of Object.keys(example.options ?? {})) expect(row).toContain(`\`${option}\``);
  });
});

describe('docs/examples', () => {
  it('holds a configuration and recorded findings that keep to their schemas', () => {
    expect(schemas.config.safeParse(JSON.parse(read('docs/examples/ctx.config.json')))).toMatchObject({
      success: true,
    });
    const known = schemas['known-findings'].parse(JSON.parse(read('docs/examples/known-findings.json')));
    expect(known.files).toHaveLength(1);
  });
});

describe('the schema of the configuration, for editors', () => {
  it.each([
    { rules: { 'torn-tails': 'off' } },
    { rules: { orphan: ['error', {}] } },
    { rules: { 'max-cost': ['error', { dollar: 1 }] } },
    { rules: { file: ['error'] } },
    { rules: { snapshot: 'error' } },
    { rules: { 'max-cost': ['warning'] } },
    { rule: {} },
    { rules: { policy: 'error' } },
    { defaults: { shwo: {} } },
  ])('refuses %j', (value) => {
    expect(schemas.config.safeParse(value).success).toBe(false);
  });

  it.each([
    { rules: { policy: 'off', file: 'warning', snapshot: 'off', 'max-cost': ['error', { dollars: 1 }] } },
    { rules: { 'required-tools': ['off'], 'volatile-prefix': 'error' } },
    { defaults: { show: { json: true }, engine: { limit: '200k' }, 'engine check': { 'time-limit': 5 } } },
  ])('accepts %j', (value) => {
    expect(schemas.config.safeParse(value).success).toBe(true);
  });
});
