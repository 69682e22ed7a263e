import { describe, expect, it } from 'vitest';
import type { CacheRequest, CacheSummary } from '#analysis/cache/document.js';
import { Log } from '../../fixtures/log.js';
import { ctx } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

const FILE = 's.jsonl';
const MINUTE = 60_000;

function run(args: readonly string[], text: string, now?: number): Promise<{ readonly stdout: string }> {
  return ctx(args, { files: { [FILE]: text }, ...(now === undefined ? {} : { now }) });
}

async function cacheOf(text: string, flags: readonly string[] = []) {
  const { stdout } = await run(['cache', FILE, '--each', '--json', ...flags], text);
  const lines = stdout.trimEnd().split('\n');
  const summary = JSON.parse(lines.pop() ?? '') as CacheSummary;
  return { requests: lines.map((line) => JSON.parse(line) as CacheRequest), summary };
}

/** Tokens that a request read, wrote for five minutes, and wrote for an hour. */
type Billed = readonly [read: number, short: number, long: number];

/** The fields of a usage that record the split, in each way that is known. */
const SPLITS: Readonly<Record<string, (short: number, long: number) => Json>> = {
  Pi: (_short, cacheWrite1h) => ({ cacheWrite1h }),
  'oh-my-pi': (ephemeral5m, ephemeral1h) => ({
    cttl: { ...(ephemeral5m > 0 && { ephemeral5m }), ...(ephemeral1h > 0 && { ephemeral1h }) },
  }),
};

function usageIn(split: string, [cacheRead, short, long]: Billed): Json {
  return { usage: { input: 4, output: 9, cacheRead, cacheWrite: short + long, ...SPLITS[split]?.(short, long) } };
}

/** A session of Pi's format, with requests at these distances, in minutes. */
function piSession(split: string, requests: readonly (readonly [minutes: number, billed: Billed])[]): string {
  const log = new Log('lifetimes');
  for (const [at, [minutes, billed]] of requests.entries())
    log
      .wait(minutes - 2)
      .user(`u${at}`, `Question ${at}`)
      .assistant(`a${at}`, `Answer ${at}`, usageIn(split, billed));
  return log.text();
}

describe.each(Object.keys(SPLITS))('the lifetime of a cache that %s records', (split) => {
  const causes = async (requests: readonly (readonly [number, Billed])[], flags: readonly string[] = []) =>
    (await cacheOf(piSession(split, requests), flags)).requests.map((request) => request.break?.class ?? null);

  it('is an hour for what was written for an hour: an expiry after it, and none before it', async () => {
    expect(
      await causes([
        [2, [0, 0, 41_000]],
        [43, [0, 0, 42_000]],
      ]),
    ).toEqual([null, 'unexplained']);
    expect(
      await causes([
        [2, [0, 0, 41_000]],
        [64, [0, 0, 42_000]],
      ]),
    ).toEqual([null, 'ttl']);
    expect(
      await causes([
        [2, [0, 41_000, 0]],
        [43, [0, 42_000, 0]],
      ]),
    ).toEqual([null, 'ttl']);
    expect(
      await causes([
        [2, [0, 41_000, 0]],
        [4, [0, 42_000, 0]],
      ]),
    ).toEqual([null, 'unexplained']);
  });

  it('begins again with each request that reads it', async () => {
    const kept = [
      [2, [0, 0, 41_000]],
      [50, [41_000, 0, 10]],
      [50, [41_014, 0, 10]],
    ] as const;
    expect(await causes([...kept, [50, [0, 0, 42_000]]])).toEqual([null, null, null, 'unexplained']);
    // The request that read only wrote a little for five minutes: the hour of what it read goes on.
    expect(
      await causes([
        [2, [0, 0, 41_000]],
        [50, [41_000, 0, 0]],
        [50, [0, 0, 42_000]],
      ]),
    ).toEqual([null, null, 'unexplained']);
  });

  it('is that of each part where a request wrote both', async () => {
    const both = [2, [0, 30_000, 12_000]] as const;
    // The first 12,000 tokens are kept for an hour, the 30,000 after them for five minutes.
    expect(await causes([both, [20, [12_000, 30_500, 0]]])).toEqual([null, 'ttl']);
    expect(await causes([both, [3, [12_000, 30_500, 0]]])).toEqual([null, 'unexplained']);
    const { requests } = await cacheOf(piSession(split, [both, [20, [12_000, 30_500, 0]]]));
    expect(requests[1]).toMatchObject({ expiredTokens: 30_004, expectedCacheReadEstimated: 12_000 });
    // Most messages were kept for an hour, so that the age of the last few does not explain why they were not read.
    const most = [2, [0, 3000, 60_000]] as const;
    expect(await causes([most, [20, [5000, 3000, 55_500]]])).toEqual([null, 'unexplained']);
    expect(await causes([most, [20, [60_000, 3500, 0]]])).toEqual([null, 'ttl']);
  });

  it('is another with --retention, whatever was written', async () => {
    const hour = [
      [2, [0, 0, 41_000]],
      [43, [0, 0, 42_000]],
    ] as const;
    expect(await causes(hour, ['--retention', '30m'])).toEqual([null, 'ttl']);
    expect(
      await causes(
        [
          [2, [0, 41_000, 0]],
          [43, [0, 42_000, 0]],
        ],
        ['--retention', '2h'],
      ),
    ).toEqual([null, 'unexplained']);
  });
});

