import { describe, expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import { readPatch } from '#context/ops/read-patch.js';
import { LiveBranch } from '#live/branch.js';
import type { PiEntry } from '#live/pi.js';
import { pathTo } from '#session/tree/tree.js';
import { opened } from '../support/entries.js';
import { fixtures } from '../support/files.js';
import { livePi } from '../support/live-pi.js';

const { sessionManager } = livePi().ctx;

/** The active path of a fixture, as Pi has it in memory; null for one that cannot be replayed. */
async function branchOf(file: string): Promise<readonly PiEntry[] | null> {
  const session = await openSession(file).catch(() => null);
  if (!session?.tree.leaf || session.agent) return null;
  return pathTo(session.tree, session.tree.leaf).map((head) => session.entry(head) as unknown as PiEntry);
}

/** The envelope of entries by the offline reader. */
async function offline(entries: readonly PiEntry[]): Promise<unknown> {
  const header = { type: 'session', version: 3, id: 'live', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/' };
  const lines = [header, ...entries].map((line) => JSON.stringify(line)).join('\n');
  const session = await opened(`${lines}\n`);
  try {
    const { system, tools, messages, options } = envelopeAt(session);
    return { system, tools, messages, options };
  } catch (error) {
    return (error as Error).message;
  }
}

function live(branch: LiveBranch): unknown {
  try {
    return branch.replay().content();
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a branch in memory', () => {
  it.each(fixtures)('%s: has the envelope of the file at every entry, while it grows', async (file) => {
    const entries = await branchOf(file);
    if (entries === null) return;
    const branch = new LiveBranch(sessionManager, readPatch);
    for (let length = 1; length <= entries.length; length += 1) {
      const grown = entries.slice(0, length);
      expect(branch.grow(grown)).toBe(true);
      expect(live(branch)).toEqual(await offline(grown));
    }
  });

  it('does not grow into another branch', async () => {
    const [first, second, third] = (await branchOf(fixtures.find((file) => file.endsWith('weather.jsonl'))!))!;
    const branch = new LiveBranch(sessionManager, readPatch);
    expect(branch.grow([first!, second!])).toBe(true);
    expect(branch.grow([first!, third!])).toBe(false);
    expect(branch.grow([first!])).toBe(false);
    expect(branch.path).toHaveLength(2);
  });
});
