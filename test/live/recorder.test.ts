import { describe, expect, it } from 'vitest';
import { installParts } from '#live/install-parts.js';
import { createLive } from '#live/live.js';
import type { PiEntry } from '#live/pi.js';
import recorder from '#live/recorder.js';
import type { Io } from '#platform/io.js';
import { lines } from '../support/entries.js';
import { type LivePi, livePi } from '../support/live-pi.js';
import { ctx } from '../support/memory-io.js';

const AT = '2026-01-01T00:00:00.000Z';
const QUESTION = { role: 'user', content: 'Hi', timestamp: 2 };
const ENTRY = { type: 'message', id: 'u1', parentId: null, timestamp: AT, message: QUESTION } as PiEntry;

const OBEY = { role: 'system', content: 'Obey.', timestamp: 1 };

interface Provider {
  streamSimple(model: unknown, context: object, options: object): string;
}

/** A Pi whose extension records; `request` sends messages through its provider. */
async function recording(
  record: string,
): Promise<LivePi & { request(...messages: readonly object[]): Promise<string> }> {
  const live = livePi([ENTRY]);
  const provider: Provider = { streamSimple: () => 'streamed' };
  live.provider = provider;
  const configs = {
    user: () => Promise.resolve({ file: '/c', value: { live: { record } } }),
    findPlain: () => Promise.resolve(null),
  };
  installParts(
    live.pi,
    createLive({ configs } as unknown as Io, () => Promise.reject(new Error('none'))),
    [recorder],
  );
  return Object.assign(live, {
    async request(...messages: readonly object[]) {
      await live.send([]);
      return provider.streamSimple({}, { messages }, { sessionId: 'live' });
    },
  });
}

const recordsOf = ({ branch }: LivePi): readonly { readonly data: { readonly differs?: object } }[] =>
  branch.filter(({ type }) => type === 'custom') as never;

/** The findings of the rule in the session of a Pi. */
async function findings(live: LivePi): Promise<readonly string[]> {
  const session = lines(live.ctx.sessionManager.getHeader() as never, ...(live.branch as never[]));
  const { stdout } = await ctx(['check', 's.jsonl', '--json'], { files: { 's.jsonl': session } });
  const found = JSON.parse(stdout) as { files: { findings: { rule: string; message: string }[] }[] };
  return found.files
    .flatMap((one) => one.findings)
    .filter(({ rule }) => rule === 'sent-as-replayed')
    .map(({ message }) => message);
}

describe('the recorder', () => {
  it('records nothing unless configured', async () => {
    const live = await recording('off');
    expect(await live.request(QUESTION)).toBe('streamed');
    expect(recordsOf(live)).toEqual([]);
  });

  it('records each request that is sent as the session shows it', async () => {
    const live = await recording('all');
    expect(await live.request({ ...QUESTION })).toBe('streamed');
    expect(recordsOf(live)).toMatchObject([{ data: { messages: 1 } }]);
    expect(recordsOf(live)[0]!.data).not.toHaveProperty('differs');
    expect(await findings(live)).toEqual([]);
  });

  it('counts the messages that are logged for one request', async () => {
    const live = await recording('all');
    const messages = [{ role: 'user', content: 'Be brief.', timestamp: 3 }];
    live.pi.appendEntry('ephemeral', { messages });
    await live.request({ ...QUESTION }, ...messages);
    expect(await findings(live)).toEqual([]);
    await live.request({ ...QUESTION }, { ...messages[0], content: 'Other' });
    expect(await findings(live)).toEqual(['an extension changed the request without an entry: 1 message']);
  });

  it('records a difference that follows our handler', async () => {
    const live = await recording('differences');
    await live.request({ ...QUESTION });
    expect(recordsOf(live)).toEqual([]);
    await live.request({ role: 'system', content: 'Obey.' }, QUESTION, { ...QUESTION, content: 'More' });
    expect(recordsOf(live)).toHaveLength(1);
    expect(await findings(live)).toEqual(['an extension changed the request without an entry: the prompt, 1 message']);
  });

  it.each([
    ['at the end', [QUESTION, OBEY], 'the place of the prompt and the tools'],
    ['before the message after it', [OBEY, QUESTION], null],
  ])('records system messages that are in another place: %s', async (_, messages, difference) => {
    const live = await recording('all');
    live.branch = [{ ...ENTRY, id: 's1', message: OBEY } as PiEntry, { ...ENTRY, parentId: 's1' }];
    live.ctx.sessionManager.buildSessionProjection = () => ({ messages: [OBEY, QUESTION] });
    await live.request(...messages);
    const found = difference === null ? [] : [`an extension changed the request without an entry: ${difference}`];
    expect(await findings(live)).toEqual(found);
  });

  it('finds no difference in a later system message where the session has it', async () => {
    const live = await recording('all');
    const tools = { role: 'system', toolsAdded: [{ name: 'read' }] };
    live.branch.push({ ...ENTRY, id: 's1', parentId: 'u1', message: tools } as PiEntry);
    live.ctx.sessionManager.buildSessionProjection = () => ({ messages: [QUESTION, tools] });
    await live.request({ ...QUESTION }, tools);
    expect(await findings(live)).toEqual([]);
  });

  it('records the hash of what is sent, also after another extension changed an entry in memory', async () => {
    const live = await recording('all');
    const content = [{ type: 'text', text: 'Hi' }];
    live.branch[0] = { ...ENTRY, message: { ...QUESTION, content } } as PiEntry;
    const written = structuredClone(live.branch[0]);
    await live.request({ ...QUESTION, content: structuredClone(content) });
    content[0]!.text = 'Changed in memory';
    await live.request({ ...QUESTION, content: structuredClone(content) });
    live.branch[0] = written;
    expect(await findings(live)).toEqual(['the request that was sent is not the one that the session shows']);
  });

  it('finds a session that was changed after the request', async () => {
    const live = await recording('all');
    await live.request(QUESTION);
    live.branch[0] = { ...ENTRY, message: { ...QUESTION, content: 'Other' } } as PiEntry;
    expect(await findings(live)).toEqual(['the request that was sent is not the one that the session shows']);
  });

  it('records one request for each that the agent builds, whatever else the provider gets', async () => {
    const live = await recording('all');
    await live.request(QUESTION);
    (live.provider as Provider).streamSimple({}, { messages: [] }, { sessionId: 'live' });
    await live.send([]);
    (live.provider as Provider).streamSimple({}, { messages: [] }, { sessionId: 'a summary' });
    expect(recordsOf(live)).toHaveLength(1);
  });

  it('reports a provider that it cannot watch', async () => {
    const live = await recording('all');
    live.provider = undefined;
    await live.send([]);
    expect(live.notices).toEqual([expect.stringContaining('not recorded')]);
  });
});

describe('a request that no watched provider got', () => {
  const aborted = new AbortController();
  aborted.abort();

  it.each([
    ['is a notice', new AbortController().signal, 1],
    ['is none if the user aborted it', aborted.signal, 0],
  ])('%s', async (_name, signal, notices) => {
    const live = await recording('all');
    Object.assign(live.ctx, { signal });
    await live.send([]);
    await live.emit('agent_end');
    expect(live.notices).toHaveLength(notices);
  });
});