describe('ctx cache', () => {
  it('shows what was written for each lifetime, in text and as data', async () => {
    const text = piSession('Pi', [
      [2, [0, 700, 41_000]],
      [3, [41_700, 0, 300]],
      [9, [42_000, 250, 0]],
    ]);
    const { requests, summary } = await cacheOf(text);
    expect(requests.map(({ retentionMinutes, recorded }) => [retentionMinutes, recorded?.cacheWrite1h])).toEqual([
      [5, 41_000],
      [60, 300],
      [5, 0],
    ]);
    expect(summary).toMatchObject({
      cacheWrite: 42_250,
      cacheWrite5m: 950,
      cacheWrite1h: 41_300,
      options: { retentionMinutes: 5, retentionBasis: 'recorded' },
    });
    const { stdout } = await ctx(['cache', FILE, '--each'], { files: { [FILE]: text }, columns: 120 });
    expect(stdout).toContain('wrote      950 tokens for 5 minutes, 41,300 tokens for 1 hour\n');
    expect(stdout).toMatch(/^ +# +answer +prompt .*read +wrote 5m +wrote 1h/m);
    expect(stdout).toMatch(/^ +#1 +a0 .* 700 +41,000/m);
    const csv = (await run(['cache', FILE, '--format', 'csv'], text)).stdout;
    expect(csv.split('\n')[0]).toMatch(/cacheWrite,cacheWrite1h,.*retentionMinutes,expiredTokens/);
  });

  it('says of an expired cache how long it was kept', async () => {
    const shown = async (billed: Billed): Promise<string> => {
      const requests = [
        [2, billed],
        [70, billed],
      ] as const;
      return (await ctx(['cache', FILE], { files: { [FILE]: piSession('Pi', requests) }, columns: 160 })).stdout;
    };
    expect(await shown([0, 0, 41_000])).toContain(
      '1 h 10 min since the previous request (lifetime 1 hour, as written)',
    );
    expect(await shown([0, 41_000, 0])).toContain('since the previous request (lifetime 5 minutes, as written)');
  });

  it('says that a lifetime is assumed where none is recorded', async () => {
    const text = new Log('old')
      .user('u1', 'x')
      .assistant('a1', 'y', { usage: { input: 1, cacheWrite: 7000 } })
      .text();
    expect((await cacheOf(text)).summary).toMatchObject({
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      options: { retentionMinutes: 5, retentionBasis: 'assumed' },
    });
    expect((await run(['cache', FILE], text)).stdout).toContain(
      'wrote      7,000 tokens without a recorded lifetime; 5 minutes, assumed\n',
    );
    const given = await cacheOf(text, ['--retention', '90m']);
    expect(given.summary.options).toMatchObject({ retentionMinutes: 90, retentionBasis: 'given' });
    expect((await run(['cache', FILE, '--retention', '90m'], text)).stdout).toContain('; 90 minutes, by --retention\n');
  });

  it('keeps the caches of two models apart', async () => {
    const log = new Log('models').user('u1', 'x').assistant('a1', 'y', usageIn('Pi', [0, 0, 41_000]));
    const haiku = { model: 'claude-haiku-4-5', ...usageIn('Pi', [0, 20_000, 0]) };
    log.user('u2', 'x').assistant('a2', 'y', haiku).wait(20).user('u3', 'x');
    const back = log.assistant('a3', 'y', usageIn('Pi', [0, 0, 42_000]));
    expect((await cacheOf(back.text())).requests[2]).toMatchObject({
      break: { class: 'model switch', also: [] },
      expiredTokens: 0,
    });
  });
});

describe('other commands', () => {
  const text = piSession('oh-my-pi', [
    [2, [0, 0, 41_000]],
    [20, [41_000, 0, 300]],
    [20, [41_304, 0, 300]],
  ]);
  const end = Date.UTC(2026, 2, 2, 9, 42);

  it('take the lifetime that was written: ctx status', async () => {
    const status = async (now: number) => {
      const { stdout } = await run(['status', FILE, '--json'], text, now);
      return { data: JSON.parse(stdout).cache, text: (await run(['status', FILE], text, now)).stdout };
    };
    const warm = await status(end + 29 * MINUTE);
    expect(warm.data).toMatchObject({ retentionMinutes: 60, retentionBasis: 'recorded', aliveShare: 1 });
    expect(warm.text).toMatch(/^Cache {4}expires in \d+ minutes \(1 hour, as written\)$/m);
    const cold = await status(end + 129 * MINUTE);
    expect(cold.data).toMatchObject({ aliveShare: 0, isOtherModel: false });
    expect(cold.text).toMatch(/^Cache {4}expired 1 hour ago \(1 hour, as written\)$/m);
  });

  it('take the lifetime that was written: dry runs of a compaction', async () => {
    const planned = async (now: number) => {
      const args = ['compact', FILE, '--keep-recent', '1', '--dry-run'];
      const { stdout } = await run([...args, '--json'], text, now);
      return { data: JSON.parse(stdout).cache, text: (await run(args, text, now)).stdout };
    };
    const warm = await planned(end + 29 * MINUTE);
    expect(warm.data).toMatchObject({ isCold: false, coldBecause: null, retentionMinutes: 60 });
    expect(warm.text).toContain('lifetime  1 hour, as written; used ');
    const cold = await planned(end + 70 * MINUTE);
    expect(cold.data).toMatchObject({ isCold: true, coldBecause: 'expired' });
    expect(cold.text).toMatch(/pays off {2}at once: the cache expired \d+ minutes ago/);
  });

  it('take the lifetime that was written: ctx simulate', async () => {
    const cachedOf = async (session: string, flags: readonly string[] = []) => {
      const { stdout } = await run(['simulate', FILE, '--full', '--json', ...flags], session);
      const [first = ''] = stdout.split('\n');
      const { options, requests } = JSON.parse(first);
      return { options, cached: requests.map(({ cacheReadPredicted }: Json) => Number(cacheReadPredicted) > 0) };
    };
    const hour = await cachedOf(text);
    expect(hour).toMatchObject({ options: { retentionMinutes: 60, retentionBasis: 'recorded' } });
    expect(hour.cached).toEqual([false, true, true]);
    const short = piSession('Pi', [
      [2, [0, 41_000, 0]],
      [20, [0, 41_300, 0]],
      [20, [0, 41_600, 0]],
    ]);
    expect((await cachedOf(short)).cached).toEqual([false, false, false]);
    expect((await cachedOf(short, ['--retention', '1h'])).cached).toEqual([false, true, true]);
    const mixed = piSession('Pi', [
      [2, [0, 0, 41_000]],
      [20, [41_000, 300, 0]],
    ]);
    expect((await cachedOf(mixed)).options).toMatchObject({ retentionMinutes: null, retentionBasis: null });
    expect((await run(['simulate', FILE], mixed)).stdout).toContain('cache kept as long as each request wrote it for');
  });
});

describe('an answer that no provider gave', () => {
  it('is no request of a simulation, and does not end the cache of the model', async () => {
    const log = new Log('mirror').user('u1', 'x').assistant('a1', 'y', usageIn('Pi', [0, 0, 41_000]));
    log.assistant('m1', 'Copied.', { provider: 'openclaw', model: 'delivery-mirror' });
    const text = log
      .user('u2', 'x')
      .assistant('a2', 'y', usageIn('Pi', [41_000, 0, 90]))
      .text();
    const { requests, unbilledRequests } = JSON.parse(
      (await run(['simulate', FILE, '--full', '--json'], text)).stdout.split('\n')[0] ?? '',
    );
    expect(requests.map(({ entryId, cacheReadPredicted }: Json) => [entryId, cacheReadPredicted])).toEqual([
      ['a1', 0],
      ['a2', 41_004],
    ]);
    expect(unbilledRequests).toBe(0);
  });
});
