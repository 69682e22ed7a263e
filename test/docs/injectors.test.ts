import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { assemblySchema, injectorSchema } from '#cli/config/assembly-schema.js';
import { configSchema } from '#cli/config/schema.js';
import { injectors } from '#lab/injectors/index.js';
import { projectFolder } from '../support/files.js';

const read = (name: string): string => readFileSync(path.join(projectFolder, name), 'utf8');
const manual = read('docs/lab/three-phase.md');

describe('docs/lab/three-phase.md', () => {
  it.each(injectors)(
    'lists $name with its phase, its budget and what it does',
    ({ name, phase, maxTokens, summary }) => {
      const budget = maxTokens.toLocaleString('en-US');
      expect(manual).toContain(`\n| \`${name}\` | \`${phase}\` | ${budget} | ${summary} |\n`);
    },
  );

  it.each(Object.keys(injectorSchema.shape))('explains the field %s', (field) => {
    expect(
      manual.split('\n').some((line) => line.startsWith('| `') && line.split(' | ')[0]?.includes(`\`${field}\``)),
    ).toBe(true);
  });

  it.each(Object.keys(assemblySchema.shape))('explains the key %s', (key) => {
    expect(manual).toContain(`"${key}"`);
  });

  it('has an example that keeps to the schema', () => {
    const example: unknown = JSON.parse(read('docs/examples/three-phase/ctx.config.json'));
    expect(configSchema.safeParse(example)).toMatchObject({ success: true });
  });
});
