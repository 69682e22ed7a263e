import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

const files = { 's.json': readFileSync(path.join(projectFolder, 'fixtures/agents/opencode/export.json')) };

async function jsonLines(...argv: string[]): Promise<readonly JsonObject[]> {
  const { stdout } = await ctx([...argv, '--json'], { files });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
}

/** All entries of a JSON document are on its one line. */
describe('entries on one line', () => {
  it('are the sources of their own messages: ctx grep', async () => {
    const entries = new Map(
      (await jsonLines('log', 's.json')).map((entry) => [entry['id'] ?? entry['entryId'], entry]),
    );
    const found = await jsonLines('grep', '.', 's.json');
    const sources = [...new Set(found.map(({ entryId }) => entryId))];
    expect(sources.length).toBeGreaterThan(2);
    for (const id of sources) expect(entries.has(id)).toBe(true);
    const ofAnswers = found.filter(({ name, role }) => name === 'assistant' && role !== 'assistant');
    expect(ofAnswers).toEqual([]);
  });

  it('are requests of their own: ctx cache', async () => {
    const { stdout } = await ctx(['cache', 's.json', '--format', 'csv'], { files });
    const [titles = '', ...rows] = stdout.trim().split('\n');
    const at = titles.split(',').indexOf('request');
    expect(rows.map((row) => row.split(',')[at])).toEqual(['1', '2', '3', '4', '5']);
  });

  it('declare nothing, since the agent has no place for a reason: ctx cache', async () => {
    const { stdout } = await ctx(['cache', 's.json'], { files });
    expect(stdout).toContain(' edit ');
    expect(stdout).not.toMatch(/declares? no reason/);
  });

  it('have their own category: ctx stats', async () => {
    const { stdout } = await ctx(['stats', 's.json', '--json'], { files });
    const { ledger } = JSON.parse(stdout) as { ledger: { category: string; contextTokensEstimated: number }[] };
    expect(ledger.find(({ category }) => category === 'assistant')?.contextTokensEstimated).toBeGreaterThan(0);
  });
});
