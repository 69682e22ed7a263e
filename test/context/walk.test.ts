import { describe, expect, it } from 'vitest';
import { ignorePatches, type OpenSession } from '#context/open.js';
import { walkFile } from '#context/walk-file.js';
import { replayPath, walk } from '#context/walk.js';
import { activePath } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { type Entry, entry, HEADER, lines, user } from '../support/entries.js';

function sessionOf(...entries: readonly Entry[]): OpenSession & { parsed: string[] } {
  const bytes = new TextEncoder().encode(lines(...entries));
  const session = ignorePatches(readSession(toByteSource(bytes), 's.jsonl'));
  const parsed: string[] = [];
  return { ...session, parsed, entry: (head) => (parsed.push(String(head.id)), session.entry(head)) };
}

const THREE = [HEADER, user('u1', null), user('u2', 'u1'), entry('label', 'l1', 'u2', { targetId: 'u1', label: 'x' })];

describe('a walk', () => {
  it('gives each entry before the replay takes it, and the whole path at the end', () => {
    const session = sessionOf(...THREE);
    const { steps, replay } = walk(session, activePath(session.tree));
    const before: number[] = [];
    for (const { replay: now } of steps) before.push(now.content().messages.cached.length);
    expect(before).toEqual([0, 1, 2]);
    expect(replay.content().messages.cached).toHaveLength(2);
  });

  it('gives the context after an entry where it is asked for, once', () => {
    const session = sessionOf(...THREE);
    const after: number[] = [];
    for (const step of walk(session, activePath(session.tree)).steps) {
      step.take();
      after.push(step.take().content().messages.cached.length);
    }
    expect(after).toEqual([1, 2, 2]);
  });

  it('parses an entry at most once, and not one that is passed over', () => {
    const session = sessionOf(...THREE);
    for (const step of walk(session, activePath(session.tree)).steps)
      if (step.head.id === 'u1') void [step.entry, step.entry];
    expect(session.parsed.filter((id) => id === 'u1')).toEqual(['u1']);
    session.parsed.length = 0;
    for (const { head } of walk(session, activePath(session.tree), { messages: 'none' }).steps)
      expect(head.id).toBe('l1');
    expect(session.parsed).not.toContain('u1');
  });

  it('is the replay of its path', () => {
    const session = sessionOf(...THREE);
    const path = activePath(session.tree);
    const { steps, replay } = walk(session, path);
    for (const step of steps) void step;
    expect(replay.content()).toEqual(replayPath(session, path).content());
  });
});

describe('the entries of a file with their steps', () => {
  it.each([
    [
      'in order',
      THREE,
      [
        ['u1', 'u1'],
        ['u2', 'u2'],
        ['l1', 'l1'],
      ],
    ],
    [
      'of a path in another order, which come after all entries',
      [HEADER, user('u2', 'u1'), user('u1', null), user('u3', 'u2')],
      [
        ['u2', null],
        ['u1', null],
        ['u3', null],
        ['u1', 'u1'],
        ['u2', 'u2'],
        ['u3', 'u3'],
      ],
    ],
  ])('are %s', (_name, entries, expected) => {
    const session = sessionOf(...entries);
    const given = [...walkFile(walk(session, activePath(session.tree)))];
    expect(given.map(({ head, step }) => [head.id, step?.head.id ?? null])).toEqual(expected);
  });

  it('include only those outside the path that are needed', () => {
    const session = sessionOf(HEADER, user('u1', null), user('u2', 'u1'), user('u3', 'u1'), user('u4', 'u1'));
    const given = [...walkFile(walk(session, activePath(session.tree)), (index) => index === 2)];
    expect(given.map(({ head, step }) => [head.id, step?.head.id ?? null])).toEqual([
      ['u1', 'u1'],
      ['u3', null],
      ['u4', 'u4'],
    ]);
  });
});
