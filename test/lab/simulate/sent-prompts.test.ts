import { describe, expect, it } from 'vitest';
import { findDivergence } from '#analysis/cache/divergence.js';
import type { Prompt } from '#analysis/cache/prompt.js';
import { SentPrompts } from '#analysis/cache/sent-prompts.js';
import { isObject } from '#base/json.js';
import { openSession } from '#context/open.js';
import { readTarget } from '#context/request/wire-messages.js';
import { driveEngine } from '#lab/drive/drive.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';
import { named, options, showing } from './simulation-world.js';

function sizes(prompt: Prompt, before: Prompt | null): readonly unknown[] {
  return [prompt.tokens, prompt.length, prompt.generated.length, before && findDivergence(before, prompt)];
}

describe('prompts of what an engine assembles', () => {
  it('equal those that are built for each request', async () => {
    let requests = 0;
    for (let seed = 1; seed <= runs(40); seed += 1) {
      const session = await openSession(
        Buffer.from(generateSession({ seed, entries: 60, edits: 0.2, sound: seed % 2 === 0 })),
      );
      const every3rd = showing('every third', (messages, request) =>
        messages.filter((_, at) => request % 3 > 0 || at % 3 > 0),
      );
      for (const { make } of [...named('recorded', 'none', 'three-phase'), every3rd]) {
        const followed = new SentPrompts();
        let before: Prompt | null = null;
        let plainBefore: Prompt | null = null;
        for await (const { assembled, answer } of driveEngine(session, make, options({ tokenBudget: 2000 }).drive)) {
          const { message } = answer ? session.entry(answer) : {};
          const target = readTarget(isObject(message) ? message : {});
          const [prompt, plain] = [followed.next(assembled, target), new SentPrompts().next(assembled, target)];
          expect(sizes(prompt, before)).toEqual(sizes(plain, plainBefore));
          [before, plainBefore] = [prompt, plain];
          requests += 1;
        }
      }
    }
    expect(requests).toBeGreaterThan(runs(500));
  });
});
