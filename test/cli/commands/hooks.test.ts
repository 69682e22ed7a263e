import { beforeEach, describe, expect, it } from 'vitest';
import { schemas } from '#cli/schemas.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import type { AgentMessage, ContextEvent, HookAPI, HookMessage } from '#lab/hooks/api.js';
import type { HookRequestLine, HookSummary } from '#lab/hooks/document.js';
import { twoTurns, waiting } from '../../support/hook-session.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

type Json = Readonly<Record<string, unknown>>;
/** What a module exports. Hooks of these tests also return what no types allow. */
type Hook = (pi: HookAPI) => unknown;

const why = 'a test';
const user = (content: string): HookMessage => ({ role: 'user', content, timestamp: 0 });
const append = (...texts: readonly string[]): Json => ({
  op: 'messages_uncached_append',
  scope: 'uncached',
  messages: texts.map(user),
});
const setPart = (partName: string, text: string): Json => ({
  op: 'system_part_set',
  scope: 'cached',
  partName,
  text,
  invalidateCacheReason: why,
});

/** A hook that answers one reason. */
const onReason =
  (reason: string, answer: (event: ContextEvent) => unknown): Hook =>
  (pi) =>
    pi.on('context', (event) => (event.reason === reason ? (answer(event) as undefined) : undefined));

const mark = ({ state }: ContextEvent): object => ({
  transformerName: 'marker',
  patch: [
    {
      op: 'messages_cached_replace',
      scope: 'cached',
      messages: [...state.envelope.messages.cached, user('[marker]')],
      invalidateCacheReason: 'add marker',
    },
  ],
});
const marker = onReason('before_request', mark);
const policy = onReason('turn_end', () => ({ transformerName: 'policy', patch: [setPart('policy', 'Be careful.')] }));
const reminder = onReason('ephemeral', () => ({ patch: [append('[request-only]')] }));

let modules: Record<string, Hook> = {};
beforeEach(() => void (modules = { 'marker.ts': marker, 'policy.ts': policy, 'reminder.ts': reminder }));

interface Ended extends Ran {
  readonly requests: readonly HookRequestLine[];
  readonly summary: HookSummary;
}

/** Runs hooks in this process, and reads what is printed as JSON. */
async function hooks(names: string, flags: readonly string[] = [], world: World = {}): Promise<Ended> {
  const chosen = names.split(' ').flatMap((name) => ['--hook', `${name}.ts`]);
  const ran = await plain([...chosen, ...flags, '--json'], world);
  const lines = ran.stdout
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
  const requests = lines.filter(({ schema }) => schema === 'ctx/hook-request') as unknown as HookRequestLine[];
  for (const request of requests) expect(schemas['hook-request'].safeParse(request)).toMatchObject({ success: true });
  const summary = (lines.find(({ schema }) => schema === 'ctx/hook-summary') ?? {}) as HookSummary;
  if (requests.length > 0) expect(schemas['hook-summary'].safeParse(summary)).toMatchObject({ success: true });
  return { ...ran, requests, summary };
}

function plain(flags: readonly string[], world: World = {}): Promise<Ran> {
  return ctx(['hooks', 's.jsonl', ...flags], {
    files: { 's.jsonl': waiting },
    startPlugin: pluginsHere(modules),
    ...world,
  });
}

function textOf({ content }: AgentMessage): string {
  const [block] = content as readonly { readonly text?: string }[];
  return block?.text ?? '';
}

const reasonsOf = ({ boundaries }: HookRequestLine): readonly string[] => boundaries.map(({ reason }) => reason);

