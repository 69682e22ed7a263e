import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PiMisses } from '#analysis/cache/pi-misses.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { isObject, type JsonObject } from '#base/json.js';
import { openSession, type OpenSession } from '#context/open.js';
import { pathTo } from '#session/tree/tree.js';
import { PlantedSession } from '../analysis/cache/planted-session.js';
import { Log } from '../fixtures/log.js';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { Random } from '../support/random.js';
import { withRealPi } from '../support/real-pi.js';

interface PiMiss {
  readonly missedTokens: number;
  readonly missedCost: number;
}

type CollectCacheMisses = (entries: readonly JsonObject[], models: object) => ReadonlyMap<object, PiMiss>;

function usage(input: number, cacheRead: number, cacheWrite: number): { readonly usage: JsonObject } {
  const cost = {
    input: input * 3e-6,
    output: 0,
    cacheRead: cacheRead * 3e-7,
    cacheWrite: cacheWrite * 3.75e-6,
    total: 0,
  };
  return { usage: { input, output: 1, cacheRead, cacheWrite, totalTokens: input + cacheRead + cacheWrite + 1, cost } };
}

/** What Pi 1.6.0 says, in missed tokens by entry. */
const CASES: readonly (readonly [what: string, log: Log, misses: Readonly<Record<string, number>>])[] = [
  ['the first request', new Log('c').assistant('a1', '', usage(0, 0, 9000)), {}],
  [
    'the noise below 1025 tokens',
    new Log('c')
      .assistant('a1', '', usage(0, 0, 9000))
      .assistant('a2', '', usage(0, 7976, 2000))
      .assistant('a3', '', usage(0, 8951, 2000)),
    { a3: 1025 },
  ],
  [
    'no more than what is sent now',
    new Log('c').assistant('a1', '', usage(0, 0, 9000)).assistant('a2', '', usage(0, 100, 3000)),
    { a2: 3000 },
  ],
  [
    'providers that never report a cache, and those that do not write',
    new Log('c')
      .assistant('a1', '', usage(9000, 0, 0))
      .assistant('a2', '', usage(9500, 0, 0))
      .assistant('a3', '', usage(500, 9500, 0))
      .assistant('a4', '', usage(10_500, 0, 0)),
    { a4: 10_000 },
  ],
  [
    'a compaction and a branch summary, behind which it begins anew',
    new Log('c')
      .assistant('a1', '', usage(0, 0, 9000))
      .compaction('k1', 'all', 'a1')
      .assistant('a2', '', usage(0, 0, 9000))
      .entry('b1', 'branch_summary', { summary: 'there', fromId: 'a1' })
      .assistant('a3', '', usage(0, 0, 9000))
      .assistant('a4', '', usage(0, 0, 9000)),
    { a4: 9000 },
  ],
  [
    'a warmed cache, and answers of which nothing was billed',
    new Log('c')
      .assistant('a1', '', usage(0, 0, 9000))
      .entry('w1', 'usage', { kind: 'cache_warm', provider: 'anthropic', model: 'm', ...usage(0, 4000, 0) })
      .entry('w2', 'usage', { kind: 'other', provider: 'anthropic', model: 'm', ...usage(0, 0, 90_000) })
      .assistant('a2', '', { ...usage(0, 0, 0), stopReason: 'error' })
      .assistant('a3', '', usage(0, 0, 9000)),
    { a3: 4000 },
  ],
  [
    'all branches in the order of the file',
    new Log('c')
      .assistant('a1', '', usage(0, 0, 9000))
      .assistant('a2', '', usage(0, 9000, 9000))
      .from('a1')
      .assistant('a3', '', usage(0, 9000, 9000)),
    { a3: 9000 },
  ],
];

/** The missed tokens of answers by their index. */
function missesByIndex(session: OpenSession): readonly (readonly [index: number, tokens: number])[] {
  const misses = new PiMisses(session);
  return [...session.tree.heads].flatMap(({ index }) => {
    const tokens = misses.at(index);
    return tokens === null ? [] : [[index, tokens] as const];
  });
}

function missesOf(session: OpenSession): Record<string, number> {
  const misses = missesByIndex(session);
  return Object.fromEntries(misses.map(([index, tokens]) => [String(session.tree.heads.at(index)?.id), tokens]));
}

describe("Pi's rule for a cache miss", () => {
  it.each(CASES)('%s', async (_what, log, misses) => {
    expect(missesOf(await log.open())).toEqual(misses);
  });
});

withRealPi('real Pi', () => {
  async function piMisses(session: OpenSession): Promise<Map<number, PiMiss> | null> {
    const file = path.join(
      projectFolder,
      'test/pi/node_modules/@earendil-works/pi-coding-agent/dist/core/cache-stats.js',
    );
    const { collectCacheMisses } = (await import(pathToFileURL(file).href)) as {
      collectCacheMisses: CollectCacheMisses;
    };
    const entries = [...session.tree.heads].map((head) => session.entry(head));
    const messages = entries.map(({ message }) => (isObject(message) ? message : null));
    // Without a usage, Pi fails.
    if (messages.some((message) => message?.['role'] === 'assistant' && !isObject(message['usage']))) return null;
    const misses = collectCacheMisses(entries, { getModel: () => undefined });
    return new Map([...misses].map(([message, miss]) => [messages.indexOf(message as JsonObject), miss]));
  }

  async function compare(bytes: Uint8Array): Promise<number> {
    const session = await openSession(bytes);
    const pis = await piMisses(session);
    if (pis === null) return 0;
    expect(missesByIndex(session)).toEqual([...pis].map(([index, { missedTokens }]) => [index, missedTokens]));
    const { leaf } = session.tree;
    const report = reportCache({
      session,
      path: leaf ? pathTo(session.tree, leaf) : [],
      baseline: {},
    });
    for (const { line, recorded: billed, piMiss } of report.requests) {
      const pi = [...pis].find(([index]) => session.tree.heads.lineAt(index) === line)?.[1];
      expect(piMiss?.tokens ?? null).toBe(pi?.missedTokens ?? null);
      // Where nothing was read, Pi looks the price up, and ctx takes what the session records.
      if (pi && billed && billed.cacheRead > 0) expect(piMiss?.cost).toBeCloseTo(pi.missedCost, 9);
    }
    return pis.size;
  }

  it.each(CASES)('says the same of %s', async (_what, log) => {
    await compare(Buffer.from(log.text()));
  });

  it('says the same of every fixture and recording', async () => {
    let found = 0;
    for (const file of [...fixtures, ...recordings]) {
      const bytes = readFileSync(file);
      if (await openSession(bytes).catch(() => null)) found += await compare(bytes);
    }
    expect(found).toBeGreaterThan(recordings.length > 0 ? 50 : 0);
  });

  it('says the same of generated sessions', async () => {
    let found = 0;
    for (let seed = 1; seed <= 200; seed += 1) {
      const random = new Random(seed);
      const draw = (): number => random.next();
      const session = new PlantedSession(draw, true);
      for (let turn = 0; turn < 20; turn += 1) {
        session.turn(draw() < 0.3 ? { read: Math.floor(draw() * session.prompt) } : {});
        if (draw() < 0.2)
          session.entry('compaction', { summary: 's', firstKeptEntryId: session.parent, tokensBefore: 1 });
        if (draw() < 0.2) session.parent = session.pick(session.sent);
        session.noise();
      }
      found += await compare(Buffer.from(session.text()));
    }
    expect(found).toBeGreaterThan(500);
  });
});
