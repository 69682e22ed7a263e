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

function schemaNameOf(document: unknown): string {
  return /^ctx\/(.+)$/.exec((document as { readonly schema?: string }).schema ?? '')?.[1] ?? 'none';
}

/** The keys of a document that the published schema of this name has. */
function parsedAs(name: string, document: unknown): unknown {
  return (schemas as Readonly<Record<string, z.ZodMiniType>>)[name]?.safeParse(document).data;
}

const CALLS: readonly (readonly string[])[] = [
  ...Object.entries(READING).flatMap(([command, calls]) =>
    calls.filter(hasSchema).map((flags) => [...command.split(' '), 's.jsonl', ...flags]),
  ),
  ['--version'],
  ['query', '--tables'],
  ['export', '--list'],
  ['prune', '--list'],
  ['prune', '--explain', 'turns'],
  ['prune', 's.jsonl', '--dry-run'],
  ['prune', 's.jsonl', '--zone', 'red'],
  ['compact', 's.jsonl', '--if-needed'],
  ['check', '--explain', 'credential'],
  ['check', '--print-config'],
  ['status', 's.jsonl'],
  ['completion', 'bash'],
  ['extract', 's.jsonl', '--output', 'new.jsonl'],
  ['redact', 's.jsonl', '--output', 'new.jsonl'],
  ['migrate', 's.jsonl', '--check'],
  ['repair', 's.jsonl', '--output', 'new.jsonl'],
  ['report', 's.jsonl', '--output', 'page.html'],
  ['export', 's.jsonl', '--output', 'request.json'],
];

/** Formats have schemas of their own, and a part or a patch is only a part of a document. */
function hasSchema(flags: readonly string[]): boolean {
  return !['--format', '--part', '--patch'].some((flag) => flags.includes(flag));
}

describe('what ctx prints', () => {
  it.each([[[]], [['--at', 'fixed']], [['--ephemeral']]])('show --json %j keeps to its schema', async (flags) => {
    const { stdout } = await ctx(['show', 's.jsonl', '--json', ...flags], { files });
    expect(schemas.envelope.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
  });

  it('names the schema that its JSON keeps to, key for key', async () => {
    const names = new Set<string>();
    for (const words of CALLS) {
      const { stdout } = await ctx([...words, '--json'], { files });
      for (const document of stdout === '' ? [] : documentsIn(stdout)) {
        const name = schemaNameOf(document);
        names.add(name);
        expect(parsedAs(name, document), words.join(' ')).toEqual(document);
      }
    }
    expect(names.size).toBeGreaterThan(35);
  });

  it.each(['system', 'tools', 'options'])(
    'show --part %s is that part of the envelope, without a schema',
    async (part) => {
      const whole = await ctx(['show', 's.jsonl', '--json'], { files });
      const { stdout } = await ctx(['show', 's.jsonl', '--part', part, '--json'], { files });
      const envelope = JSON.parse(whole.stdout) as Readonly<Record<string, unknown>>;
      expect(JSON.parse(stdout)).toEqual({ [part]: envelope[part] });
    },
  );

  it('diff --patch is an array of operations, without a schema', async () => {
    const { stdout } = await ctx(['diff', 's.jsonl', 'HEAD~3..HEAD', '--patch', '--json'], { files });
    expect(schemas.patch.parse(JSON.parse(stdout))).toEqual(JSON.parse(stdout));
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
