import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { sumBy, sumNumbers } from '#base/lists.js';
import { schemas } from '#cli/schemas.js';
import { sumByKind } from '#context/contents/contents.js';
import { Store } from '#ui/report/page/store.js';
import { projectFolder } from '../support/files.js';
import { ctx } from '../support/memory-io.js';
import { priceOf, type RawAnswer, readRawAnswers } from '../support/raw-usage.js';
import { reported } from '../support/reports.js';

const SESSIONS = [
  ['pi', 'weather.jsonl'],
  ['pi', 'cache-breaks.jsonl'],
  ['pi', 'pressure.jsonl'],
  ['pi', 'tool-change.jsonl'],
  ['claude-code', 'agents/claude-code/session.jsonl'],
  ['claude-code', 'agents/claude-code/requests.jsonl'],
  ['codex', 'agents/codex/rollout.jsonl'],
  ['gemini-cli', 'agents/gemini-cli/session.jsonl'],
  ['qwen-code', 'agents/qwen-code/session.jsonl'],
  ['opencode', 'agents/opencode/export.json'],
] as const;

interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** The answers of every screen about one session. */
async function screensOf(file: string, text: string) {
  const files = { [file]: text };
  const print = async (...argv: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await ctx(argv, { files });
    expect({ argv, exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ argv, exitCode: 0, stderr: '' });
    return stdout;
  };
  const document = async (...argv: readonly string[]): Promise<unknown> => JSON.parse(await print(...argv, '--json'));
  const lines = async (...argv: readonly string[]): Promise<readonly unknown[]> =>
    (await print(...argv, '--json'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  const ask = async (method: string): Promise<unknown> => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { file } });
    const { stdout } = await ctx(['rpc'], { files: { ...files, '-': request } });
    return (JSON.parse(stdout) as { readonly result: unknown }).result;
  };
  const [listed] = await lines('ls', path.dirname(file));
  const session = schemas.session.parse(listed);
  if ('error' in session) throw new Error(session.error);
  return {
    show: schemas.envelope.parse(await document('show', file)),
    status: schemas.status.parse(await document('status', file)),
    stats: schemas.stats.parse(await document('stats', file)),
    log: (await lines('log', file)).map((line) => schemas['log-entry'].parse(line)),
    cache: schemas['cache-summary'].parse((await lines('cache', file)).at(-1)),
    listed: session,
    overhead: schemas.overhead.parse(await document('overhead', file)),
    doctor: schemas.doctor.parse(await document('doctor', file, '--no-config')),
    report: new Store((await reported(text)).data),
    rpc: { show: schemas.envelope.parse(await ask('get_context')), status: schemas.status.parse(await ask('status')) },
  };
}

const sumUsage = (all: readonly Usage[]): Usage => ({
  input: sumBy(all, ({ input }) => input),
  output: sumBy(all, ({ output }) => output),
  cacheRead: sumBy(all, ({ cacheRead }) => cacheRead),
  cacheWrite: sumBy(all, ({ cacheWrite }) => cacheWrite),
});

const onPath = (answers: readonly RawAnswer[]): readonly RawAnswer[] => answers.filter((answer) => answer.isOnPath);

function sumDollars(answers: readonly RawAnswer[]): number {
  return sumBy(answers, (answer) => priceOf(answer) ?? Number.NaN);
}

const promptOf = ({ input, cacheRead, cacheWrite }: Usage): number => input + cacheRead + cacheWrite;

