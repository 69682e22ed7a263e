import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatCsvRow } from '#ui/doc/csv.js';
import { UNSAFE } from '../../support/check-run.js';
import { runs } from '../../support/runs.js';

const PIECES = [
  '=',
  '+',
  '-',
  '@',
  '"',
  ',',
  '\n',
  '\r',
  '\t',
  ' ',
  "'",
  ';',
  'SUM(A1)',
  '\u001b[2J',
  '\u202e',
  '\ud800',
  '1',
  'a',
];
const cell = fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => pieces.join(''));

/** The cells of a row as RFC 4180 has them. */
function readRow(row: string): readonly string[] {
  const cells = [...`,${row}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)];
  return cells.map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '');
}

it('a cell starts no formula, and is one cell for a reader of CSV', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 4 }), (cells) => {
      const row = formatCsvRow(cells);
      expect(row.split('\n')).toHaveLength(2);
      const read = readRow(row.slice(0, -1));
      expect(read).toHaveLength(cells.length);
      for (const text of read) {
        expect(text).not.toMatch(UNSAFE);
        // A negative number is one.
        if (!/^-\d+$/.test(text)) expect(text).not.toMatch(/^[=+\-@\t\r]/);
      }
    }),
    { numRuns: runs(2000) },
  );
});
