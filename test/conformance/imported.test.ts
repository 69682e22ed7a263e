import { expect, it } from 'vitest';
import { type Session } from '#session/session.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { foreignFiles, foreignIn, importedBytes, movedIn, seenBy, seenByStock } from '../support/imported.js';
import { runs } from '../support/runs.js';

const MOST = 12;

interface Reading {
  readonly isWhole: boolean;
  /** The context at each entry. */
  readonly seen: ReadonlyMap<unknown, string>;
  /** The entries whose order is another. */
  readonly moved: ReadonlySet<unknown>;
}

/** The entries of a session at which another reading of it shows something else. */
function differences(session: Session, { isWhole, seen, moved }: Reading): readonly unknown[] {
  return [...seenBy(session, isWhole)]
    .filter(([id, text]) => !moved.has(id) && seen.get(id) !== text)
    .map(([id]) => id);
}

it('an imported session shows stock Pi the same messages at every entry, and ctx the same context', () => {
  let count = 0;
  for (const file of foreignFiles(runs(300, MOST))) {
    const session = foreignIn(file);
    if (!session) continue;
    const bytes = importedBytes(session);
    const moved = movedIn(session, bytes);
    const ofStock = differences(session, { isWhole: false, seen: seenByStock(bytes), moved });
    expect([file.name, ofStock]).toEqual([file.name, []]);
    const read = readSession(toByteSource(bytes), 'imported');
    const ofCtx = differences(session, { isWhole: true, seen: seenBy(read, true), moved });
    expect([file.name, ofCtx]).toEqual([file.name, []]);
    const { leaf } = read.tree;
    if (moved.has(session.tree.leaf?.id)) expect(moved.has(leaf?.id)).toBe(true);
    else if (session.tree.leaf) expect(leaf?.id).toBe(session.tree.leaf.id);
    // Pi continues at the last entry: one that shows nothing, if the session went back to before its first entry.
    else if (leaf) expect([leaf.type, leaf.parentId]).toEqual(['custom', null]);
    count += 1;
  }
  expect(count).toBeGreaterThan(2 * runs(300, MOST));
});
