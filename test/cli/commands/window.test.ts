import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type World } from '../../support/memory-io.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
const CONFIG = '/home/ada/weather/ctx.config.json';
const world: World = { files: { 's.jsonl': weather } };

function configured(config: unknown): World {
  return { files: { 's.jsonl': weather, [CONFIG]: JSON.stringify(config) } };
}

it('ctx show takes the window from --limit, the configuration, then the list of models', async () => {
  const shown = async (flags: readonly string[], in_: World): Promise<unknown> => {
    const { meta } = schemas.envelope.parse(
      JSON.parse((await ctx(['show', 's.jsonl', '--json', ...flags], in_)).stdout),
    );
    return [meta.limit, meta.sources.limit];
  };
  expect(await shown([], world)).toEqual([200_000, 'assumed']);
  expect(await shown([], configured({ limit: 50_000 }))).toEqual([50_000, 'configured']);
  expect(await shown(['--limit', '1.5k'], configured({ limit: 50_000 }))).toEqual([1500, 'supplied']);
  expect(await shown(['--no-config'], configured({ limit: 50_000 }))).toEqual([200_000, 'assumed']);
  const unknown = { files: { 's.jsonl': weather.replaceAll('claude-sonnet-4-5', 'm1') } };
  expect(await shown([], unknown)).toEqual([null, 'unknown']);
});

it('ctx show marks an assumed window', async () => {
  expect((await ctx(['show', 's.jsonl'], world)).stdout).toContain('~1.9k of 200k tokens (<1%, assumed)');
});

it('ctx check knows the window of the model', async () => {
  const rules = { 'max-context-use': ['error', { percent: 0.1 }] };
  const { stdout } = await ctx(['check', 's.jsonl', '--json'], configured({ rules }));
  expect(stdout).toContain('of 200,000 tokens');
});
