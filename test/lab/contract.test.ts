import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type {
  AfterTurnParams,
  AgentMessage,
  AssembleParams,
  CompactParams,
  ContextEngine,
  IngestBatchParams,
} from '#lab/contract.js';
import { driveEngine } from '#lab/drive/drive.js';
import { EngineFailure } from '#lab/drive/failure.js';
import type { ContextEngineRuntimeContext } from '#lab/runtime-context.js';
import { callsOf, driveAll, engine, rolesIn, SETTINGS, talkOf } from '../support/engines.js';

/** Two turns; the first one calls a tool. */
const TWO = talkOf([
  { asked: 10, billed: [100, 200] },
  { asked: 10, billed: [300] },
]);
const nothing = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };

/** An engine with every method. */
const whole: Partial<ContextEngine> = {
  bootstrap: async () => ({ bootstrapped: true }),
  maintain: async () => nothing,
  ingestBatch: async ({ messages }) => ({ ingestedCount: messages.length }),
  afterTurn: async () => {},
  prepareSubagentSpawn: async () => ({ rollback: () => {} }),
  onSubagentEnded: async () => {},
  dispose: async () => {},
};

describe('the life of an engine', () => {
  it('goes on in the order of the contract', async () => {
    expect(await callsOf(TWO, whole)).toEqual([
      'bootstrap',
      'maintain(bootstrap)',
      'assemble',
      'assemble',
      'ingestBatch(4)',
      'afterTurn',
      'maintain(turn)',
      'assemble',
      'ingestBatch(2)',
      'afterTurn',
      'maintain(turn)',
      'dispose',
    ]);
  });

  it('calls nothing that an engine has not', async () => {
    const ingests = (count: number): readonly string[] => Array.from({ length: count }, () => 'ingest');
    expect(await callsOf(TWO, {})).toEqual(['assemble', 'assemble', ...ingests(4), 'assemble', ...ingests(2)]);
  });

  it('hands a turn over as one unit, whole and once it has ended', async () => {
    const batches: IngestBatchParams[] = [];
    const ingestBatch: ContextEngine['ingestBatch'] = async (params) => {
      batches.push(params);
      return { ingestedCount: 0 };
    };
    const calls = await callsOf(TWO, { ingestBatch });
    expect(calls.filter((call) => call === 'ingest')).toEqual([]);
    expect(batches.map(({ messages }) => rolesIn(messages))).toEqual(['uata', 'ua']);
  });

  it('tells of a turn that has ended which messages are new, and what is known of it', async () => {
    const turns: AfterTurnParams[] = [];
    const afterTurn = async (params: AfterTurnParams): Promise<void> => void turns.push(params);
    await driveAll(TWO, () => engine({ afterTurn }), { tokenBudget: 1000 });
    expect(turns.map(({ prePromptMessageCount, messages }) => [prePromptMessageCount, messages.length])).toEqual([
      [0, 4],
      [4, 6],
    ]);
    expect(turns[0]).toMatchObject({ sessionId: 'the-session', sessionFile: 'session.jsonl', tokenBudget: 1000 });
    expect(turns[0]?.runtimeContext).toMatchObject({ tokenBudget: 1000, currentTokenCount: 200 });
    expect(turns[0]?.runtimeContext?.transcript?.map(({ entryId }) => entryId)).toEqual(['u1', 'a1.1', 'r1.1', 'a1']);
  });

  it('tells assemble what there is to know of the request', async () => {
    const asked: AssembleParams[] = [];
    const assemble = async (
      params: AssembleParams,
    ): Promise<{ messages: readonly AgentMessage[]; estimatedTokens: 0 }> => {
      asked.push(params);
      return { messages: params.messages, estimatedTokens: 0 };
    };
    const baseline = { tools: [{ name: 'read' }, { name: 'bash' }] };
    await driveAll(TWO, () => engine({ assemble }), { tokenBudget: 1000, baseline, host: { citationsMode: 'off' } });
    const { messages, ...facts } = asked[1]!;
    expect(rolesIn(messages)).toBe('uat');
    expect(facts).toEqual({
      sessionId: 'the-session',
      tokenBudget: 1000,
      availableTools: new Set(['read', 'bash']),
      citationsMode: 'off',
      model: 'claude-sonnet-4-5',
      prompt: 'abc '.repeat(10),
    });
  });

  it('says which turns come from a clock', async () => {
    const marks: unknown[] = [];
    const own: Partial<ContextEngine> = {
      ingestBatch: async ({ isHeartbeat }) => {
        marks.push(isHeartbeat);
        return { ingestedCount: 0 };
      },
      afterTurn: async ({ isHeartbeat }) => void marks.push(isHeartbeat),
    };
    const source = talkOf([
      { asked: 1, billed: [10] },
      { asked: 5, billed: [20] },
    ]);
    await driveAll(source, () => engine(own), { host: { isHeartbeat: '^.{0,7}$' } });
    expect(marks).toEqual([true, true, undefined, undefined]);
  });

  it('tells what the provider has said of its cache, and no retention where the session records none', async () => {
    const seen: ContextEngineRuntimeContext['promptCache'][] = [];
    const afterTurn = async ({ runtimeContext }: AfterTurnParams): Promise<void> =>
      void seen.push(runtimeContext?.promptCache);
    await driveAll(TWO, () => engine({ afterTurn }));
    expect(seen[1]).toEqual({
      lastCallUsage: { input: 299, output: 1, cacheRead: 0, cacheWrite: 0, total: 300 },
      observation: { broke: false, previousCacheRead: 0, cacheRead: 0 },
    });
  });
});