describe('the pipeline', () => {
  it('runs in the order of the seed: replay, before_request, preflight, ephemeral, call, message, turn_end, evaluation', async () => {
    const order: string[] = [];
    modules['log.ts'] = (pi) => {
      pi.on('context', ({ reason }) => void order.push(reason));
      pi.on('message_end', ({ message }) => void order.push(`message ${message.role}`));
    };
    const { requests } = await hooks('log', ['--at', 'u1', '--trace', '--limit', '200k']);
    expect(order).toEqual(['before_request', 'ephemeral', 'message assistant', 'message toolResult', 'turn_end']);
    expect(requests[0]!.trace!.map(({ step }) => step)).toEqual([
      'replay',
      'before_request',
      'compaction preflight',
      'ephemeral',
      'provider call',
      'message',
      'turn_end',
      'compaction evaluation',
    ]);
    expect(requests[0]!.trace!.map(({ what }) => what)).toEqual([
      '1 message, ~5 tokens of them',
      'no change',
      'not needed: 5 of 183616 tokens recorded',
      'no change',
      'not made; recorded: a1 (toolUse)',
      '2 messages, none changed',
      'no change',
      expect.stringMatching(/^not needed: \d+ of 183616 tokens recorded$/),
    ]);
  });

  it('is run for every request of the path, and each message is complete once, also the one that waits', async () => {
    const seen: string[] = [];
    modules['log.ts'] = (pi) => {
      pi.on('context', ({ reason, state }) => void seen.push(`${reason} ${state.envelope.messages.cached.length}`));
      pi.on('message', ({ type, message }) => void seen.push(`${type} ${textOf(message)}`));
    };
    const { requests, summary } = await hooks('log', ['--each-request']);
    expect(seen.join('\n')).toMatchInlineSnapshot(`
      "message What is in a.txt?
      before_request 1
      ephemeral 1
      message I look.
      message a secret
      turn_end 3
      before_request 3
      ephemeral 3
      message A secret.
      turn_end 4
      message Tell nobody.
      before_request 5
      ephemeral 5
      message I will not.
      turn_end 6
      message And now?
      before_request 7
      ephemeral 7"
    `);
    expect(requests.map(({ number, entryId, answerId }) => [number, entryId, answerId])).toEqual([
      [1, 'u1', 'a1'],
      [2, 'r1', 'a2'],
      [3, 'u2', 'a3'],
      [4, 'u3', null],
    ]);
    expect(summary).toMatchObject({
      requests: 4,
      failed: 0,
      messages: { seen: 7, replaced: 0, dropped: 0 },
      growth: 'none',
    });
  });

  it('stops where no answer is recorded, and says so', async () => {
    const { requests, summary } = await hooks('policy');
    expect(reasonsOf(requests[0]!)).toEqual(['before_request', 'ephemeral']);
    expect(summary.notes).toEqual([
      'request 4 has no answer yet: turn_end is not run, and message only for its prompts',
    ]);
    const alone = await hooks('policy', ['--reason', 'turn_end']);
    expect(alone.requests[0]!.boundaries).toMatchObject([
      { reason: 'turn_end', entryId: 'u3', transforms: [{ transformerName: 'policy' }] },
    ]);
  });
});

describe('what a hook is told', () => {
  it('is a copy of the envelope at the request, with what is not sent beside it', async () => {
    const events: ContextEvent[] = [];
    modules['log.ts'] = onReason('before_request', (given) => void events.push(given));
    const baseline = {
      parts: [{ name: 'base', text: 'You help.' }],
      tools: [{ name: 'read' }],
      options: { temperature: 0 },
    };
    const files = { 's.jsonl': waiting, 'base.json': JSON.stringify(baseline) };
    await hooks('log', ['--at', 'r1', '--baseline', 'base.json', '--limit', '200k'], { files });
    const shown = envelopeAt(await openSession(Buffer.from(waiting)), 'r1', { baseline });
    const { system, tools, messages, options, meta } = events[0]!.state.envelope;
    expect({ system, tools, messages, options }).toEqual({
      system: shown.system,
      tools: shown.tools,
      messages: shown.messages,
      options: shown.options,
    });
    expect(meta).toEqual({
      model: { provider: 'faux', modelId: 'faux-1' },
      limit: 200_000,
      turnIndex: 1,
      requestIndex: 1,
      signal: expect.any(AbortSignal),
    });
    expect(events[0]).toMatchObject({ type: 'context', reason: 'before_request' });
  });

  it('is what earlier hooks have made of it', async () => {
    const seen: unknown[] = [];
    modules['second.ts'] = onReason(
      'before_request',
      ({ state }) => void seen.push(state.envelope.messages.cached.at(-1)),
    );
    modules['third.ts'] = onReason('ephemeral', ({ state }) => void seen.push(state.envelope.messages.cached.length));
    const { requests } = await hooks('marker second third', ['--at', 'u1']);
    // In between, the hooks are asked about their own result.
    expect([seen[0], seen.at(-1)]).toEqual([user('[marker]'), 2]);
    expect(requests[0]!.boundaries[0]!.transforms).toHaveLength(1);
  });

  it('is without what a request alone has had, at the next one', async () => {
    const uncached: number[] = [];
    modules['log.ts'] = onReason(
      'ephemeral',
      ({ state }) => void uncached.push(state.envelope.messages.uncached.length),
    );
    await hooks('log reminder log', ['--each-request']);
    expect(uncached).toEqual([0, 1, 0, 1, 0, 1, 0, 1]);
  });

  it('has what was persisted before, also behind a compaction of the session', async () => {
    const parts: string[] = [];
    modules['log.ts'] = onReason('before_request', ({ state }) => void parts.push(state.envelope.system.compiled));
    await hooks('log policy', ['--each-request']);
    expect(parts).toEqual(['', 'Be careful.', 'Be careful.', 'Be careful.']);
  });

  it('that it changes changes nothing, and the report says so', async () => {
    modules['careless.ts'] = onReason('before_request', ({ state }) => void state.envelope.messages.cached.pop());
    const { requests, summary } = await hooks('careless', ['--at', 'u1']);
    expect(requests[0]).toMatchObject({ replayed: { messages: 1 }, cache: { newTokens: 0 } });
    expect(summary.notes).toEqual(['careless.ts changed what it was given, a copy: only what it returns counts']);
  });
});

