import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ContextEngine } from '#lab/contract.js';
import type { DriveOptions, MakeEngine } from '#lab/drive/drive-options.js';
import { startPluginEngine } from '#lab/drive/plugin-engine.js';
import { callsOf, driveAll, engine, sourceOf, talkOf } from '../support/engines.js';
import { projectFolder } from '../support/files.js';
import { pluginsHere, startBuiltPlugin } from '../support/plugins.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-engine-'));
afterAll(() => rmSync(folder, { recursive: true }));

const TWO = talkOf([
  { asked: 10, billed: [100, 200] },
  { asked: 10, billed: [300] },
]);

/** Milliseconds that no call takes, however busy the machine is. */
const PLENTY = 50_000;

interface Heard {
  readonly printed: string[];
  readonly changed: string[];
}

/** An engine in this process, told and answering in JSON. */
function here(exported: unknown, heard: Heard = { printed: [], changed: [] }): MakeEngine {
  return () => startPluginEngine(startOf('engine.ts', heard, pluginsHere({ 'engine.ts': exported })));
}

function startOf(
  file: string,
  { printed, changed }: Heard,
  startPlugin: Parameters<typeof startPluginEngine>[0]['startPlugin'],
  timeLimit = PLENTY,
  alsoHears?: (line: string) => void,
): Parameters<typeof startPluginEngine>[0] {
  const onLog = (line: string): void => {
    printed.push(line);
    alsoHears?.(line);
  };
  return { file, startPlugin, timeLimit, onLog, onChangedInput: (method) => void changed.push(method) };
}

describe('an engine that is told and answers in JSON', () => {
  it('has the methods that it has, and no others', async () => {
    const calls = async (make: MakeEngine): Promise<readonly string[]> => {
      const made: string[] = [];
      await driveAll(TWO, make, { onCall: (call) => void made.push(call) });
      return made;
    };
    const own: Partial<ContextEngine> = { afterTurn: async () => {}, dispose: async () => {} };
    expect(await calls(here(engine(own)))).toEqual(await callsOf(TWO, own));
  });

  it('is given sets and functions as such', async () => {
    const seen: unknown[] = [];
    const own = engine({
      assemble: async ({ messages, availableTools }) => {
        seen.push(availableTools);
        return { messages, estimatedTokens: 0 };
      },
      maintain: async ({ runtimeContext }) => {
        const replacements = (runtimeContext?.transcript ?? []).flatMap(({ entryId, message }) =>
          message?.role === 'toolResult' ? [{ entryId, message: { ...message, content: [] } }] : [],
        );
        const result = await runtimeContext!.rewriteTranscriptEntries!({ replacements });
        seen.push(result.rewrittenEntries);
        return result;
      },
    });
    const { requests } = await driveAll(TWO, here(own), { baseline: { tools: [{ name: 'read' }] } });
    expect(seen).toEqual([0, new Set(['read']), new Set(['read']), 1, new Set(['read']), 0]);
    expect(requests[2]?.rewrites).toMatchObject([{ changed: true }]);
  });

  it('undoes what it has prepared for a subagent', async () => {
    let undone = 0;
    const own = engine({ prepareSubagentSpawn: async () => ({ rollback: () => void (undone += 1) }) });
    const spawns = [{ request: 1, childSessionKey: 'c', ends: 'failed' }] as const;
    await driveAll(TWO, here(own), { spawns });
    expect(undone).toBe(1);
    class Prepared {
      rollback(): void {
        undone += 10;
      }
    }
    await driveAll(TWO, here(engine({ prepareSubagentSpawn: async () => new Prepared() })), { spawns });
    expect(undone).toBe(11);
  });

  it('sends copies, which count as the messages that they are copies of', async () => {
    const { requests } = await driveAll(TWO, here(engine()));
    const plain = await driveAll(TWO, () => engine());
    expect(requests.map(({ assembled }) => assembled)).toEqual(plain.requests.map(({ assembled }) => assembled));
    expect(requests[2]?.assembled.messages[0]).toBe(requests[1]?.assembled.messages[0]);
  });

  it('changes nothing by changing what it is given', async () => {
    const heard: Heard = { printed: [], changed: [] };
    const own = engine({
      assemble: async ({ messages }) => {
        for (const message of messages as unknown as { content: unknown }[]) message.content = 'mine';
        return { messages: [], estimatedTokens: 0 };
      },
    });
    const { requests } = await driveAll(TWO, here(own, heard));
    expect(heard.changed).toEqual(['assemble', 'assemble', 'assemble']);
    expect(requests).toHaveLength(3);
  });
});

