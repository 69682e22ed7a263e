import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HookRequestLine, HookSummary } from '#lab/hooks/document.js';
import { type Entry, entry, HEADER, lines } from '../../support/entries.js';
import { said, TWO_TURNS } from '../../support/hook-session.js';
import { ctx } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

/** The parts of Pi's API that these extensions use; their events have Pi's own shapes. */
interface Pi {
  on(event: string, handler: (event: Event, context: Context) => unknown): () => void;
  appendEntry(customType: string, data: unknown): void;
  readonly events: {
    on(channel: string, listener: (data: unknown) => void): () => void;
    emit(channel: string, data: unknown): void;
  };
  [method: string]: unknown;
}
// oxlint-disable-next-line typescript/no-explicit-any -- extensions in JavaScript have no types
type Event = Readonly<Record<string, any>>;
type Context = Event;

const SYSTEM = said('s1', null, 'system', '', {
  content: 'You are Pi.',
  toolsAdded: [{ name: 'read' }, { name: 'bash' }],
});
const WITH_SYSTEM: readonly Entry[] = [
  SYSTEM,
  ...TWO_TURNS.map((one) => (one['id'] === 'u1' ? { ...one, parentId: 's1' } : one)),
];

/** Little is kept, so that something can be compacted. */
const SETTINGS = { [path.join(HEADER.cwd, '.pi/settings.json')]: '{"compaction":{"keepRecentTokens":1}}' };

interface Ran {
  readonly requests: readonly HookRequestLine[];
  readonly summary: HookSummary;
  readonly exitCode: number;
}

async function run(
  extension: (pi: Pi) => void,
  flags: readonly string[] = ['--each-request'],
  entries = WITH_SYSTEM,
): Promise<Ran> {
  const ran = await ctx(['hooks', 's.jsonl', '--hook', 'ext.ts', '--json', ...flags], {
    files: { 's.jsonl': lines(HEADER, ...entries), ...SETTINGS },
    startPlugin: pluginsHere({ 'ext.ts': extension }),
  });
  const all = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as HookRequestLine & HookSummary);
  return { requests: all.slice(0, -1), summary: all.at(-1)!, exitCode: ran.exitCode };
}

const roles = (messages: readonly { role: string }[]): string => messages.map(({ role }) => role[0]).join('');