describe('a context hook that fails', () => {
  const failing = onReason('before_request', () => {
    throw new Error('no luck');
  });

  it('keeps the request from being sent: nothing of it is applied, and nothing further is asked', async () => {
    let isAsked = false;
    modules['failing.ts'] = failing;
    modules['log.ts'] = onReason('ephemeral', () => void (isAsked = true));
    const { exitCode, requests, summary } = await hooks('marker failing log', ['--at', 'u1', '--trace']);
    expect(exitCode).toBe(1);
    expect(requests[0]).toMatchObject({
      cache: null,
      boundaries: [
        {
          reason: 'before_request',
          change: null,
          bytes: 0,
          failures: [{ hook: 'failing.ts', kind: 'threw', message: expect.stringMatching(/^no luck \(.+:\d+\)$/) }],
        },
      ],
    });
    expect(requests[0]!.boundaries).toHaveLength(1);
    expect(requests[0]!.trace!.slice(5).map(({ what }) => what)).toEqual(Array(3).fill('skipped: a hook failed'));
    expect(requests[0]!.trace![1]!.what).toContain('failing.ts failed: no luck (');
    expect(requests[0]!.trace![4]!.what).toBe('not made: a hook failed');
    expect(isAsked).toBe(false);
    expect(summary).toMatchObject({ failed: 1, transforms: 0, persistedBytes: 0 });
  });

  it('writes nothing, even if others would have', async () => {
    modules['failing.ts'] = failing;
    const { exitCode, files, stdout } = await hooks('reminder failing', ['--write', '--yes']);
    expect(exitCode).toBe(1);
    expect(files['s.jsonl']).toBe(waiting);
    expect(stdout).not.toContain('ctx/written');
  });

  it.each([
    ['scope', onReason('before_request', () => ({ patch: [append('x')] })), 0],
    ['reason', onReason('ephemeral', () => ({ patch: [{ ...setPart('a', 'b'), invalidateCacheReason: ' ' }] })), 0],
    ['unknown-op', onReason('before_request', () => ({ patch: [{ op: 'dance' }] })), 0],
    ['serialisable', onReason('before_request', () => ({ patch: [{ ...setPart('a', 'b'), later: () => {} }] })), null],
    ['result', onReason('before_request', () => 'rubbish'), null],
  ])('because it breaks rule %s is fatal too', async (rule, hook, op) => {
    modules['broken.ts'] = hook;
    const { exitCode, requests, files } = await hooks('broken', ['--write', '--yes']);
    expect(exitCode).toBe(1);
    expect(requests[0]!.cache).toBeNull();
    expect(requests[0]!.boundaries.at(-1)!.violations).toMatchObject([{ hook: 'broken.ts', rule, op }]);
    expect(files['s.jsonl']).toBe(waiting);
  });

  it('at the end of a turn keeps nothing from being sent: the request was answered before', async () => {
    modules['late.ts'] = onReason('turn_end', () => ({ patch: [append('x')] }));
    const { exitCode, requests, summary } = await hooks('late', ['--at', 'u1', '--trace']);
    expect(exitCode).toBe(1);
    expect(requests[0]!.cache).not.toBeNull();
    expect(requests[0]!.trace![4]!.what).toMatch(/^not made; recorded: a1/);
    expect(summary).toMatchObject({ failed: 0, failedAfter: 1 });
    const { stdout } = await plain(['--hook', 'late.ts', '--at', 'u1']);
    expect(stdout).toContain('nothing of it is applied; the request was answered before');
    expect(stdout).not.toContain('not sent');
    expect(stdout).toContain('1 request, 1 answered before a turn_end hook failed\n');
  });

  it('is told of in words', async () => {
    modules['failing.ts'] = failing;
    modules['broken.ts'] = onReason('before_request', () => ({ patch: [append('x')] }));
    const { stdout } = await plain(['--hook', 'failing.ts', '--at', 'u1']);
    expect(stdout).toMatch(/failing\.ts failed\n  no luck \(hooks\.test\.ts:\d+\)\n/);
    expect(stdout).toContain('1 request, 1 kept from being sent by a hook');
    const broken = await plain(['--hook', 'broken.ts', '--at', 'u1']);
    expect(broken.stdout).toContain('broken.ts breaks rule scope (op 0)');
  });

  it('shows where it failed only to those who look for a mistake', async () => {
    modules['failing.ts'] = failing;
    const [usual, debugged] = [await hooks('failing'), await hooks('failing', [], { env: { CTX_DEBUG: '1' } })];
    expect(usual.stderr).toBe('');
    expect(debugged.stderr).toMatch(/^failing\.ts: Error: no luck ⏎ at /);
  });

  it('does not keep later requests from being looked at', async () => {
    modules['once.ts'] = onReason('before_request', ({ state }) => {
      if (state.envelope.messages.cached.length === 1) throw new Error('too early');
      return undefined;
    });
    const { summary, exitCode } = await hooks('once', ['--each-request']);
    expect(summary).toMatchObject({ requests: 4, failed: 1 });
    expect(exitCode).toBe(1);
  });
});

