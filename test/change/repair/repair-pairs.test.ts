import { describe, expect, it } from 'vitest';
import { contextOf } from '../../support/corpus.js';
import { calling, type Entry, entry, HEADER, lines, toolResult, user } from '../../support/entries.js';
import { repairBytes, type RepairedFile } from '../../support/repaired.js';

function transform(id: string, parentId: string): Entry {
  const patch = [{ op: 'tools_remove', toolNames: [], scope: 'cached', invalidateCacheReason: 'x' }];
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName: 'x', patch });
}

const ASKED = user('u1', null);

function repairedOf(...parts: readonly Entry[]): Promise<RepairedFile> {
  return repairBytes(Buffer.from(lines(HEADER, ...parts)));
}

/** The entries of a file, with new ids called by their number. */
function shortened({ bytes }: RepairedFile): readonly string[] {
  const fresh = new Map<unknown, string>();
  const named = (id: unknown): string => {
    if (/^[0-9a-f]{8}$/.test(String(id)) && !fresh.has(id)) fresh.set(id, `new${fresh.size + 1}`);
    return fresh.get(id) ?? String(id);
  };
  return Buffer.from(bytes)
    .toString()
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Entry & { message?: Entry })
    .map(({ id, parentId, targetId, message }) => {
      const about = targetId ?? message?.['toolCallId'];
      return `${named(id)}<${named(parentId)}${typeof about === 'string' ? ` ${about}` : ''}`;
    });
}

/** The texts of the tool results that a model is shown. */
async function results(session: RepairedFile): Promise<readonly (readonly [unknown, string])[]> {
  const { messages } = await contextOf(session.bytes);
  return messages
    .map(({ json }) => JSON.parse(json) as { role: string; toolCallId: string; content: { text: string }[] })
    .filter(({ role }) => role === 'toolResult')
    .map(({ toolCallId, content }) => [toolCallId, content[0]!.text]);
}

const MISSING = 'The result of this call is missing from the session file.';

describe('a call without a result', () => {
  it('gets one right behind it, which says that it is an error', async () => {
    const session = await repairedOf(ASKED, calling('a1', 'u1', ['c1']), user('u2', 'a1'));
    expect(shortened(session)).toEqual(['u1<null', 'a1<u1', 'new1<a1 c1', 'u2<new1']);
    const [, , , added] = Buffer.from(session.bytes).toString().split('\n');
    expect(JSON.parse(added!)).toEqual({
      type: 'message',
      id: expect.any(String),
      parentId: 'a1',
      timestamp: '2026-01-05T09:00:01.000Z',
      message: {
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'read',
        content: [{ type: 'text', text: MISSING }],
        isError: true,
        timestamp: Date.UTC(2026, 0, 5, 9, 0, 1),
      },
    });
  });

  it('beside calls that have one gets its own', async () => {
    const session = await repairedOf(
      ASKED,
      calling('a1', 'u1', ['c1', 'c2', 'c3']),
      toolResult('r2', 'a1', 'c2'),
      user('u2', 'r2'),
    );
    expect(shortened(session)).toEqual(['u1<null', 'a1<u1', 'new1<a1 c1', 'new2<new1 c3', 'r2<new2 c2', 'u2<r2']);
  });

  it('at the end of the session becomes no end of it', async () => {
    const session = await repairedOf(ASKED, calling('a1', 'u1', ['c1']));
    expect(shortened(session)).toEqual(['u1<null', 'a1<u1', 'new1<a1 c1']);
  });

  it('in an answer that failed is left alone, as Pi does not send it', async () => {
    expect((await repairedOf(ASKED, calling('a1', 'u1', ['c1'], 'error'), user('u2', 'a1'))).repairs).toEqual([]);
  });

  it('off the active path is left alone', async () => {
    expect((await repairedOf(ASKED, calling('a1', 'u1', ['c1']), user('x1', 'a1'), user('u2', 'u1'))).repairs).toEqual(
      [],
    );
  });

  it('leaves other branches where they are', async () => {
    const session = await repairedOf(ASKED, calling('a1', 'u1', ['c1']), user('x1', 'a1'), user('u2', 'a1'));
    expect(shortened(session)).toEqual(['u1<null', 'a1<u1', 'new1<a1 c1', 'x1<a1', 'u2<new1']);
  });

  it('is left alone where a transform comes later, which counts the messages', async () => {
    const parts = [ASKED, calling('a1', 'u1', ['c1']), transform('t1', 'a1'), user('u2', 't1')];
    expect((await repairedOf(...parts)).repairs).toEqual([]);
  });

  it('is repaired if the next entry precedes it in the file', async () => {
    const session = await repairedOf(user('u2', 'a1'), ASKED, calling('a1', 'u1', ['c1']), user('u3', 'u2'));
    expect(shortened(session)).toEqual(['u2<new1', 'u1<null', 'a1<u1', 'new1<a1 c1', 'u3<u2']);
  });
});