/** A module of its own process. */
async function child(
  code: string,
  options: Partial<DriveOptions> & { readonly timeLimit?: number; readonly onLog?: (line: string) => void } = {},
): Promise<Heard & { readonly failure: unknown }> {
  const file = path.join(folder, `engine-${files}.mjs`);
  files += 1;
  writeFileSync(file, code);
  const heard: Heard = { printed: [], changed: [] };
  const make = (): Promise<ContextEngine> =>
    startPluginEngine(startOf(file, heard, startBuiltPlugin, options.timeLimit ?? PLENTY, options.onLog));
  const failure = await driveAll(TWO, make, options).then(
    () => null,
    (error: unknown) => error,
  );
  return { ...heard, failure };
}
let files = 0;

const REST = `
  info: { id: 'x', name: 'X' },
  ingest: async () => ({ ingested: true }),
  compact: async () => ({ ok: true, compacted: false }),`;

describe('an engine in a process of its own', () => {
  it.each([
    [
      'throws',
      'async assemble() { throw new Error("no"); }',
      { kind: 'threw', method: 'assemble', message: expect.stringMatching(/^no \(engine-\d+\.mjs:4\)$/) },
    ],
    [
      'gives rubbish',
      'assemble: async () => 7',
      { kind: 'result', method: 'assemble', message: 'the value must be object' },
    ],
    [
      'gives what is no JSON',
      'assemble: async () => ({ messages: [() => 1], estimatedTokens: 0 })',
      { kind: 'not-json', method: 'assemble' },
    ],
    ['ends', 'assemble() { process.exit(0); }', { kind: 'exited', method: 'assemble' }],
    // Blocked as by a circle, without work for the processor.
    [
      'hangs',
      'assemble() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); }',
      { kind: 'timed-out', method: 'assemble' },
    ],
  ])('that %s is contained, and says so', async (name, assemble, expected) => {
    const timeLimit = name === 'hangs' ? 2000 : PLENTY;
    const { failure } = await child(`export default {${REST} ${assemble} };`, { timeLimit });
    expect(failure).toMatchObject(expected);
  });

  it.each([
    ['cannot be read', 'export default {', 'not-loaded', /./],
    ['exports none', 'export default 1;', 'not-loaded', /it exports no engine/],
    ['exports something else', 'export const engine = 1;', 'result', /info: the value must be object/],
    ['lacks a method', 'export default { info: { id: "x", name: "X" } };', 'result', /the engine has no method ingest/],
  ])('that %s is no engine', async (_, code, kind, message) => {
    const { failure } = await child(code);
    expect(failure).toMatchObject({ kind, method: 'create', message: expect.stringMatching(message) });
  });

  it('may print, which is told line by line', async () => {
    const { failure, printed } = await child(`
      export default () => {
        console.log('made');
        process.stdout.write('no end of line');
        return {${REST} assemble: async ({ messages }) => ({ messages, estimatedTokens: 0 }), dispose: async () => console.error('disposed') };
      };`);
    expect(failure).toBeNull();
    expect(printed.toSorted()).toEqual(['disposed', 'made', 'no end of line']);
  });

  it('is told to dispose when the user interrupts', async () => {
    const stop = new AbortController();
    const { failure, printed } = await child(
      `export default {${REST} assemble: () => { console.log('asked'); return new Promise(() => setTimeout(() => {}, 60000)); }, dispose: async () => console.log('disposed') };`,
      { signal: stop.signal, onLog: () => stop.abort() },
    );
    expect(failure).toMatchObject({ kind: 'cancelled' });
    expect(printed).toContain('disposed');
  });

  it('is abandoned while it loads if the user interrupts', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    const file = path.join(folder, 'never.mjs');
    writeFileSync(file, 'await new Promise(() => setTimeout(() => {}, 60000)); export default {};');
    const start = startOf(file, { printed: [], changed: [] }, startBuiltPlugin);
    await expect(startPluginEngine({ ...start, signal: stop.signal })).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('may be written in TypeScript, with the types of the package', async () => {
    const source = (await sourceOf(path.join(projectFolder, 'fixtures/weather.jsonl')))!;
    const file = path.join(projectFolder, 'fixtures/engines/last-turns.ts');
    const heard: Heard = { printed: [], changed: [] };
    const { requests } = await driveAll(source, () => startPluginEngine(startOf(file, heard, startBuiltPlugin)));
    expect(requests.at(-1)?.assembled.system.compiled).toMatch(/^\d earlier turns are not shown\.\n\n/);
    expect(requests.at(-1)?.assembled.promptAuthority).toBe('preassembly_may_overflow');
  });
});