describe('an extension of stock Pi', () => {
  it('is called in the order of Pi, once for each request', async () => {
    const order: string[] = [];
    const events = [
      'session_start',
      'before_agent_start',
      'context',
      'context_with_system',
      'tool_result',
      'turn_end',
      'agent_before_settle',
    ];
    await run((pi) => {
      for (const name of events) pi.on(name, () => void order.push(name));
      pi.on('message_end', ({ message }) => void order.push(`message_end ${message.role}`));
    });
    expect(order.slice(0, 14)).toEqual([
      'session_start',
      'message_end user',
      'before_agent_start',
      'context',
      'context_with_system',
      'message_end assistant',
      'tool_result',
      'message_end toolResult',
      'turn_end',
      'context',
      'context_with_system',
      'message_end assistant',
      'turn_end',
      'agent_before_settle',
    ]);
  });

  it('sees the conversation without system messages, and then the whole transcript', async () => {
    const seen: string[] = [];
    await run((pi) => {
      pi.on('context', ({ messages }) => void seen.push(roles(messages)));
      pi.on('context_with_system', ({ messages }) => void seen.push(roles(messages)));
    });
    expect(seen).toEqual(['u', 'su', 'uat', 'suat', 'uatau', 'suatau']);
  });

  it('cannot drop the prompt in context, and owns it in context_with_system', async () => {
    const last = (event: Event): unknown => ({ messages: event['messages'].slice(-1) });
    const dropping = await run((pi) => pi.on('context', last), ['--at', 'r1']);
    expect(dropping.requests[0]).toMatchObject({
      changes: [
        { kind: 'removed', entryId: 'u1', role: 'user' },
        { kind: 'removed', entryId: 'a1', role: 'assistant' },
      ],
      events: [{ event: 'context', outcome: 'changed', entryId: 'r1' }],
      refusals: [expect.stringContaining('"c1" is separated')],
    });
    const owning = await run((pi) => pi.on('context_with_system', last), ['--at', 'u1']);
    expect(owning.requests[0]!.events![0]).toMatchObject({
      outcome: 'failed',
      failure: { message: expect.stringContaining('leading system message') },
    });
    expect(owning.requests[0]!.cache!.promptTokens).toBeLessThan(owning.requests[0]!.cache!.withoutHooks.promptTokens);
    expect(owning.exitCode).toBe(1);
  });

  it('may change its messages in place, as in Pi', async () => {
    const { requests, summary } = await run(
      (pi) =>
        pi.on('context', ({ messages }) => {
          for (const message of messages) if (message.role === 'toolResult') message.content = [];
        }),
      ['--at', 'r1'],
    );
    expect(requests[0]!.changes).toEqual([{ kind: 'changed', entryId: 'r1', role: 'toolResult' }]);
    expect(summary.notes).toEqual([]);
  });

  it('goes on without a handler that throws', async () => {
    const { requests, exitCode } = await run(
      (pi) => {
        pi.on('context', () => {
          throw new Error('no luck');
        });
        pi.on('context', ({ messages }) => ({
          messages: [...messages, { role: 'custom', customType: 'n', content: 'noted', display: false }],
        }));
      },
      ['--at', 'u1'],
    );
    expect(requests[0]!.events).toMatchObject([
      { outcome: 'failed', failure: { message: expect.stringContaining('no luck') } },
      { outcome: 'changed', what: '1 → 2 messages' },
    ]);
    expect(requests[0]!.cache).not.toBeNull();
    expect(exitCode).toBe(1);
  });

  it('appends entries at turn_end, which the next request has, and sees its own of pi.appendEntry', async () => {
    const seen: unknown[] = [];
    const { requests } = await run((pi) => {
      pi.on('turn_end', ({ toolResultEntryIds, entries, context }, { sessionManager }) => {
        pi.appendEntry('seen', { at: sessionManager.getLeafId() });
        seen.push(
          context.contextMessages.length,
          sessionManager.getBranch().filter((one: Event) => one['type'] === 'custom').length,
        );
        return {
          entries: [
            ...entries,
            ...toolResultEntryIds.map((targetId: string) => ({ type: 'context_edit', targetId, replacement: null })),
          ],
        };
      });
    });
    expect(requests[0]!.appended!.map(({ type }) => type)).toEqual(['custom', 'context_edit']);
    expect(requests[1]!.refusals).toHaveLength(1);
    expect(seen).toEqual([4, 0, 4, 1, 6, 2]);
  });

  it('appends entries in a tool_result handler that returns nothing, which the next request has', async () => {
    const seen: unknown[] = [];
    const { requests, summary } = await run((pi) => {
      pi.on('tool_result', ({ toolCallId }) => pi.appendEntry('seen', { toolCallId }));
      pi.on('turn_end', (_event, { sessionManager }) => {
        const custom = sessionManager.getBranch().filter((one: Event) => one['type'] === 'custom');
        seen.push(custom.map((one: Event) => one['data']));
      });
    });
    const [event] = requests[0]!.events!;
    expect(event).toMatchObject({ event: 'tool_result', outcome: 'changed', what: 'appends 1 custom entry' });
    expect(requests.map(({ appended = [] }) => appended.length)).toEqual([1, 0, 0]);
    expect(requests[0]!.appended).toMatchObject([{ type: 'custom', customType: 'seen', data: { toolCallId: 'c1' } }]);
    expect(seen[0]).toEqual([{ toolCallId: 'c1' }]);
    expect(summary.handlers).toContainEqual({
      hook: 'ext.ts',
      event: 'tool_result',
      calls: 1,
      changed: 1,
      failed: 0,
      nothing: 0,
    });
  });

  it('goes on where a listener of pi.events throws, and hears the others', async () => {
    const heard: unknown[] = [];
    const { exitCode } = await run((pi) => {
      pi.events.on('plan', () => {
        throw new Error('no plan');
      });
      pi.events.on('plan', (data) => heard.push(data));
      pi.on('turn_end', () => {
        pi.events.emit('plan', 1);
        heard.push(2);
      });
    });
    expect([heard.slice(0, 2), exitCode]).toEqual([[1, 2], 0]);
  });

  it('appends nothing where an entry is not valid', async () => {
    const { requests, exitCode } = await run((pi) =>
      pi.on('turn_end', () => ({ entries: [{ type: 'context_edit', targetId: 'nowhere', replacement: null }] })),
    );
    expect(requests[0]!.events).toMatchObject([
      {
        outcome: 'failed',
        failure: { message: 'Invalid boundary entries: Entry nowhere is not on the active branch' },
      },
    ]);
    expect(requests[0]!.appended).toBeUndefined();
    expect(exitCode).toBe(1);
  });

  it('does not repeat an entry that the recording has', async () => {
    const recorded = entry('custom_message', 'm1', 'u1', { customType: 'note', content: 'noted', display: false });
    const [system, first, second, ...rest] = WITH_SYSTEM;
    const entries = [system!, first!, recorded, { ...second, parentId: 'm1' } as Entry, ...rest];
    const { requests } = await run(
      (pi) =>
        pi.on('before_agent_start', () => ({ message: { customType: 'note', content: 'noted', display: false } })),
      undefined,
      entries,
    );
    expect(requests.map(({ appended }) => appended?.length ?? 0)).toEqual([0, 0, 1]);
  });

  it('changes a tool result before it is written, knowing the arguments of the call', async () => {
    const { requests, summary } = await run((pi) => {
      pi.on('tool_result', ({ toolName, input }) => ({
        content: [{ type: 'text', text: `${toolName} ${input.path}` }],
      }));
      pi.on('context', ({ messages }) => {
        const result = messages.find(({ role }: { role: string }) => role === 'toolResult');
        if (result) console.error(result.content[0].text);
      });
    });
    expect(requests[0]!.events).toMatchObject([
      expect.anything(),
      { event: 'tool_result', what: 'the result of read' },
    ]);
    expect(summary.handlers).toContainEqual({
      hook: 'ext.ts',
      event: 'tool_result',
      calls: 1,
      changed: 1,
      failed: 0,
      nothing: 0,
    });
  });

  it('forces a system prompt until the run ends', async () => {
    const { requests } = await run((pi) =>
      pi.on('before_agent_start', ({ prompt, systemPrompt }) =>
        prompt.startsWith('What') ? { systemPrompt: `${systemPrompt} Arr!` } : undefined,
      ),
    );
    expect(requests.map(({ cache }) => cache!.promptTokens - cache!.withoutHooks.promptTokens)).toEqual([1, 1, 0]);
  });

  it('is told of the session: its branch, its model, its prompt and its context window', async () => {
    let told: unknown;
    await run(
      (pi) =>
        pi.on('context', (_, context) => {
          const { sessionManager, model, hasUI, mode } = context;
          const { entries } = sessionManager.buildSessionProjection();
          told = [
            sessionManager.getLeafId(),
            sessionManager.getBranch().length,
            entries.length,
            model.id,
            hasUI,
            mode,
            context['getContextUsage']().contextWindow,
            context['getSystemPrompt'](),
          ];
        }),
      ['--at', 'r1', '--limit', '200k'],
    );
    expect(told).toEqual(['r1', 4, 4, 'faux-1', false, 'print', 200_000, 'You are Pi.']);
  });

  it('is named for what has no effect, and for handlers that change nothing', async () => {
    const { summary } = await run((pi) => {
      (pi['registerTool'] as (tool: unknown) => void)({ name: 'x' });
      pi.on('context', ({ messages }, { ui }) => {
        ui.setStatus('x', 'y');
        return { messages };
      });
      pi.on('tool_call', () => undefined);
    });
    expect(summary.notes).toEqual([
      'ext.ts: context was called 3 times and changed nothing',
      'ext.ts: not run without an agent: tool_call, pi.registerTool, ctx.ui.setStatus',
    ]);
  });
});

