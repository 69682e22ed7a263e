import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deepFreeze } from '#base/freeze.js';
import { PluginFailure } from '#lab/plugin-process/failure.js';
import { startPlugin } from '#lab/plugin-process/plugin.js';
import type { CallOptions, Plugin, PluginStart } from '#platform/plugin.js';
import { projectFolder } from '../../support/files.js';
import { startBuiltPlugin } from '../../support/plugins.js';

let folder = '';
beforeAll(() => void (folder = mkdtempSync(path.join(tmpdir(), 'ctx-plugin-'))));
afterAll(() => rmSync(folder, { recursive: true }));

interface Trial {
  readonly plugin: Plugin;
  /** What it printed. */
  readonly log: string[];
}

let count = 0;

/** Starts an engine that has these methods. Without TypeScript, it need not be compiled. */
async function trial(
  methods: string,
  {
    before = '',
    language = 'mjs',
    ...start
  }: Partial<PluginStart> & { readonly before?: string; language?: string } = {},
): Promise<Trial> {
  const file = path.join(folder, `plugin-${(count += 1)}.${language}`);
  writeFileSync(file, `${before}\nexport default { info: { id: 'trial' }, ${methods} };`);
  const log: string[] = [];
  return {
    plugin: await startBuiltPlugin({
      file,
      kind: 'engine',
      onLog: (line) => log.push(line),
      timeLimit: 200_000,
      ...start,
    }),
    log,
  };
}

/** What one call comes to; the plugin is closed. */
/** Without the number of the module. */
const numberless = (text: unknown): string => String(text).replace(/plugin-\d+/, 'plugin');