describe('compaction', () => {
  const over = talkOf([
    { asked: 10, billed: [700] },
    { asked: 10, billed: [900] },
    { asked: 10, billed: [300] },
  ]);
  const settings = { enabled: true, reserveTokens: 200, keepRecentTokens: 10 };
  const asked: CompactParams[] = [];
  const compact = async (params: CompactParams): ReturnType<ContextEngine['compact']> => {
    asked.push(params);
    const result = { summary: 'before', firstKeptEntryId: 'u2', tokensBefore: 900 };
    return { ok: true, compacted: true, result };
  };

  it('is asked for by the host at the threshold, and what is kept is shown from then on', async () => {
    asked.length = 0;
    const seen: AfterTurnParams[] = [];
    const afterTurn = async (params: AfterTurnParams): Promise<void> => void seen.push(params);
    const { requests } = await driveAll(over, () => engine({ compact, afterTurn }), { tokenBudget: 1000, settings });
    expect(asked).toMatchObject([
      { force: false, compactionTarget: 'threshold', currentTokenCount: 900, tokenBudget: 1000 },
    ]);
    expect(requests[2]?.compactions).toMatchObject([{ why: 'threshold', at: 'a2' }]);
    expect(rolesIn(requests[2]?.assembled.messages ?? [])).toBe('uuau');
    expect(requests[2]?.assembled.sources.slice(1)).toEqual(['u2', 'a2', 'u3']);
    expect(seen.map(({ autoCompactionSummary }) => autoCompactionSummary)).toEqual([undefined, undefined, 'before']);
  });

  it('is the affair of an engine that owns it, until a request would be too long', async () => {
    asked.length = 0;
    const info = { id: 'own', name: 'Own', ownsCompaction: true };
    const calls = await callsOf(over, { ...whole, info, compact }, { tokenBudget: 1000, settings });
    expect(calls.filter((call) => call.startsWith('compact'))).toEqual([]);
    const asking = async (tokenBudget: number): Promise<readonly string[]> =>
      (await callsOf(over, { info, compact }, { tokenBudget, settings })).filter((call) => /^(?:ass|comp)/.test(call));
    expect(await asking(45)).toEqual(['assemble', 'assemble', 'assemble']);
    expect(await asking(30)).toEqual(['assemble', 'assemble', 'assemble', 'compact(overflow)', 'assemble']);
    expect(asked).toMatchObject([{ force: true, compactionTarget: 'budget' }]);
  });

  it('that keeps what is not there breaks the contract', async () => {
    const result = { summary: 's', firstKeptEntryId: 'nowhere', tokensBefore: 1 };
    const bad = engine({ compact: async () => ({ ok: true, compacted: true, result }) });
    await expect(driveAll(over, () => bad, { tokenBudget: 1000, settings })).rejects.toThrow(
      'firstKeptEntryId "nowhere" is not on the active branch',
    );
  });

  it('may go on in another session', async () => {
    const ids: string[] = [];
    const rotated = async (): ReturnType<ContextEngine['compact']> => ({
      ok: true,
      compacted: true,
      result: { tokensBefore: 900, sessionId: 'another', sessionFile: 'another.jsonl' },
    });
    const afterTurn = async ({ sessionId, sessionFile }: AfterTurnParams): Promise<void> =>
      void ids.push(`${sessionId} ${sessionFile}`);
    await driveAll(over, () => engine({ compact: rotated, afterTurn }), { tokenBudget: 1000, settings });
    expect(ids).toEqual(['the-session session.jsonl', 'the-session session.jsonl', 'another another.jsonl']);
  });
});

