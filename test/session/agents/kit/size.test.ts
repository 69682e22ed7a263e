import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { bytes } from '../../../support/entries.js';
import { expectLinearTime } from '../../../support/growth.js';
import { ctx } from '../../../support/memory-io.js';
import { tried } from '../../../support/runs.js';
import { TESTED_AGENTS } from './agents.js';
import { buildConversation } from './conversations.js';
import { open, readMessages } from './read.js';

const MESSAGES_A_TURN = 4;

describe.each(TESTED_AGENTS)('a large session of $name', (agent) => {
  it('is read in linear time', async () => {
    await expectLinearTime((turns) => {
      const content = bytes(agent.write(buildConversation(1, turns)));
      return async () => {
        const session = await open(content);
        expect(readMessages(session).length).toBeGreaterThanOrEqual((MESSAGES_A_TURN - 1) * turns);
        for (const head of session.tree.heads) session.usage(head);
      };
    }, 60);
  });

  // Where not all is tried, every second agent tries the other command.
  it.each(tried(['log', 'cache'], 2, TESTED_AGENTS.indexOf(agent)))('takes linear time in ctx %s', async (command) => {
    await expectLinearTime((turns) => {
      const files = { s: agent.write(buildConversation(1, turns)) };
      return async () => expect((await ctx([command, 's', '--json'], { files })).exitCode).toBe(0);
    }, 30);
  });

  it('keeps no texts in memory, or those of one document', async () => {
    const content = bytes(agent.write(buildConversation(1, 150, ' and more'.repeat(2000))));
    const before = readHeap();
    const session = await open(content);
    for (const head of session.tree.heads) session.usage(head);
    const kept = readHeap() - before;
    const most = agent.list === null ? 0.1 : 2.5;
    expect(kept / content.length).toBeLessThan(most);
    expect(buildEnvelope(session, session.tree.leaf).messages.cached.length).toBeGreaterThan(400);
  });
});

/** The bytes on the heap that are in use. */
function readHeap(): number {
  v8.setFlagsFromString('--expose-gc');
  (vm.runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
