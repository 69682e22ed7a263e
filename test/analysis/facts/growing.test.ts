import { describe, expect, it } from 'vitest';
import { readStatedFacts } from '#analysis/facts/fact-reader.js';
import { ALL_FACTS, collectFacts } from '#analysis/facts/facts.js';
import { GrowingFacts } from '#analysis/facts/growing-facts.js';
import { activePath } from '#session/tree/tree.js';
import { Log } from '../../fixtures/log.js';
import { sessionIn } from '../../support/facts.js';

/** Requests, decisions and a result; with an edit of the first request near the end. */
function worked(isEdited: boolean): string {
  const log = new Log('growing');
  for (let turn = 0; turn < 6; turn += 1) {
    log.message(`u${turn}`, { role: 'user', content: `Add part ${turn} and never use tabs. Fix bug ${turn}.` });
    log.message(`a${turn}`, {
      role: 'assistant',
      content: [
        { type: 'text', text: `We decided to use SQLite ${turn} instead of files. Next, I will test part ${turn}.` },
      ],
      stopReason: 'stop',
    });
    if (isEdited && turn === 4)
      log.entry('e', 'context_edit', { targetId: 'u0', replacement: { content: 'Write docs.' } });
  }
  return log.text();
}

describe('the facts along a path that grows', () => {
  it.each([false, true])('are those of the whole path at each entry (edited: %s)', (isEdited) => {
    const session = sessionIn(worked(isEdited));
    const path = activePath(session.tree);
    const growing = new GrowingFacts(session);
    for (let length = 0; length <= path.length; length += 1) {
      const some = path.slice(0, length);
      expect(growing.readTo(some).list(ALL_FACTS)).toEqual(collectFacts(readStatedFacts(session, some), ALL_FACTS));
    }
    expect(growing.readTo(path).list(ALL_FACTS).done.facts.length).toBeGreaterThan(3);
  });

  it('reads an entry once', () => {
    const session = sessionIn(worked(false));
    const path = activePath(session.tree);
    let reads = 0;
    const counting = { ...session, entry: (head: (typeof path)[number]) => ((reads += 1), session.entry(head)) };
    const growing = new GrowingFacts(counting);
    for (let length = 0; length <= path.length; length += 1) growing.readTo(path.slice(0, length));
    expect(reads).toBe(path.length);
  });
});