describe('the check before a request', () => {
  const long = talkOf([
    { asked: 500, billed: [0] },
    { asked: 10, billed: [0] },
  ]);
  const newest: ContextEngine['assemble'] = async ({ messages }) => ({
    messages: messages.slice(-1),
    estimatedTokens: 3,
  });

  it('uses the assembled request', async () => {
    const { requests } = await driveAll(long, () => engine({ assemble: newest }), { tokenBudget: 100 });
    expect(requests.map(({ overflow }) => overflow)).toEqual([true, false]);
    expect(requests[1]?.checkedTokens).toBeLessThan(50);
  });

  it('uses the transcript if the engine declares that it may have become too long', async () => {
    const assemble: ContextEngine['assemble'] = async (params) => ({
      ...(await newest(params)),
      promptAuthority: 'preassembly_may_overflow',
    });
    const { requests } = await driveAll(long, () => engine({ assemble }), { tokenBudget: 100 });
    expect(requests.map(({ overflow }) => overflow)).toEqual([true, true]);
    expect(requests[1]?.checkedTokens).toBeGreaterThan(500);
    // What is sent is what was assembled all the same.
    expect(requests[1]?.assembled.messages).toHaveLength(1);
  });

  it('takes the larger one of what the engine says and what is counted', async () => {
    const assemble: ContextEngine['assemble'] = async ({ messages }) => ({
      messages: messages.slice(-1),
      estimatedTokens: 5000,
    });
    const { requests } = await driveAll(long, () => engine({ assemble }), { tokenBudget: 1000 });
    expect(requests.map(({ checkedTokens, overflow }) => [checkedTokens, overflow])).toEqual([
      [5000, true],
      [5000, true],
    ]);
  });

  it('puts what the engine adds before the system prompt', async () => {
    const assemble: ContextEngine['assemble'] = async ({ messages }) => ({
      messages,
      estimatedTokens: 0,
      systemPromptAddition: 'Remember.',
    });
    const baseline = { parts: [{ name: 'rules', text: 'Be brief.' }] };
    const { requests } = await driveAll(TWO, () => engine({ assemble }), { baseline });
    expect(requests[0]?.assembled.system.compiled).toBe('Remember.\n\nBe brief.');
  });
});

describe('maintenance', () => {
  async function allowed(mode: 'foreground' | 'background' | undefined, allowsBackground: boolean): Promise<unknown[]> {
    const seen: unknown[] = [];
    const maintain: ContextEngine['maintain'] = async ({ runtimeContext }) => {
      seen.push(runtimeContext?.allowDeferredCompactionExecution);
      return nothing;
    };
    const info = { id: 'm', name: 'M', ...(mode === undefined ? {} : { turnMaintenanceMode: mode }) };
    await driveAll(TWO, () => engine({ info, maintain }), {
      host: { allowDeferredCompactionExecution: allowsBackground },
    });
    return seen;
  }

  it('may do what was put off only in the background, behind a turn, and where the host agrees', async () => {
    expect(await allowed('background', true)).toEqual([false, true, true]);
    expect(await allowed('background', false)).toEqual([false, false, false]);
    expect(await allowed('foreground', true)).toEqual([false, false, false]);
    expect(await allowed(undefined, true)).toEqual([false, false, false]);
  });
});

