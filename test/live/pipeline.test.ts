import { describe, expect, it } from 'vitest';
import { EngineDriver } from '#lab/drive/engine-driver.js';
import { engines } from '#lab/index.js';
import type { AgentProgram, FollowedEngine } from '#live/define.js';
import { installParts } from '#live/install-parts.js';
import { createLive } from '#live/live.js';
import type { PiEntry, PiMessage } from '#live/pi.js';
import pipeline from '#live/pipeline/pipeline.js';
import transforms from '#live/transforms.js';
import type { Io } from '#platform/io.js';
import { engine, SETTINGS } from '../support/engines.js';
import { livePi, type LivePi } from '../support/live-pi.js';
import { pluginsHere } from '../support/plugins.js';

const SYSTEM = {
  role: 'system',
  content: 'You are Pi.',
  toolsAdded: [{ name: 'read' }, { name: 'bash' }],
  timestamp: 1,
};
const OP = { scope: 'cached', invalidateCacheReason: 'test' };

type Event = { reason: string; state: { envelope: { messages: { cached: PiMessage[] }; tools: { name: string }[] } } };
type HookPi = { on(event: string, handler: (event: never) => unknown): void };

const onContext =
  (handler: (event: Event) => unknown) =>
  (pi: HookPi): void =>
    pi.on('context', (event: Event) => (event.reason ? handler(event) : undefined));

const MODULES: Readonly<Record<string, unknown>> = {
  '/hooks/tools.ts': onContext(({ reason, state: { envelope } }) =>
    reason === 'before_request' && envelope.tools.length > 1
      ? { transformerName: 'read only', patch: [{ op: 'tools_remove', toolNames: ['bash'], ...OP }] }
      : undefined,
  ),
  '/hooks/reminder.ts': onContext(({ reason }) =>
    reason === 'ephemeral'
      ? { patch: [{ op: 'messages_uncached_append', scope: 'uncached', messages: [said('Be brief.')] }] }
      : undefined,
  ),
  '/hooks/policy.ts': onContext(({ reason }) =>
    reason === 'turn_end'
      ? { patch: [{ op: 'system_part_set', partName: 'policy', text: 'Policy.', ...OP }] }
      : undefined,
  ),
  '/hooks/first.ts': onContext(({ reason, state }) =>
    reason === 'before_request'
      ? { patch: [{ op: 'messages_cached_replace', messages: state.envelope.messages.cached.slice(0, 1), ...OP }] }
      : undefined,
  ),
  '/hooks/throws.ts': onContext(() => {
    throw new Error(`no ${Math.random()}`);
  }),
  '/hooks/mistyped.ts': (pi: HookPi) => {
    pi.on('contxt', () => undefined);
    pi.on('tool_call', () => undefined);
    onContext(({ reason }) => {
      throw new Error(`no ${reason}`);
    })(pi);
  },
  '/hooks/stock.ts': (pi: HookPi) =>
    pi.on('context', ({ messages }: { messages: unknown[] }) => ({ messages: messages.slice(-1) })),
  '/hooks/redact.ts': (pi: HookPi) =>
    pi.on('message_end', ({ message }: { message: object }) =>
      JSON.parse(JSON.stringify(message).replaceAll('hunter3', '[gone]')),
    ),
  '/hooks/silence.ts': (pi: HookPi) =>
    pi.on('message_end', ({ message }: { message: object }) =>
      JSON.stringify(message).includes('hunter3') ? null : undefined,
    ),
  '/hooks/nonsense-message.ts': (pi: HookPi) =>
    pi.on('message_end', ({ message }: { message: object }) => ({ ...message, ...NONSENSE.fields })),
  '/hooks/nonsense-op.ts': onContext(({ reason, state }) =>
    reason === 'before_request'
      ? {
          patch: [
            {
              op: 'messages_cached_replace',
              messages: state.envelope.messages.cached.map((each) => ({ ...each, ...NONSENSE.fields })),
              ...OP,
            },
          ],
        }
      : undefined,
  ),
  '/hooks/words.ts': (pi: HookPi) =>
    pi.on('message_end', ({ message }: { message: { content: string } }) => {
      if (message.content === 'secret') return null;
      return message.content === 'role'
        ? { role: 'custom', content: '' }
        : { ...message, content: `${message.content}!` };
    }),
};

