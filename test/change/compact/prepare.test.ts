import { describe, expect, it } from 'vitest';
import { type Preparation, prepareCompaction } from '#change/compact/prepare.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';

function prepared(log: Log, keepRecentTokens: number, keepsPairs = false): Preparation | null {
  const session = attachPatchReader(log.read());
  const { leaf } = session.tree;
  const path = leaf ? pathTo(session.tree, leaf) : [];
  return prepareCompaction(session, { path, keepRecentTokens, keepsPairs });
}

/** 25 tokens each. */
const LONG = 'x'.repeat(100);

function turns(count: number): Log {
  const log = new Log('p');
  for (let at = 1; at <= count; at += 1) log.user(`u${at}`, LONG).assistant(`a${at}`, LONG);
  return log;
}

describe('a preparation', () => {
  it('keeps the turns with the requested number of tokens', () => {
    expect(prepared(turns(4), 90)).toMatchObject({
      firstKeptEntryId: 'u3',
      firstKeptMessageIndex: 4,
      isSplitTurn: false,
    });
    expect(prepared(turns(4), 110)).toMatchObject({ firstKeptEntryId: 'a2', isSplitTurn: true });
    expect(prepared(turns(4), 201)).toBe(null);
  });

  it('says what a split turn begins with', () => {
    const preparation = prepared(turns(4), 110);
    expect(preparation?.messagesToSummarize).toHaveLength(2);
    expect(preparation?.turnPrefixMessages).toMatchObject([{ role: 'user' }]);
  });

  it('never begins with the result of a tool', () => {
    const log = turns(1).tool('t1', 'bash', {}, 'y'.repeat(4000));
    expect(prepared(log, 50)?.firstKeptEntryId).toBe('t1');
  });

  it('parts a call from its result where Pi does, unless pairs are kept', () => {
    const call = { content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: {} }], stopReason: 'toolUse' };
    const answer = { role: 'toolResult', toolCallId: 'c', toolName: 'bash', content: [{ type: 'text', text: LONG }] };
    const log = turns(1).assistant('call', '', call).user('meanwhile', LONG).message('result', answer);
    expect(prepared(log, 45)?.firstKeptEntryId).toBe('meanwhile');
    expect(prepared(log, 45, true)?.firstKeptEntryId).toBe('call');
  });

  it('lists files that were read and changed, those of an earlier compaction of Pi too', () => {
    const details = { readFiles: ['old.ts'], modifiedFiles: ['both.ts'] };
    const tools = (log: Log): Log =>
      log.tool('t1', 'read', { path: 'a.ts' }, LONG).tool('t2', 'edit', { path: 'b.ts' }, LONG).user('u9', LONG);
    const pi = tools(turns(1).compaction('k', 'before', 'a1', { details }));
    expect(prepared(pi, 20)?.fileOps).toEqual({
      read: new Set(['old.ts', 'a.ts']),
      written: new Set(),
      edited: new Set(['both.ts', 'b.ts']),
    });
    const hook = tools(turns(1).compaction('k', 'before', 'a1', { details, fromHook: true }));
    expect(prepared(hook, 20)?.fileOps.read).toEqual(new Set(['a.ts']));
  });

  it('summarises what an earlier compaction had kept, and brings its summary up to date', () => {
    const log = turns(2).compaction('k', 'before', 'u2').user('u3', LONG).assistant('a3', LONG);
    expect(prepared(log, 45)).toMatchObject({
      firstKeptEntryId: 'u3',
      previousSummary: 'before',
      firstKeptMessageIndex: 3,
    });
    expect(prepared(log, 45)?.messagesToSummarize).toHaveLength(2);
  });

  it('cuts the messages that a transform has left, where they are now', () => {
    const short = { role: 'user', content: 'short', timestamp: 1 };
    const replace = {
      op: 'messages_cached_replace',
      scope: 'cached',
      messages: [short],
      invalidateCacheReason: 'trim',
    };
    const log = turns(3).transform('x', 'trim', [replace]).user('u4', LONG).assistant('a4', LONG);
    const preparation = prepared(log, 45);
    expect(preparation).toMatchObject({ firstKeptEntryId: 'u4', firstKeptMessageIndex: 1, keptMessages: 2 });
    expect(preparation?.messagesToSummarize).toEqual([short]);
    expect(preparation?.tokensBefore).toBe(52);
  });

  it('can keep only what a transform has made', () => {
    const messages = [LONG, LONG].map((content) => ({ role: 'user', content, timestamp: 1 }));
    const replace = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'trim' };
    const preparation = prepared(turns(3).transform('x', 'trim', [replace]), 20);
    expect(preparation).toMatchObject({ firstKeptEntryId: null, firstKeptMessageIndex: 1, keptMessages: 1 });
  });

  it('keeps a summary that a transform has put messages above', () => {
    const details = { readFiles: ['old.ts'], modifiedFiles: [] };
    const log = turns(1).compaction('k', 'before', 'nowhere', { details });
    const summary = toSummaryMessage('before', log.now());
    const made = ['first', 'second'].map((content) => ({ role: 'user', content: content.padEnd(100), timestamp: 1 }));
    const replace = {
      op: 'messages_cached_replace',
      scope: 'cached',
      messages: [...made, summary],
      invalidateCacheReason: 'x',
    };
    log.transform('x', 'own', [replace]).user('u9', LONG);
    const preparation = prepared(log, 45);
    expect(preparation).toMatchObject({ firstKeptMessageIndex: 1, keptMessages: 3, previousSummary: null });
    expect(preparation?.messagesToSummarize).toMatchObject([{ content: made[0]?.content }]);
    expect(preparation?.fileOps.read).toEqual(new Set());
    // Where the summary leaves, it is brought up to date.
    expect(prepared(log, 20)).toMatchObject({
      keptMessages: 1,
      previousSummary: 'before',
      fileOps: { read: new Set(['old.ts']) },
    });
  });

  describe('where nothing but a failed attempt follows the cut', () => {
    const failed = (log: Log, id: string): Log =>
      log.assistant(id, '', { stopReason: 'error' }).edit(`${id}e`, id, null);

    it('summarises what it failed on as well', () => {
      const log = failed(turns(1).user('u2', LONG), 'a2');
      expect(prepared(log, 20)).toMatchObject({ firstKeptEntryId: 'a2', keptMessages: 0 });
      expect(prepared(log, 20)?.turnPrefixMessages).toMatchObject([{ role: 'user', content: LONG }]);
    });

    it('does not where there was more: another edit, an answer, or a compaction', () => {
      const edited = failed(turns(1).user('u2', LONG), 'a2').edit('e2', 'u1', { content: LONG });
      expect(prepared(edited, 20)).toMatchObject({ firstKeptEntryId: 'u2', keptMessages: 1 });
      const leftOut = failed(turns(1).user('u2', LONG), 'a2').edit('e2', 'u1', null);
      expect(prepared(leftOut, 20)).toMatchObject({ firstKeptEntryId: 'a2', keptMessages: 0 });
      const answered = failed(turns(1).user('u2', LONG), 'a2').assistant('a3', 'x');
      expect(prepared(answered, 20)).toMatchObject({ firstKeptEntryId: 'u2', keptMessages: 2 });
      const notLeftOut = turns(1).user('u2', LONG).assistant('a2', '', { stopReason: 'error' });
      expect(prepared(notLeftOut, 20)).toMatchObject({ firstKeptEntryId: 'u2' });
      const attempt = new Log('p')
        .user('u1', LONG)
        .compaction('k0', 'x', 'u1')
        .assistant('a1', '', { stopReason: 'error' });
      expect(prepared(attempt.compaction('k1', 'x', 'u1').edit('e1', 'a1', null), 20)).toBeNull();
    });
  });
});
