import { describe, expect, it } from 'vitest';
import { makePlan } from '#change/plan/make.js';
import { assistant, sessionOf, user } from '../../support/entries.js';

describe('a plan', () => {
  it.each([
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
    ['a number for an id', { id: 7 }],
  ])('is refused below an entry with %s, which nothing can name as its parent', (_, odd) => {
    const session = sessionOf(user('u1', null), { ...assistant('a1', 'u1'), ...odd });
    expect(() => makePlan(session, { command: 'test', entries: [] })).toThrow(
      expect.objectContaining({
        kind: 'refused',
        message: 'the last entry has no id, so nothing can stand below it',
      }) as Error,
    );
  });
});
