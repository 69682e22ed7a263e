import { expect, it } from 'vitest';
import { findNextSteps, findOutcome } from '#analysis/facts/turn-end.js';

it('finds next steps, but no questions about them', () => {
  expect(findNextSteps('It works. Next I will test it. Then what?')).toEqual(['Next I will test it.']);
});

it.each([
  ['Done. It works now.', 'It works now.'],
  ['Done now ok. It works.', 'Done now ok. It works.'],
  ['Done now ok. It works well.', 'It works well.'],
  ['Done now oki. It works well.', 'Done now oki. It works well.'],
  ['Perfect! Fine.', 'Perfect! Fine.'],
  ['It works. Fine.', 'It works. Fine.'],
  ['It works well now. Fine.', 'It works well now. Fine.'],
  ['', null],
  ['```\nIt works now.\n```', null],
  [`It ${'is '.repeat(100)}good.`, `It ${'is '.repeat(65)} …`],
])('%j came of it: %j', (text, outcome) => {
  expect(findOutcome(text)).toBe(outcome);
});