describe('subagents', () => {
  const log: string[] = [];
  const own: Partial<ContextEngine> = {
    prepareSubagentSpawn: async ({ childSessionKey, contextMode, parentSessionKey }) => {
      log.push(`prepare ${childSessionKey} ${contextMode} ${parentSessionKey}`);
      return { rollback: async () => void log.push(`rollback ${childSessionKey}`) };
    },
    onSubagentEnded: async ({ childSessionKey, reason }) => void log.push(`${reason} ${childSessionKey}`),
  };

  it('are prepared, and undone where they cannot be started', async () => {
    log.length = 0;
    const spawns = [
      { request: 1, childSessionKey: 'c1', ends: 'completed' },
      { request: 1, childSessionKey: 'c2', ends: 'failed', contextMode: 'fork' },
      { request: 3, childSessionKey: 'c3', ends: 'swept' },
    ] as const;
    await driveAll(TWO, () => engine(own), { spawns });
    expect(log).toEqual([
      'prepare c1 isolated the-session',
      'prepare c2 fork the-session',
      'rollback c2',
      'completed c1',
      'prepare c3 isolated the-session',
      'swept c3',
    ]);
  });

  it('need no rollback where nothing was prepared', async () => {
    const spawns = [{ request: 1, childSessionKey: 'c1', ends: 'failed' }] as const;
    const calls = await callsOf(TWO, { prepareSubagentSpawn: async () => undefined }, { spawns });
    expect(calls).not.toContain('rollback');
  });

  it('whose rollback is no function break the contract', async () => {
    const spawns = [{ request: 1, childSessionKey: 'c1', ends: 'failed' }] as const;
    const bad = engine({ prepareSubagentSpawn: async () => ({ rollback: 'later' as never }) });
    await expect(driveAll(TWO, () => bad, { spawns })).rejects.toThrow('rollback must be a function');
  });
});

const METHODS = [
  'bootstrap',
  'maintain',
  'ingestBatch',
  'afterTurn',
  'assemble',
  'compact',
  'prepareSubagentSpawn',
  'onSubagentEnded',
] as const;
const EVERYTHING = {
  tokenBudget: 1,
  spawns: [
    { request: 1, childSessionKey: 'c1', ends: 'completed' },
    { request: 2, childSessionKey: 'c2', ends: 'failed' },
  ],
} as const;

describe('dispose', () => {
  let disposed = 0;
  const dispose = async (): Promise<void> => void (disposed += 1);

  it.each([...METHODS, 'ingest', 'rollback'] as const)(
    'is called where %s throws, which is what is told',
    async (method) => {
      disposed = 0;
      const fail = (): never => {
        throw new Error(`no ${method}`);
      };
      const own: Partial<ContextEngine> = { ...whole, dispose };
      if (method === 'ingest') delete own.ingestBatch;
      const failing =
        method === 'rollback'
          ? { ...own, prepareSubagentSpawn: async () => ({ rollback: fail }) }
          : { ...own, [method]: fail };
      const failure = await driveAll(TWO, () => engine(failing), EVERYTHING).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(EngineFailure);
      expect(failure).toMatchObject({ kind: 'threw', method, message: `no ${method}` });
      expect(disposed).toBe(1);
    },
  );

  it.each([...METHODS, 'ingest'] as const)('is called where %s gives rubbish', async (method) => {
    disposed = 0;
    const own: Partial<ContextEngine> = { ...whole, dispose, [method]: async () => 'rubbish' as never };
    if (method === 'ingest') delete own.ingestBatch;
    const run = driveAll(TWO, () => engine(own), EVERYTHING);
    // Nobody reads what these give back.
    if (method === 'afterTurn' || method === 'onSubagentEnded') await run;
    else await expect(run).rejects.toMatchObject({ kind: 'result', method });
    expect(disposed).toBe(1);
  });

  it('is called if the caller stops early', async () => {
    disposed = 0;
    for await (const { request } of driveEngine(TWO, () => engine({ dispose }), SETTINGS)) if (request === 1) break;
    expect(disposed).toBe(1);
  });

  it('is called if the user interrupts a method that would never end', async () => {
    disposed = 0;
    const stop = new AbortController();
    const assemble = (): Promise<never> => new Promise(() => setTimeout(() => stop.abort(), 5));
    const run = driveAll(TWO, () => engine({ assemble, dispose }), { signal: stop.signal });
    await expect(run).rejects.toMatchObject({ kind: 'cancelled', method: 'assemble' });
    expect(disposed).toBe(1);
  });

  it('is called if the user interrupts an engine that never waits', async () => {
    disposed = 0;
    const stop = new AbortController();
    const source = talkOf(Array.from({ length: 200 }, () => ({ asked: 1, billed: [10] })));
    setImmediate(() => stop.abort());
    const run = driveAll(source, () => engine({ dispose }), { signal: stop.signal });
    await expect(run).rejects.toMatchObject({ kind: 'cancelled' });
    expect(disposed).toBe(1);
  });

  it('is told where it fails itself, unless something else has failed before', async () => {
    const failing = (): never => {
      throw new Error('no end');
    };
    await expect(driveAll(TWO, () => engine({ dispose: failing }))).rejects.toMatchObject({ method: 'dispose' });
    const worse = engine({ dispose: failing, afterTurn: () => Promise.reject(new Error('first')) });
    await expect(driveAll(TWO, () => worse)).rejects.toMatchObject({ method: 'afterTurn', message: 'first' });
  });

  it('is called for what is no engine too, as it may hold something', async () => {
    disposed = 0;
    for (const bad of [{}, { info: { id: 'x', name: 'X' } }, { ...engine(), info: { id: '', name: 'X' } }])
      await expect(driveAll(TWO, () => ({ dispose, ...bad }) as ContextEngine)).rejects.toMatchObject({
        method: 'create',
      });
    expect(disposed).toBe(3);
    await expect(driveAll(TWO, () => null as never)).rejects.toMatchObject({ method: 'create', kind: 'result' });
  });
});

