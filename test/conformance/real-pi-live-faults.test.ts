import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { withRealPi } from '../support/real-pi.js';
import { RunningPi } from './live/running-pi.js';
import { sharedPi } from './live/shared-pi.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-live-faults-'));
afterAll(() => rmSync(folder, { recursive: true }));

function module(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

const onContext = (name: string, body: string): string =>
  module(name, `export default (pi) => pi.on('context', (event) => { const { reason } = event; ${body} });`);

const CALL = `{ type: 'toolCall', id: 'none', name: 'bash', arguments: {} }`;

/** Hook modules that fail, and the text of the notice. */
const HOOKS: readonly (readonly [string, string, RegExp])[] = [
  ['throws', onContext('throws.ts', `if (reason) throw new Error('no ' + Math.random());`), /throws\.ts: .*no 0\./],
  [
    'hangs',
    onContext('hangs.ts', `if (reason) for (;;);`),
    /hangs\.ts: it took longer than 3 s; it is off until \/reload/,
  ],
  ['waits', onContext('waits.ts', `if (reason) return new Promise(() => {});`), /waits\.ts: it took longer than 3 s/],
  ['exits', onContext('exits.ts', `if (reason) process.exit(3);`), /exits\.ts: .*exit code 3.*off until \/reload/],
  ['returns a number', onContext('number.ts', `if (reason) return 42;`), /number\.ts: .*must return an object/],
  [
    'has no reason',
    onContext(
      'no-reason.ts',
      `if (reason) return { patch: [{ op: 'tools_remove', scope: 'cached', toolNames: ['bash'] }] };`,
    ),
    /invalidateCacheReason/,
  ],
  [
    'parts a call from its result',
    onContext(
      'parts.ts',
      `if (reason === 'before_request') return { patch: [{ op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'x', messages: [...event.state.envelope.messages.cached, { role: 'assistant', content: [${CALL}] }] }] };`,
    ),
    /is separated from its result/,
  ],
  ['cannot be loaded', module('broken.ts', `export default (`), /cannot be loaded/],
  ['is not there', path.join(folder, 'missing.ts'), /cannot be loaded/],
  [
    'throws for a message',
    module('message.ts', `export default (pi) => pi.on('message_end', () => { throw new Error('no'); });`),
    /message\.ts: .*no/,
  ],
];

const ENGINES: readonly (readonly [string, string, RegExp])[] = [
  ['unknown', 'three-fase', /there is no engine "three-fase"/],
  [
    'throws',
    engine('throwing.ts', `assemble: async () => { throw new Error('no'); }`),
    /failed at assemble|throwing\.ts: .*no/,
  ],
  ['hangs', engine('hanging.ts', `assemble: () => { for (;;); }`), /hanging\.ts: it took longer than 3 s/],
  ['gives nonsense', engine('nonsense.ts', `assemble: async () => 42`), /nonsense\.ts/],
];

function engine(name: string, method: string): string {
  return module(
    name,
    `export default { info: { id: 'x', name: 'X' }, ingest: async () => ({ ingested: false }),
      compact: async () => ({ ok: true, compacted: false }), ${method} };`,
  );
}

/** Talks to Pi, which answers each time. */
async function noticesOf(pi: RunningPi): Promise<readonly string[]> {
  const before = pi.got().length;
  await pi.prompt('Hello');
  await pi.prompt('run echo one');
  await pi.prompt('And now?');
  expect(pi.got().length).toBe(before + 4);
  expect(pi.got().at(-1)?.messages.at(-1)).toMatchObject({ role: 'user' });
  expect(JSON.stringify(pi.got().at(-1)?.messages)).toContain('echo one');
  return pi.notices;
}

withRealPi('a fault in real Pi', () => {
  const startSession = sharedPi();

  /** Talks in a session with this configuration. */
  const talked = async (settings: object, config = {}): Promise<readonly string[]> =>
    noticesOf(await startSession({ settings, config }));

  it.each(HOOKS)('is one notice, and the request goes on: a hook %s', async (name, file, notice) => {
    // A busy machine takes longer to load some.
    const notices = await talked({ hooks: [file], timeLimit: /hangs|waits/.test(name) ? 3 : 10 });
    expect(notices).toEqual([expect.stringMatching(notice)]);
  });

  it.each(ENGINES)('is one notice, and the request goes on: an engine %s', async (name, engineName, notice) => {
    const notices = await talked({ engine: engineName, timeLimit: name === 'hangs' ? 3 : 10 });
    expect(notices).toEqual([expect.stringMatching(notice)]);
  });

  it.each([
    ['fails for a message', HOOKS[9]![1]],
    ['is not there', HOOKS[8]![1]],
    ['has been ended', module('ended.ts', `export default (pi) => pi.on('message_end', () => process.exit(3));`)],
  ])('is one notice: another hook still runs beside one that %s', async (_, broken) => {
    const hooks = [
      broken,
      onContext(
        'works.ts',
        `if (reason === 'ephemeral') return { patch: [{ op: 'messages_uncached_append', scope: 'uncached', messages: [{ role: 'user', content: 'Be brief.' }] }] };`,
      ),
    ];
    const pi = await startSession({ settings: { hooks } });
    await pi.prompt('Hello');
    expect(JSON.stringify(pi.got()[0]?.messages.at(-1))).toContain('Be brief.');
    expect(pi.notices).toHaveLength(1);
  });

  it('stops requests if so configured, so that nothing is sent which a hook should have changed', async () => {
    const pi = await startSession({ settings: { hooks: [HOOKS[9]![1]], onBrokenHook: 'stop' } });
    await pi.prompt('a secret');
    expect(pi.got()).toEqual([]);
    expect(pi.notices).toContainEqual(expect.stringContaining('the request was stopped'));
  });

  it.each([
    ['of a wrong type', { hooks: 'policy.ts' }],
    ['with an unknown key', { hocks: [] }],
    ['with a wrong time limit', { timeLimit: -1 }],
  ])('is one notice: a configuration %s', async (_, settings) => {
    expect(await talked(settings)).toEqual([expect.stringMatching(/live/)]);
  });

  it('is one notice: a configuration that is no JSON', async () => {
    const pi = await startSession({ settings: {} });
    writeFileSync(path.join(pi.folder, '.config/ctx/config.json'), '{ "live": ');
    await pi.restart();
    expect(await noticesOf(pi)).toHaveLength(1);
  });

  it('is one notice: a policy that is wrong', async () => {
    const notices = await talked({ engine: 'turn-prune' }, { prune: { zones: 'all' } });
    expect(notices).toEqual([expect.stringMatching(/prune/)]);
  });

  it('does not stop ctx: another extension that throws', async () => {
    const throws = `export default (pi) => { pi.on('context_with_system', () => { throw new Error('other'); }); };`;
    const hooks = [
      onContext(
        'mode.ts',
        `if (reason === 'before_request' && event.state.envelope.tools.length > 1) return { patch: [{ op: 'tools_remove', scope: 'cached', toolNames: ['write'], invalidateCacheReason: 'read only' }] };`,
      ),
    ];
    await using pi = await RunningPi.start({ settings: { hooks }, before: [throws], after: [throws] });
    await pi.prompt('Hello');
    expect(JSON.stringify(pi.got()[0]?.tools)).not.toContain('"write"');
    expect(pi.notices.every((notice) => notice.startsWith('error: ') && notice.includes('other'))).toBe(true);
  });

  it.each([
    ['a line that is no JSON', (text: string) => `${text}{"type":"mess\n`],
    ['a line that is cut off', (text: string) => text.slice(0, -40)],
    [
      'a transform of a wrong type',
      (text: string) =>
        `${text}${JSON.stringify({ type: 'custom', customType: 'context_transform', data: 42, id: 'aaaa0001', parentId: lastId(text), timestamp: '2026-01-01T00:00:00.000Z' })}\n`,
    ],
    [
      'a transform with an unknown op',
      (text: string) =>
        `${text}${JSON.stringify({ type: 'custom', customType: 'context_transform', data: { schemaVersion: 1, transformerName: 'x', patch: [{ op: 'no' }] }, id: 'aaaa0001', parentId: lastId(text), timestamp: '2026-01-01T00:00:00.000Z' })}\n`,
    ],
  ])('is at most one notice: a session with %s', async (_, damage) => {
    const hooks = [onContext('calm.ts', `if (reason) return;`)];
    const pi = await startSession({ settings: { hooks, engine: 'turn-prune' } });
    await pi.prompt('First');
    const file = await pi.file();
    await pi.end();
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    await pi.launch(['--session', file]);
    expect((await noticesOf(pi)).length).toBeLessThanOrEqual(1);
  });
});

function lastId(text: string): string {
  return String((JSON.parse(text.trimEnd().split('\n').at(-1)!) as { readonly id: unknown }).id);
}
