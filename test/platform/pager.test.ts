import { expect, it } from 'vitest';
import { startPager } from '#platform/terminal/pager.js';

it.each([
  ['no-such-pager -R', false],
  ['./no-such-pager', false],
  ['cat', true],
  ['cat -u', true],
  ['"cat"', true],
])('a pager is started if its program exists, which a quoted one may: %s', async (line, isStarted) => {
  const pager = await startPager(line, process);
  expect(pager !== null).toBe(isStarted);
  await pager?.end();
});

it('a pager that exits reads no more', async () => {
  const pager = await startPager('true', process);
  while (await pager?.write('text\n'.repeat(20_000)));
  await pager?.end();
  expect(await pager?.write('text')).toBe(false);
});
