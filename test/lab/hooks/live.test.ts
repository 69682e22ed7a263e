import { describe, expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import type { HookRequestLine } from '#lab/hooks/document.js';
import { hooksIn, runHooks } from '#lab/hooks/run-hooks.js';
import { type Entry, entry, HEADER, lines } from '../../support/entries.js';
import { said } from '../../support/hook-session.js';

const MODEL = { provider: 'faux', model: 'faux-1', api: 'faux', stopReason: 'stop' };
const OP = { scope: 'cached', invalidateCacheReason: 'test' };

/** A session of one turn, with an entry at its beginning and a transform that a hook wrote. */
function sessionOf(first: Entry | null, writtenBy: Entry): Uint8Array {
  const patch = [{ op: 'system_part_set', ...OP, partName: 'mode', text: 'Read only.' }];
  const transform = entry('custom', 't1', 'u1', {
    customType: 'context_transform',
    data: { schemaVersion: 1, transformerName: 'mode', patch, writtenBy },
  });
  const others = [
    said('u1', first ? 'l1' : null, 'user', 'Hello'),
    transform,
    said('a1', 't1', 'assistant', 'Hi', MODEL),
  ];
  return new TextEncoder().encode(lines(HEADER, ...(first ? [first] : []), ...others));
}

const LIVE = entry('custom', 'l1', null, { customType: 'ctx.live', data: { hooks: ['mode.ts'], engine: null } });

interface Hooked {
  /** The names of the system parts that the hook was given at the request. */
  readonly parts: readonly string[];
  /** The messages that it changed. */
  readonly replaced: number;
}

/** Runs the module mode.ts, which changes each message of the user. */
async function hooked(bytes: Uint8Array): Promise<Hooked> {
  const session = await openSession(bytes);
  const parts: string[] = [];
  const host = await hooksIn('/project/hooks/mode.ts', (pi) => {
    pi.on('context', (event: { reason: string; state: { envelope: { system: { parts: { name: string }[] } } } }) => {
      if (event.reason === 'before_request') parts.push(...event.state.envelope.system.parts.map(({ name }) => name));
    });
    pi.on('message_end', ({ message }: { message: { role: string; content: object } }) =>
      message.role === 'user' ? { ...message, content: 'changed' } : undefined,
    );
  });
  let replaced = 0;
  for await (const { messages } of runHooks(session, host))
    replaced += messages.filter(({ kind }) => kind === 'replaced').length;
  return { parts, replaced };
}

describe('hooks that ran in the agent', () => {
  it('make their transforms again, so the stored ones are left out', async () => {
    expect((await hooked(sessionOf(LIVE, { hook: 'mode.ts' }))).parts).toEqual([]);
  });

  it('see the transforms of other hooks', async () => {
    expect((await hooked(sessionOf(LIVE, { hook: 'other.ts' }))).parts).toEqual(['mode']);
    expect((await hooked(sessionOf(LIVE, {}))).parts).toEqual(['mode']);
  });

  it('do not change messages twice', async () => {
    expect((await hooked(sessionOf(LIVE, {}))).replaced).toBe(0);
    expect((await hooked(sessionOf(null, {}))).replaced).toBe(1);
  });
});

describe('a message that a hook left out in the agent', () => {
  const MARK = { role: 'user', timestamp: 7, sha256: 'of another extension', hook: 'mode.ts' };
  const dropped = (id: string, parentId: string): readonly Entry[] => [
    entry('custom', `${id}m`, parentId, { customType: 'ctx.dropped', data: MARK }),
    entry('message', id, `${id}m`, { message: { role: 'user', content: 'secret', timestamp: 7 } }),
  ];

  async function requests(...others: readonly Entry[]): Promise<readonly HookRequestLine[]> {
    const bytes = new TextEncoder().encode(lines(HEADER, LIVE, ...others));
    const session = await openSession(bytes);
    const host = await hooksIn('mode.ts', (pi) => pi.on('message_end', () => undefined));
    const found: HookRequestLine[] = [];
    for await (const request of runHooks(session, host)) found.push(request);
    return found;
  }

  it('is left out offline as well, also before a transform says so', async () => {
    const found = await requests(
      said('u1', 'l1', 'user', 'Hello'),
      said('a1', 'u1', 'assistant', 'Hi', MODEL),
      ...dropped('u2', 'a1'),
      said('u3', 'u2', 'user', 'And now?'),
    );
    expect(found.at(-1)).toMatchObject({
      replayed: { messages: 3 },
      messages: [
        { entryId: 'u2', kind: 'dropped', by: ['mode.ts'] },
        { entryId: 'u3', kind: 'none' },
      ],
      refusals: [],
    });
  });

  it('is no longer there to answer, so the request is refused', async () => {
    const [first] = await requests(...dropped('u1', 'l1'));
    expect(first?.refusals).toEqual(['a hook has left out the message that it would answer']);
  });
});

describe('a summary', () => {
  const compacted = (summary: string): Uint8Array =>
    new TextEncoder().encode(
      lines(
        HEADER,
        said('u1', null, 'user', 'Hello'),
        entry('branch_summary', 'b1', 'u1', { fromId: 'u1', summary: `A branch: ${summary}` }),
        said('a1', 'b1', 'assistant', 'Hi', MODEL),
        entry('compaction', 'k1', 'a1', { summary: `All: ${summary}`, firstKeptEntryId: 'b1', tokensBefore: 9 }),
        said('u2', 'k1', 'user', 'Next'),
      ),
    );

  it.each([
    ['changed', (text: string): unknown => JSON.parse(text.replaceAll('orchid', '[gone]')), 4, true],
    ['left out', (): null => null, 2, false],
  ])('is %s by a message hook', async (_, change, messages, isThere) => {
    const session = await openSession(compacted('orchid'));
    const last: { text: string; count: number } = { text: '', count: 0 };
    const host = await hooksIn('h.ts', (pi) => {
      pi.on('message_end', ({ message }: { message: object }) => {
        const text = JSON.stringify(message);
        return text.includes('orchid') ? change(text) : undefined;
      });
      pi.on(
        'context',
        ({ reason, state }: { reason: string; state: { envelope: { messages: { cached: object[] } } } }) => {
          if (reason !== 'before_request') return;
          const { cached } = state.envelope.messages;
          Object.assign(last, { text: JSON.stringify(cached), count: cached.length });
        },
      );
    });
    for await (const { refusals } of runHooks(session, host)) expect(refusals).toEqual([]);
    expect(last).toMatchObject({ count: messages, text: expect.not.stringContaining('orchid') });
    expect(last.text.split('[gone]')).toHaveLength(isThere ? 3 : 1);
  });
});