/** The nonsense that hooks of these tests write into messages. */
const NONSENSE: { fields: object } = { fields: {} };

function said(content: string): { role: string; content: string; timestamp: number } {
  return { role: 'user', content, timestamp: 2 };
}

/** Pi with the parts, and a branch that begins with the prompt. */
function piWith(settings: object, followEngine?: AgentProgram['followEngine']): LivePi {
  const live = livePi();
  const configs = {
    user: () => Promise.resolve({ file: '/hooks/config.json', value: { live: settings } }),
    findPlain: () => Promise.resolve(null),
  };
  const io = { configs, startPlugin: pluginsHere(MODULES) } as unknown as Io;
  const program = {
    run: () => Promise.resolve(1),
    followEngine: followEngine ?? (() => Promise.reject(new Error('none'))),
  };
  installParts(
    live.pi,
    createLive(io, () => Promise.resolve(program)),
    [transforms, pipeline],
  );
  live.ctx.sessionManager.buildSessionProjection = () => ({ messages: messagesOf(live) });
  add(live, SYSTEM);
  return live;
}

function add(live: LivePi, message: PiMessage): void {
  const { branch } = live;
  const place = { id: `m${branch.length}`, parentId: branch.at(-1)?.id ?? null, timestamp: new Date(0).toISOString() };
  branch.push({ type: 'message', ...place, message } as PiEntry);
}

function messagesOf({ branch }: LivePi): readonly PiMessage[] {
  return branch.flatMap((each) => (each as { message?: PiMessage }).message ?? []);
}

/** Asks, and returns the messages of the request; the answer is in the branch after it. */
async function ask(live: LivePi, content: string): Promise<readonly PiMessage[]> {
  const given = said(content);
  const [changed] = (await live.emit('message_end', { message: given })) as { message?: PiMessage }[];
  add(live, changed?.message ?? given);
  const sent = await live.send(messagesOf(live));
  add(live, {
    role: 'assistant',
    content: [{ type: 'text', text: 'Yes.' }],
    stopReason: 'stop',
    timestamp: 3,
  } as PiMessage);
  return sent;
}

function ofType(live: LivePi, customType: string): readonly { data: Record<string, unknown> }[] {
  return live.branch.filter((entry) => (entry as { customType?: string }).customType === customType) as never;
}

const texts = (messages: readonly PiMessage[]): readonly unknown[] =>
  messages.filter(({ role }) => role === 'user').map((message) => (message as { content?: unknown }).content);