describe('a request that no provider takes', () => {
  const without = (role: string): Hook =>
    onReason('ephemeral', ({ state }) => {
      const messages = state.envelope.messages.cached.filter((message) => message.role !== role);
      return { patch: [{ op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: why }] };
    });

  it('is reported where a hook parts a result from its call', async () => {
    modules['orphan.ts'] = without('assistant');
    const { exitCode, requests, summary } = await hooks('orphan', ['--each-request']);
    const parted = 'the tool call "c1" is separated from its result';
    expect(requests.map(({ refusals }) => refusals)).toEqual([[], [parted], [parted], [parted]]);
    expect([exitCode, summary.refused, summary.failed]).toEqual([1, 3, 0]);
    const { stdout } = await plain(['--hook', 'orphan.ts']);
    expect(stdout).toContain(`rejects the request\n  ${parted}\n`);
    expect(stdout).toContain('1 request, 1 that a provider would reject\n');
  });

  it('is reported where a hook leaves nothing, and where its patch stays at the end of a turn', async () => {
    modules['empty.ts'] = onReason('ephemeral', () => ({ messages: [] }));
    expect((await hooks('empty', ['--at', 'u1'])).requests[0]!.refusals).toEqual(['the request has no messages']);
    modules['late.ts'] = (pi) =>
      pi.on('context', ({ reason, messages }) => {
        if (reason !== 'turn_end') return;
        const rest = messages.filter(({ role }) => role !== 'toolResult');
        return {
          patch: [{ op: 'messages_cached_replace', scope: 'cached', messages: rest, invalidateCacheReason: why }],
        };
      });
    const { requests } = await hooks('late', ['--reason', 'turn_end', '--at', 'a2']);
    expect(requests[0]!.refusals).toHaveLength(1);
  });
});

const inText = (text: string): readonly object[] => [{ type: 'text', text }];

describe('a message hook', () => {
  const onMessage =
    (answer: (message: AgentMessage) => unknown, event: 'message' | 'message_end' = 'message_end'): Hook =>
    (pi) =>
      pi.on(event, ({ message }) => answer(message) as undefined);
  const messagesAt = async (hook: Hook, at: string, more: readonly string[] = []): Promise<Ended> => {
    modules['message.ts'] = hook;
    return hooks('message', ['--reason', 'message', '--at', at, ...more]);
  };

  it.each(['message', 'message_end'] as const)('may replace a message when it is complete, as %s', async (event) => {
    const hook = onMessage((message) => ({ message: { ...message, content: inText('redacted') } }), event);
    const { requests, exitCode } = await messagesAt(hook, 'r1');
    expect(requests[0]!.messages).toMatchObject([
      {
        entryId: 'r1',
        role: 'toolResult',
        kind: 'replaced',
        by: ['message.ts'],
        after: { role: 'toolResult', content: inText('redacted'), toolCallId: 'c1' },
      },
    ]);
    expect(exitCode).toBe(0);
  });

  it('is run on the newest message above where the entry itself holds none', async () => {
    const { requests } = await messagesAt(
      onMessage(() => undefined),
      'HEAD',
    );
    expect(requests[0]!.messages).toMatchObject([{ entryId: 'u3', kind: 'none' }]);
  });

  it('sees what the one before made of it, and the context below has the result', async () => {
    modules['first.ts'] = onMessage((message) => ({ ...message, content: inText(`${textOf(message)}!`) }));
    modules['second.ts'] = onMessage((message) => ({
      message: { ...message, content: inText(`${textOf(message)}?`) },
    }));
    let last: unknown = null;
    modules['log.ts'] = onReason(
      'before_request',
      ({ state }) => void (last = state.envelope.messages.cached[2]?.content),
    );
    const { requests } = await hooks('first second log', ['--each-request']);
    expect(requests[0]!.messages[0]).toMatchObject({
      by: ['first.ts', 'second.ts'],
      after: { content: inText('What is in a.txt?!?') },
    });
    expect(last).toEqual(inText('a secret!?'));
  });

  it('that fails is reported, and the message goes on as it was', async () => {
    const hook = onMessage(() => {
      throw new Error('no luck');
    });
    const { requests, exitCode, summary } = await messagesAt(hook, 'a1');
    expect(requests[0]!.messages).toMatchObject([
      { kind: 'none', failures: [{ kind: 'threw', message: expect.stringContaining('no luck') }] },
    ]);
    expect(summary).toMatchObject({ failed: 0, messages: { seen: 1, replaced: 0 } });
    expect(exitCode).toBe(1);
  });

  it('that fails does not keep the next one from being asked', async () => {
    modules['failing.ts'] = onMessage(() => {
      throw new Error('no luck');
    });
    modules['good.ts'] = onMessage((message) => ({ ...message, content: 'good' }));
    const { requests } = await hooks('failing good', ['--reason', 'message', '--at', 'u1']);
    expect(requests[0]!.messages).toMatchObject([
      { kind: 'replaced', by: ['good.ts'], failures: [{ hook: 'failing.ts' }] },
    ]);
  });

  it.each([
    ['a1', 'role', { role: 'user', content: 'x' }],
    ['r1', 'role', { role: 'assistant', content: 'x' }],
    ['a1', 'dropped', null],
    ['r1', 'dropped', { message: null }],
    ['u1', 'result', 'rubbish'],
    ['u1', 'result', { message: { content: 'no role' } }],
  ])('may not, at %s, break rule %s: the message goes on as it was', async (at, rule, answer) => {
    const { requests, exitCode } = await messagesAt(
      onMessage(() => answer),
      at,
    );
    expect(requests[0]!.messages).toMatchObject([{ kind: 'none', by: [], violations: [{ rule, hook: 'message.ts' }] }]);
    expect(exitCode).toBe(1);
  });

  it('may leave out what the user said, or make something else of it', async () => {
    const dropping = await messagesAt(
      onMessage((message) => (message['role'] === 'user' ? null : undefined)),
      'HEAD',
      ['--each-request'],
    );
    expect(dropping.summary.messages).toEqual({ seen: 7, replaced: 0, dropped: 3 });
    const other = await messagesAt(
      onMessage(() => ({ role: 'custom', customType: 'x', content: 'y' })),
      'u1',
    );
    expect(other.requests[0]!.messages).toMatchObject([{ kind: 'replaced', after: { role: 'custom' } }]);
  });

  it('that changes its own result again is not idempotent', async () => {
    const steady = await messagesAt(
      onMessage((message) => ({ ...message, content: 'x' })),
      'u1',
    );
    expect(steady.summary.idempotent.message).toBe(true);
    const growing = await messagesAt(
      onMessage((message) => ({ ...message, content: `${JSON.stringify(message['content'])}!` })),
      'u1',
    );
    expect(growing.summary).toMatchObject({
      idempotent: { message: false },
      notes: [expect.stringContaining('message is not idempotent')],
    });
  });
});

