import { expect, it } from 'vitest';
import { openIndexIn } from '#platform/files/index-folder.js';

it('an index in a folder that cannot be created remembers nothing, and ends', () => {
  // Node's own creation of parents never returns here.
  const index = openIndexIn('/proc/ctx/index', 'ctx');
  index.write('a', new Uint8Array([1]));
  expect(index.read('a')).toBe(null);
});