describe('hooks in a running agent', () => {
  it('write a change that lasts once, and it is sent from then on', async () => {
    const live = piWith({ hooks: ['tools.ts'] });
    for (const text of ['one', 'two', 'three']) {
      const [system] = await ask(live, text);
      expect(system).toMatchObject({ toolsAdded: [{ name: 'read' }] });
    }
    expect(ofType(live, 'context_transform')).toMatchObject([
      { data: { transformerName: 'read only', writtenBy: { hook: 'tools.ts' } } },
    ]);
    expect(live.notices).toEqual([]);
  });

  it('name a transform after the file of the module, without its folders', async () => {
    const live = piWith({ hooks: ['policy.ts'] });
    await ask(live, 'one');
    const [{ entries = [] } = {}] = (await live.emit('turn_end', {
      entries: [],
      context: { pendingMessages: [] },
    })) as {
      entries?: { data: object }[];
    }[];
    expect(entries.at(-1)?.data).toMatchObject({ transformerName: 'policy.ts', writtenBy: { hook: 'policy.ts' } });
  });

  it('log the messages of one request, and send them last', async () => {
    const live = piWith({ hooks: ['reminder.ts'] });
    expect(texts(await ask(live, 'one'))).toEqual(['one', 'Be brief.']);
    expect(texts(await ask(live, 'two'))).toEqual(['one', 'two', 'Be brief.']);
    expect(ofType(live, 'ephemeral')).toMatchObject([{ data: { messages: [{ content: 'Be brief.' }] } }, {}]);
    expect(ofType(live, 'context_transform')).toEqual([]);
  });

  it('add the transforms of the end of a turn to the entries of others', async () => {
    const live = piWith({ hooks: ['policy.ts'] });
    await ask(live, 'one');
    const other = { type: 'custom', customType: 'other' };
    const [result] = await live.emit('turn_end', { entries: [other] });
    expect(result).toMatchObject({
      entries: [other, { customType: 'context_transform', data: { patch: [{ partName: 'policy' }] } }],
    });
  });

  it('change complete messages, and leave one out of requests that Pi keeps', async () => {
    const live = piWith({ hooks: ['words.ts'] });
    expect(texts(await ask(live, 'one'))).toEqual(['one!']);
    expect(texts(await ask(live, 'secret'))).toEqual(['one!']);
    expect(live.isAborted).toBe(true);
    expect(live.notices).toEqual([expect.stringContaining('has left out the message that it would answer')]);
    expect(texts(await ask(live, 'two'))).toEqual(['one!', 'two!']);
  });

  it('stop a request that has no other message, and leave the message out of all later ones', async () => {
    const live = piWith({ hooks: ['words.ts'] });
    expect(texts(await ask(live, 'secret'))).toEqual([]);
    expect(live.isAborted).toBe(true);
    for (const text of ['two', 'three']) expect(texts(await ask(live, text))).not.toContain('secret');
    expect(live.notices).toHaveLength(1);
  });

  it('leave a message out after a crash between the message and its request, also without the hook', async () => {
    const killed = piWith({ hooks: ['words.ts'] });
    await ask(killed, 'one');
    await killed.emit('message_end', { message: said('secret') });
    add(killed, said('secret'));
    for (const hooks of [['words.ts'], []]) {
      const live = piWith({ hooks });
      live.branch = [...killed.branch];
      expect(texts(await ask(live, 'two'))).toEqual(hooks.length > 0 ? ['one!', 'two!'] : ['one!', 'two']);
    }
  });

  it('make Pi omit a message that they left out at the end of the turn', async () => {
    const live = piWith({ hooks: ['words.ts'] });
    await ask(live, 'one');
    await ask(live, 'secret');
    const { id } = live.branch.find(
      (entry) => (entry as { message?: { content?: unknown } }).message?.content === 'secret',
    )!;
    const [result] = await live.emit('turn_end', { entries: [], context: { pendingMessages: [] } });
    expect(result).toEqual({ entries: [{ type: 'context_edit', targetId: id, replacement: null }] });
  });

  it('stop requests that cannot be replayed without a message that they left out', async () => {
    const live = piWith({ hooks: ['words.ts'] });
    await ask(live, 'one');
    live.pi.appendEntry('context_transform', { schemaVersion: 1, patch: [{ op: 'none' }] });
    await ask(live, 'secret');
    expect(live.isAborted).toBe(true);
    expect(live.notices).toContainEqual(expect.stringContaining('a message that a hook has left out would be sent'));
  });

  it.each([
    [
      'the output of a command',
      { type: 'message', message: { role: 'bashExecution', command: 'cat .env', output: 'KEY=hunter3' } },
    ],
    ['the summary of a branch', { type: 'branch_summary', fromId: 'm1', summary: 'It said hunter3.' }],
    [
      'the summary of a compaction',
      {
        type: 'compaction',
        summary: 'It said hunter3.',
        firstKeptEntryId: null,
        tokensBefore: 9,
        systemMessage: SYSTEM,
      },
    ],
    ['a message of an extension', { type: 'custom_message', customType: 'x', content: 'hunter3', display: true }],
  ])('see %s, which Pi writes without an event', async (_, entry) => {
    for (const [hook, isThere] of [
      ['redact.ts', true],
      ['silence.ts', false],
    ] as const) {
      const live = piWith({ hooks: [hook] });
      await ask(live, 'one');
      const place = { id: 'x1', parentId: live.branch.at(-1)!.id, timestamp: new Date(0).toISOString() };
      live.branch.push({ ...entry, ...place });
      for (const text of ['two', 'three']) {
        const sent = JSON.stringify(await ask(live, text));
        expect(sent).not.toContain('hunter3');
        expect(sent.includes('[gone]')).toBe(isThere);
      }
      expect(ofType(live, 'context_transform')).toHaveLength(1);
      expect(live.notices).toEqual([]);
    }
  });

  it.each([
    ['no content', { content: null }, 'content'],
    ['blocks that are none', { content: [3, null] }, 'content block'],
    ['a block without its text', { content: [{ type: 'text' }] }, 'text of the text block'],
    ['an unknown block', { content: [{ type: 'video' }] }, 'video'],
  ])('are ignored with one notice if they give a message %s', async (_, fields, word) => {
    NONSENSE.fields = fields;
    for (const hook of ['nonsense-message.ts', 'nonsense-op.ts']) {
      const live = piWith({ hooks: [hook] });
      expect(texts(await ask(live, 'one'))).toEqual(['one']);
      expect(texts(await ask(live, 'two'))).toEqual(['one', 'two']);
      expect(live.notices).toEqual([expect.stringContaining(word)]);
      expect(ofType(live, 'context_transform')).toEqual([]);
    }
  });

  it('keep the usage of an answer, and the call of a result', async () => {
    NONSENSE.fields = { usage: undefined, toolCallId: 'other' };
    const answer = {
      role: 'assistant',
      content: [],
      provider: 'p',
      model: 'm',
      usage: { cost: {} },
      stopReason: 'stop',
    };
    const result = { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [] };
    for (const message of [answer, result]) {
      const live = piWith({ hooks: ['nonsense-message.ts'] });
      expect(await live.emit('message_end', { message })).toEqual([]);
      expect(live.notices).toEqual([expect.stringMatching(/usage|toolCallId/)]);
    }
  });

  it('keep the role of a message', async () => {
    const live = piWith({ hooks: ['words.ts'] });
    expect(texts(await ask(live, 'role'))).toEqual(['role']);
    expect(live.notices).toEqual([expect.stringContaining('words.ts: a user message stays one in Pi')]);
  });

  it('are named in the session, before the first message that they see', async () => {
    const live = piWith({ hooks: ['words.ts', 'tools.ts'] });
    await ask(live, 'one');
    await ask(live, 'two');
    expect(ofType(live, 'ctx.live')).toMatchObject([{ data: { hooks: ['words.ts', 'tools.ts'], engine: null } }]);
    expect(live.branch[1]).toMatchObject({ customType: 'ctx.live' });
  });

  it('leave the request as Pi has it if one throws, with one notice', async () => {
    const live = piWith({ hooks: ['throws.ts', 'reminder.ts'] });
    expect(texts(await ask(live, 'one'))).toEqual(['one']);
    expect(texts(await ask(live, 'two'))).toEqual(['one', 'two']);
    expect(live.notices).toEqual([expect.stringMatching(/^warning: ctx: hook throws.ts: no /)]);
  });

  it('name an event that Pi does not have, and a later failure too', async () => {
    const live = piWith({ hooks: ['mistyped.ts'] });
    await ask(live, 'one');
    expect(live.notices).toEqual([
      'warning: ctx: hook mistyped.ts: Pi has no event "contxt"; did you mean "context"?; ' +
        'tool_call not run; load the module as an extension of Pi',
      expect.stringMatching(/^warning: ctx: hook mistyped.ts: no /),
    ]);
  });

  it('go on without a module that cannot be loaded', async () => {
    const live = piWith({ hooks: ['missing.ts', 'words.ts'] });
    expect(texts(await ask(live, 'one'))).toEqual(['one!']);
    expect(ofType(live, 'ctx.live')).toMatchObject([{ data: { hooks: ['words.ts'] } }]);
    expect(live.notices).toEqual([expect.stringMatching(/hook missing.ts: .*cannot be loaded.*; it is off until/)]);
  });

  it.each([
    ['a hook that has failed', ['throws.ts', 'reminder.ts'], true],
    ['a module that cannot be loaded', ['missing.ts'], true],
    ['hooks that work', ['reminder.ts'], false],
  ])('stop each request if so configured: %s', async (_, hooks, isStopped) => {
    const live = piWith({ hooks, onBrokenHook: 'stop' });
    await ask(live, 'one');
    await ask(live, 'two');
    expect(live.isAborted).toBe(isStopped);
    expect(live.notices.filter((notice) => notice.includes('the request was stopped'))).toHaveLength(isStopped ? 2 : 0);
  });

  it('name a context handler of stock Pi, which does not run here', async () => {
    const live = piWith({ hooks: ['stock.ts'] });
    await ask(live, 'one');
    expect(texts(await ask(live, 'two'))).toEqual(['one', 'two']);
    expect(live.notices).toEqual([
      'warning: ctx: hook stock.ts: context not run; load the module as an extension of Pi',
    ]);
  });

  it('are off with a notice where transforms are off', async () => {
    const live = piWith({ hooks: ['tools.ts'], transforms: 'off' });
    const [system] = await ask(live, 'one');
    expect(system).toEqual(SYSTEM);
    expect(live.notices).toEqual([expect.stringContaining('hooks and engines are off')]);
  });

  it('write nothing to a session without them', async () => {
    const live = piWith({});
    await ask(live, 'one');
    expect(live.branch).toHaveLength(3);
  });
});