describe('the report', () => {
  it('tells what changes, what it costs at the cache, and what it adds to the file', async () => {
    const { requests } = await hooks('marker', ['--at', 'r1']);
    const [boundary] = requests[0]!.boundaries;
    expect(boundary!.change).toMatchObject({
      cached: { kept: 3, added: 1, removed: 0, changed: 0, moved: 0 },
      system: { added: [], changed: [] },
      tokensBefore: 14,
      tokensAfter: 16,
    });
    expect(requests[0]!.cache).toEqual({
      promptTokens: 16,
      prefixTokens: 14,
      newTokens: 2,
      withoutHooks: { promptTokens: 14, prefixTokens: 14, newTokens: 0 },
    });
  });

  it('counts the re-sent tokens of a change at the beginning', async () => {
    modules['first.ts'] = onReason('ephemeral', ({ state }) => ({
      patch: [
        {
          op: 'messages_cached_replace',
          scope: 'cached',
          messages: [user('[first]'), ...state.envelope.messages.cached],
          invalidateCacheReason: why,
        },
      ],
    }));
    const { requests, summary } = await hooks('first', ['--at', 'u2']);
    expect(requests[0]!.cache).toMatchObject({ prefixTokens: 0, newTokens: 22, withoutHooks: { newTokens: 0 } });
    expect(summary.notes).toContainEqual('cached ops for 1 request alone: the file cannot tell of them');
  });

  it('says that a marker for every request is not idempotent, and that the file grows with its square', async () => {
    const { summary, requests } = await hooks('marker', ['--each-request']);
    expect(summary).toMatchObject({ idempotent: { before_request: false }, growth: 'quadratic', transforms: 4 });
    expect(summary.notes).toEqual([
      expect.stringContaining('before_request is not idempotent'),
      expect.stringMatching(/^the file grows quadratically: \d+, then up to [\d,]+ bytes a request$/),
      expect.anything(),
    ]);
    const bytes = requests.map(({ boundaries }) => boundaries[0]!.bytes);
    expect(bytes.every((size, at) => at === 0 || size > bytes[at - 1]!)).toBe(true);
    expect(requests.at(-1)!.replayed.messages).toBe(7 + 3);
    expect(summary.persistedBytes).toBe(bytes.reduce((sum, size) => sum + size, 0));
  });

  it('says that what is set to the same each time is idempotent, and how much the file grows', async () => {
    const { summary } = await hooks('policy', ['--each-request']);
    expect(summary).toMatchObject({
      idempotent: { turn_end: true, before_request: null },
      growth: 'linear',
      transforms: 3,
    });
  });

  it('asks reloaded modules about their own result, as after a restart', async () => {
    modules['once.ts'] = (pi) => {
      let isDone = false;
      pi.on('context', (event) => {
        if (event.reason !== 'before_request' || isDone) return undefined;
        isDone = true;
        return mark(event);
      });
    };
    const { summary } = await hooks('once', ['--each-request']);
    expect(summary).toMatchObject({ idempotent: { before_request: false }, growth: 'once', transforms: 1 });
  });

  it('names what comes to nothing where no agent runs', async () => {
    modules['much.ts'] = (pi) => {
      for (const event of ['session_start', 'tool_call', 'context']) pi.on(event, () => undefined);
      pi.registerCommand('x', {});
      pi.sendMessage('hello');
    };
    const { summary, exitCode } = await hooks('much', ['--at', 'u1']);
    expect(summary.hooks[0]).toMatchObject({
      events: ['session_start', 'tool_call', 'context'],
      notRun: ['tool_call', 'pi.registerCommand', 'pi.sendMessage'],
    });
    expect(summary.notes).toEqual([
      'much.ts: context was called once and changed nothing',
      'much.ts: not run without an agent: tool_call, pi.registerCommand, pi.sendMessage',
    ]);
    expect(exitCode).toBe(0);
  });

  it('names an event that Pi does not have, and what was probably meant', async () => {
    modules['mistyped.ts'] = (pi) => {
      for (const event of ['contxt', 'model_select', 'contxt', 'sleep']) pi.on(event, () => undefined);
    };
    const { summary, exitCode } = await hooks('mistyped', ['--at', 'u1']);
    expect(summary.hooks[0]).toMatchObject({ unknownEvents: ['contxt', 'sleep'], notRun: ['model_select'] });
    expect(summary.notes).toEqual([
      'mistyped.ts: Pi has no event "contxt"; did you mean "context"?',
      'mistyped.ts: Pi has no event "sleep"; its handler never runs',
      'mistyped.ts: not run without an agent: model_select',
    ]);
    expect(exitCode).toBe(0);
  });

  it('names a function that Pi does not have, and what was probably meant', async () => {
    const misspelt = (call: (object: never) => unknown) => (object: unknown) => call(object as never);
    modules['mistyped.ts'] = misspelt((pi: { registerComand(): void }) => pi.registerComand());
    const refused = await plain(['--hook', 'mistyped.ts', '--at', 'u1']);
    expect([refused.exitCode, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('pi.registerComand is not a function; did you mean "registerCommand"?');
    modules['mistyped.ts'] = (pi) => {
      pi.on('turn_end', () => misspelt((own: { getEntrie(): void }) => own.getEntrie())({}));
      pi.on('context', (_, context) => {
        misspelt((of: { sessionManager: { getBranchh(): void } }) => of.sessionManager.getBranchh())(context);
      });
    };
    const { requests, exitCode } = await hooks('mistyped', ['--each-request']);
    expect(exitCode).toBe(1);
    const said = JSON.stringify(requests).replaceAll('\\"', "'");
    expect(said).toContain("getBranchh is not a function; did you mean 'getBranch'?");
    expect(said).toMatch(/own\.getEntrie is not a function(?!;)/);
  });

  it('has no function that Pi does not have, for a module that looks', async () => {
    modules['careful.ts'] = (pi) => {
      const { registerSomething } = pi as { registerSomething?: () => void };
      registerSomething?.();
      pi.on('context', () => undefined);
    };
    const { summary, exitCode } = await hooks('careful', ['--at', 'u1']);
    expect([summary.hooks[0]?.notRun, exitCode]).toEqual([[], 0]);
  });

  it('names the requests that only the hooks make larger than the context window', async () => {
    modules['large.ts'] = onReason('ephemeral', () => ({ patch: [append('x'.repeat(4000))] }));
    const { summary } = await hooks('large', ['--each-request', '--limit', '1000']);
    const note = summary.notes.find((each) => each.startsWith('larger than')) ?? '';
    expect(note).toMatch(
      /^larger than the context window of 1,000 tokens: 4 requests, first request 1, ~1,00\d, without hooks ~\d$/,
    );
    const large = await hooks('large', ['--each-request', '--limit', '3']);
    expect(large.summary.notes.join()).not.toContain('larger than');
    const small = await hooks('large', ['--each-request', '--limit', '5000']);
    expect(small.summary.notes.join()).not.toContain('larger than');
  });

  it('limits the time of loading, too', async () => {
    const limits: number[] = [];
    const startPlugin: World['startPlugin'] = (start) => {
      limits.push(start.timeLimit);
      return pluginsHere(modules)(start);
    };
    await hooks('marker', ['--time-limit', '7'], { startPlugin });
    expect([...new Set(limits)]).toEqual([7000]);
  });

  it.each([
    ['text', () => '**bold** \u001b[31mred'],
    ['an object', () => ({ markdown: '**bold** \u001b[31mred' })],
    ['a component', () => ({ render: () => ['**bold** \u001b[31mred'] })],
  ])('shows what a renderer makes of a transform, as %s, and obeys none of it', async (_, render) => {
    modules['card.ts'] = (pi) => {
      policyWith({ title: 'Policy', rendererId: 'card', rendererProps: { a: 1 } })(pi);
      pi.registerContextTransformRenderer('card', render);
    };
    const { stdout } = await plain(['--hook', 'card.ts', '--reason', 'turn_end']);
    expect(stdout).toContain('**bold** ␛[31mred');
    expect(stdout).not.toContain('\u001b');
  });

  it('gives a renderer the transform, and shows the Markdown of the display where there is none, or it fails', async () => {
    let given: unknown = null;
    modules['card.ts'] = (pi) => {
      policyWith({ title: 'Policy', markdown: '- plain', rendererId: 'card', rendererProps: { a: 1 } })(pi);
      pi.registerContextTransformRenderer('card', (transform: unknown) => {
        given = transform;
        throw new Error('no luck');
      });
    };
    const failed = await plain(['--hook', 'card.ts', '--reason', 'turn_end']);
    expect(failed).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('*The renderer card failed: no luck ('),
    });
    expect(given).toMatchObject({
      transformerName: 'card',
      rendererId: 'card',
      rendererProps: { a: 1 },
      title: 'Policy',
      markdown: '- plain',
    });
    modules['card.ts'] = policyWith({
      title: 'Policy',
      summary: 'a rule',
      markdown: '- plain',
      rendererId: 'of another module',
    });
    const { stdout } = await plain(['--hook', 'card.ts', '--reason', 'turn_end']);
    expect(stdout).toContain('Policy: a rule\n  - plain\n');
  });

  function policyWith(display: Json): Hook {
    return onReason('turn_end', () => ({ transformerName: 'card', display, patch: [setPart('policy', 'x')] }));
  }

  it('shows a compaction of a hook as it will be on replay', async () => {
    const op = {
      op: 'compaction_apply',
      scope: 'cached',
      summary: 'All is well.',
      timestamp: 0,
      firstKeptMessageIndex: 6,
      invalidateCacheReason: why,
    };
    modules['compact.ts'] = onReason('before_request', () => ({ patch: [op] }));
    const firsts: HookMessage[] = [];
    modules['log.ts'] = onReason('ephemeral', ({ state }) => void firsts.push(state.envelope.messages.cached[0]!));
    const { requests } = await hooks('compact log');
    expect(requests[0]!.boundaries[0]!.change!.cached).toMatchObject({ kept: 1, added: 1, removed: 6 });
    expect(textOf(firsts[0]!)).toContain(
      'was compacted into the following summary:\n\n<summary>\nAll is well.\n</summary>',
    );
  });
});

