import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContextEngine } from '#lab/contract.js';
import { type Clause, CLAUSES } from '#lab/drive/breaches/clauses.js';
import type { EngineCheck } from '#lab/engine-check/document.js';
import type { Simulation } from '#lab/simulate/document.js';
import { projectFolder } from '../support/files.js';
import { futureReader } from '../support/future-reader.js';
import { ctx, type World } from '../support/memory-io.js';
import { pluginsHere } from '../support/plugins.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');
/** The header and the entries of the active path, as they are recorded. */
const lines = pathOf(weather.trimEnd().split('\n'));

function pathOf([header = '', ...all]: readonly string[]): readonly string[] {
  const found: string[] = [];
  let wanted = JSON.parse(all.at(-1) ?? '{}') as { id?: string; parentId?: string };
  for (const line of all.toReversed()) {
    const entry = JSON.parse(line) as typeof wanted;
    if (entry.id !== wanted.id) continue;
    found.unshift(line);
    wanted = entry.parentId ? { id: entry.parentId } : {};
  }
  return [header, ...found];
}

/** An engine that lies, and the sentence of the contract that it breaks. */
interface Liar {
  readonly name: string;
  readonly clause: Clause;
  readonly make: () => ContextEngine;
}

const folder = path.join(projectFolder, 'fixtures/engines/liars');
const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const honest = await engineIn('honest.ts');
const LIARS = await Promise.all(files.filter((name) => name !== 'honest.ts').map(liarIn));

/** The first line of a liar names the clause that it breaks. */
async function liarIn(name: string): Promise<Liar> {
  const [, clause = ''] = /^\/\/ Breaks `([\w-]+)`: /.exec(readFileSync(path.join(folder, name), 'utf8')) ?? [];
  if (!isClause(clause)) throw new Error(`${name} names no clause that it breaks`);
  return { name, clause, make: await engineIn(name) };
}

function isClause(name: string): name is Clause {
  return Object.hasOwn(CLAUSES, name);
}

async function engineIn(name: string): Promise<() => ContextEngine> {
  return ((await import(path.join(folder, name))) as { readonly default: () => ContextEngine }).default;
}

/** These lies need a compaction, for which the context has to be too long. */
const OF_COMPACTION: ReadonlySet<Clause> = new Set(['kept-entry', 'kept-result', 'compacted', 'compact-tokens']);

/** Simulations do not ask twice, look for these, or measure times. */
const ONLY_CHECKED: ReadonlySet<Clause> = new Set(['ingest-once', 'repeatable', 'future', 'quick']);

function worldOf(make: () => ContextEngine, session = weather): World {
  return { files: { 's.jsonl': session, './e.ts': '' }, startPlugin: pluginsHere({ './e.ts': make }) };
}

function flagsOf({ clause }: Liar): readonly string[] {
  return OF_COMPACTION.has(clause) ? ['--limit', '2500'] : [];
}

async function checkOf(make: () => ContextEngine, flags: readonly string[] = []): Promise<EngineCheck> {
  const argv = ['engine', 'check', './e.ts', 's.jsonl', '--no-config', '--json', ...flags];
  return JSON.parse((await ctx(argv, worldOf(make))).stdout) as EngineCheck;
}

