import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { workingSession } from '../../support/working-session.js';

const PRESSURE = readFileSync(path.join(projectFolder, 'fixtures/pressure.jsonl'), 'utf8');
const WORK = workingSession({ seed: 3, turns: 10 });
const CONFIG = '/home/ada/weather/ctx.config.json';

function run(line: string, file: string | Uint8Array, world: World = {}): Promise<Ran> {
  return ctx(line.split(' '), { ...world, files: { 's.jsonl': file, ...world.files } });
}

function after({ files }: Ran): string | Uint8Array {
  return files['s.jsonl'] ?? '';
}

const withPolicy = (prune: unknown): World => ({ files: { [CONFIG]: JSON.stringify({ prune }) } });

describe('ctx compact --if-needed', () => {
  const base = 'compact s.jsonl --if-needed --limit 100k --keep-recent 10 --dry-run --at';

  it.each([
    ['a2', 1, 'the policy asks for nothing in this zone'],
    ['a3', 1, 'the policy asked for pruning in turn 3'],
    ['a4', 0, 'would append'],
    // Latched: asked for in turn 4, and not done.
    ['a6', 0, 'would append'],
    ['k1', 1, 'the context was compacted after the last turn'],
    ['a9', 1, 'the policy asks for nothing in this zone'],
  ])('at %s exits with %i', async (at, exitCode, words) => {
    const ran = await run(`${base} ${at}`, PRESSURE);
    expect(ran.exitCode).toBe(exitCode);
    expect(ran.stdout.replaceAll(/\s+/g, ' ')).toContain(words);
  });

  it('follows the policy, long before Pi would compact', async () => {
    const late = await run(`${base} a4`, PRESSURE, withPolicy({ compactFrom: 'compact' }));
    expect([late.exitCode, late.stdout]).toEqual([1, expect.stringContaining('74,300 of 83,616 tokens are used')]);
    expect((await run(`${base} a4 --policy context-manager`, PRESSURE)).exitCode).toBe(0);
  });

  it('does nothing more before another turn has ended', async () => {
    const text = (await run(`compact s.jsonl --keep-recent 10 --at a4 --yes`, PRESSURE)).files['s.jsonl'];
    const again = await run(base.replace(' --at', ''), text ?? '');
    expect([again.exitCode, again.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining('was compacted after the last turn'),
    ]);
  });
});

describe('ctx prune --if-needed', () => {
  const base = 'prune s.jsonl --yes --if-needed --limit 20k';

  it('prunes once where the policy asks for it, and exits with 1 where it does not', async () => {
    const first = await run(base, WORK);
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringMatching(/^appended /)]);
    const second = await run(base, after(first));
    expect([second.exitCode, after(second)]).toEqual([1, after(first)]);
    expect(second.stdout).toContain('the context was pruned after the last turn');
    const roomy = await run('prune s.jsonl --if-needed --limit 2M', WORK);
    expect([roomy.exitCode, roomy.stdout]).toEqual([1, expect.stringContaining('nothing in this zone')]);
    expect((await run('prune s.jsonl --limit 2M', WORK)).exitCode).toBe(0);
  });

  it('prunes at every turn end by the policy of pi-context-manager', async () => {
    expect((await run('prune s.jsonl --if-needed --limit 2M --policy context-manager --dry-run', WORK)).exitCode).toBe(
      0,
    );
    expect((await run('prune s.jsonl --if-needed --limit 2M --policy turns --dry-run', WORK)).exitCode).toBe(1);
  });
});

describe('ctx status --fail-on', () => {
  it.each([
    ['a2', 'yellow', 0],
    ['a3', 'yellow', 1],
    ['a3', 'red', 0],
    ['a4', 'red', 1],
    ['a6', 'red', 1],
    ['a6', 'compact', 1],
  ])('at %s from %s on exits with %i', async (at, zone, exitCode) => {
    const ran = await run(`status s.jsonl --limit 100k --at ${at} --fail-on ${zone}`, PRESSURE);
    expect([ran.exitCode, ran.stderr]).toEqual([exitCode, '']);
  });

  it('needs a context window', async () => {
    const unknown = PRESSURE.replaceAll('claude-sonnet-4-5', 'm1');
    const ran = await run('status s.jsonl --fail-on red', unknown);
    expect([ran.exitCode, ran.stderr]).toEqual([2, expect.stringContaining('supply it with --limit')]);
  });
});
