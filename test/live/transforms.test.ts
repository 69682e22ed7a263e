import { describe, expect, it } from 'vitest';
import { installParts } from '#live/install-parts.js';
import { createLive } from '#live/live.js';
import type { PiEntry, PiMessage } from '#live/pi.js';
import transforms from '#live/transforms.js';
import type { Io } from '#platform/io.js';
import { livePi, type LivePi } from '../support/live-pi.js';

const AT = '2026-01-01T00:00:00.000Z';
const TOOLS = [
  { name: 'read', description: 'Read', parameters: {} },
  { name: 'bash', description: 'Run', parameters: {} },
];
const SYSTEM = { role: 'system', content: 'You are Pi.', toolsAdded: TOOLS, timestamp: 1 };
const QUESTION = { role: 'user', content: 'Hi', timestamp: 2 };

function entries(...list: readonly object[]): readonly PiEntry[] {
  return list.map(
    (fields, at) => ({ id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, timestamp: AT, ...fields }) as PiEntry,
  );
}

const message = (value: PiMessage): object => ({ type: 'message', message: value });
const ofOps = (...ops: readonly object[]): object => ({
  type: 'custom',
  customType: 'context_transform',
  data: {
    schemaVersion: 1,
    transformerName: 'test',
    patch: ops.map((op) => ({ scope: 'cached', invalidateCacheReason: 'test', ...op })),
  },
});

interface Ran extends LivePi {
  readonly sent: readonly PiMessage[];
}

/** Sends the request of a session that ends with a transform of these ops. */
async function requestAfter(ops: readonly object[], settings: object = {}, given = [SYSTEM, QUESTION]): Promise<Ran> {
  const live = livePi(entries(message(SYSTEM), message(QUESTION), ...(ops.length > 0 ? [ofOps(...ops)] : [])));
  live.ctx.sessionManager.buildSessionProjection = () => ({ messages: [SYSTEM, QUESTION] });
  const configs = {
    user: () => Promise.resolve({ file: '/config.json', value: { live: settings } }),
    findPlain: () => Promise.resolve(null),
  };
  installParts(
    live.pi,
    createLive({ configs } as unknown as Io, () => Promise.reject(new Error('none'))),
    [transforms],
  );
  const sent = await live.send(given);
  return Object.assign(live, { sent });
}

describe('the transforms of a running session', () => {
  it('replace prompt, tools and messages of the request', async () => {
    const { sent, notices } = await requestAfter([
      { op: 'system_part_set', partName: 'policy', text: '\n\nBe brief.' },
      { op: 'tools_remove', toolNames: ['bash'] },
      { op: 'messages_cached_replace', messages: [{ role: 'user', content: 'Instead', timestamp: 0 }] },
    ]);
    expect(sent).toEqual([
      { role: 'system', content: 'You are Pi.\n\nBe brief.', toolsAdded: [TOOLS[0]], timestamp: 1 },
      { role: 'user', content: 'Instead', timestamp: 0 },
    ]);
    expect(notices).toEqual([]);
  });

  it('leave the request of a branch without any to Pi', async () => {
    const { sent, notices } = await requestAfter([]);
    expect(sent).toEqual([SYSTEM, QUESTION]);
    expect(notices).toEqual([]);
  });

  it('are sent as copies, so that a later extension cannot change what Pi has in memory', async () => {
    const content = [{ type: 'text', text: 'Instead' }];
    const op = { op: 'messages_cached_replace', messages: [QUESTION, { role: 'user', content, timestamp: 3 }] };
    const { sent, branch } = await requestAfter([op]);
    const before = JSON.stringify(branch);
    for (const each of sent) Object.assign(each, { content: 'changed in place' });
    expect(JSON.stringify(branch)).toBe(before);
  });

  it('are not sent if the setting is off', async () => {
    const { sent } = await requestAfter([{ op: 'messages_cached_replace', messages: [] }], { transforms: 'off' });
    expect(sent).toEqual([SYSTEM, QUESTION]);
  });

  it.each([
    [{ op: 'options_set', temperature: 0 }, 'temperature'],
    [{ op: 'options_set', maxTokens: 100 }, 'maxTokens'],
    [{ op: 'options_set', reasoning: 'high' }, 'reasoning high'],
    [{ op: 'tools_replace', tools: [{ name: 'fly', description: '', parameters: {} }] }, '"fly"'],
  ])('%j: a notice names the part that cannot take effect', async (op, part) => {
    const { notices } = await requestAfter([op]);
    expect(notices).toEqual([expect.stringContaining(part)]);
  });

  it('drop the changes of another extension with a notice', async () => {
    const { sent, notices } = await requestAfter([{ op: 'system_part_set', partName: 'policy', text: '!' }], {}, [
      SYSTEM,
      QUESTION,
      { ...QUESTION, content: 'By another extension' },
    ]);
    expect(sent).toHaveLength(2);
    expect(notices).toEqual([expect.stringContaining('another extension')]);
  });
});

describe('a broken transform', () => {
  const broken = [{ op: 'messages_cached_replace', messages: 'none' }];

  it('is a warning, and the request is sent as Pi has it', async () => {
    const { sent, notices, isAborted } = await requestAfter(broken);
    expect(sent).toEqual([SYSTEM, QUESTION]);
    expect(notices).toEqual([expect.stringMatching(/^warning: .*sent as Pi has it.*rule fields/)]);
    expect(isAborted).toBe(false);
  });

  it.each([
    ['message without content', { op: 'messages_cached_replace', messages: [{ ...QUESTION, content: null }] }],
    ['block that is none', { op: 'messages_cached_replace', messages: [{ ...QUESTION, content: [false] }] }],
    [
      'result without a call',
      {
        op: 'messages_cached_replace',
        messages: [QUESTION, { role: 'toolResult', toolCallId: 'c9', toolName: 'ls', content: [] }],
      },
    ],
    [
      'tool without a schema',
      { op: 'tools_replace', tools: [{ name: 'read', description: 'Read', parameters: 'none' }] },
    ],
  ])('is one that a provider would reject: a %s', async (_, op) => {
    const { sent, notices } = await requestAfter([op]);
    expect(sent).toEqual([SYSTEM, QUESTION]);
    expect(notices).toEqual([expect.stringMatching(/^warning: ctx: a transform is broken.*sent as Pi has it/)]);
  });

  it('stops the request if configured', async () => {
    const { notices, isAborted } = await requestAfter(broken, { onBrokenTransform: 'stop' });
    expect(notices).toEqual([expect.stringContaining('stopped')]);
    expect(isAborted).toBe(true);
  });
});
