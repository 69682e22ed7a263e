import { readFileSync } from 'node:fs';
import path from 'node:path';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseJson } from '#base/json.js';
import { schemas } from '#cli/schemas.js';
import { READING } from '../security/every-command.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { ctx } from '../support/memory-io.js';

const fixture = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const files = { 's.jsonl': fixture };

const { stdout: printed } = execaSync('node', [path.join(projectFolder, 'scripts/schemas.mjs')]);
const published = JSON.parse(printed) as Readonly<Record<string, object>>;

it.each(Object.keys(schemas))('docs/schema/%s.json is generated from its zod schema', (name) => {
  expectGenerated(`docs/schema/${name}.json`, `${JSON.stringify(published[name], null, 2)}\n`);
});

/** Without the texts for readers. A member with the name `description` is an object. */
function bare(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    typeof value === 'string' && ['title', 'description'].includes(key) ? undefined : value,
  );
}

it.each(Object.entries(schemas).filter(([name]) => name !== 'config'))(
  'docs/schema/%s.json differs from its zod schema in nothing but descriptions',
  (name, schema) => {
    expect(bare(published[name] ?? {})).toEqual(bare(z.toJSONSchema(schema)));
  },
);

it('a docstring above a key is its description', () => {
  expect(published['log-entry']).toMatchObject({
    properties: { contextTokens: { description: expect.stringContaining('context') as string } },
  });
});

/** The JSON documents of an output: one, or one a line. */
function documentsIn(stdout: string): readonly unknown[] {
  const whole = parseJson(stdout);
  return whole === undefined
    ? stdout
        .trimEnd()
        .split('\n')
        .map((text) => JSON.parse(text) as unknown)
    : [whole];
}

describe('what ctx prints', () => {
  it.each([[[]], [['--at', 'fixed']], [['--ephemeral']]])('show --json %j keeps to its schema', async (flags) => {
    const { stdout } = await ctx(['show', 's.jsonl', '--json', ...flags], { files });
    expect(schemas.envelope.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });

  it('is in JSON what a schema of this name has, without another key', async () => {
    const names = new Set<string>();
    for (const [command, calls] of Object.entries(READING)) {
      for (const flags of calls.filter((call) => !call.includes('--format'))) {
        const { stdout } = await ctx([...command.split(' '), 's.jsonl', ...flags, '--json'], { files });
        for (const document of stdout === '' ? [] : documentsIn(stdout)) {
          const { schema: name } = document as { readonly schema?: string };
          if (name === undefined) continue;
          names.add(name);
          const fitting = Object.values(schemas).flatMap((schema) => schema.safeParse(document).data ?? []);
          expect(fitting, `${command} ${flags.join(' ')}`).toContainEqual(document);
        }
      }
    }
    expect(names.size).toBeGreaterThan(20);
  });

  it('show --each keeps to its schema', async () => {
    const { stdout } = await ctx(['show', 's.jsonl', '--each'], { files });
    for (const line of stdout.trimEnd().split('\n')) {
      expect(schemas['envelope-line'].safeParse(JSON.parse(line))).toMatchObject({ success: true });
    }
  });

  it('ls --json keeps to its schema', async () => {
    const sessions = { 'all/s.jsonl': fixture, 'all/none.jsonl': '{"event":"click"}\n' };
    const { stdout } = await ctx(['ls', 'all', '--json'], { files: sessions });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(schemas.session.safeParse(JSON.parse(line))).toMatchObject({ success: true });
  });

  it('errors keep to their schema', async () => {
    const { stderr, exitCode } = await ctx(['show', 'none.jsonl', '--json'], { files });
    expect(schemas.error.parse(JSON.parse(stderr))).toMatchObject({ kind: 'input', exitCode });
  });
});