describe('a compaction', () => {
  const TOO_LONG = { stopReason: 'error', errorMessage: 'prompt is too long', provider: 'faux', model: 'faux-1' };
  const overflow = said('a9', 'a3', 'assistant', '', TOO_LONG);
  const summarise = (pi: Pi): unknown =>
    pi.on('session_before_compact', ({ preparation, reason, willRetry, branchEntries }) => ({
      compaction: {
        summary: `${reason} ${willRetry} ${branchEntries.length} ${preparation.fileOps.read.has('a.txt')}`,
        firstKeptEntryId: preparation.firstKeptEntryId,
      },
    }));
  const seen = async (entries: readonly Entry[], limit: string): Promise<readonly string[]> => {
    const summaries: string[] = [];
    await run(
      (pi) => {
        summarise(pi);
        pi.on('context', ({ messages }) => {
          for (const { role, summary } of messages) if (role === 'compactionSummary') summaries.push(summary);
        });
      },
      ['--each-request', '--limit', limit],
      entries,
    );
    return summaries;
  };

  it('that is recorded has the summary of an extension, at the recorded cut', async () => {
    const recorded = entry('compaction', 'c1', 'a2', { summary: 'Recorded.', firstKeptEntryId: 'a2', tokensBefore: 9 });
    const [u2, ...rest] = WITH_SYSTEM.slice(5);
    const entries = [...WITH_SYSTEM.slice(0, 5), recorded, { ...u2, parentId: 'c1' } as Entry, ...rest];
    expect(await seen(entries, '200k')).toEqual(['manual false 5 true']);
  });

  it('that hooks make necessary is checked on the envelope as they leave it', async () => {
    const { requests } = await run(
      (pi) =>
        pi.on('before_agent_start', () => ({
          message: { customType: 'n', content: 'x'.repeat(40_000), display: false },
        })),
      ['--each-request', '--limit', '20k', '--trace'],
    );
    const [first] = requests;
    expect(first!.compaction).toMatchObject({
      preflight: { reason: 'threshold', isEstimated: true, threshold: 3616 },
      evaluation: { reason: 'threshold', isEstimated: true },
    });
    expect(first!.trace![2]!.what).toMatch(/^needed: ~10\d+ of 3616 tokens estimated with the changes of hooks$/);
    const { requests: unchanged } = await run(() => {}, ['--at', 'u2', '--limit', '20k', '--trace']);
    expect(unchanged[0]!.compaction!.preflight).toMatchObject({ reason: null, isEstimated: false });
  });

  it('after an overflow is asked for with one retry, and not after the second', async () => {
    const asked: string[] = [];
    const again = said('a10', 'a9', 'assistant', '', TOO_LONG);
    const { requests } = await run(
      (pi) => pi.on('session_before_compact', ({ reason, willRetry }) => void asked.push(`${reason} ${willRetry}`)),
      ['--each-request', '--limit', '200k', '--trace'],
      [...WITH_SYSTEM, overflow, again],
    );
    expect(requests.map(({ compaction }) => compaction!.evaluation!.recovery)).toEqual([
      null,
      null,
      null,
      'retry',
      'final',
    ]);
    expect(requests[4]!.trace!.at(-1)!.what).toContain('Pi gives up');
    expect(asked).toEqual(['overflow true']);
  });
});

describe('a context handler', () => {
  it('is of the proposal if it reads event.reason or event.state, or returns a patch; else of stock Pi', async () => {
    const calls: string[] = [];
    const { requests } = await run(
      (pi) => {
        pi.on('context', ({ messages }) => void calls.push(`stock ${messages.length}`));
        pi.on('context', (event) => void calls.push(JSON.stringify(Object.keys(event))));
        pi.on('context', ({ reason }) => void calls.push(reason));
        pi.on('context', ({ state }) => void calls.push(`state ${state.envelope.messages.cached.length}`));
        pi.on('context', () => ({ patch: [] }));
      },
      ['--at', 'r1'],
    );
    const keys = '["type","messages"]';
    expect(calls).toEqual([
      'stock 3',
      keys,
      'before_request',
      'state 3',
      'ephemeral',
      'state 3',
      'turn_end',
      'state 4',
    ]);
    expect(requests[0]!.events!.map(({ event }) => event)).toEqual(['context', 'context']);
  });
});