describe.each(SESSIONS)('the numbers of a session of %s, %s', async (agent, name) => {
  const file = `/sessions/${path.basename(name)}`;
  const text = readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
  const answers = readRawAnswers(agent, text);
  const { show, status, stats, log, cache, listed, overhead, doctor, report, rpc } = await screensOf(file, text);
  const { size, composition } = show.meta;

  it('are counted from answers, each once', () => {
    expect(answers.length).toBeGreaterThan(1);
    expect(onPath(answers).length).toBeGreaterThan(1);
  });

  it('are the usage of all answers in the file, by model and by what was paid for', () => {
    const all = sumUsage(answers);
    const { calls, cost, costListed } = stats.usageRecorded;
    expect({ calls, ...sumUsage([stats.usageRecorded]) }).toEqual({ calls: answers.length, ...all });
    expect(stats.usageRecorded.total).toBe(promptOf(all) + all.output);
    expect((cost ?? 0) + (costListed ?? 0)).toBeCloseTo(sumDollars(answers), 9);
    const byRequests = stats.usageRecordedByModel.filter(({ model }) => !/summar/.test(model));
    for (const { model, ...of } of byRequests) {
      const own = answers.filter((answer) => answer.model === model);
      expect({ model, calls: of.calls, ...sumUsage([of]) }).toEqual({ model, calls: own.length, ...sumUsage(own) });
      expect((of.cost ?? 0) + (of.costListed ?? 0)).toBeCloseTo(sumDollars(own), 9);
    }
    expect(sumBy(byRequests, ({ calls: own }) => own)).toBe(answers.filter(({ isRequest }) => isRequest).length);
    expect(sumBy(stats.costParts.all, ({ dollars }) => dollars)).toBeCloseTo(sumDollars(answers), 9);
    const tokensOf = (part: RegExp): number =>
      sumBy(
        stats.costParts.all.filter((each) => part.test(each.part)),
        ({ tokens }) => tokens,
      );
    expect([tokensOf(/^input/), tokensOf(/^output/), tokensOf(/^cacheRead/), tokensOf(/^cacheWrite/)]).toEqual([
      all.input,
      all.output,
      all.cacheRead,
      all.cacheWrite,
    ]);
  });

  it('are one cost in every list', () => {
    const { cost, costListed } = stats.usageRecorded;
    expect([listed.cost, listed.costListed]).toEqual([cost, costListed]);
    expect(report.data.cost.usageRecorded).toEqual(stats.usageRecorded);
    expect(report.data.cost.usageRecordedByModel).toEqual(stats.usageRecordedByModel);
    expect(sumBy(log, (row) => (row.cost ?? 0) + (row.costListed ?? 0))).toBeCloseTo(sumDollars(onPath(answers)), 9);
  });

  it('are the requests of the path, with their prompts', () => {
    const requests = onPath(answers).filter((answer) => answer.isRequest);
    const rows = log.flatMap(({ usage }) => (usage && usage.total > 0 ? [usage] : []));
    expect([rows.length, sumUsage(rows)]).toEqual([onPath(answers).length, sumUsage(onPath(answers))]);
    expect([show.meta.requestIndex, cache.requests, report.data.requests.onPath - 1]).toEqual([
      requests.length,
      requests.length,
      requests.length,
    ]);
    expect(report.data.requests.tokens.slice(0, requests.length)).toEqual(requests.map(promptOf));
    expect(report.sizes.prompts().map((prompt) => sumNumbers(prompt))).toEqual(requests.map(promptOf));
  });

  it('are what was read from the cache', () => {
    const requests = onPath(answers).filter((answer) => answer.isRequest);
    const { input, cacheRead, cacheWrite } = sumUsage(requests);
    const { requestsRecorded, promptTokens, cacheRead: read, cacheWrite: written } = cache;
    expect({ requestsRecorded, promptTokens, read, written }).toEqual({
      requestsRecorded: requests.length,
      promptTokens: input + cacheRead + cacheWrite,
      read: cacheRead,
      written: cacheWrite,
    });
    expect(report.data.cache.summary).toMatchObject({ promptTokens, cacheRead: read, cacheWrite: written });
    expect(report.breaks.size).toBe(cache.breaks);
  });

  it('are the prompts whose parts the overhead lists', () => {
    const { requestsRecorded, promptTokens, cacheRead: read } = cache;
    expect(overhead).toMatchObject({ requestsRecorded, promptTokens, cacheRead: read });
    const { all } = stats.costParts;
    const ofPrompts = sumBy(
      all.filter(({ part }) => part !== 'output'),
      ({ dollars }) => dollars,
    );
    expect(overhead.cost ?? 0).toBeLessThanOrEqual(ofPrompts + 1e-9);
    const known = sumBy(overhead.notRecorded, (lacking) => lacking.cost ?? 0);
    expect(known).toBeLessThanOrEqual((overhead.cost ?? 0) + 1e-9);
  });

  it('are one size of the context: the last answer and its prompt, where nothing follows', () => {
    const last = onPath(answers).findLast((answer) => answer.isRequest) as RawAnswer;
    if (size.estimated === 0 && show.meta.compactions.length === 0)
      expect(size.tokens).toBe(promptOf(last) + last.output);
    const [session] = stats.sessions;
    expect(status.tokens).toMatchObject({ total: size.tokens, recorded: size.recorded, estimated: size.estimated });
    expect([session?.contextTokens, listed.contextTokens, report.data.size.tokens]).toEqual([
      size.tokens,
      size.tokens,
      size.tokens,
    ]);
    expect(log.findLast(({ contextTokens }) => contextTokens !== null)?.contextTokens).toBe(size.tokens);
    const source = size.estimated === 0 ? 'recorded' : 'estimated';
    expect([session?.contextTokensSource, listed.contextTokensSource]).toEqual([source, source]);
    expect([doctor.size, doctor.limit]).toEqual([size, show.meta.limit]);
    expect(rpc.show.meta.size).toEqual(size);
    expect(rpc.status.tokens).toEqual(status.tokens);
  });

  it('are one size of each message, also where contexts are compared', async () => {
    const argv = ['diff', file, '@{request:1}', 'HEAD', '--part', 'messages', '--stat'];
    const { stdout } = await ctx(argv, { files: { [file]: text }, columns: Infinity });
    const [, cached = ''] = stdout.split(/^(?:Messages|Uncached messages)$/m);
    const rows = [...cached.matchAll(/^[+~>] +(\d+) {2}.{10} {2}.{8} +([\d,]+)/gm)];
    expect(rows.length).toBeGreaterThan(1);
    for (const [, number, tokens] of rows)
      expect([number, tokens]).toEqual([number, composition.messages[Number(number) - 1]?.tokens.toLocaleString('en')]);
    const heads = await ctx(['show', file, '--part', 'messages'], { files: { [file]: text }, columns: Infinity });
    const shown = [...heads.stdout.matchAll(/^ +(\d+) {2}\S+ +\S+ +([\d,]+) {2}/gm)].map(([, , tokens]) => tokens);
    expect(shown).toEqual(composition.messages.map(({ tokens }) => tokens.toLocaleString('en')));
  });

  it('are the same contents everywhere, which add up to the size', () => {
    const ofKinds = sumByKind(composition.contents);
    const rest = composition.notItemised ?? 0;
    expect(sumNumbers(ofKinds) + rest).toBe(size.tokens);
    const { messages: _, ...rows } = composition;
    expect(status.composition).toEqual(rows);
    expect(rpc.show.meta.composition).toEqual(composition);
    const inStats = stats.contents.map(({ kind, contextTokens }) => ({ kind, tokens: contextTokens ?? 0 }));
    expect([sumByKind(inStats), stats.contextTokensNotItemised]).toEqual([ofKinds, composition.notItemised]);
    expect(report.sizes.byKind(report.data.requests.onPath - 1)).toEqual([...ofKinds, rest]);
    expect(sumBy(report.data.holds, ({ tokens }) => tokens)).toBe(size.tokens);
  });
});
