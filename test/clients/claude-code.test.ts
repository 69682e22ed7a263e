import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { isTried } from '../support/runs.js';
import { scenarios } from './claude-code-scenarios.js';
import { anthropicPieces, ClaudeCode, unrecordedIn } from './claude-code.js';
import { shownPieces } from './compare.js';
import { findClaudeCode } from './installed.js';
import { expectSame } from './judge.js';

const VERSIONS = ['2.1.237', '2.1.290', '2.1.332'];

/** The newest version plays all. Where not all are tried, older ones play others each, and what is otherwise in them. */
function scenariosOf(version: string) {
  const nth = VERSIONS.indexOf(version);
  const isNewest = nth === VERSIONS.length - 1;
  const played = scenarios.filter(
    ([, , otherwiseIn], at) => isNewest || otherwiseIn === version || isTried(at, 4, nth),
  );
  return played.map(([title, play]) => [title, play] as const);
}

describe.each(VERSIONS)('ctx shows the messages that Claude Code %s sends', (version) => {
  const program = findClaudeCode(version);
  if (program === null) console.warn(`left out: Claude Code ${version} is not installed`);
  it.skipIf(program === null).concurrent.each(scenariosOf(version))('%s', async (_, play) => {
    const claude = await ClaudeCode.start(program!, version);
    try {
      const outcome = (await play(claude)) ?? {};
      expect(claude.provider.failures).toEqual([]);
      const judged = {
        files: claude.files(),
        requests: claude.provider.requests,
        sent: anthropicPieces,
        shown: shownPieces,
        unrecorded: (envelope: JsonObject) => unrecordedIn(envelope, version),
      };
      await expectSame(judged, outcome, (number) => claude.records(number));
    } finally {
      await claude.end();
    }
  });
});
