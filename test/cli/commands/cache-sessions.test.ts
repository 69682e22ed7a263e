import { describe, expect, it } from 'vitest';
import type { CacheSummary } from '#analysis/cache/document.js';
import type { CacheSessions } from '#analysis/cache/sessions-document.js';
import { findSecrets } from '#analysis/secrets/find-secrets.js';
import { schemas } from '#cli/schemas.js';
import { Log } from '../../fixtures/log.js';
import { generateClaudeCode } from '../../support/claude-code.js';
import { generateSession } from '../../support/generate.js';
import { ctx } from '../../support/memory-io.js';
import { plantSecrets } from '../../support/planted-secrets.js';

/** A session whose requests read what they should, but for those in `misses`, which read the first 1,000 tokens. */
function missing(id: string, requests: number, misses: readonly number[], header: Record<string, unknown> = {}): Log {
  const log = new Log(id, header);
  for (let at = 1; at <= requests; at += 1) {
    const known = at === 1 ? 0 : (at - 1) * 5000;
    const cacheRead = misses.includes(at) ? 1000 : known;
    const rest = at * 5000 - cacheRead;
    const cost = { input: 0, output: 0, cacheRead: cacheRead * 3e-7, cacheWrite: rest * 3.75e-6 };
    const usage = {
      input: 0,
      output: 5,
      cacheRead,
      cacheWrite: rest,
      cost: { ...cost, total: cost.cacheRead + cost.cacheWrite },
    };
    log.user(`u${at}`, `Go on ${at}.`).assistant(`a${at}`, `Done ${at}.`, { usage });
  }
  return log;
}

const files = {
  'd/a.jsonl': missing('a', 6, [3, 5]).text(),
  'd/b.jsonl': missing('b', 4, [], { cwd: '/home/ada/shop' }).text(),
  'd/c.jsonl': missing('c', 8, [4], { cwd: '/home/ada/shop' }).text(),
  // Copies all of it.
  'd/fork.jsonl': missing('c', 8, [4], { id: 'fork', parentSession: 'c.jsonl', cwd: '/home/ada/shop' }).text(),
};

async function sumsOf(name: string): Promise<CacheSessions> {
  const { stdout, stderr, exitCode } = await ctx(['cache', name, '--json'], { files });
  expect([exitCode, stderr]).toEqual([0, '']);
  const data = JSON.parse(stdout) as unknown;
  expect(schemas['cache-sessions'].safeParse(data)).toMatchObject({ success: true });
  return data as CacheSessions;
}

async function summaryOf(file: string): Promise<CacheSummary> {
  const { stdout } = await ctx(['cache', file, '--json'], { files });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as CacheSummary;
}

