import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { appendInMemory } from '#change/plan/draft.js';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { AgentMessage, ContextEngine } from '#lab/contract.js';
import { type BranchRewrite, rewriteBranch } from '#lab/drive/transcript/rewrite.js';
import type { TranscriptRewriteReplacement, TranscriptRewriteResult } from '#lab/runtime-context.js';
import { labelsOf, type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { driveAll, engine, sourceIn, talkOf } from '../support/engines.js';
import { activePath, compaction, type Entry, entry, label, sessionOf, TALK, user } from '../support/entries.js';
import { generateSession } from '../support/generate.js';
import { call, talk } from '../support/history.js';
import { countedIds } from '../support/memory-io.js';
import { runs } from '../support/runs.js';

function rewritten(session: Session, ...replacements: readonly TranscriptRewriteReplacement[]): BranchRewrite {
  const path = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
  return rewriteBranch({ session, path }, replacements, countedIds());
}

function after(session: Session, { entries }: BranchRewrite): Session {
  return appendInMemory(session, JSON.parse(JSON.stringify(entries)) as JsonObject[]);
}

function shownIn(session: Session): readonly JsonObject[] {
  return buildEnvelope(toLenient(attachPatchReader(session)), session.tree.leaf).messages.cached;
}

const short = { role: 'user', content: 'short' } as const;

describe('a rewrite', () => {
  it('begins a branch before the first replaced entry, and copies the rest', () => {
    const session = sessionOf(...TALK);
    const done = rewritten(
      session,
      { entryId: 'a1', message: { role: 'assistant', content: [], note: 1 } },
      { entryId: 'u2', message: short },
    );
    expect(done.result).toEqual({ changed: true, bytesFreed: expect.any(Number), rewrittenEntries: 2 });
    expect(done.entries.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['d0000001', 'u1'],
      ['d0000002', 'd0000001'],
      ['d0000003', 'd0000002'],
    ]);
    const next = after(session, done);
    expect(activePath(next)).toEqual(['u1', 'd0000001', 'd0000002', 'd0000003']);
    expect(shownIn(next).map(({ content }) => content)).toEqual(['question u1', [], 'short', []]);
    // Times stay, and so does the order of keys.
    expect(done.entries.map(({ timestamp }) => timestamp)).toEqual(TALK.slice(1).map(({ timestamp }) => timestamp));
    expect(Object.keys(done.entries[1] ?? {})).toEqual(Object.keys(TALK[2] ?? {}));
  });

  it('says how many bytes of messages it frees', () => {
    const message = { role: 'user', content: 'é' };
    const { result } = rewritten(sessionOf(...TALK), { entryId: 'u1', message });
    // The text takes 11 bytes before, and 2 afterwards.
    expect(result).toEqual({ changed: true, bytesFreed: 11 - 2, rewrittenEntries: 1 });
  });

  it('updates references to copied entries', () => {
    const session = sessionOf(
      ...TALK,
      compaction('k1', 'a2', 'u2'),
      entry('context_edit', 'e1', 'k1', { targetId: 'u2', replacement: { content: 'edited' } }),
      entry('branch_summary', 'b1', 'e1', { fromId: 'a2', summary: 'a side way' }),
      compaction('k2', 'b1', 'k2'),
      user('u3', 'k2'),
    );
    const done = rewritten(session, {
      entryId: 'a1',
      message: { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
    });
    const [, u2, a2, k1, e1, b1, k2] = done.entries;
    expect(k1?.['firstKeptEntryId']).toBe(u2?.['id']);
    expect(e1?.['targetId']).toBe(u2?.['id']);
    expect(b1?.['fromId']).toBe(a2?.['id']);
    // It keeps nothing, which Pi says by its own id.
    expect(k2?.['firstKeptEntryId']).toBe(k2?.['id']);
    expect(shownIn(after(session, done))).toEqual(shownIn(session));
  });

  it('takes labels along', () => {
    const session = sessionOf(...TALK, label('l1', 'a2', 'u2', 'mark'), label('l2', 'l1', 'u1', 'start'));
    const inBranch = rewritten(session, { entryId: 'u2', message: short });
    const u2 = inBranch.entries[0]?.['id'];
    expect(new Map(labelsOf(after(session, inBranch)))).toEqual(
      new Map([
        [u2, 'mark'],
        ['u1', 'start'],
      ]),
    );
    const fromOutside = sessionOf(...TALK, label('l1', 'u1', 'u2', 'mark'), user('u3', 'a2'));
    const done = rewritten(fromOutside, { entryId: 'u2', message: short });
    const next = after(fromOutside, done);
    expect([...labelsOf(next)]).toEqual([[done.entries[0]?.['id'], 'mark']]);
    expect(next.tree.leaf?.type).toBe('label');
    expect(shownIn(next).map(({ content }) => content)).toEqual(['question u1', [], 'short', [], 'question u3']);
  });
});

describe('a rewrite is refused', () => {
  const uses = sessionOf(
    ...talk(
      ['u1', { role: 'user', content: 'look' }],
      ['a1', { role: 'assistant', content: [call('c1', 'read', {}), call('c2', 'read', {})] }],
      ['r1', { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [] }],
      ['r2', { role: 'toolResult', toolCallId: 'c2', toolName: 'read', content: [] }],
    ),
  );
  const refusal = (session: Session, ...replacements: readonly TranscriptRewriteReplacement[]): string | undefined => {
    const { result, entries } = rewritten(session, ...replacements);
    expect(entries).toEqual([]);
    expect(result).toMatchObject({ changed: false, bytesFreed: 0, rewrittenEntries: 0 });
    return result.reason;
  };
  const silent = { role: 'assistant', content: [{ type: 'text', text: 'done' }] };

  it('for an entry that is not there, or on another branch', () => {
    expect(refusal(sessionOf(...TALK), { entryId: 'x', message: short })).toBe('"x" is not an entry of the session');
    const branches = sessionOf(...TALK, user('u3', 'a1'));
    expect(refusal(branches, { entryId: 'u2', message: short })).toBe('"u2" is not on the active branch');
  });

  it('for an entry without a message, the prompt, another role, and the same entry twice', () => {
    const prompt = entry('message', 's1', null, { message: { role: 'system', content: 'Be brief.' } });
    const session = sessionOf(prompt, user('u1', 's1'), entry('model_change', 'm1', 'u1', {}));
    expect(refusal(session, { entryId: 'm1', message: short })).toBe('"m1": the entry has no message');
    expect(refusal(session, { entryId: 's1', message: { role: 'system' } })).toContain(
      'the entry is the system prompt',
    );
    expect(refusal(session, { entryId: 'u1', message: silent })).toBe('"u1": the role is user, not assistant');
    const twice = { entryId: 'u1', message: short };
    expect(refusal(session, twice, twice)).toBe('"u1" is replaced twice');
  });

  it('where this would separate a call from its result', () => {
    expect(refusal(uses, { entryId: 'a1', message: silent })).toBe('"a1": this would separate a call from its result');
    const one = { role: 'assistant', content: [call('c1', 'read', {})] };
    expect(refusal(uses, { entryId: 'a1', message: one })).toBe('"a1": this would separate a call from its result');
    const other = { role: 'toolResult', toolCallId: 'c2', content: [] };
    expect(refusal(uses, { entryId: 'r1', message: other })).toBe('"r1": this would separate the result from its call');
  });

  it('where no change, and where a transform holds the messages', () => {
    const session = sessionOf(...TALK);
    expect(refusal(session)).toBe('no change');
    expect(refusal(session, { entryId: 'u1', message: { role: 'user', content: 'question u1' } })).toBe('no change');
    const patch = [{ op: 'messages_cached_replace', scope: 'cached', messages: [], invalidateCacheReason: 'x' }];
    const held = sessionOf(...TALK, entry('context_transform', 't1', 'a2', { schemaVersion: 1, patch }));
    expect(refusal(held, { entryId: 'u1', message: short })).toBe('"t1" holds the original messages');
  });

  it('as a whole, where one of the replacements is not possible', () => {
    expect(refusal(sessionOf(...TALK), { entryId: 'u1', message: short }, { entryId: 'x', message: short })).toContain(
      '"x"',
    );
  });
});

describe('a rewrite of any session', () => {
  it('changes what it replaces, and nothing else that the model is shown', () => {
    let count = 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 1, max: 4 }), (seed, step) => {
        const session = sourceIn(generateSession({ seed, entries: 30, compactions: 0.1, edits: 0.15 }));
        const path = session.tree.leaf ? pathTo(session.tree, session.tree.leaf) : [];
        const mark = (head: (typeof path)[number]): AgentMessage => {
          const { message } = session.entry(head) as { message: AgentMessage };
          return { ...message, marked: true };
        };
        const wanted = path.filter(({ role }, at) => role !== null && role !== 'system' && at % step === 0);
        const done = rewritten(session, ...wanted.map((head) => ({ entryId: String(head.id), message: mark(head) })));
        if (!done.result.changed) return;
        count += 1;
        expect(done.result.rewrittenEntries).toBe(wanted.length);
        const bare = JSON.stringify(shownIn(after(session, done))).replaceAll(',"marked":true', '');
        expect(bare).toBe(JSON.stringify(shownIn(session)));
      }),
      { numRuns: runs(150) },
    );
    expect(count).toBeGreaterThan(runs(100));
  });
});

