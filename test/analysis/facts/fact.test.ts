import { describe, expect, it } from 'vitest';
import { toFact, toFactKey } from '#analysis/facts/fact.js';

describe('a fact', () => {
  it('is one line, open by default, without an outcome', () => {
    expect(toFact('task', ' Mend\n the *parser*. ')).toEqual({
      kind: 'task',
      key: 'mend the parser',
      text: 'Mend the *parser*.',
      state: 'open',
      outcome: null,
    });
    expect(toFact('blocker', 'It broke', 'gone')).toMatchObject({ state: 'gone' });
  });

  it('is cut where it is long, a goal later, and has the key of what is left', () => {
    const long = 'x'.repeat(500);
    expect(toFact('task', long)).toMatchObject({ text: `${'x'.repeat(298)} …`, key: 'x'.repeat(298) });
    expect(toFact('goal', long)).toMatchObject({ text: `${'x'.repeat(398)} …`, key: 'goal' });
    expect(toFact('task', 'x'.repeat(300)).text).toHaveLength(300);
  });

  it.each([
    ['Mend IT.', 'mend it'],
    ['mend it?! …', 'mend it'],
    ['Mend: it', 'mend: it'],
    ['**Mend** `it`;', 'mend it'],
    ['...', ''],
  ])('%j has the key %j', (text, key) => {
    expect(toFactKey(text)).toBe(key);
  });
});
