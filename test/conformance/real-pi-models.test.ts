import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { dataFile, dataText } from '../../src/models/build.mjs';
import { withRealPi } from '../support/real-pi.js';

withRealPi('the list of models', () => {
  it('is that of the Pi package that is installed; npm run models writes it', async () => {
    expect(await readFile(dataFile, 'utf8')).toBe(await dataText());
  });
});
