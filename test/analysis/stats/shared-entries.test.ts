import { describe, expect, it } from 'vitest';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import { entry, type Entry, HEADER, lines, sourceOf } from '../../support/entries.js';

function session(version: number, ...entries: readonly Entry[]): Session {
  return readSession(sourceOf(lines({ ...HEADER, version }, ...entries)), 's.jsonl');
}

const message = (id: unknown, minute: number, role = 'user'): Entry =>
  entry('message', id, null, { timestamp: `2026-01-05T09:0${minute}:00.000Z`, message: { role, content: 'x' } });

describe('entries that sessions share', () => {
  const first = session(3, message('00000001', 1), message('a b', 2), message(7, 3));
  const shared = new SharedEntries();
  shared.note(first);

  it.each([
    ['the same', message('00000001', 1), true],
    ['the same with an odd id', message('a b', 2), true],
    ['the same with an id that is a number', message(7, 3), true],
    ['another id', message('00000002', 1), false],
    ['an id that only looks alike', message('7', 3), false],
    ['another time', message('00000001', 4), false],
    ['another role', message('00000001', 1, 'assistant'), false],
    ['another type', entry('label', '00000001', null, { timestamp: '2026-01-05T09:01:00.000Z' }), false],
  ])('are those with id, time, type and role of one another: %s', (_, other, expected) => {
    expect(shared.has(session(3, other), 0)).toBe(expected);
  });

  it('are none before one was noted', () => {
    expect(new SharedEntries().has(first, 0)).toBe(false);
  });

  it('need no ids where one of the sessions has none, but a time', () => {
    const old = session(1, message(undefined, 1), { ...message(undefined, 2), timestamp: 'never' });
    const known = new SharedEntries();
    known.note(old);
    expect([0, 1].map((at) => known.has(old, at))).toEqual([true, false]);
    expect(known.has(session(3, message('00000009', 1)), 0)).toBe(true);
    expect(known.has(session(3, message('00000009', 1, 'assistant')), 0)).toBe(false);
    expect(known.has(session(3, { ...message('00000009', 2), timestamp: 'never' }), 0)).toBe(false);
    expect(shared.has(old, 0)).toBe(false);
  });

  it('may be those of two sessions, one of which has no ids', () => {
    const known = new SharedEntries();
    known.note(session(1, message(undefined, 1)));
    known.note(session(2, message('00000005', 5)));
    const other = session(3, message('00000001', 1), message('00000005', 5), message('00000006', 5));
    expect([0, 1, 2].map((at) => known.has(other, at))).toEqual([true, true, false]);
  });
});