async function outcome(
  { plugin }: Trial,
  args: readonly unknown[] = [],
  options: Partial<CallOptions> = {},
): Promise<unknown> {
  try {
    return await plugin.call('act', args, { timeLimit: 200_000, ...options });
  } catch (error) {
    if (error instanceof PluginFailure) return `${error.kind}: ${error.message}`;
    throw error;
  } finally {
    await plugin.close();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // One that has ended, and that nobody has asked after, is still listed.
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

async function ends(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 1000 && isAlive(pid); tries += 1)
    await new Promise((resolve) => void setTimeout(resolve, 20));
  return !isAlive(pid);
}

describe.concurrent('a plugin', () => {
  it('is told and answers in JSON, and may be TypeScript that imports types from anywhere', async () => {
    const before = `
      import type { ContextEngine } from 'pi-ctx/engine';
      import { HookAPI } from '@mariozechner/pi-coding-agent/hooks';
      import { defineEngine } from 'pi-ctx/engine';
      enum Sum { Start = 1 }
      const unused: HookAPI | ContextEngine | null = null;`;
    const made = await trial(
      `act: async (a: number, b: number[]) => ({ sum: b.reduce((x, y) => x + y, a + Sum.Start), unused }), rest: 1`,
      { before, language: 'ts' },
    );
    expect(made.plugin.loaded).toEqual({ info: { id: 'trial' }, methods: ['act'] });
    expect(await outcome(made, [1, [2, 3]])).toEqual({ sum: 7, unused: null });
    expect(readdirSync(folder).filter((name) => !name.startsWith('plugin-'))).toEqual([]);
  });

  it('that changes what it was given changes nothing here, and we hear of it', async () => {
    const given = { list: [1, 2], tools: ['a'], signal: null };
    const changed: string[] = [];
    const options = {
      timeLimit: 200_000,
      places: [
        { at: [0, 'tools'], kind: 'set' },
        { at: [0, 'signal'], kind: 'signal' },
      ],
    } as const;
    const watched = await trial(
      `push: (given) => void given.list.push(3), read: (given) => given.list.length + given.tools.size,
       knot: (given) => { given.self = given }, remove: (given) => { delete given.list }`,
      { onChangedInput: (method) => changed.push(method) },
    );
    for (const method of ['push', 'read', 'knot', 'remove']) await watched.plugin.call(method, [given], options);
    expect(changed).toEqual(['push', 'knot', 'remove']);
    await watched.plugin.close();
    expect(
      await outcome(await trial(`act: (given) => { given.list.push(3); given.more = 1; return given.list.length }`), [
        given,
      ]),
    ).toBe(3);
    expect(given).toEqual({ list: [1, 2], tools: ['a'], signal: null });
  });

  it('prints nothing to where we print, whichever way it writes', async () => {
    const made = await trial(
      `act: () => { console.log('one'); process.stdout.write('tw'); process.stdout.write('o\\n'); console.error('three'); fs.writeSync(1, 'four'); return 4 }`,
      { before: `import fs from 'node:fs';` },
    );
    expect(await outcome(made)).toBe(4);
    expect(made.log.toSorted()).toEqual(['four', 'one', 'three', 'two']);
  });

  it('that gives no answer, or one that is no JSON, is told of, and goes on', async () => {
    const cases: readonly (readonly [body: string, failure: string])[] = [
      [`throw new Error('no luck')`, 'threw: no luck (plugin.mjs:2)'],
      [`throw { a: 1 }`, 'threw: it threw [object Object]'],
      [`throw Object.create(null)`, 'threw: it threw a value that cannot be printed'],
      [`return { patch: [{ run() {} }] }`, 'not-json: the answer.patch[0].run is a function, which is not JSON'],
      [`return [new Map()]`, 'not-json: the answer[0] is a Map, which is not JSON'],
      [`return { 'a b': NaN }`, 'not-json: the answer["a b"] is NaN, which is not a JSON number'],
      [`return 1n`, 'not-json: the answer is a bigint, which is not JSON'],
      [`const a = {}; a.a = [a]; return a`, 'not-json: the answer.a[0] contains itself'],
      [`return { at: new Date(0) }`, 'not-json: the answer.at is a Date, which is not JSON'],
      [`return [1, , 2]`, 'not-json: the answer[1] is undefined'],
      [`return { toJSON: () => 1 }`, 'not-json: the answer serialises itself (toJSON)'],
      [`return { [Symbol('a')]: 1 }`, 'not-json: the answer has a symbol as a key'],
      [`return 'x'.repeat(65_000_000)`, 'too-long: the answer is too long: 65000002 characters of JSON'],
      // Newer versions of Node.js write that, however deep it is.
      ...(Number.parseInt(process.versions.node, 10) >= 26
        ? []
        : [
            [
              `let a = []; for (let i = 0; i < 20_000; i += 1) a = [a]; return a`,
              'not-json: the answer is nested too deeply',
            ] as const,
          ]),
    ];
    const { plugin } = await trial(cases.map(([body], at) => `m${at}: async () => { ${body} }`).join(',\n'));
    for (const [at, [, failure]] of cases.entries()) {
      const { kind, message } = await plugin.call(`m${at}`, [], { timeLimit: 200_000 }).then(
        () => ({ kind: 'none', message: '' }),
        (error: PluginFailure) => error,
      );
      expect(numberless(`${kind}: ${message}`)).toBe(failure);
    }
    await expect(plugin.call('m99', [], { timeLimit: 200_000 })).rejects.toThrow('it has no method m99');
    await plugin.close();
  });

  it.each([
    ['exits', `process.exit(7)`, 'exited: the program ended by itself, with exit code 7'],
    [
      'is killed',
      `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})`,
      'exited: the program ended by SIGKILL',
    ],
    [
      'leaves a rejection to nobody',
      `Promise.reject(new Error('lost')); await new Promise(() => {})`,
      'exited: the program ended by itself, with exit code 1: lost (plugin.mjs:2)',
    ],
  ])('that %s is told of', async (_, body, message) => {
    expect(numberless(await outcome(await trial(`act: async () => { ${body} }`)))).toBe(message);
  });

  it('may give the same twice, nothing, and members that are undefined', async () => {
    expect(
      await outcome(await trial(`act: () => { const a = { b: undefined }; return [a, a, Object.create(null)] }`)),
    ).toEqual([{}, {}, {}]);
    expect(await outcome(await trial(`act: () => {}`))).toBeUndefined();
  });

  it('cannot answer in any way but by what its functions return', async () => {
    const body = `act: () => { if (process.send || process.disconnect) throw new Error('it could'); process._send?.({ type: 'answer', id: 1, text: '"forged' }); process._send?.({ type: 'answer', id: 99, text: '1' }); process._send?.(null); return 'honest' }`;
    // What it forges is no answer, and what it says later comes too late.
    expect(await outcome(await trial(body))).toBe('not-json: the answer is not JSON');
  });

  // Tried again: its output has a second to arrive, which a busy machine may give to others.
  it('that floods its output is read to its end, and only the beginning is shown', { retry: 3 }, async () => {
    const made = await trial(
      `act: () => { for (let i = 0; i < 1000; i += 1) process.stdout.write('spam '.repeat(1000) + '\\n'); return 'done' }`,
    );
    expect(await outcome(made)).toBe('done');
    expect(made.log).toHaveLength(501);
    expect(made.log[0]).toHaveLength(2001);
    expect(made.log[500]).toBe('… further output is omitted');
  });

  it('that prints without ever ending its line takes no memory', async () => {
    const made = await trial(
      `act: () => { for (let i = 0; i < 1000; i += 1) process.stdout.write('x'.repeat(10_000)); return 'done' }`,
    );
    expect(await outcome(made)).toBe('done');
    expect(made.log.map((line) => line.length)).toEqual([2001]);
  });
});

// Alone, and tried again: it has a second to answer, which a busy machine may give to others.
describe('a plugin that takes too long', () => {
  it('is told by its signal, and lives on where it listens', { retry: 3 }, async () => {
    const made = await trial(
      `
      act: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => { seen.push(signal.reason.message); reject(signal.reason) })),
      seen: () => seen`,
      { before: 'const seen = [];' },
    );
    const options = { timeLimit: 100, places: [{ at: [0, 'signal'], kind: 'signal' }] } as const;
    await expect(made.plugin.call('act', [{ signal: {} }], options)).rejects.toMatchObject({
      kind: 'timed-out',
      message: 'it took longer than 0.1 s',
    });
    expect(made.plugin.isOver()).toBe(false);
    expect(await made.plugin.call('seen', [], { timeLimit: 200_000 })).toEqual(['the call timed out or was cancelled']);
    await made.plugin.close();
  });
});

/** Never yields, as a circle, but leaves the processor to other tests. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

describe.concurrent('a plugin that does not stop', () => {
  it.each([
    ['hangs', 'await new Promise(() => {})'],
    ['runs in a circle', 'for (;;);'],
    ['takes no leave', `process.on('SIGTERM', () => {}); process.on('disconnect', () => {}); ${BLOCK}`],
  ])('because it %s is ended', async (_, body) => {
    const made = await trial(`act: async () => { ${body} }, pid: () => process.pid`);
    const pid = (await made.plugin.call('pid', [], { timeLimit: 200_000 })) as number;
    expect(await outcome(made, [], { timeLimit: 100 })).toBe('timed-out: it took longer than 0.1 s');
    expect(made.plugin.isOver()).toBe(true);
    expect(await ends(pid)).toBe(true);
    await expect(made.plugin.call('pid', [], { timeLimit: 200_000 })).rejects.toMatchObject({
      kind: 'exited',
      message: 'the program was ended: it took longer than 0.1 s',
    });
  });

  it('is ended with all that it has started', async () => {
    const made = await trial(
      `
      act: () => new Promise(() => {}),
      start: () => spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { stdio: 'inherit' }).pid`,
      { before: `import { spawn } from 'node:child_process';` },
    );
    const pid = (await made.plugin.call('start', [], { timeLimit: 200_000 })) as number;
    expect(isAlive(pid)).toBe(true);
    expect(await outcome(made, [], { timeLimit: 100 })).toContain('timed-out');
    expect(await ends(pid)).toBe(true);
  });

  it.runIf(process.platform === 'linux')('is ended with what has left its process group', async () => {
    const made = await trial(
      `
      act: () => new Promise(() => {}),
      start: () => {
        const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
        child.unref();
        return child.pid;
      }`,
      { before: `import { spawn } from 'node:child_process';` },
    );
    const pid = (await made.plugin.call('start', [], { timeLimit: 200_000 })) as number;
    expect(isAlive(pid)).toBe(true);
    expect(await outcome(made, [], { timeLimit: 100 })).toContain('timed-out');
    expect(await ends(pid)).toBe(true);
  });

  it('is ended while it is loaded, too', async () => {
    await expect(trial('', { before: BLOCK, timeLimit: 300 })).rejects.toMatchObject({ kind: 'timed-out' });
  });
});

describe('a plugin that is not wanted any more', () => {
  it('is ended', async () => {
    const stop = new AbortController();
    const made = await trial('act: () => new Promise(() => {})', { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    expect(await outcome(made)).toBe('cancelled: it was interrupted');
    await expect(made.plugin.call('act', [], { timeLimit: 200_000 })).rejects.toThrow(PluginFailure);
  });

  it('is closed with what it started, also where that holds its output open', async () => {
    const made = await trial(
      `start: () => spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }).pid`,
      { before: `import { spawn } from 'node:child_process';` },
    );
    const pid = (await made.plugin.call('start', [], { timeLimit: 200_000 })) as number;
    await made.plugin.close();
    await made.plugin.close();
    expect(await ends(pid)).toBe(true);
    expect(made.log).toEqual(['… child processes that were still running have been ended']);
  });
});

describe.concurrent('a plugin that cannot be loaded', () => {
  it.each([
    ['is not there', null, /^there is no such file$/],
    [
      'imports a missing package',
      "import x from 'nope-nope'; export default () => x;",
      /^Cannot find module 'nope-nope' \(unloadable-\d+\.ts:1\)$/,
    ],
    ['does not parse', 'export default {', /Unexpected token|ParseError/],
    ['throws', `throw new Error('not today')`, /^not today \(unloadable-\d+\.ts:1\)$/],
    ['exports nothing', 'export const a = 1;', /exports no engine|exports no hook/],
    ['exits', 'process.exit(0)', /^the program ended by itself, with exit code 0$/],
  ])('because it %s says so', async (_, source, message) => {
    const file = path.join(folder, `unloadable-${(count += 1)}.ts`);
    if (source !== null) writeFileSync(file, source);
    expect(existsSync(file)).toBe(source !== null);
    const started = startBuiltPlugin({ file, kind: 'hook', onLog: () => {}, timeLimit: 200_000 });
    await expect(started).rejects.toMatchObject({ kind: 'not-loaded', message: expect.stringMatching(message) });
  });
});

describe.concurrent('a folder', () => {
  it('is loaded by its index.ts, and without one it says so', async () => {
    const inner = mkdtempSync(path.join(folder, 'folder-'));
    const start = { file: inner, kind: 'hook', onLog: () => {}, timeLimit: 200_000 } as const;
    await expect(startBuiltPlugin(start)).rejects.toMatchObject({
      kind: 'not-loaded',
      message: 'it is a folder without index.ts or index.js',
    });
    writeFileSync(path.join(inner, 'index.ts'), `export default (pi) => pi.on('context', () => {});`);
    const plugin = await startBuiltPlugin(start);
    expect(plugin.loaded).toMatchObject({ events: ['context'] });
    await plugin.close();
  });
});

describe('the time limit for loading', () => {
  it('begins when the process has started, however long that takes', async () => {
    const program = path.join(folder, 'late.mjs');
    const built = pathToFileURL(path.join(projectFolder, 'dist/cli/plugin.js')).href;
    writeFileSync(program, `await new Promise((go) => setTimeout(go, 2500)); await import('${built}');`);
    const file = path.join(folder, 'quick.mjs');
    writeFileSync(file, 'export default () => {};');
    const start = { file, kind: 'hook', onLog: () => {}, timeLimit: 2000 } as const;
    const plugin = await startPlugin(start, pathToFileURL(program));
    expect(plugin.loaded).toMatchObject({ events: [] });
    await plugin.close();
  });
});

describe('what a plugin asks for', () => {
  const handlers = {
    double: (value: unknown) => Number(value) * 2,
    refuse: () => {
      throw new Error('not allowed');
    },
  };

  it('is told as JSON, while a call runs', async () => {
    const places = ['double', 'refuse', 'unknown'].map(
      (name) => ({ at: [0, name], kind: 'function', handler: name }) as const,
    );
    const made = await trial(
      `act: async ({ double, refuse, unknown }) => { kept = double; return [await double(21), await refuse().catch((e) => e.message), await unknown().catch((e) => e.message)] },
       later: () => said,
       leave: () => { setTimeout(() => kept(1).then((v) => (said = v), (e) => (said = e.message)).then(() => console.log('heard')), 20); },`,
      { handlers, before: 'let kept; let said = null;' },
    );
    expect(await made.plugin.call('act', [{}], { timeLimit: 200_000, places })).toEqual([
      42,
      'not allowed',
      'unknown request unknown',
    ]);
    await made.plugin.call('leave', [], { timeLimit: 200_000 });
    await expect.poll(() => made.log).toEqual(['heard']);
    expect(await made.plugin.call('later', [], { timeLimit: 200_000 })).toBe(
      'requests are accepted only while a call is running',
    );
    await made.plugin.close();
  });

  it('can be a Set, and a function that it gives can be called later', async () => {
    const made = await trial(
      `act: ({ tools }) => ({ size: tools.size, rollback() { undone += tools.size } }), undone: () => undone`,
      { before: 'let undone = 0;' },
    );
    const places = [{ at: [0, 'tools'], kind: 'set' }] as const;
    const answer = await made.plugin.call('act', [{ tools: ['a', 'b', 'a'] }], {
      timeLimit: 200_000,
      places,
      keeps: ['rollback'],
    });
    expect(answer).toEqual({ size: 2, rollback: 'kept:1' });
    await made.plugin.call('kept:1', [], { timeLimit: 200_000 });
    expect(await made.plugin.call('undone', [], { timeLimit: 200_000 })).toBe(2);
    await made.plugin.close();
  });
});

describe('frozen arguments of a plugin', () => {
  const first = deepFreeze({ role: 'user', content: [{ text: 'x'.repeat(100) }] });
  const second = deepFreeze({ role: 'user', content: 'second' });
  const sentOnce = [[0, 'messages']];

  it('are sent once, and come back as the same objects', async () => {
    const { plugin } = await trial(
      `act: ({ messages }) => ({ messages, other: [messages[0], 1], own: [{ ...messages[0] }] })`,
    );
    for (const messages of [[first], [first, second], [second, first]]) {
      const answer = (await plugin.call('act', [{ messages }], { timeLimit: 200_000, sentOnce })) as Record<
        string,
        unknown[]
      >;
      expect(answer['messages']).toHaveLength(messages.length);
      for (const [at, message] of messages.entries()) expect(answer['messages']?.[at]).toBe(message);
      expect(answer['other']).toEqual([messages[0], 1]);
      expect(answer['own']).toEqual([messages[0]]);
      expect(answer['own']?.[0]).not.toBe(messages[0]);
    }
    await plugin.close();
  });

  it('stay as they are where a module changes its copies, also later', async () => {
    let changes = 0;
    const { plugin } = await trial(
      `act({ messages, changes }) { if (changes) messages[0].content[0].text = 'changed'; return { messages } }`,
      { onChangedInput: () => void (changes += 1) },
    );
    const act = (changing: boolean): Promise<unknown> =>
      plugin.call('act', [{ messages: [first], changes: changing }], { timeLimit: 200_000, sentOnce });
    expect(await act(true)).toEqual({ messages: [{ role: 'user', content: [{ text: 'changed' }] }] });
    expect(await act(false)).toEqual({ messages: [first] });
    expect(changes).toBe(1);
    await plugin.close();
  });

  it('are forgotten when there are many more than a call has', async () => {
    const { plugin } = await trial(`act: ({ messages }) => ({ messages })`);
    for (let call = 0; call < 30; call += 1) {
      const messages = Array.from({ length: 100 }, (_, at) => deepFreeze({ call, at }));
      const answer = await plugin.call('act', [{ messages }], { timeLimit: 200_000, sentOnce });
      expect((answer as { messages: unknown[] }).messages[99]).toBe(messages[99]);
    }
    await plugin.close();
  });
});

describe('a plugin whose host is killed', () => {
  it('ends although its module never yields', async () => {
    const [file, hook] = [path.join(folder, 'busy.pid'), path.join(folder, 'busy.ts')];
    writeFileSync(
      hook,
      `export default (pi) => pi.on('context', () => { require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); ${BLOCK} });`,
    );
    const weather = path.join(projectFolder, 'fixtures/weather.jsonl');
    const host = spawn(process.execPath, [path.join(projectFolder, 'bin/ctx.js'), 'hooks', weather, '--hook', hook]);
    const readPid = (): number => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    await expect.poll(readPid).toBeGreaterThan(0);
    const pid = readPid();
    await new Promise((resolve) => void setTimeout(resolve, 1500));
    host.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
