import { expect, it } from 'vitest';
import { buildRowCells, buildTitleCells, fitColumns, type ListingColumn } from '#ui/doc/listing.js';

const text = (row: string): string => row;
const COLUMNS: readonly ListingColumn<string>[] = [
  { title: 'id', width: 8, tone: 'id', text },
  { title: 'time', width: 16, rank: 2, tone: 'faint', text },
  { title: 'cost', width: -6, rank: 1, tone: (row) => (row === '0' ? 'faint' : 'plain'), text },
  { title: 'what', width: 0, tone: 'plain', text },
];

it.each([
  [Infinity, 'id time cost what'],
  [56, 'id time cost what'],
  [55, 'id cost what'],
  [38, 'id cost what'],
  [37, 'id what'],
  [1, 'id what'],
])('in %s cells, columns of the highest ranks give way: %s', (cells, titles) => {
  const shown = fitColumns(COLUMNS, cells, () => 20);
  expect(buildTitleCells(shown).map((cell) => cell.text)).toEqual(titles.split(' '));
});

it('a rank can ask for more room', () => {
  const shown = fitColumns(COLUMNS, 56, (rank) => (rank > 1 ? 30 : 20));
  expect(shown.map(({ title }) => title)).toEqual(['id', 'cost', 'what']);
});

it('a tone may depend on the row', () => {
  expect(buildRowCells(COLUMNS, '0').map(({ tone, align, width }) => [tone, align, width])).toEqual([
    ['id', 'left', 8],
    ['faint', 'left', 16],
    ['faint', 'right', 6],
    ['plain', 'left', 0],
  ]);
});
