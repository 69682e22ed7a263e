import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { MessageList } from '#context/replay/message-list.js';
import { walk } from '#context/walk.js';
import { type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { Log } from '../fixtures/log.js';
import { projectFolder } from '../support/files.js';
import { expectLinearTime } from '../support/growth.js';

/** Turns that each end with a compaction, which keeps everything from the first entry on. */
function keepingAll(turns: number): Session {
  return readSession(toByteSource(new TextEncoder().encode(keepingAllText(turns))), 's.jsonl');
}

function keepingAllText(turns: number): string {
  let log = new Log('loop').user('first', 'Begin with the parser.');
  for (let turn = 0; turn < turns; turn += 1) {
    log = log.assistant(`a${turn}`, `Step ${turn} is done.`).user(`u${turn}`, `Now do step ${turn + 1}.`);
    log = log.compaction(`c${turn}`, `Steps up to ${turn} are done.`, 'first');
  }
  return log.text();
}

describe('compactions that each keep all before', () => {
  it('keep it, with one summary', () => {
    const session = keepingAll(20);
    const { cached } = buildEnvelope(attachPatchReader(session), session.tree.leaf).messages;
    expect(cached.length).toBe(1 + 1 + 2 * 20);
    expect(JSON.stringify(cached[0])).toContain('Steps up to 19 are done.');
    expect(JSON.stringify(cached[1])).toContain('Begin with the parser.');
    expect(JSON.stringify(cached).match(/Steps up to/g)?.length).toBe(1);
  });

  it('are counted step by step as a replay to each step counts once at its end', () => {
    const session = keepingAll(12);
    const path = activePath(session.tree);
    const sizes: number[] = [];
    const { steps } = walk(attachPatchReader(session), path);
    for (const step of steps) sizes.push(step.take().messages.countSent().tokens);
    const fresh = path.map((_, at) => {
      const alone = walk(attachPatchReader(session), path.slice(0, at + 1));
      Array.from(alone.steps, (step) => void step.take());
      return alone.replay.messages.countSent().tokens;
    });
    expect(sizes).toEqual(fresh);
  });

  it('take linear time, as none looks at each kept message', { timeout: 200_000 }, async () => {
    let least = Infinity;
    for (let tries = 0; tries < 8 && least > MOST; tries += 1) least = Math.min(least, await measureGrowth(300));
    expect(least).toBeLessThan(MOST);
  });
});

describe('compactions that each keep nothing', () => {
  it('take linear time, as none looks at the messages that others hid', async () => {
    await expectLinearTime((turns) => {
      const head = keepingAll(1).tree.leaf ?? expect.fail('no entry');
      return () => {
        const list = new MessageList();
        for (let index = 0; index < 3 * turns; index += 3) {
          list.append({ head, index, kind: 'entry', message: { role: 'user', content: 'Go on.', timestamp: 0 } });
          const summary = { role: 'user' as const, content: 'All is done.', timestamp: 0 };
          list.compact({ head, index: index + 1, kind: 'summary' }, [summary, summary], null);
        }
        expect(list.countSent().sent).toBe(2);
      };
    }, 300);
  });
});

/** Of 16 times as many turns: it takes 10 to 16, and over 70 with work on each kept message at each compaction. */
const MOST = 32;

/**
 * How many times as long the replay of 16 times as many turns takes, in time of the processor. In a process of its own:
 * where other tests have filled the memory, collecting garbage takes most of the time of the larger one.
 */
async function measureGrowth(turns: number): Promise<number> {
  const files = { [turns]: keepingAllText(turns), [16 * turns]: keepingAllText(16 * turns) };
  const { stdout } = await execa('node', ['--input-type=module', '--eval', MEASURE], { input: JSON.stringify(files) });
  return Number(stdout);
}

const MEASURE = `
import { readFileSync } from 'node:fs';
import { envelopeAt, openSession } from ${JSON.stringify(pathToFileURL(join(projectFolder, 'dist/index.js')))};
const times = [];
for (const [turns, text] of Object.entries(JSON.parse(readFileSync(0, 'utf8')))) {
  const session = await openSession(new TextEncoder().encode(text));
  let least = Infinity;
  // A start weighs on the smaller one only.
  for (let runs = turns > 1000 ? 2 : 3; runs > 0; runs -= 1) {
    const start = process.cpuUsage();
    envelopeAt(session, session.tree.leaf.id);
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, user + system);
  }
  times.push(least);
}
console.log(times[1] / times[0]);
`;
