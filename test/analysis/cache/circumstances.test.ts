import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isUndeclared } from '#analysis/cache/break-cause.js';
import { BREAK_CLASSES } from '#analysis/cache/break-classes.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { type CacheOptions, DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import { type CacheReport, reportCache } from '#analysis/cache/report-cache.js';
import { formatTime } from '#base/time.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { projectFolder } from '../../support/files.js';
import { expectGenerated } from '../../support/generated.js';
import { ctx } from '../../support/memory-io.js';

type Json = Readonly<Record<string, unknown>>;

const FAR = 'A'.repeat(4000);
const OTHER = { provider: 'openai', api: 'openai-responses', model: 'gpt' };
const IMAGE = [{ type: 'image', data: 'aWI=', mimeType: 'image/png' }];

function billed(cacheRead: number, cacheWrite: number, input = 0): Json {
  return { usage: { input, output: 1, cacheRead, cacheWrite } };
}

async function reportOf(log: Log, leafId?: string, options?: CacheOptions): Promise<CacheReport> {
  const session = await log.open();
  const leaf = leafId === undefined ? session.tree.leaf : session.tree.heads.find(leafId);
  const onPath = leaf ? pathTo(session.tree, leaf) : [];
  return reportCache({ session, path: onPath, baseline: {} }, options);
}

/** The last request of a path. */
async function lastOf(log: Log, leafId?: string): Promise<CacheRequest | undefined> {
  return (await reportOf(log, leafId)).requests.at(-1);
}

/** One request, all of which is in the cache, and the next input. */
const asked = (fields: Json = billed(0, 5000)): Log =>
  new Log('asked').user('u1', FAR).assistant('a1', 'Well.', fields).user('u2', 'And?');

describe('a request', () => {
  it('names a model without a recorded name', async () => {
    const nobody = { provider: undefined, api: undefined, model: undefined };
    expect((await lastOf(new Log('m').assistant('a1', '', nobody)))?.model).toBe('?/?');
    expect((await lastOf(new Log('m').assistant('a1', '', { ...OTHER, provider: 7 })))?.model).toBe('?/gpt');
    expect(await lastOf(new Log('m').entry('a1', 'message', { message: { role: 'assistant' } }))).toMatchObject({
      model: '?/?',
      recorded: null,
      unbilled: false,
      promptTokensEstimated: 0,
      prefixTokensEstimated: null,
      expectedCacheReadEstimated: null,
      idleMilliseconds: null,
    });
  });

  it('is when its answer says it began, or else when it was written; the idle time is never less than nothing', async () => {
    const log = asked();
    const before = log.now();
    expect(await lastOf(log.assistant('a2', '', billed(5000, 100)))).toMatchObject({ time: formatTime(log.now()) });
    const noTime = asked().entry('a2', 'message', { message: { role: 'assistant', timestamp: 'now' } });
    expect(await lastOf(noTime)).toMatchObject({
      time: formatTime(before + 60_000),
      idleMilliseconds: 120_000,
    });
    const earlier = asked().entry('a2', 'message', { message: { role: 'assistant', timestamp: 5 } });
    expect(await lastOf(earlier)).toMatchObject({ time: formatTime(5), idleMilliseconds: 0 });
  });

  it.each(['error', 'aborted'])('is not compared where it ended with %s and nothing was billed', async (stopReason) => {
    const failed = asked().edit('e1', 'u1', { content: 'B' }).assistant('a2', '', { stopReason });
    expect(await lastOf(failed)).toMatchObject({
      request: 2,
      unbilled: true,
      break: null,
      prefixTokensEstimated: 0,
    });
    const again = failed.assistant('a3', '', billed(0, 2000));
    expect(await lastOf(again)).toMatchObject({
      request: 3,
      unbilled: false,
      break: { class: 'edit', entryId: 'e1' },
    });
    const billedAfterAll = asked()
      .edit('e1', 'u1', { content: 'B' })
      .assistant('a2', '', { stopReason, ...billed(0, 2000) });
    expect(await lastOf(billedAfterAll)).toMatchObject({ unbilled: false, break: { class: 'edit' } });
    expect(await lastOf(billedAfterAll.assistant('a3', '', billed(2000, 10)))).toMatchObject({ break: null });
  });

  it('misses by the rule of thumb what was read and written before, and is not read', async () => {
    const naive = async (read: number): Promise<boolean | undefined> =>
      (await lastOf(asked(billed(2000, 3000, 500)).assistant('a2', '', billed(read, 100))))?.naiveMiss;
    expect([await naive(4999), await naive(5000), await naive(5500)]).toEqual([true, false, false]);
    expect((await lastOf(asked().assistant('a2', '')))?.naiveMiss).toBe(false);
    expect((await lastOf(asked()))?.naiveMiss).toBe(false);
  });

  it('can read what the provider was known to have, less what has changed', async () => {
    const read = async (log: Log, usage: Json = billed(5000, 100)): Promise<number | null | undefined> =>
      (await lastOf(log.assistant('a2', '', usage)))?.expectedCacheReadEstimated;
    expect(await read(asked())).toBe(5000);
    expect(await read(asked(), billed(0, 4000))).toBe(4000);
    // 1000 tokens are estimated, so that 4000 are hidden before them.
    expect(await read(asked().edit('e1', 'u1', { content: `${'A'.repeat(2000)}B` }))).toBe(4500);
    expect(await read(asked(), {})).toBe(5000);
    expect(await read(asked({}))).toBeNull();
    expect(await read(asked().wait(4), billed(0, 6000))).toBe(0);
    expect(await read(asked().wait(4), {})).toBe(0);
    expect(await read(asked().wait(4))).toBe(5000);
    expect(await read(asked(), { ...OTHER, ...billed(0, 5000) })).toBe(0);
  });
});