describe('--write', () => {
  it('appends what is persisted, then the log of what is not, as they were measured', async () => {
    const { files, requests, stdout, exitCode } = await hooks('marker reminder', ['--write', '--yes']);
    expect(exitCode).toBe(0);
    const text = Buffer.from(files['s.jsonl'] as Uint8Array).toString();
    expect(text.startsWith(waiting)).toBe(true);
    const added = text.slice(waiting.length);
    const [transform, log] = added
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    expect(transform).toMatchObject({
      type: 'context_transform',
      schemaVersion: 1,
      transformerName: 'marker',
      parentId: 'u3',
    });
    expect(log).toMatchObject({ type: 'ephemeral', parentId: transform!['id'], messages: [user('[request-only]')] });
    const bytes = requests[0]!.boundaries.reduce((sum, { bytes: each }) => sum + each, 0);
    // Ids of Pi have eight characters, and that of the parent here has two.
    expect(added).toHaveLength(bytes - 6);
    expect(stdout).toContain('"schema":"ctx/written"');
    const ids = [transform!['id'], log!['id']] as string[];
    expect(stdout).toContain(`"ignoredByStock":${JSON.stringify(ids)}`);
    expect(stdout).toContain(`stock Pi ignores these entries: ${ids.join(', ')}`);
    const envelope = envelopeAt(await openSession(Buffer.from(text)), 'HEAD', { ephemeral: true });
    expect(envelope.messages.cached.at(-1)).toEqual(user('[marker]'));
    expect(envelope.messages.uncached).toEqual([user('[request-only]')]);
  });

  it('shows the plan with --dry-run, writes another file with --output, and nothing where hooks do nothing', async () => {
    const dry = await hooks('policy', ['--reason', 'turn_end', '--write', '--dry-run']);
    expect(dry.files['s.jsonl']).toBe(waiting);
    expect(dry.stdout).toContain('"schema":"ctx/plan"');
    const other = await hooks('policy', ['--reason', 'turn_end', '--write', '--output', 'o.jsonl']);
    expect(other.files['s.jsonl']).toBe(waiting);
    expect(Buffer.from(other.files['o.jsonl'] as Uint8Array).toString()).toContain('"transformerName":"policy"');
    const nothing = await hooks('policy', ['--reason', 'before_request', '--write', '--yes']);
    expect(nothing).toMatchObject({ exitCode: 0, files: { 's.jsonl': waiting } });
  });

  it.each([
    [['--each-request', '--write'], '--write and --each-request cannot be used together'],
    [['--at', 'u1', '--write'], '--write and --at cannot be used together'],
    [['--reason', 'message', '--write'], 'a message hook changes messages before they are written'],
    [['--dry-run'], '--dry-run needs --write: add --write'],
    [['--output', 'o.jsonl'], '--output needs --write'],
  ])('%j makes no sense', async (flags, message) => {
    const { exitCode, stderr } = await plain(['--hook', 'marker.ts', ...flags]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('the command line', () => {
  it.each([
    [['hooks'], 'there is no hook to run'],
    [['hooks', 'walk', 's.jsonl'], 'there is no hook to run'],
    [['hooks', 's.jsonl'], 'there is no hook to run'],
  ])('%j is a mistake', async (argv, message) => {
    const { exitCode, stderr } = await ctx(argv, { files: { 's.jsonl': twoTurns } });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
  });

  it('a hook that cannot be loaded is an error, and so is a session that cannot be read', async () => {
    expect(await plain(['--hook', 'none.ts'])).toMatchObject({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('the hook cannot be loaded'),
    });
    expect(await plain(['--hook', 'marker.ts'], { files: {} })).toMatchObject({ exitCode: 3, stdout: '' });
  });

  it('a transform of the session that breaks a rule ends it, unless it is lenient', async () => {
    const broken = {
      type: 'context_transform',
      id: 'x1',
      parentId: 'u3',
      timestamp: '',
      schemaVersion: 1,
      patch: [append('x')],
    };
    const world = { files: { 's.jsonl': `${waiting}${JSON.stringify(broken)}\n` } };
    expect(await plain(['--hook', 'marker.ts'], world)).toMatchObject({ exitCode: 3, stdout: '' });
    const { requests, exitCode } = await hooks('marker', ['--lenient'], world);
    expect(exitCode).toBe(0);
    expect(requests[0]!.replayed.messages).toBe(7);
  });

  it('the same is the same at every run', async () => {
    const flags = ['--hook', 'marker.ts', '--hook', 'policy.ts', '--each-request', '--json', '--trace'];
    expect((await plain(flags)).stdout).toBe((await plain(flags)).stdout);
  });
});

it('a message hook that returns a mistyped key breaks the rule result, and is told the key', async () => {
  modules['typo.ts'] = (pi) => pi.on('message_end', () => ({ mesage: { role: 'user' } }) as never);
  modules['none.ts'] = (pi) => pi.on('message_end', () => ({}));
  const { requests, exitCode } = await hooks('typo', ['--reason', 'message', '--at', 'u1']);
  expect(requests[0]!.messages[0]!.violations).toEqual([
    {
      hook: 'typo.ts',
      rule: 'result',
      op: null,
      message:
        'a message hook must return a message with a role, null or nothing; ' +
        'the result has the unknown key "mesage": did you mean "message"?',
    },
  ]);
  expect(exitCode).toBe(1);
  expect((await hooks('none', ['--reason', 'message', '--at', 'u1'])).exitCode).toBe(0);
});

it('names fields of an op that have no effect, and tools and parts that are not there', async () => {
  const op = { scope: 'cached', invalidateCacheReason: why };
  const patch = [
    { ...op, op: 'tools_replace', tools: [{ name: 'bash' }, { name: 'read' }], baseline: true },
    { ...op, op: 'tools_remove', toolNames: ['bassh'], toolName: 'bash', foo: 1 },
    { ...op, op: 'options_set', temprature: 1 },
    { ...op, op: 'system_part_remove', partName: 'polcy' },
    { ...op, op: 'tools_remove', toolNames: ['bash', 'read'] },
    { ...op, op: 'tools_remove', toolNames: ['bash'] },
  ];
  modules['typo.ts'] = onReason('before_request', () => ({ patch: [setPart('policy', 'x'), ...patch] }));
  const { summary, exitCode } = await hooks('typo', ['--each-request']);
  expect(exitCode).toBe(0);
  expect(summary.notes.filter((note) => note.startsWith('typo.ts:'))).toEqual([
    'typo.ts: tools_remove ignores the unknown key "toolName": did you mean "toolNames"?',
    expect.stringMatching(/^typo.ts: tools_remove ignores the unknown key "foo": use /),
    'typo.ts: tools_remove names "bassh", which is not in the request: did you mean "bash"?',
    'typo.ts: options_set ignores the unknown key "temprature": did you mean "temperature"?',
    'typo.ts: system_part_remove names "polcy", which is not in the request: did you mean "policy"?',
  ]);
});

it('says that a module registers no handler, so that it differs from one that changes nothing', async () => {
  modules['noop.ts'] = () => {};
  modules['quiet.ts'] = (pi) => pi.on('context', () => undefined);
  expect((await hooks('noop')).summary.notes).toContain('noop.ts registers no handler');
  expect((await hooks('quiet')).summary.notes.join()).not.toContain('registers no handler');
});

it('asks message hooks about prompts that wait for their answer', async () => {
  modules['drops.ts'] = (pi) => pi.on('message_end', ({ message }) => (message.role === 'user' ? null : undefined));
  const { requests, exitCode } = await hooks('drops');
  expect(requests[0]).toMatchObject({
    messages: [{ entryId: 'u3', kind: 'dropped' }],
    refusals: ['a hook has left out the message that it would answer'],
  });
  expect(exitCode).toBe(1);
});
