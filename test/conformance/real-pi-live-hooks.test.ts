import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { MakeEngine } from '#lab/drive/drive-options.js';
import { startPluginEngine } from '#lab/drive/plugin-engine.js';
import { engines } from '#lab/index.js';
import { projectFolder } from '../support/files.js';
import { startBuiltPlugin } from '../support/plugins.js';
import { withRealPi } from '../support/real-pi.js';
import { hook, sentIn, type SentRequest, withEngine, withHooks } from './live/offline.js';
import { RunningPi } from './live/running-pi.js';
import { sharedPi } from './live/shared-pi.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-live-hooks-'));
afterAll(() => rmSync(folder, { recursive: true }));

function module(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const secrets = module(
  'secrets.ts',
  `export default (pi) => pi.on('message_end', ({ message }) => {
    if (message.role === 'user' && JSON.stringify(message.content).includes('secret')) return null;
    if (message.role === 'user') return { ...message, content: message.content + '!' };
  });`,
);
const tools = module(
  'tools.ts',
  `export default (pi) => pi.on('context', ({ reason, state: { envelope } }) => {
    if (reason !== 'before_request' || !envelope.tools.some(({ name }) => name === 'write')) return;
    const why = { scope: 'cached', invalidateCacheReason: 'read only' };
    return { patch: [
      { op: 'tools_remove', toolNames: ['write', 'edit'], ...why },
      { op: 'system_part_set', partName: 'mode', text: 'Read only.', ...why },
    ] };
  });`,
);
const newest = module(
  'newest.ts',
  `export default (pi) => pi.on('context', ({ reason, state: { envelope: { messages } } }) => {
    if (reason !== 'ephemeral' || messages.cached.at(-1).role !== 'user') return;
    const why = { scope: 'cached', invalidateCacheReason: 'the newest message alone' };
    return { patch: [
      { op: 'messages_cached_replace', messages: messages.cached.slice(-1), ...why },
      { op: 'messages_uncached_append', scope: 'uncached', messages: [{ role: 'user', content: 'Be brief.', timestamp: 0 }] },
    ] };
  });`,
);

/** Prompts with tool calls, in several turns, before and after a restart. */
async function talk(pi: RunningPi): Promise<void> {
  await pi.prompt('Hello');
  await pi.prompt('run echo one');
  await pi.restart();
  await pi.prompt(`run printf '%1500s' x`);
  await pi.prompt('And a secret?');
  for (const text of ['run seq 500', 'run seq 501', 'run seq 502', 'And now?']) await pi.prompt(text);
}

const quiet = async (pi: RunningPi): Promise<void> => {
  for (const text of ['Hello', 'Why?', 'And a secret?', 'And now?']) await pi.prompt(text);
};

interface Talked {
  readonly file: string;
  readonly live: readonly SentRequest[];
}

/** Talks, and returns the requests that the provider got. `stops`: the number of requests that are stopped. */
async function talked(pi: RunningPi, say: (pi: RunningPi) => Promise<void>, stops = 0): Promise<Talked> {
  await say(pi);
  expect(pi.notices).toEqual(
    Array.from({ length: stops }, () => expect.stringContaining('has left out the message') as unknown),
  );
  const file = await pi.file();
  const live = await sentIn(file, pi.got());
  expect(live.length).toBeGreaterThan(2);
  return { file, live };
}

/** The number of transforms in a session. */
function transformsIn(file: string): number {
  return readFileSync(file, 'utf8').split('"customType":"context_transform"').length - 1;
}

const COMPACTION = { enabled: true, reserveTokens: 1000, keepRecentTokens: 1000 };

/** The transforms of each built-in engine in the talk. */
const TRANSFORMS: Readonly<Record<string, number>> = { recorded: 0, none: 0, pi: 2, 'turn-prune': 1, 'three-phase': 1 };

/** Leaves out and replaces secrets in all messages. */
const guard = module(
  'guard.ts',
  `export default (pi) => pi.on('message_end', ({ message }) => {
    const text = JSON.stringify(message);
    if (message.role === 'user' && text.includes('swordfish')) return null;
    if (text.includes('swordfish')) return JSON.parse(text.replaceAll('swordfish', '[hidden]'));
  });`,
);

/** Slows each first request down, before ctx sees it. */
const slow = `export default (pi) => pi.on('context_with_system', () => new Promise((done) => setTimeout(done, 3000)));`;

withRealPi('a secret that a hook leaves out in real Pi', () => {
  const bodies = (pi: RunningPi): string => JSON.stringify(pi.got());

  it('is in no request, whether it is the first message, a later one, or the output of a command', async () => {
    await using pi = await RunningPi.start({ settings: { hooks: [guard] } });
    await pi.prompt('my password is swordfish');
    expect(pi.got()).toEqual([]);
    await pi.prompt('Hello');
    await pi.prompt('and it was swordfish');
    await pi.command('bash', { command: 'echo swordfish' });
    await pi.prompt('And now?');
    await pi.restart();
    await pi.prompt('Still?');
    expect(pi.got()).toHaveLength(3);
    expect(bodies(pi)).not.toContain('swordfish');
    expect(bodies(pi)).toContain('[hidden]');
    for (const { messages } of pi.got()) expect(messages.at(-1)).toMatchObject({ role: 'user' });
    expect(await withHooks(await pi.file(), [guard])).toEqual(await sentIn(await pi.file(), pi.got()));
  });

  it('is in no request after Pi was killed between the message and the request', async () => {
    await using pi = await RunningPi.start({ settings: { hooks: [guard] }, before: [slow] });
    await pi.prompt('Hello');
    const file = await pi.file();
    const size = readFileSync(file).length;
    void pi.prompt('my password is swordfish').catch(() => {});
    while (!readFileSync(file).subarray(size).includes('my password'))
      await new Promise((done) => setTimeout(done, 20));
    await pi.kill();
    await pi.launch(['--session', file]);
    await pi.prompt('And now?');
    expect(pi.got()).toHaveLength(2);
    expect(bodies(pi)).not.toContain('swordfish');
  });

  it('is no longer sent by Pi without ctx once its turn has ended', async () => {
    await using pi = await RunningPi.start({ settings: { hooks: [guard] } });
    await pi.prompt('Hello');
    await pi.prompt('my password is swordfish');
    const edits = (await pi.entries()).filter(({ type }) => type === 'context_edit');
    expect(edits).toMatchObject([{ replacement: null }]);
  });
});

/** Marks the newest prompt, in place. */
const marks = `export default (pi) => pi.on('context_with_system', ({ messages }) => {
  const last = messages.findLast(({ role }) => role === 'user');
  if (last) last.content[0].text += ' [marked]';
});`;

/** Puts the prompt and the tools last. */
const moves = `export default (pi) => pi.on('context_with_system', ({ messages: [system, ...others] }) => ({ messages: [...others, system] }));`;

withRealPi('another extension in real Pi, after ctx', () => {
  const op = { op: 'system_part_set', scope: 'cached', invalidateCacheReason: 'test', partName: 'x', text: 'Be kind.' };
  const transform = JSON.stringify({ schemaVersion: 1, transformerName: 'test', patch: [op] });
  const differences = async (pi: RunningPi): Promise<readonly unknown[]> =>
    (await pi.entries())
      .filter(({ customType }) => customType === 'ctx.request')
      .map(({ data }) => (data as { readonly differs?: unknown }).differs);

  it('changes one request in place, and not what Pi has in memory', async () => {
    await using pi = await RunningPi.start({ settings: { record: 'all' }, after: [marks] });
    await pi.prompt('one');
    await pi.prompt(`/transform ${transform}`);
    for (const text of ['two', 'three', 'four']) await pi.prompt(text);
    for (const { messages } of pi.got()) {
      const texts = messages.flatMap((each) =>
        (each as { role: string }).role === 'user' ? JSON.stringify(each) : [],
      );
      expect(texts.map((text) => text.split('[marked]').length - 1)).toEqual(
        texts.map((_, at) => (at === texts.length - 1 ? 1 : 0)),
      );
    }
    expect(await differences(pi)).toMatchObject([0, 2, 4, 6].map((at) => ({ messages: [{ from: at }, { to: at }] })));
  });

  it('moves the prompt and the tools, which is recorded', async () => {
    await using pi = await RunningPi.start({ settings: { record: 'differences' }, after: [moves] });
    await pi.prompt('one');
    await pi.prompt('two');
    expect(await differences(pi)).toMatchObject([{ systemAt: [1] }, { systemAt: [3] }]);
  });
});

withRealPi('hooks and engines in real Pi', () => {
  const startSession = sharedPi();
  const startCompacting = sharedPi({ compaction: COMPACTION });

  it.each([
    ['nothing asked', [hook('summary.ts')], 0],
    ['a policy at the end of a turn', [hook('policy.ts')], 1],
    ['a marker at each request', [hook('marker.ts')], 4],
    ['a reminder for one request', [hook('reminder.ts')], 0],
    ['shorter results', [hook('shorten.ts')], 0],
    ['messages that are changed or left out', [secrets], 1],
    ['fewer tools', [tools], 1],
    ['the newest message alone', [newest], 0],
    ['several', [tools, hook('policy.ts'), secrets, hook('reminder.ts')], 3],
  ])('sends with hooks what their offline run shows: %s', async (_, hooks, transforms) => {
    const pi = await startSession({ settings: { hooks } });
    const isTail = hooks.some((file) => /marker|reminder|newest/.test(file));
    if (hooks[0]?.endsWith('summary.ts')) {
      await quiet(pi);
      expect(pi.notices).toEqual([expect.stringContaining('load the module as an extension of Pi')]);
      return;
    }
    const { file, live } = await talked(pi, isTail ? quiet : talk, hooks.includes(secrets) ? 1 : 0);
    expect(await withHooks(file, hooks)).toEqual(live);
    expect(transformsIn(file)).toBe(transforms);
  });

  it.each(engines.map(({ name }) => name))('sends with the engine %s what its offline run shows', async (name) => {
    const limit = name === 'pi' ? 3500 : 6000;
    const pi = await startCompacting({ settings: { engine: name }, config: { limit } });
    const { file, live } = await talked(pi, name === 'three-phase' ? quiet : talk);
    const engine = engines.find((each) => each.name === name)!;
    expect(
      await withEngine(file, (setup) => engine.create(setup), { tokenBudget: limit, settings: COMPACTION }),
    ).toEqual(live);
    expect(transformsIn(file)).toBe(TRANSFORMS[name]);
  });

  it.each(['last-turns', 'shorten-results', 'openclaw'])(
    'sends with the engine module %s what its offline run shows',
    async (name) => {
      const engine = path.join(projectFolder, `fixtures/engines/${name}.ts`);
      const pi = await startSession({ settings: { engine } });
      const { file, live } = await talked(pi, talk);
      const make: MakeEngine = () =>
        startPluginEngine({ file: engine, startPlugin: startBuiltPlugin, timeLimit: 10_000, onLog() {} });
      expect(await withEngine(file, make)).toEqual(live);
      if (name !== 'openclaw') expect(transformsIn(file)).toBeGreaterThan(0);
    },
  );
});