describe('the cause of a break', () => {
  const miss = billed(0, 6000);
  it.each<readonly [what: string, log: Log, cause: Json | null]>([
    ['nothing where nothing is missed', asked().wait(60).assistant('a2', '', billed(5000, 100)), null],
    [
      'unknown where nothing has changed',
      asked().assistant('a2', '', miss),
      { class: 'unexplained', entryId: null, line: null, also: [] },
    ],
    ['too long ago', asked().wait(4).assistant('a2', '', miss), { class: 'ttl', entryId: null }],
    [
      // 1000 tokens are messages: the rest is of other sessions too.
      'too long ago, where only tools and system prompt were read',
      asked().wait(4).assistant('a2', '', billed(3900, 2100)),
      { class: 'ttl', rebilledTokens: 1100 },
    ],
    [
      'not the time, where most of the messages were read',
      new Log('m')
        .user('u1', FAR.repeat(9))
        .assistant('a1', '', billed(0, 9000))
        .wait(6)
        .assistant('a2', '', billed(7500, 100, 2000)),
      { class: 'unexplained', rebilledTokens: 1500 },
    ],
    ['not yet too long ago', asked().wait(2).assistant('a2', '', miss), { class: 'unexplained' }],
    [
      'not too long ago, where it was kept warm',
      asked()
        .wait(4)
        .entry('w', 'usage', { kind: 'cache_warm', ...billed(5000, 0) })
        .assistant('a2', '', miss),
      { class: 'unexplained' },
    ],
    [
      'too long ago, whatever else was used',
      asked()
        .wait(4)
        .entry('w', 'usage', { kind: 'other', ...billed(5000, 0) })
        .assistant('a2', '', miss),
      { class: 'ttl' },
    ],
    [
      'nothing where a cache by best effort is behind, also after a pause',
      new Log('o')
        .user('u1', FAR.repeat(9))
        .assistant('a1', '', { ...OTHER, ...billed(0, 9000) })
        .user('u2', FAR.repeat(9))
        .assistant('a2', '', { ...OTHER, ...billed(9000, 9000) })
        .user('u3', 'And?')
        .assistant('a3', '', { ...OTHER, ...billed(18_000, 100) })
        .wait(9)
        .user('u4', 'And?')
        .assistant('a4', '', { ...OTHER, ...billed(16_000, 0, 2200) }),
      null,
    ],
    [
      'another thinking level',
      asked().entry('t', 'thinking_level_change', { thinkingLevel: 'high' }).assistant('a2', '', miss),
      { class: 'thinking level', entryId: 't', line: 5 },
    ],
    [
      'not the same one',
      asked().entry('t', 'thinking_level_change', { thinkingLevel: 'off' }).assistant('a2', '', miss),
      { class: 'unexplained' },
    ],
    [
      'not one that is none',
      asked().entry('t', 'thinking_level_change', { thinkingLevel: 7 }).assistant('a2', '', miss),
      { class: 'unexplained' },
    ],
    [
      'the first image',
      asked().user('i', IMAGE).user('j', IMAGE).assistant('a2', '', miss),
      { class: 'image', entryId: 'i', also: [] },
    ],
    [
      'not a further image',
      new Log('i').user('i', IMAGE).assistant('a1', '', billed(0, 5000)).user('j', IMAGE).assistant('a2', '', miss),
      { class: 'unexplained' },
    ],
    [
      'all that may have been, in order',
      asked()
        .wait(9)
        .entry('t', 'thinking_level_change', { thinkingLevel: 'high' })
        .user('i', IMAGE)
        .assistant('a2', '', miss),
      { class: 'ttl', entryId: null, also: ['thinking level', 'image'], volatile: null, recordedMiss: true },
    ],
    [
      'another model, which nobody announced',
      asked().assistant('a2', '', { ...OTHER, ...miss }),
      { class: 'model switch', entryId: null, line: null },
    ],
    [
      'another model, and what else has changed',
      asked()
        .entry('m', 'model_change', { provider: 'openai', modelId: 'gpt' })
        .edit('e', 'u1', { content: 'B' })
        .assistant('a2', '', { ...OTHER, ...miss }),
      { class: 'model switch', entryId: 'm', line: 5, also: ['edit'] },
    ],
    [
      'not a model that was chosen before',
      new Log('m')
        .entry('m', 'model_change', { provider: 'openai', modelId: 'gpt' })
        .user('u1', FAR)
        .assistant('a1', '', billed(0, 5000))
        .assistant('a2', '', { ...OTHER, ...miss }),
      { class: 'model switch', entryId: null },
    ],
    [
      'an edit, also where little is missed',
      asked().edit('e', 'u1', { content: 'B' }).assistant('a2', '', billed(4500, 100)),
      { class: 'edit', recordedMiss: false },
    ],
  ])('is %s', async (_what, log, cause) => {
    const { break: broken } = (await lastOf(log)) ?? {};
    if (cause === null) expect(broken).toBeNull();
    else expect(broken).toMatchObject(cause);
  });

  it('is the branch that was gone on with in between, from where the path parts from it', async () => {
    const log = new Log('branches')
      .user('u1', FAR)
      .assistant('a1', 'Well.', billed(0, 5000))
      .assistant('a2', '', billed(5000, 5000))
      .assistant('a3', '', billed(10_000, 500));
    log.from('a1').user('v2', 'Or?').assistant('b2', '', billed(0, 5100)).assistant('b3', '', billed(5100, 10));
    const { requests } = await reportOf(log);
    expect(requests.map(({ entryId, break: broken }) => [entryId, broken?.class, broken?.entryId])).toEqual([
      ['a1', undefined, undefined],
      ['b2', 'branch', 'v2'],
      ['b3', undefined, undefined],
    ]);
    // By the rule of Pi, which compares with the other branch, although by its own branch it is none.
    expect(requests[1]).toMatchObject({ piMiss: { tokens: 5100 } });
    // An answer that failed before anything was billed is no request that Pi compares with.
    const failed = new Log('failed').user('u1', FAR).assistant('a1', 'Well.', billed(0, 5000));
    failed.user('u2', 'Or?').assistant('e2', '', { stopReason: 'error', errorMessage: '529 overloaded' });
    failed.from('a1').user('v2', 'Or?').assistant('b2', '', billed(0, 5100));
    expect((await reportOf(failed)).requests[1]).toMatchObject({
      piMiss: { tokens: 5000 },
      break: { class: 'unexplained', entryId: null, between: [{ entryId: 'v2', line: 6, type: 'user' }] },
    });
    const ownIsFine = log.from('a3').assistant('a4', '', billed(0, 10_000));
    expect(await lastOf(ownIsFine, 'a4')).toMatchObject({ break: { class: 'branch', entryId: 'a2' } });
  });

  it('states the lost tokens: recorded, or else estimated', async () => {
    const rebilled = async (log: Log): Promise<readonly unknown[]> => {
      const { break: broken } = (await lastOf(log)) ?? {};
      return [broken?.rebilledTokens, broken?.rebilledTokensEstimated, broken?.rebilledCost];
    };
    const edited = (usage: Json): Log =>
      asked(usage).edit('e', 'u1', { content: `${'A'.repeat(2000)}${'B'.repeat(8000)}` });
    expect(await rebilled(edited(billed(0, 5000)).assistant('a2', '', billed(3000, 4000)))).toEqual([2000, null, null]);
    // All that it has in common with the 1000 tokens before.
    expect(await rebilled(edited({}).assistant('a2', '', {}))).toEqual([null, 500, null]);
    const silent = edited(billed(0, 0, 5000)).assistant('a2', '', billed(0, 0, 5000));
    expect(await rebilled(silent)).toEqual([null, 500, null]);
    expect(await lastOf(silent)).toMatchObject({ break: { recordedMiss: null } });
    expect(await rebilled(asked({}).assistant('a2', '', { ...OTHER }))).toEqual([null, 1000, null]);
    const shorter = asked({}).edit('e', 'u1', { content: 'A'.repeat(2000) });
    expect(await rebilled(shorter.assistant('a2', '', {}))).toEqual([null, 3, null]);
  });

  it('is a date, a time or an id in tools or system prompt, where the place lies in one', async () => {
    const system = (text: string): Json => ({ role: 'system', sections: { rules: text }, timestamp: 0 });
    const kind = async (before: string, after: string): Promise<string | null | undefined> => {
      const log = new Log('v')
        .message('s1', system(before))
        .user('u1', 'Well?')
        .assistant('a1', '')
        .message('s2', system(after));
      return (await lastOf(log.assistant('a2', '')))?.break?.volatile;
    };
    const far = 'word '.repeat(1000);
    expect(await kind(`${far}It is 2026-03-01.`, `${far}It is 2026-03-02.`)).toBe('date');
    expect(await kind(`${far}It is 2026-03-01.`, `${far}It is 2026-03-01!`)).toBeNull();
    expect(await kind('It was 2026-03-01.', 'It is 2026-03-01.')).toBeNull();
    expect(await kind(`${far}It was 2026-03-01.`, `${far}It is 2026-03-01.`)).toBeNull();
    expect(await kind('2026-03-01 09:00:00', '2026-04-01 09:00:00')).toBe('time');
    expect(await kind('It is 2026-03-01.', '')).toBeNull();
    const tool = (about: string): Json => ({ role: 'system', toolsAdded: [{ name: 'read', about }], timestamp: 0 });
    const log = new Log('v')
      .message('s1', tool('at 2026-03-01'))
      .assistant('a1', '')
      .message('s2', tool('at 2026-03-02'));
    expect((await lastOf(log.assistant('a2', '')))?.break).toMatchObject({ class: 'tools', volatile: 'date' });
    const inMessage = new Log('v')
      .user('u1', 'It is 2026-03-01.')
      .assistant('a1', '')
      .edit('e', 'u1', { content: 'It is 2026-03-02.' });
    expect((await lastOf(inMessage.assistant('a2', '')))?.break).toMatchObject({ class: 'edit', volatile: null });
  });
});

