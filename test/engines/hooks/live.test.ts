import { describe, expect, it } from 'vitest';
import { openSession } from '#context/open.js';
import { hooksIn, runHooks } from '#engines/hooks/run-hooks.js';
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