describe('an engine that rewrites the transcript', () => {
  const source = talkOf([
    { asked: 10, billed: [100, 200] },
    { asked: 10, billed: [300, 400] },
    { asked: 10, billed: [500] },
  ]);
  const results: TranscriptRewriteResult[] = [];
  const maintain: ContextEngine['maintain'] = async ({ runtimeContext }) => {
    const replacements = (runtimeContext?.transcript ?? []).flatMap(({ entryId, message }) =>
      message?.role === 'toolResult' && JSON.stringify(message).includes('abc')
        ? [{ entryId, message: { ...message, content: [] } }]
        : [],
    );
    const result = (await runtimeContext?.rewriteTranscriptEntries?.({ replacements }))!;
    results.push(result);
    return result;
  };

  it('is shown its own messages from then on', async () => {
    results.length = 0;
    const { requests } = await driveAll(source, () => engine({ maintain }));
    expect(
      requests.map(({ assembled }) => JSON.stringify(assembled.messages).split('"toolResult"').length - 1),
    ).toEqual([0, 1, 1, 2, 2]);
    expect(requests.map(({ rewrites }) => rewrites.filter(({ changed }) => changed).length)).toEqual([0, 0, 1, 0, 1]);
    expect(
      requests[4]?.assembled.messages.filter(({ role }) => role === 'toolResult').map(({ content }) => content),
    ).toEqual([[], []]);
    // After the start there was nothing, and after the last turn nothing was left.
    expect(results.map(({ rewrittenEntries }) => rewrittenEntries)).toEqual([0, 1, 1, 0]);
    expect(results[1]?.bytesFreed).toBeGreaterThan(190);
  });

  it('is told why a request makes no sense, and goes on', async () => {
    const said: unknown[] = [];
    const asking: ContextEngine['maintain'] = async ({ runtimeContext }) => {
      said.push(
        await runtimeContext?.rewriteTranscriptEntries?.({ replacements: [{ entryId: 'x' }] as never }).catch(String),
      );
      return { changed: false, bytesFreed: 0, rewrittenEntries: 0 };
    };
    const { requests } = await driveAll(source, () => engine({ maintain: asking }));
    expect(said[0]).toContain('replacements.0.message must be object');
    expect(requests).toHaveLength(5);
  });

  it('keeps later recorded edits of a copied entry', async () => {
    const edit: Entry = entry('context_edit', 'e1', 'a3', {
      targetId: 'r2.1',
      replacement: { content: 'edited later' },
    });
    const lines = [
      ...JSON.parse(JSON.stringify(sourceEntries())),
      edit,
      user('u4', 'e1'),
      entry('message', 'a4', 'u4', { message: { role: 'assistant', content: [] } }),
    ];
    const edited = sessionOf(...(lines as Entry[]));
    const { requests } = await driveAll(attachPatchReader(edited), () => engine({ maintain }));
    expect(JSON.stringify(requests.at(-1)?.assembled.messages)).toContain('edited later');
  });

  function sourceEntries(): readonly JsonObject[] {
    return pathTo(source.tree, source.tree.leaf!).map((head) => source.entry(head));
  }
});