describe('the report of a path', () => {
  it('asks for a reason where something was changed on purpose, and none is declared', () => {
    const undeclared = BREAK_CLASSES.filter((name) => isUndeclared(name, []));
    expect(undeclared).toEqual(['transform', 'edit', 'system', 'tools', 'tool order']);
    expect(BREAK_CLASSES.filter((name) => isUndeclared(name, ['so']))).toEqual([]);
  });

  it('says what changes from one session to the next: the first of each kind in each text', async () => {
    const sections = {
      one: 'Now 2026-03-02 09:00:00, then 2026-03-02 10:00:00, on 2026-03-03',
      two: 'See 2026-03-04.',
    };
    const toolsAdded = [{ name: 'read', about: '2026-03-05' }];
    const log = new Log('v').message('s', { role: 'system', sections, toolsAdded });
    expect((await reportOf(log)).summary.volatile).toEqual([
      { section: 'tools', name: 'read', kind: 'date', text: '2026-03-05', offset: '{"about":"'.length },
      { section: 'system', name: 'one', kind: 'time', text: '2026-03-02 09:00:00', offset: 4 },
      { section: 'system', name: 'one', kind: 'date', text: '2026-03-03', offset: 54 },
      { section: 'system', name: 'two', kind: 'date', text: '2026-03-04', offset: 6 },
    ]);
  });

  it('sums up recorded tokens, with their cost, and estimated ones each on their own', async () => {
    const priced = { usage: { cacheRead: 0, cacheWrite: 6000, cost: { input: 0, cacheRead: 0, cacheWrite: 0 } } };
    const free = asked().assistant('a2', '', priced);
    const recorded = { rebilledTokens: 5000, rebilledTokensEstimated: 0, rebilledCost: 0 };
    expect((await reportOf(free)).summary).toMatchObject({
      requests: 2,
      requestsRecorded: 2,
      promptTokens: 11_000,
      cacheRead: 0,
      cacheWrite: 11_000,
      breaks: 1,
      undeclared: 0,
      ...recorded,
      byClass: [{ class: 'unexplained', breaks: 1, ...recorded }],
      piMisses: { requests: 1, tokens: 5000 },
      naiveMisses: 1,
    });
    const estimated = free.edit('e', 'u1', { content: 'B' }).assistant('a3', '', {});
    expect((await reportOf(estimated)).summary).toMatchObject({
      requestsRecorded: 2,
      breaks: 2,
      undeclared: 1,
      ...recorded,
      rebilledTokensEstimated: 4,
      byClass: [
        { class: 'edit', breaks: 1, rebilledTokens: 0, rebilledTokensEstimated: 4, rebilledCost: null },
        { class: 'unexplained', breaks: 1, ...recorded },
      ],
    });
  });

  it('says all of it in JSON', async () => {
    const file = 'fixtures/cache-breaks.jsonl';
    const text = readFileSync(path.join(projectFolder, file), 'utf8');
    const { stdout } = await ctx(['cache', file, '--each', '--json'], { files: { [file]: text } });
    expectGenerated('test/golden/cache-breaks.ndjson', stdout);
  });

  it('says in JSON what is not known', async () => {
    const log = new Log('odd').line({ type: 'message', id: 'a', message: { role: 'assistant', timestamp: 9e15 } });
    log.line({ type: 'message', id: 'b', parentId: 'a', message: { role: 'assistant', ...OTHER } });
    const report = await reportOf(log, undefined, { ...DEFAULT_CACHE_OPTIONS, retention: 9 });
    expect(report.requests).toMatchObject([
      { entryId: 'a', time: null, idleMilliseconds: null, recorded: null, piMiss: null, break: null },
      {
        time: null,
        idleMilliseconds: null,
        break: {
          class: 'model switch',
          divergence: null,
          recordedMiss: null,
          rebilledTokens: null,
          rebilledTokensEstimated: 0,
          rebilledCost: null,
        },
      },
    ]);
    expect(report.summary).toMatchObject({
      session: { id: 'odd' },
      options: { block: 1, minimum: 1024, retentionMinutes: 9 },
      requestsRecorded: 0,
      rebilledTokens: 0,
      rebilledCost: null,
    });
  });
});

describe('a miss after an extension changed a request', () => {
  const differing = (log: Log, id: string, sha256: string): Log =>
    log.entry(id, 'custom', {
      customType: 'ctx.request',
      data: { schemaVersion: 1, sha256: 'any', messages: 1, differs: { system: sha256 } },
    });
  const missed = (first: string, second: string): Log =>
    differing(
      differing(new Log('c').user('u1', FAR), 'r1', first).assistant('a1', '', billed(0, 5000)).user('u2', 'And?'),
      'r2',
      second,
    ).assistant('a2', '', billed(0, 5000));

  it('is explained by the record of the difference', async () => {
    expect((await lastOf(missed('one', 'two')))?.break).toMatchObject({ class: 'extension', entryId: 'r2' });
  });

  it('is not explained by a difference that the request before had too', async () => {
    expect((await lastOf(missed('one', 'one')))?.break).toMatchObject({ class: 'unexplained', entryId: null });
  });
});