describe('ctx cache of many sessions', () => {
  it('adds up what it finds in each, and counts a fork once', async () => {
    const all = await sumsOf('d');
    const each = await Promise.all(['d/a.jsonl', 'd/b.jsonl', 'd/c.jsonl'].map(summaryOf));
    const sum = (of: (one: CacheSummary) => number): number => each.reduce((known, one) => known + of(one), 0);
    expect(all).toMatchObject({
      sessions: 3,
      requests: sum(({ requests }) => requests),
      breaks: sum(({ breaks }) => breaks),
      promptTokens: sum(({ promptTokens }) => promptTokens),
      rebilledTokens: sum(({ rebilledTokens }) => rebilledTokens),
    });
    expect(all.breaks).toBe(3);
    expect(all.rebilledCost).toBeCloseTo(
      sum(({ rebilledCost }) => rebilledCost ?? 0),
      9,
    );
  });

  it('adds up in each of its tables', async () => {
    const all = await sumsOf('d');
    for (const rows of [all.byClient, all.byDay, all.byProject] as const) {
      const sum = (of: (row: (typeof rows)[number]) => number): number =>
        [...rows].reduce((known, row) => known + of(row), 0);
      expect(sum(({ requests }) => requests)).toBe(all.requests);
      expect(sum(({ rebilledTokens }) => rebilledTokens)).toBe(all.rebilledTokens);
    }
    expect(all.byClass.reduce((known, { breaks }) => known + breaks, 0)).toBe(all.breaks);
    expect(all.byProject.map(({ project, breaks }) => [project, breaks])).toEqual([
      ['/home/ada/weather', 2],
      ['/home/ada/shop', 1],
    ]);
    const { stdout } = await ctx(['cache', 'd'], { files, columns: 80 });
    expect(stdout).toMatch(/^3 sessions, 18 requests, 3 breaks, 3 without a cause$/m);
    expect(stdout).toMatch(/^ +total +3 +[\d,]+ +\$\d/m);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(/^ +~\/weather +\d+ [^]*^ +~\/shop +\d+ /m);
  });

  it('keeps the ends of long folders, in which they differ', async () => {
    const folders = ['forecast', 'history'].map((name) => `/home/ada/work/weather-worktrees/weather-${name}`);
    const sessions = folders.map((cwd, at) => [`d/${at}.jsonl`, missing(`s${at}`, 6, [3], { cwd }).text()] as const);
    const { stdout } = await ctx(['cache', 'd'], { files: Object.fromEntries(sessions), columns: 80 });
    const rows = stdout.match(/^ +…\S+(?= )/gm) ?? [];
    expect(rows.map((row) => row.trim()).toSorted()).toEqual(['…ees/weather-history', '…es/weather-forecast']);
  });

  it('names each version of a client', async () => {
    const text = generateClaudeCode(3);
    const versions = new Set([...text.matchAll(/"version":"([^"]+)"/g)].map(([, version]) => version));
    const { stdout } = await ctx(['cache', 'd', '--json'], { files: { 'd/c.jsonl': text } });
    const { byClient } = JSON.parse(stdout) as CacheSessions;
    for (const { client } of byClient) expect(versions).toContain(client.replace('claude-code ', ''));
    expect(byClient.length).toBeGreaterThan(0);
  });

  it.each([
    [['d', 'a3'], '--at is of one session'],
    [['d', '--each'], '--each is of one session'],
    [['d', '--format', 'csv'], '--format csv is of one session'],
  ])('refuses what belongs to one session: %j', async (argv, words) => {
    const { exitCode, stderr } = await ctx(['cache', ...argv], { files });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});

describe('ctx cache --report', () => {
  it('is the paragraphs for a bug report, of one session or of many', async () => {
    const { stdout } = await ctx(['cache', 'd', '--report'], { files });
    expect(stdout).toMatch(
      /^### Prompt cache misses within the lifetime of the cache\n\nIn 3 sessions with 18 requests on 2026-03-02, \d+% of [\d,]+ prompt tokens were read from the cache\. 3 of 3 breaks /,
    );
    expect(stdout).toMatch(/^- by client and version: pi: 3 of 18 requests$/m);
    expect(stdout).toMatch(/^- models: anthropic\/claude-sonnet-4-5$/m);
    expect(stdout).toMatch(/^- pauses before them: 2 minutes/m);
    const one = await ctx(['cache', 'd/b.jsonl', '--report'], { files });
    expect(one.stdout).toContain('The cache never broke.');
  });

  /** Words of the planted paths, names and secrets. */
  const HIDDEN = /home|users|ada|weather|secret|\.jsonl|[\\~]\/|ghp_|glpat/i;

  it('has no text, path, name or secret of a session, whatever is in its place', async () => {
    let reports = 0;
    for (let seed = 1; seed <= 24; seed += 1) {
      const session = seed % 2 === 0 ? generateClaudeCode(seed) : generateSession({ seed, entries: 60 });
      const { text, tokens, values } = plantSecrets(session, seed);
      const [secret = ''] = tokens;
      const hostile = text
        .replaceAll(/"version":"[^"]*"/g, `"version":"2.1.${secret}"`)
        .replaceAll(/"(model|modelId)":"([^"]*)"/g, `"$1":"$2-${secret}"`)
        .replaceAll(/"(provider|cwd|gitBranch|customType|cache_miss_reason)":"[^"]*"/g, `"$1":"/home/ada/${secret}"`);
      const { stdout } = await ctx(['cache', 'home/ada', '--report'], { files: { 'home/ada/secret.jsonl': hostile } });
      reports += Number(stdout.startsWith('### Prompt cache misses'));
      for (const planted of [...tokens, ...values]) expect(stdout).not.toContain(planted);
      expect(stdout).not.toMatch(HIDDEN);
      expect(findSecrets(stdout)).toEqual([]);
    }
    expect(reports).toBeGreaterThan(12);
  });

  it('passes its own redaction unchanged', async () => {
    const { stdout } = await ctx(['cache', 'd', '--report'], { files });
    const redacted = await ctx(['cache', 'd', '--report', '--redact'], { files });
    expect(redacted.stdout).toBe(stdout);
  });
});
