import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { schemas } from '#cli/schemas.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { ctx } from '../support/memory-io.js';

const fixture = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const files = { 's.jsonl': fixture };

/** What people write: there a value that has a default may be left out. */
const INPUTS: readonly string[] = ['config'];

it.each(Object.entries(schemas))('docs/schema/%s.json is generated from its zod schema', (name, schema) => {
  const how = INPUTS.includes(name) ? ({ io: 'input' } as const) : {};
  // Editors that fetch a schema, as from SchemaStore, know it by this address, which serves the published file.
  const id = INPUTS.includes(name) ? { $id: `https://unpkg.com/pi-ctx/docs/schema/${name}.json` } : {};
  const text = `${JSON.stringify({ title: name, ...id, ...z.toJSONSchema(schema, how) }, null, 2)}\n`;
  expectGenerated(`docs/schema/${name}.json`, text);
});

describe('what ctx prints', () => {
  it.each([[[]], [['--at', 'fixed']], [['--ephemeral']]])('show --json %j keeps to its schema', async (flags) => {
    const { stdout } = await ctx(['show', 's.jsonl', '--json', ...flags], { files });
    expect(schemas.envelope.safeParse(JSON.parse(stdout))).toMatchObject({ success: true });
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
