import { describe, expect, it } from 'vitest';
import { scenarios } from './codex-scenarios.js';
import { Codex, openaiPieces, shownRequest } from './codex.js';
import { findCodex } from './installed.js';
import { expectSame } from './judge.js';

const VERSIONS = ['0.171.0'];

describe.each(VERSIONS)('ctx shows the instructions and messages that Codex %s sends', (version) => {
  const program = findCodex(version);
  if (program === null) console.warn(`left out: Codex ${version} is not installed`);
  it.skipIf(program === null).concurrent.each(scenarios)('%s', async (_, play) => {
    const codex = await Codex.start(program!);
    try {
      const outcome = (await play(codex)) ?? {};
      expect(codex.provider.failures).toEqual([]);
      const judged = {
        files: codex.files(),
        requests: codex.provider.requests,
        sent: openaiPieces,
        shown: shownRequest,
        unrecorded: () => ({ reminders: 'ordered' as const }),
      };
      await expectSame(judged, outcome, (number) => codex.records(number));
    } finally {
      await codex.end();
    }
  });
});
