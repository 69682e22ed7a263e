import { describe, expect, it } from 'vitest';
import { limitBlocks, shortenUnchanged } from '#cli/commands/diff/beside.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { line } from '#ui/doc/doc.js';
import { clipText } from '#ui/parts/clip-text.js';
import { sessionOf, user } from '../../support/entries.js';

const SMILE = '🙂';

describe('what is cut', () => {
  it('says how much is left out, of one as of many', () => {
    expect(clipText('x'.repeat(2001), false)).toContain('… 1 more character, ');
    expect(clipText('x'.repeat(3002), false)).toContain('… 1,002 more characters, ');
    const last = (length: number): string =>
      JSON.stringify(
        limitBlocks(
          Array.from({ length }, () => line('x')),
          false,
        ).at(-1),
      );
    expect(last(41)).toContain('… 1 more line: ');
    expect(last(42)).toContain('… 2 more lines: ');
  });

  it('cuts no character apart', () => {
    expect(clipText(`${'x'.repeat(1999)}${SMILE}`, false)).toMatch(/^x{1999}\n… 2 more characters/);
    expect(shortenUnchanged(`${'x'.repeat(59)}${SMILE.repeat(10)}${'x'.repeat(59)}`, false, false)).toBe(
      `${'x'.repeat(59)}…${'x'.repeat(59)}`,
    );
    const session = sessionOf(user('u1', null, `${'x'.repeat(71)}${SMILE}`));
    expect(findSessionTitle(session)).toBe(`${'x'.repeat(71)} …`);
  });
});