describe('a result without a call', () => {
  it('is taken out of the context by an edit at the end', async () => {
    const session = await repairedOf(ASKED, toolResult('r1', 'u1', 'c1'), user('u2', 'r1'));
    expect(shortened(session)).toEqual(['u1<null', 'r1<u1 c1', 'u2<r1', 'new1<u2 r1']);
    expect(await results(session)).toEqual([]);
    expect(session.discarded).toEqual([]);
  });

  it('is left alone where a transform has taken it out', async () => {
    const messages = [{ role: 'user', content: 'Go on.' }];
    const patch = [{ op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' }];
    const changed = entry('context_transform', 't1', 'r1', { schemaVersion: 1, transformerName: 'x', patch });
    expect((await repairedOf(ASKED, toolResult('r1', 'u1', 'c1'), changed)).repairs).toEqual([]);
  });

  it('may name no call at all', async () => {
    expect(await results(await repairedOf(ASKED, toolResult('r1', 'u1', undefined)))).toEqual([]);
  });

  it('stays out together with others, each by its own edit', async () => {
    const session = await repairedOf(
      ASKED,
      toolResult('r1', 'u1', 'c1'),
      toolResult('r2', 'r1', 'c2'),
      calling('a1', 'r2', ['c3']),
    );
    expect(shortened(session)).toEqual([
      'u1<null',
      'r1<u1 c1',
      'r2<r1 c2',
      'a1<r2',
      'new1<a1 c3',
      'new2<new1 r1',
      'new3<new2 r2',
    ]);
    expect(await results(session)).toEqual([['c3', MISSING]]);
  });

  it('goes where a compaction has parted it from its call', async () => {
    const parts = [ASKED, calling('a1', 'u1', ['c1']), toolResult('r1', 'a1', 'c1')];
    const compaction = entry('compaction', 'k1', 'r1', { summary: 'x', tokensBefore: 1, firstKeptEntryId: 'r1' });
    const session = await repairedOf(...parts, compaction);
    expect(session.repairs.map(({ code }) => code)).toEqual(['compaction-in-tool-pair']);
    expect(await results(session)).toEqual([]);
  });

  it('goes where there are two of them', async () => {
    const session = await repairedOf(
      ASKED,
      calling('a1', 'u1', ['c1']),
      toolResult('r1', 'a1', 'c1'),
      toolResult('r2', 'r1', 'c1'),
    );
    expect(await results(session)).toEqual([['c1', 'what r1 says']]);
  });

  it('of version 1 stays, as there is no id to name it by', async () => {
    const { version: _none, ...header } = HEADER;
    const { id: _id, parentId: _parent, ...bare } = toolResult('', '', 'c1');
    expect((await repairBytes(Buffer.from(lines(header, bare)))).repairs).toEqual([]);
  });
});

describe('a result that comes too late', () => {
  it('says in the right place what it says', async () => {
    const session = await repairedOf(
      ASKED,
      calling('a1', 'u1', ['c1']),
      user('u2', 'a1'),
      toolResult('r1', 'u2', 'c1'),
    );
    expect(await results(session)).toEqual([['c1', 'what r1 says']]);
    expect(shortened(session)).toEqual(['u1<null', 'a1<u1', 'new1<a1 c1', 'u2<new1', 'r1<u2 c1', 'new2<r1 r1']);
  });

  it('stays where nothing can be put into the right place', async () => {
    const late = [ASKED, calling('a1', 'u1', ['c1']), user('u2', 'a1'), toolResult('r1', 'u2', 'c1')];
    const session = await repairedOf(...late, transform('t1', 'r1'), user('u3', 't1'));
    expect(session.repairs).toEqual([]);
  });
});