/** A program whose engine is one of these, and counts how often it is created. */
function programWith(create: Parameters<typeof EngineDriver.start>[1], counted = { created: 0, closed: 0 }) {
  const followEngine: AgentProgram['followEngine'] = async (_io, { session, path }): Promise<FollowedEngine> => {
    counted.created += 1;
    const followed = await EngineDriver.start(session, create, { ...SETTINGS, tokenBudget: 40_000, path });
    return {
      name: followed.name,
      next: (onPast) => followed.next(onPast),
      close: () => {
        counted.closed += 1;
        return followed.close();
      },
    };
  };
  return { followEngine, counted };
}

const newestOnly = () =>
  engine({ assemble: ({ messages }) => Promise.resolve({ messages: messages.slice(-1), estimatedTokens: 10 }) });

describe('an engine in a running agent', () => {
  it('replaces the messages, as a transform that it does not see again', async () => {
    const { followEngine, counted } = programWith(newestOnly);
    const live = piWith({ engine: 'test' }, followEngine);
    expect(texts(await ask(live, 'one'))).toEqual(['one']);
    expect(texts(await ask(live, 'two'))).toEqual(['two']);
    expect(ofType(live, 'context_transform')).toMatchObject([{ data: { writtenBy: { engine: 'test' } } }]);
    expect(ofType(live, 'ctx.live')).toMatchObject([{ data: { engine: 'test' } }]);
    expect(counted).toEqual({ created: 1, closed: 0 });
    expect(live.notices).toEqual([]);
  });

  it('is created again where the branch is another one, and closed at the end', async () => {
    const { followEngine, counted } = programWith(newestOnly);
    const live = piWith({ engine: 'test' }, followEngine);
    await ask(live, 'one');
    live.branch = live.branch.slice(0, 1);
    expect(texts(await ask(live, 'other'))).toEqual(['other']);
    expect(counted).toEqual({ created: 2, closed: 1 });
    await live.emit('session_shutdown');
    expect(counted.closed).toBe(2);
  });

  it('does not freeze or change what Pi holds', async () => {
    const { followEngine } = programWith((setup) => engines.find(({ name }) => name === 'turn-prune')!.create(setup));
    const live = piWith({ engine: 'turn-prune' }, followEngine);
    await ask(live, 'one');
    await ask(live, 'two');
    expect(
      live.branch.some(
        (entry) => Object.isFrozen(entry) || Object.isFrozen((entry as { message?: object }).message ?? {}),
      ),
    ).toBe(false);
  });

  it('owns the messages: hooks change the rest of the context', async () => {
    const { followEngine } = programWith(newestOnly);
    const live = piWith({ engine: 'test', hooks: ['first.ts'] }, followEngine);
    await ask(live, 'one');
    expect(texts(await ask(live, 'two'))).toEqual(['two']);
    expect(texts(await ask(live, 'three'))).toEqual(['three']);
  });

  it('cancels a compaction of Pi, with a notice if the user asked for it', async () => {
    const { followEngine } = programWith(newestOnly);
    const live = piWith({ engine: 'test' }, followEngine);
    expect(await live.emit('session_before_compact', { reason: 'threshold' })).toEqual([]);
    await ask(live, 'one');
    expect(await live.emit('session_before_compact', { reason: 'threshold' })).toEqual([{ cancel: true }]);
    expect(live.notices).toEqual([]);
    await live.emit('session_before_compact', { reason: 'manual' });
    expect(live.notices).toEqual([expect.stringContaining('the engine test decides when to compact')]);
  });

  it('is off with one notice if a provider would reject its request, and nothing of it is written', async () => {
    const { followEngine } = programWith(() =>
      engine({ assemble: ({ messages }) => Promise.resolve({ messages: messages.slice(0, 0), estimatedTokens: 0 }) }),
    );
    const live = piWith({ engine: 'test' }, followEngine);
    expect(texts(await ask(live, 'one'))).toEqual(['one']);
    expect(live.notices).toEqual([
      expect.stringMatching(/^warning: ctx: engine test: a provider would reject its request: .*; it is off until/),
    ]);
    expect(ofType(live, 'context_transform')).toEqual([]);
  });

  it('stops asking for past requests where Pi ends, without a notice', async () => {
    let assembled = 0;
    const { followEngine } = programWith(() =>
      engine({
        assemble: async ({ messages }) => {
          assembled += 1;
          if (assembled === 2) await live.emit('session_shutdown');
          return { messages, estimatedTokens: 10 };
        },
      }),
    );
    const live = piWith({ engine: 'test' }, followEngine);
    for (const content of ['one', 'two', 'three']) {
      add(live, said(content));
      add(live, { role: 'assistant', content: [], stopReason: 'stop', timestamp: 3 } as PiMessage);
    }
    await ask(live, 'four');
    expect(assembled).toBe(2);
    expect(live.notices).toEqual([]);
  });

  it('is off with one notice after past requests took too long', async () => {
    const { followEngine } = programWith(() => engine());
    const live = piWith({ engine: 'test', timeLimit: 0.000_001 }, followEngine);
    add(live, said('one'));
    add(live, { role: 'assistant', content: [], stopReason: 'stop', timestamp: 3 } as PiMessage);
    expect(texts(await ask(live, 'two'))).toEqual(['one', 'two']);
    expect(live.notices).toEqual([expect.stringContaining('the past requests took longer than')]);
  });

  it('reports that a compacted history comes back', async () => {
    const { followEngine } = programWith(() => engine());
    const live = piWith({ engine: 'test' }, followEngine);
    add(live, said('long '.repeat(4000)));
    add(live, { role: 'assistant', content: [], stopReason: 'stop', timestamp: 3 } as PiMessage);
    const { id: parentId } = live.branch.at(-1)!;
    const compaction = { type: 'compaction', id: 'k1', parentId, timestamp: new Date(0).toISOString() };
    live.branch.push({ ...compaction, summary: 'Short.', firstKeptEntryId: 'k1', tokensBefore: 5000 } as PiEntry);
    await ask(live, 'two');
    expect(live.notices).toEqual([
      expect.stringMatching(/engine test does not see the session's compactions.*: ~\d+ → ~[\d,]+ tokens/),
    ]);
  });

  it('is off with one notice after it failed', async () => {
    const { followEngine, counted } = programWith(() => engine({ assemble: () => Promise.reject(new Error('no')) }));
    const live = piWith({ engine: 'test' }, followEngine);
    expect(texts(await ask(live, 'one'))).toEqual(['one']);
    expect(texts(await ask(live, 'two'))).toEqual(['one', 'two']);
    expect(live.notices).toEqual(['warning: ctx: engine test: no; it is off until /reload']);
    expect(counted).toEqual({ created: 1, closed: 1 });
    expect(await live.emit('session_before_compact', { reason: 'threshold' })).toEqual([]);
  });
});
