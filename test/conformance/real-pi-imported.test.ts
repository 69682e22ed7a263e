import { expect, it } from 'vitest';
import { foreignFiles, foreignIn, importedBytes } from '../support/imported.js';
import { withRealPi } from '../support/real-pi.js';
import { runs } from '../support/runs.js';
import { askPi, judge } from './judged.js';

withRealPi('real Pi', () => {
  it('sees at every entry of an imported session what ctx takes it to see', async () => {
    const imported = [...foreignFiles(runs(300))].flatMap((file) => {
      const session = foreignIn(file);
      if (!session) return [];
      // Pi takes an answer that the agent wrote itself for one of a model, and ctx does not: here it is one for both.
      const text = new TextDecoder()
        .decode(importedBytes(session))
        .replaceAll(/"model":"(?:<synthetic>|delivery-mirror|gateway-injected)"/g, '"model":"local"');
      return [{ name: file.name, bytes: new TextEncoder().encode(text) }];
    });
    const verdicts = await askPi(
      imported.map(({ bytes }) => bytes),
      '--hash',
    );
    const wrong = verdicts.flatMap(({ ok, entries = [] }, nth) => {
      const { name = '', bytes = new Uint8Array() } = imported[nth] ?? {};
      const ours = judge(bytes);
      const differing = entries.filter(({ id, index, sha256 }) => ours?.get(id === null ? null : index) !== sha256);
      return ok && differing.length === 0 ? [] : [[name, ok, differing.map(({ id }) => id)]];
    });
    expect(wrong).toEqual([]);
    expect(imported.length).toBeGreaterThan(runs(600));
  }, 300_000);
});
