import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sumBy, sumNumbers } from '#base/lists.js';
import { schemas } from '#cli/schemas.js';
import { sumByKind } from '#context/contents/contents.js';
import { Store } from '#ui/report/page/store.js';
import { CATEGORIES } from '../../src/context/size/categories.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { generateRollout } from '../support/codex-rollouts.js';
import { fixtures, projectFolder } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { ctx } from '../support/memory-io.js';
import { reported } from '../support/reports.js';
import { runs, tried } from '../support/runs.js';
import { workingSession } from '../support/working-session.js';

const FILE = '/sessions/s.jsonl';

const foreign = [
  'claude-code/session.jsonl',
  'claude-code/requests.jsonl',
  'codex/rollout.jsonl',
  'qwen-code/session.jsonl',
];
const sessions: readonly (readonly [name: string, text: string])[] = [
  ...fixtures.map((file) => [path.basename(file), readFileSync(file, 'utf8')] as const),
  ...foreign.map((name) => [name, readFileSync(path.join(projectFolder, 'fixtures/agents', name), 'utf8')] as const),
  ...Array.from({ length: runs(40) }, (_, seed) => {
    const shape = { seed, entries: 60, compactions: 0.03, edits: 0.05, transforms: seed % 2 === 0 ? 0 : 0.05 };
    return [`generated ${seed}`, generateSession(shape)] as const;
  }),
  ...Array.from({ length: runs(20) }, (_, seed) => [`work ${seed}`, workingSession({ seed })] as const),
  ...Array.from({ length: runs(20) }, (_, seed) => [`Claude Code ${seed}`, generateClaudeCode(seed)] as const),
  ...Array.from({ length: runs(20) }, (_, seed) => [`Codex ${seed}`, generateRollout(seed + 1)] as const),
];

interface Share {
  readonly tokens: number;
}

const total = (shares: readonly Share[]): number => sumBy(shares, ({ tokens }) => tokens);

async function jsonOf(text: string, ...argv: readonly string[]): Promise<string | null> {
  const { exitCode, stdout } = await ctx(argv, { files: { [FILE]: text } });
  return exitCode === 0 ? stdout : null;
}

/** The numbers of rows whose first cell matches, as a screen prints them. */
function numbersOf(screen: string, row: RegExp): readonly number[] {
  return [...screen.matchAll(row)].map(([, number = '']) => Number(number.replaceAll(',', '')));
}

const counted = { sessions: 0, recorded: 0, pruned: 0, compared: 0, listed: 0, grown: 0, notItemised: 0 };

