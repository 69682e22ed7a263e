import { describe, expect, it } from 'vitest';
import { toReplayable } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build.js';
import { walk } from '#context/walk.js';
import { type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { Log } from '../fixtures/log.js';

/** Turns that each end with a compaction, which keeps everything from the first entry on. */
function keepingAll(turns: number): Session {
  let log = new Log('loop').user('first', 'Begin with the parser.');
  for (let turn = 0; turn < turns; turn += 1) {
    log = log.assistant(`a${turn}`, `Step ${turn} is done.`).user(`u${turn}`, `Now do step ${turn + 1}.`);
    log = log.compaction(`c${turn}`, `Steps up to ${turn} are done.`, 'first');
  }
  return readSession(toByteSource(new TextEncoder().encode(log.text())), 's.jsonl');
}

/** Milliseconds of the processor that the fastest of several replays takes. */
function timeOf(session: Session): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    buildEnvelope(toReplayable(session), session.tree.leaf);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe('compactions that each keep all before', () => {
  it('keep it, with one summary', () => {
    const session = keepingAll(20);
    const { cached } = buildEnvelope(toReplayable(session), session.tree.leaf).messages;
    expect(cached.length).toBe(1 + 1 + 2 * 20);
    expect(JSON.stringify(cached[0])).toContain('Steps up to 19 are done.');
    expect(JSON.stringify(cached[1])).toContain('Begin with the parser.');
    expect(JSON.stringify(cached).match(/Steps up to/g)?.length).toBe(1);
  });

  it('are counted step by step as a replay to each step counts once at its end', () => {
    const session = keepingAll(12);
    const path = activePath(session.tree);
    const sizes: number[] = [];
    const { steps } = walk(toReplayable(session), path);
    for (const step of steps) sizes.push(step.take().messages.counted().tokens);
    const fresh = path.map((_, at) => {
      const alone = walk(toReplayable(session), path.slice(0, at + 1));
      Array.from(alone.steps, (step) => void step.take());
      return alone.replay.messages.counted().tokens;
    });
    expect(sizes).toEqual(fresh);
  });

  it('take much less time than each kept message at each of them would', () => {
    const [few, many] = [keepingAll(300), keepingAll(1200)];
    // Four times as many took sixteen times as long when each compaction looked at each message.
    timeOf(few);
    expect(timeOf(many) / timeOf(few)).toBeLessThan(11);
  });
});
