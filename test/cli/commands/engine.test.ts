import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import type { ContextEngine } from '#lab/contract.js';
import type { EngineCheck } from '#lab/engine-check/document.js';
import { engine } from '../../support/engines.js';
import { HEADER, lines } from '../../support/entries.js';
import { projectFolder } from '../../support/files.js';
import { ctx, type Ran } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

/** Checks an engine of a user, in this process. */
function checked(own: Partial<ContextEngine> | null, ...flags: readonly string[]): Promise<Ran> {
  const startPlugin = pluginsHere({ 'engine.ts': own && engine(own) });
  const files = { 's.jsonl': weather, 'engine.ts': '' };
  return ctx(['engine', 'check', 'engine.ts', 's.jsonl', '--no-config', ...flags], { files, startPlugin });
}

async function checkOf(own: Partial<ContextEngine> | null, ...flags: readonly string[]): Promise<EngineCheck & Ran> {
  const ran = await checked(own, '--json', ...flags);
  const data: unknown = JSON.parse(ran.stdout);
  expect(schemas['engine-check'].safeParse(data)).toMatchObject({ success: true });
  return { ...ran, ...(data as EngineCheck) };
}

describe('ctx engine check', () => {
  it('says that an engine keeps the contract, what it is, and what was called', async () => {
    const own = { dispose: async () => {}, onSubagentEnded: async () => {} };
    const check = await checkOf(own, '--limit', '200k');
    expect(check).toMatchObject({
      exitCode: 0,
      engine: 'engine.ts',
      file: 's.jsonl',
      info: { id: 'test', version: null, ownsCompaction: false, turnMaintenanceMode: 'foreground' },
      requests: 14,
      overflows: 0,
      failure: null,
    });
    expect(check.calls).toEqual([
      { method: 'assemble', times: 14 },
      { method: 'ingest', times: 29 },
      { method: 'onSubagentEnded', times: 4 },
      { method: 'dispose', times: 1 },
    ]);
    expect(check.order.slice(0, 2)).toEqual([
      { call: 'assemble', times: 5 },
      { call: 'ingest', times: 10 },
    ]);
    const { stdout } = await checked(own, '--limit', '200k');
    expect(stdout).toContain('it keeps the contract');
  });

  it('makes up subagents, one of which cannot be started', async () => {
    const log: string[] = [];
    const own: Partial<ContextEngine> = {
      prepareSubagentSpawn: async ({ childSessionKey }) => ({
        rollback: () => void log.push(`undo ${childSessionKey}`),
      }),
      onSubagentEnded: async ({ childSessionKey, reason }) => void log.push(`${reason} ${childSessionKey}`),
    };
    await checkOf(own);
    const once = ['undo check-5', 'completed check-1', 'deleted check-2', 'swept check-3', 'released check-4'];
    // The run that repeats all requests has them too.
    expect(log).toEqual([...once, ...once]);
  });

  it('tells which rule was broken, where, and exits with 1', async () => {
    let calls = 0;
    const own: Partial<ContextEngine> = {
      assemble: async ({ messages }) => ({ messages, estimatedTokens: (calls += 1) < 4 ? 0 : ('many' as never) }),
    };
    const check = await checkOf(own);
    expect(check.exitCode).toBe(1);
    expect(check.failure).toEqual({
      kind: 'result',
      method: 'assemble',
      message: 'estimatedTokens must be number',
      request: 4,
      clause: 'answer-type',
      sentence: 'A method answers with the type of the contract, in JSON.',
    });
    calls = 0;
    const { stdout, exitCode } = await checked(own);
    expect(exitCode).toBe(1);
    expect(stdout).toContain(
      'its answer is not of the contract at assemble, request 4\nestimatedTokens must be number',
    );
  });

  it('tells of an engine that cannot be started', async () => {
    const check = await checkOf(null);
    expect(check).toMatchObject({
      exitCode: 1,
      info: null,
      requests: 0,
      failure: { method: 'create', kind: 'not-loaded' },
    });
  });

  it('notes methods that change what they are given', async () => {
    const own: Partial<ContextEngine> = {
      assemble: async ({ messages }) => {
        (messages as unknown[]).length = 0;
        return { messages, estimatedTokens: 0 };
      },
    };
    expect((await checkOf(own)).changedInput).toEqual(['assemble']);
    expect((await checked(own)).stdout).toContain('note: assemble changes what it is given, which is a copy');
  });

  it('notes mistyped methods and keys, and which message has an unknown role, but no methods of its own', async () => {
    const own = {
      afterTrun: async () => {},
      mantain: async () => {},
      ingestAll: async () => {},
      helper: async () => {},
      assemble: async ({ messages }: { messages: readonly unknown[] }) => ({
        messages: [...messages, { role: 'bogus', content: 'x' }],
        estimatedTokens: 700,
        systemPromptAdition: 'zzz',
        statistics: {},
      }),
    } as unknown as Partial<ContextEngine>;
    expect((await checkOf(own)).notes).toEqual([
      'afterTrun is not a method of the contract: did you mean "afterTurn"?',
      'mantain is not a method of the contract: did you mean "maintain"?',
      'assemble: unknown key "systemPromptAdition": did you mean "systemPromptAddition"?',
      'assemble: message 2 has the unknown role "bogus", so it is not sent',
    ]);
    expect((await checked(own)).stdout).toContain('note: afterTrun is not a method of the contract');
    expect((await checkOf({})).notes).toEqual([]);
  });

  it('counts compactions, rewrites and requests that are too long', async () => {
    const maintain: ContextEngine['maintain'] = async ({ runtimeContext }) => {
      const result = runtimeContext?.transcript?.find(({ message }) => message?.role === 'toolResult');
      if (!result?.message) return { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
      const message = { ...result.message, content: [{ type: 'text', text: String(Math.random()) }] };
      return runtimeContext!.rewriteTranscriptEntries!({ replacements: [{ entryId: result.entryId, message }] });
    };
    const result = { summary: 's', tokensBefore: 1 };
    const compact: ContextEngine['compact'] = async ({ runtimeContext }) => ({
      ok: true,
      compacted: true,
      result: { ...result, firstKeptEntryId: runtimeContext!.transcript!.at(-1)!.entryId },
    });
    const check = await checkOf({ maintain, compact }, '--limit', '2500');
    expect(check.rewrites).toBeGreaterThan(2);
    expect(check.compactions).toBeGreaterThan(0);
    expect((await checkOf({}, '--limit', '2500')).overflows).toBeGreaterThan(0);
    const { stdout } = await checked({}, '--limit', '2500');
    expect(stdout).toMatch(/\nit keeps the contract, but sends \d+ of 14 requests over the budget\n$/);
  });

  it('does not say that the contract is kept where no request was made', async () => {
    const files = { 's.jsonl': lines(HEADER) };
    const { exitCode, stdout } = await ctx(['engine', 'check', 'pi', 's.jsonl', '--no-config'], { files });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\nthe session has no requests, so nothing was checked\n$/);
  });

  it('checks engines that are built in', async () => {
    const { exitCode, stdout } = await ctx(['engine', 'check', 'pi', 's.jsonl', '--no-config'], {
      files: { 's.jsonl': weather },
    });
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('Like Pi')]);
  });

  it.each([
    [['engine', 'walk'], 'unknown subcommand "engine walk": choose run or check'],
    [['engine', 'chek'], 'did you mean "check"?'],
    [['engine', 'check'], 'no engine is named'],
    [['engine', 'check', 'pie', 's.jsonl', '--no-config'], 'there is no engine "pie"'],
    [['engine', 'check', 'pie.ts', 's.jsonl', '--no-config'], 'no such engine file: pie.ts: check the path'],
  ])('refuses %j', async (argv, said) => {
    const { exitCode, stderr } = await ctx(argv, { files: { 's.jsonl': weather } });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it.each(['check', 'run'])("%s takes Pi's settings for compactions", async (command) => {
    const engineOf = command === 'check' ? ['pi', 's.jsonl'] : ['s.jsonl', '--engine', 'pi'];
    const compactions = async (...flags: readonly string[]): Promise<number> => {
      const argv = ['engine', command, ...engineOf, '--no-config', '--limit', '3400', '--json', ...flags];
      const { stdout } = await ctx(argv, { files: { 's.jsonl': weather } });
      const { compactions: count, deeds } = JSON.parse(stdout) as { compactions?: number; deeds?: readonly object[] };
      return count ?? deeds?.length ?? -1;
    };
    expect(await compactions()).toBe(0);
    const often = await compactions('--keep-recent', '200');
    const seldom = await compactions('--keep-recent', '200', '--reserve', '500');
    expect([seldom > 0, often > seldom]).toEqual([true, true]);
  });

  it('ends at an interrupt, and reports the requests up to then', async () => {
    const stop = new AbortController();
    const own: Partial<ContextEngine> = { assemble: () => new Promise(() => stop.abort()) };
    const startPlugin = pluginsHere({ 'engine.ts': engine(own) });
    const files = { 's.jsonl': weather, 'engine.ts': '' };
    const argv = ['engine', 'check', 'engine.ts', 's.jsonl', '--no-config', '--json'];
    const { stdout } = await ctx(argv, { files, startPlugin, signal: stop.signal });
    expect(JSON.parse(stdout)).toMatchObject({ failure: { kind: 'cancelled' } });
  });
});