describe('rows add up to their header and to the size of the context', () => {
  it.each(sessions)('in JSON: %s', async (_name, text) => {
    const shown = await jsonOf(text, 'show', FILE, '--ephemeral', '--json');
    if (shown === null) return;
    const { meta, system, tools, messages } = schemas.envelope.parse(JSON.parse(shown));
    const { composition, size } = meta;
    const of = new Map(composition.categories.map(({ category, tokens }) => [category, tokens]));
    expect(total(composition.categories) + (composition.notItemised ?? 0)).toBe(size.tokens);
    expect(total(composition.systemParts)).toBe(of.get('system') ?? 0);
    expect(total(composition.tools)).toBe(of.get('tool definitions') ?? 0);
    expect(total(composition.results)).toBe(of.get('tool results') ?? 0);
    const ofMessages = CATEGORIES.slice(2).map((category) => ({ tokens: of.get(category) ?? 0 }));
    expect(total(composition.messages)).toBe(total(ofMessages));
    expect(total(composition.contents) + (composition.notItemised ?? 0)).toBe(size.tokens);
    expect(sumBy(composition.contents, ({ tokensEstimated }) => tokensEstimated)).toBe(meta.tokens.total);
    expect(new Set(composition.contents.map(({ kind, name }) => JSON.stringify([kind, name]))).size).toBe(
      composition.contents.length,
    );
    expect([composition.systemParts.length, composition.tools.length]).toEqual([system.parts.length, tools.length]);
    expect(composition.messages).toHaveLength(messages.cached.length + messages.uncached.length);
    expect(sumBy(composition.categories, ({ tokensEstimated }) => tokensEstimated)).toBe(meta.tokens.total);
    for (const { tokens } of [...composition.messages, ...composition.systemParts, ...composition.tools])
      expect(tokens).toBeGreaterThanOrEqual(0);
    counted.sessions += 1;
    if (size.recorded > 0) counted.recorded += 1;
    if ((composition.notItemised ?? 0) > 0) counted.notItemised += 1;
  });

  it.each(tried(sessions, 3))('in one composition that every command gives: %s', async (_name, text) => {
    const shown = await jsonOf(text, 'show', FILE, '--json');
    if (shown === null) return;
    const { composition, size } = schemas.envelope.parse(JSON.parse(shown)).meta;
    const { messages: _, ...rows } = composition;
    const status = schemas.status.parse(JSON.parse((await jsonOf(text, 'status', FILE, '--json')) ?? ''));
    expect(status.composition).toEqual(rows);
    const stats = schemas.stats.parse(JSON.parse((await jsonOf(text, 'stats', FILE, '--json')) ?? ''));
    const inStats = stats.ledger.filter(
      ({ contextTokens, contextTokensEstimated: estimated }) => contextTokens || estimated,
    );
    expect(inStats.map(({ category, contextTokens: tokens }) => ({ category, tokens }))).toEqual(
      rows.categories.map(({ category, tokens }) => ({ category, tokens })),
    );
    expect([stats.contextResults, stats.systemParts, stats.toolDefinitions, stats.contextTokensNotItemised]).toEqual([
      rows.results,
      rows.systemParts,
      rows.tools,
      rows.notItemised,
    ]);
    const store = new Store((await reported(text)).data);
    const last = store.data.requests.onPath - 1;
    const ofKinds = store.sizes.byKind(last);
    expect(ofKinds).toEqual([...sumByKind(rows.contents), rows.notItemised ?? 0]);
    const inContext = stats.contents.flatMap(({ kind, contextTokens: tokens }) => (tokens ? [{ kind, tokens }] : []));
    expect(sumByKind(inContext)).toEqual(sumByKind(rows.contents));
    expect(sumBy(stats.contents, ({ tokensEstimated }) => tokensEstimated)).toBe(stats.tokensEstimated);
    expect(sumBy(stats.contents, ({ contextTokensEstimated: estimated }) => estimated ?? 0)).toBe(
      stats.contextTokensEstimated,
    );
    const shares = store.sizes.shares(last);
    const list = store.envelope(last).messages;
    expect(shares.messages.slice(0, list.length)).toEqual(composition.messages.map(({ tokens }) => tokens));
    expect(sumBy([...shares.parts, ...shares.tools], (tokens) => tokens)).toBe(
      sumBy(
        rows.categories.filter(({ category }) => category === 'system' || category === 'tool definitions'),
        ({ tokens }) => tokens,
      ),
    );
    expect(sumNumbers(ofKinds)).toBe(size.tokens);
    const { holds } = store.data;
    expect(sumBy(holds, ({ tokens }) => tokens)).toBe(size.tokens);
    for (const { kind, tokens } of holds.filter((row) => row.kind !== 'not recorded'))
      expect(
        sumBy(
          rows.contents.filter((content) => content.kind === kind),
          (content) => content.tokens,
        ),
      ).toBe(tokens);
    counted.compared += 1;
  });

  it.each(tried(sessions, 3, 1))('on the screen: %s', async (_name, text) => {
    const shown = await jsonOf(text, 'show', FILE, '--ephemeral');
    if (shown === null) return;
    const listed = (await jsonOf(text, 'show', FILE, '--ephemeral', '--part', 'messages')) ?? '';
    const messages = numbersOf(listed, /^ *\d+ {2}\w+ +(?:\S+ +)?([\d,]+)(?: {2}|$)/gm);
    const header = numbersOf(shown, /^ {2}\d[\d,]* messages?.*, ~([\d,]+) tokens?$/gm);
    expect(sumBy(messages, (tokens) => tokens)).toBe(sumBy(header, (tokens) => tokens));
    if (messages.length > 0) counted.listed += 1;
    const rows = numbersOf(shown, /^ {2}(?!largest)[a-z][a-z ]*? +([\d,]+) +<?\d+%/gm);
    expect(sumBy(rows, (tokens) => tokens)).toBe(numbersOf(shown, /^ {2}~?([\d,]+) tokens?: /gm)[0]);
    const status = (await jsonOf(text, 'status', FILE)) ?? '';
    const held = numbersOf(status, /^(?:Holds {4}| {9})(?!largest)[a-z][a-z ]*? +([\d,]+) +<?\d+%/gm);
    expect(sumBy(held, (tokens) => tokens)).toBe(numbersOf(status, /^Context {2}~?([\d,]+)/gm)[0]);
    const stats = (await jsonOf(text, 'stats', FILE)) ?? '';
    const now = numbersOf(stats, /^context now: ~?([\d,]+) token/gm)[0];
    const from = stats.indexOf('  in context');
    const table = stats.slice(from, stats.indexOf('\n  total', from));
    const inStats = numbersOf(table, /^ {2}(?!tokens)[a-z][a-z ]*? {2,}([\d,]+) +<?\d+%/gm);
    expect(sumBy(inStats, (tokens) => tokens)).toBe(now);
  });

  it.each(tried(sessions, 2, 1))('in a log, whose rows are what its context grows by: %s', async (_name, text) => {
    const stdout = await jsonOf(text, 'log', FILE, '--json');
    const rows = (stdout ?? '')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : schemas['log-entry'].parse(JSON.parse(line))));
    for (const [at, row] of rows.entries()) {
      const before = rows[at - 1];
      if (!before || row.tokens === null || row.tokens === 0) continue;
      const grown = (row.contextTokens ?? 0) - (before.contextTokens ?? 0);
      const isCompaction = row.type === 'compaction' || row.role === 'system';
      const ratio = grown / (row.tokensEstimated ?? 1);
      if (isCompaction || ratio < 0.25 || ratio > 8) continue;
      expect([row.line, row.tokens]).toEqual([row.line, grown]);
      counted.grown += 1;
    }
  });

  it.each(sessions)('in a prune: %s', async (_name, text) => {
    const stdout = await jsonOf(
      text,
      'prune',
      FILE,
      '--strategy',
      'turns,distill,dedupe,errors',
      '--dry-run',
      '--json',
    );
    if (stdout === null) return;
    if (!stdout.includes('"ctx/plan"')) return;
    const { prune, size } = schemas.plan.parse(JSON.parse(stdout));
    if (!prune || !size) return;
    const fewer = size.before.tokens - size.after.tokens;
    expect(prune.tokensSaved).toBe(fewer);
    expect(sumBy(prune.decisions, ({ tokensSaved }) => tokensSaved) - prune.packetTokens).toBe(fewer);
    counted.pruned += 1;
  });

  it('which was tried on sessions of every kind', () => {
    for (const times of Object.values(counted)) expect(times).toBeGreaterThan(3);
  });
});

describe('sizes of single pieces are measured, and the estimate is beside them', () => {
  it('a message has one number wherever it is shown', async () => {
    const text = workingSession({ seed: 11 });
    const line = JSON.parse((await jsonOf(text, 'show', FILE, '--message', '3', '--json')) ?? '') as Share;
    const envelope = schemas.envelope.parse(JSON.parse((await jsonOf(text, 'show', FILE, '--json')) ?? ''));
    const [, , third] = envelope.meta.composition.messages;
    expect(line).toMatchObject({ tokens: third?.tokens, tokensEstimated: third?.tokensEstimated });
    expect(third?.tokens).not.toBe(third?.tokensEstimated);
    expect(await jsonOf(text, 'show', FILE, '--message', '3')).toContain(
      `~${third?.tokens.toLocaleString('en')} token`,
    );
  });
});
