import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { reportCache } from '#analysis/cache/report-cache.js';
import { openSession } from '#context/open.js';
import { activePath } from '#session/tree/tree.js';
import type { PiEntry } from '../../src/live/pi.js';
import statusLine from '../../src/live/status-line.js';
import { projectFolder } from '../support/files.js';
import { livePi, type LivePi } from '../support/live-pi.js';
import { liveWith } from '../support/live-world.js';

const FILE = path.join(projectFolder, 'fixtures/weather.jsonl');

async function entriesOf(file: string): Promise<readonly PiEntry[]> {
  const session = await openSession(file);
  return activePath(session.tree).map((head) => session.entry(head) as unknown as PiEntry);
}

/** A Pi with the status line, at the first entries of a branch. */
async function started(entries: readonly PiEntry[], user?: unknown): Promise<LivePi> {
  const live = livePi(entries);
  statusLine.install(live.pi, liveWith({ user }));
  await live.emit('session_start', { reason: 'startup' });
  return live;
}

describe('the status line', () => {
  it('has the numbers of ctx status and ctx cache', async () => {
    const session = await openSession(FILE);
    const live = await started(await entriesOf(FILE), { limit: 4000 });
    const { summary, requests } = reportCache({
      session,
      path: activePath(session.tree),
      baseline: {},
    });
    const cached = Math.round((100 * summary.cacheRead) / summary.promptTokens);
    const last = requests.findLast((request) => request.break)?.break?.class;
    expect(last).toBe('compaction');
    // ctx status: ~1,875 of 4,000 tokens. Pi's footer shows a share of its model's window.
    expect(live.shown.get('ctx')).toBe(
      `context <1 % (47 % of the limit 4.0k) · cached ${cached} % · last break: ${last}`,
    );
  });

  it('follows the branch as it grows', async () => {
    const entries = await entriesOf(FILE);
    const live = await started(entries.slice(0, 12));
    const before = live.shown.get('ctx');
    live.branch = [...entries];
    await live.emit('turn_end', {});
    const grown = live.shown.get('ctx');
    expect(grown).not.toBe(before);
    expect(grown).toBe((await started(entries)).shown.get('ctx')?.toString().concat(' · 2 instructions: /ctx loss'));
  });

  it('is empty without entries, and off as configured', async () => {
    expect((await started([])).shown.size).toBe(0);
    expect((await started(await entriesOf(FILE), { live: { statusLine: false } })).shown.size).toBe(0);
  });

  it('has tokens where the context window is unknown, and no cache where none was reported', async () => {
    const [first, ...rest] = await entriesOf(FILE);
    const live = livePi([first!, ...rest.slice(0, 1)], { model: undefined });
    statusLine.install(live.pi, liveWith());
    await live.emit('session_start', { reason: 'startup' });
    expect(live.shown.get('ctx')).toMatch(/^context [\d.]+k? tokens$/);
  });
});