describe('an engine that lies', () => {
  it('is there for each sentence that can be lied about', () => {
    // The others are about engines that fail.
    const failures = new Set(['loads', 'no-throw', 'in-time', 'answer-type']);
    const clauses = Object.keys(CLAUSES).filter((clause) => !failures.has(clause));
    expect([...new Set<string>(LIARS.map(({ clause }) => clause))].toSorted()).toEqual(clauses.toSorted());
    expect(LIARS).toHaveLength(30);
  });

  it.each(LIARS.map((liar) => [liar.name, liar] as const))('fails engine check: %s', async (_, liar) => {
    const argv = ['engine', 'check', './e.ts', 's.jsonl', '--no-config', ...flagsOf(liar)];
    // Each request waits for the slow one, and the first are enough.
    const session = liar.clause === 'quick' ? `${lines.slice(0, 12).join('\n')}\n` : weather;
    const { exitCode, stdout } = await ctx(argv, worldOf(liar.make, session));
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`(${liar.clause})`)]);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(CLAUSES[liar.clause]);
  });

  it.each(LIARS.map((liar) => [liar.name, liar] as const))('cannot win a simulation: %s', async (_, liar) => {
    if (ONLY_CHECKED.has(liar.clause)) return;
    const flags = OF_COMPACTION.has(liar.clause) ? [...flagsOf(liar), '--reserve', '100'] : [];
    const argv = ['simulate', 's.jsonl', '--engine', './e.ts', '--engine', 'none', '--full', '--json', ...flags];
    const { exitCode, stdout } = await ctx(argv, worldOf(liar.make));
    const { verdict, engines } = JSON.parse(stdout.split('\n')[0] ?? '') as Simulation;
    expect(exitCode).toBe(1);
    expect(verdict).toMatch(/^(none is|No engine is cheaper than the recorded run; next is none)/);
    const own = engines.find(({ name }) => name === './e.ts');
    if (own?.failure) return;
    expect(own?.breaches.map(({ clause }) => clause)).toContain(liar.clause);
    expect(verdict).toContain('./e.ts is last: ');
  });

  it('is not what an honest engine is', async () => {
    for (const limit of ['2500', '200k'])
      expect(await checkOf(honest, ['--limit', limit])).toMatchObject({ breaches: [], failure: null });
  });
});

describe('bootstrap', () => {
  it('is called without a past, and again with one, and never with the future', async () => {
    const seen: (readonly string[])[] = [];
    const check = await checkOf(() => futureReader((all) => void seen.push(all)));
    const ends = seen.map((all) => all.length);
    expect(check).toMatchObject({ breaches: [], failure: null, requests: 14 });
    expect(check.calls).toContainEqual({ method: 'bootstrap', times: 2 });
    // Each look finds a beginning of the recording, byte for byte.
    for (const all of seen) expect(all).toEqual(lines.slice(0, all.length));
    // The last run begins without a past once more.
    const last = ends.lastIndexOf(1);
    const again = ends.findIndex((end, at) => at > 0 && end < (ends[at - 1] ?? 0));
    expect(last).toBeGreaterThan(again);
    expect(ends[0]).toBe(1);
    expect(ends[again]).toBeGreaterThan(1);
    expect(ends[again]).toBeLessThan(lines.length);
    const resumed = lines.findIndex((line) => line.includes(`"id":"${check.resumedAt}"`));
    expect(ends[again]).toBe(resumed);
  });

  it('may import what its file holds, and no more', async () => {
    const importing = (importedMessages: (all: readonly string[]) => number) => () => {
      const reader = futureReader(() => {});
      const bootstrap: ContextEngine['bootstrap'] = ({ sessionFile }) => {
        const all = readFileSync(sessionFile, 'utf8').trimEnd().split('\n');
        return Promise.resolve({ bootstrapped: true, importedMessages: importedMessages(all) });
      };
      return { ...reader, bootstrap };
    };
    const messages = (all: readonly string[]): number => all.filter((line) => line.includes('"type":"message"')).length;
    expect((await checkOf(importing(messages))).breaches).toEqual([]);
    const more = await checkOf(importing((all) => messages(all) + 1));
    expect(more.breaches).toMatchObject([{ clause: 'imported', times: 2, request: 1 }]);
  });

  it('sees no file of the future in a simulation', async () => {
    const seen: (readonly string[])[] = [];
    const argv = ['simulate', 's.jsonl', '--engine', './e.ts'];
    await ctx(
      argv,
      worldOf(() => futureReader((all) => void seen.push(all))),
    );
    expect(seen.map((all) => all.length)[0]).toBe(1);
    expect(seen.length).toBeGreaterThan(3);
    for (const all of seen) expect(all).toEqual(lines.slice(0, all.length));
  });
});