describe('what an engine is given', () => {
  it('cannot be changed', async () => {
    const seen: AgentMessage[][] = [];
    const assemble: ContextEngine['assemble'] = async ({ messages, availableTools }) => {
      seen.push([...messages]);
      (availableTools as Set<string>).add('another');
      expect(() => ((messages[0] as { role: string }).role = 'assistant')).toThrow(TypeError);
      (messages as AgentMessage[]).length = 1;
      return { messages, estimatedTokens: 0 };
    };
    const baseline = { tools: [{ name: 'read' }] };
    const tools: unknown[] = [];
    const { requests } = await driveAll(
      TWO,
      () => engine({ assemble: async (params) => (tools.push([...(params.availableTools ?? [])]), assemble(params)) }),
      { baseline },
    );
    expect(seen.map(rolesIn)).toEqual(['u', 'uat', 'uatau']);
    expect(tools).toEqual([['read'], ['read'], ['read']]);
    expect(requests.map(({ assembled }) => assembled.messages.length)).toEqual([1, 1, 1]);
  });

  it('is not what it gives: it may go on changing that', async () => {
    const own = { role: 'user', content: 'first' };
    const assemble: ContextEngine['assemble'] = async () => ({ messages: [own], estimatedTokens: 0 });
    const requests = [];
    for await (const driven of driveEngine(TWO, () => engine({ assemble }), SETTINGS)) {
      requests.push(driven);
      own.content = `after ${driven.request}`;
    }
    expect(requests.map(({ assembled }) => assembled.messages[0]?.['content'])).toEqual([
      'first',
      'after 1',
      'after 2',
    ]);
  });

  it('works only while it is asked', async () => {
    let kept: ContextEngineRuntimeContext['rewriteTranscriptEntries'];
    const afterTurn = async ({ runtimeContext }: AfterTurnParams): Promise<void> => {
      if (kept) await expect(kept({ replacements: [] })).rejects.toThrow('while a method runs');
      kept = runtimeContext?.rewriteTranscriptEntries;
    };
    await driveAll(TWO, () => engine({ afterTurn }));
    await wait(0);
    await expect(kept?.({ replacements: [] })).rejects.toThrow('while a method runs');
    expect.assertions(2);
  });

  it('is the same for two engines over one session', async () => {
    const [one, other] = await Promise.all([driveAll(TWO, () => engine()), driveAll(TWO, () => engine())]);
    expect(one).toEqual(other);
  });
});
