// The extension of Pi: the time until it is installed, and the time of a request on a session of a thousand entries.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';

const RUNS = 9;
const ENTRIES = 1000;
const root = path.join(import.meta.dirname, '../..');
const EXTENSION = path.join(root, 'dist/live/extension.js');
const AT = '2026-01-01T00:00:00.000Z';

if (process.argv[2] === 'start') {
  const start = performance.now();
  const { default: extension } = createRequire(import.meta.url)(EXTENSION);
  extension(piOf([]).pi);
  process.stdout.write(String(performance.now() - start));
} else {
  const starts = Array.from({ length: RUNS }, () =>
    Number(spawnSync(process.execPath, [import.meta.filename, 'start'], { encoding: 'utf8' }).stdout),
  );
  console.log(`start                       ${ms(median(starts))} (goal: less than 100 ms)`);
  for (const [name, settings, hasTransform] of [
    ['nothing is asked', {}, false],
    ['transforms', {}, true],
    ['record: all', { record: 'all' }, false],
    ['transforms and record: all', { record: 'all' }, true],
  ])
    console.log(`${name.padEnd(27)} ${await requestTimes(settings, hasTransform)} (goal: less than 5 ms)`);
}

/** The time of the requests of a session that grows by an answer and a result at each. */
async function requestTimes(settings, hasTransform) {
  const { default: extension } = await import(EXTENSION);
  const folder = mkdtempSync(path.join(tmpdir(), 'ctx-bench-'));
  mkdirSync(path.join(folder, 'ctx'));
  writeFileSync(path.join(folder, 'ctx/config.json'), JSON.stringify({ live: settings }));
  process.env.XDG_CONFIG_HOME = folder;
  const world = piOf(entriesOf(ENTRIES, hasTransform));
  extension(world.pi);
  await world.emit('session_start', { reason: 'startup' });
  const times = [];
  for (let run = 0; run < RUNS + 1; run += 1) {
    world.grow();
    const messages = structuredClone(world.messages());
    const start = performance.now();
    const sent = await world.request(messages);
    world.provider.streamSimple({}, { messages: sent }, { sessionId: 'bench' });
    times.push(performance.now() - start);
  }
  rmSync(folder, { recursive: true });
  return `first ${ms(times[0])}, then ${ms(median(times.slice(1)))}`;
}

function entriesOf(count, hasTransform) {
  const entries = [];
  const add = (fields) => {
    const id = entries.length.toString(16).padStart(8, '0');
    entries.push({ ...fields, id, parentId: entries.at(-1)?.id ?? null, timestamp: AT });
  };
  add({
    type: 'message',
    message: { role: 'system', content: 'You are Pi. '.repeat(500), toolsAdded: [{ name: 'bash' }], timestamp: 1 },
  });
  while (entries.length < count) add(messageOf(entries.length));
  if (hasTransform)
    add({
      type: 'custom',
      customType: 'context_transform',
      data: {
        schemaVersion: 1,
        transformerName: 'bench',
        patch: [
          {
            op: 'system_part_set',
            scope: 'cached',
            invalidateCacheReason: 'bench',
            partName: 'policy',
            text: 'Be brief.',
          },
        ],
      },
    });
  return entries;
}

/** A question, an answer with a call, or its result of two thousand characters. */
function messageOf(at) {
  const text = [{ type: 'text', text: `${at} `.padEnd(at % 3 === 2 ? 2000 : 200, 'text of a message ') }];
  const role = ['user', 'assistant', 'toolResult'][at % 3];
  const call = { type: 'toolCall', id: `c${at}`, name: 'bash', arguments: { command: 'ls' } };
  const usage = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, totalTokens: 4 };
  const fields = {
    user: {},
    assistant: {
      content: [...text, call],
      provider: 'faux',
      model: 'faux-1',
      api: 'faux',
      usage,
      stopReason: 'toolUse',
    },
    toolResult: { toolCallId: `c${at - 1}`, toolName: 'bash', isError: false },
  }[role];
  return { type: 'message', message: { role, content: text, timestamp: at, ...fields } };
}

/** A Pi with a branch in memory. */
function piOf(branch) {
  const handlers = new Map();
  const on = (type, handler) => void handlers.set(type, [...(handlers.get(type) ?? []), handler]);
  const append = (fields) =>
    void branch.push({
      ...fields,
      id: branch.length.toString(16).padStart(8, '0'),
      parentId: branch.at(-1)?.id ?? null,
      timestamp: AT,
    });
  const provider = { streamSimple: () => null };
  const messages = () => branch.flatMap(({ message }) => message ?? []);
  const ctx = {
    mode: 'print',
    hasUI: true,
    cwd: root,
    ui: { notify: (text) => console.error(text), setStatus() {}, setWidget() {} },
    model: { id: 'faux-1', provider: 'faux', contextWindow: 200_000 },
    modelRegistry: { getProvider: () => provider },
    isProjectTrusted: () => false,
    getContextUsage: () => undefined,
    sessionManager: {
      getSessionId: () => 'bench',
      getSessionFile: () => undefined,
      getLeafId: () => branch.at(-1)?.id ?? null,
      getHeader: () => ({ type: 'session', version: 3, id: 'bench', timestamp: AT, cwd: root }),
      getBranch: () => [...branch],
      buildSessionProjection: () => ({ messages: messages() }),
    },
  };
  return {
    provider,
    messages,
    pi: {
      on,
      registerCommand() {},
      appendEntry: (customType, data) => append({ type: 'custom', customType, data }),
      getThinkingLevel: () => 'off',
      getActiveTools: () => [],
      getAllTools: () => [],
    },
    grow: () => [0, 1, 2].forEach(() => append(messageOf(branch.length))),
    async emit(type, event) {
      for (const handler of handlers.get(type) ?? []) await handler({ type, ...event }, ctx);
    },
    async request(given) {
      let sent = given;
      for (const handler of handlers.get('context_with_system') ?? [])
        sent = (await handler({ type: 'context_with_system', messages: sent }, ctx))?.messages ?? sent;
      return sent;
    },
  };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

function ms(time) {
  return `${time.toFixed(1)} ms`;
}
