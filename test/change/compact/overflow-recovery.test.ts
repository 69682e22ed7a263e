import { describe, expect, it } from 'vitest';
import { findRecovery } from '#change/compact/overflow-recovery.js';
import { activePath } from '#session/tree/tree.js';
import { type Entry, entry, sessionOf } from '../../support/entries.js';
import { said } from '../../support/hook-session.js';

const TOO_LONG = { stopReason: 'error', errorMessage: 'prompt is too long: 210000 tokens > 200000 maximum' };
const failed = (id: string, parentId: string): Entry => said(id, parentId, 'assistant', '', TOO_LONG);
const compaction = (id: string, parentId: string): Entry =>
  entry('compaction', id, parentId, { summary: 'So far.', firstKeptEntryId: 'u1', tokensBefore: 1 });

function recovery(...entries: readonly Entry[]): string {
  const session = sessionOf(...entries);
  return findRecovery(session, activePath(session.tree));
}

describe("Pi's recovery from an overflow", () => {
  const asked = said('u1', null, 'user', 'Go on.');

  it('compacts and sends the request again, once', () => {
    expect(recovery(asked, failed('a1', 'u1'))).toBe('retry');
    expect(recovery(asked, failed('a1', 'u1'), compaction('c1', 'a1'), failed('a2', 'c1'))).toBe('final');
  });

  it('is due again after an answer that went well, and after the next message of the user', () => {
    const well = said('a2', 'c1', 'assistant', 'Done.', { stopReason: 'toolUse' });
    const first = [asked, failed('a1', 'u1'), compaction('c1', 'a1')];
    expect(recovery(...first, well, failed('a3', 'a2'))).toBe('retry');
    expect(recovery(...first, said('u2', 'c1', 'user', 'Again.'), failed('a3', 'u2'))).toBe('retry');
  });

  it('only compacts after a complete answer, and is not used up by another error', () => {
    expect(recovery(asked, said('a1', 'u1', 'assistant', 'Done.', { stopReason: 'stop' }))).toBe('compact');
    const other = said('a1', 'u1', 'assistant', '', { stopReason: 'error', errorMessage: 'overloaded' });
    expect(recovery(asked, other, failed('a2', 'a1'))).toBe('retry');
  });
});
