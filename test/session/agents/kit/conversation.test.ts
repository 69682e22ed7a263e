import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { AGENTS } from '#session/agents/index.js';
import { activePath } from '#session/tree/tree.js';
import { ctx } from '../../../support/memory-io.js';
import { runs } from '../../../support/runs.js';
import { TESTED_AGENTS } from './agents.js';
import { insertRecord } from './content.js';
import { buildConversation } from './conversations.js';
import { listExpected, listFaults, open, readMessages } from './read.js';

const SEEDS = Array.from({ length: runs(100) }, (_, at) => at + 1);

it('the kit tests every agent', () => {
  expect(TESTED_AGENTS.map(({ name }) => name).toSorted()).toEqual(AGENTS.map(({ name }) => name).toSorted());
});

describe.each(TESTED_AGENTS)('a session of $name', (agent) => {
  const lacks = agent.lacks ?? [];

  it('has the messages of its conversation, each after the one before', async () => {
    for (const seed of SEEDS) {
      const conversation = buildConversation(seed, 1 + (seed % 5));
      const session = await open(agent.write(conversation));
      expect(session.agent?.name).toBe(agent.name);
      expect(readMessages(session)).toEqual(listExpected(conversation, agent));
      expect(listFaults(session)).toEqual([]);
      expect(session.problems).toEqual([]);
      if (!lacks.includes('folder')) expect(session.header.cwd).toBe(conversation.cwd);
      const times = activePath(session.tree).map(({ time }) => time);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });

  it('has the tokens of each answer once', async () => {
    for (const seed of SEEDS) {
      const conversation = buildConversation(seed, 1 + (seed % 5));
      const tokens = conversation.messages.flatMap((message) => (message.role === 'assistant' ? [message.tokens] : []));
      const session = await open(agent.write(conversation));
      const usages = activePath(session.tree).flatMap((head): JsonObject[] => [session.usage(head) ?? []].flat());
      const found = usages.map(({ input, cacheRead, output }) => ({ input, cacheRead, output }));
      expect(found).toEqual(lacks.includes('tokens') ? [] : tokens);
    }
  });

  it('has the same sums in ctx stats', async () => {
    const conversation = buildConversation(1, 9);
    const tokens = conversation.messages.flatMap((message) => (message.role === 'assistant' ? [message.tokens] : []));
    const { stdout } = await ctx(['stats', 's', '--json'], { files: { s: agent.write(conversation) } });
    const { usageRecorded } = JSON.parse(stdout) as { usageRecorded: Record<string, number> };
    const sums = {
      calls: tokens.length,
      input: sumBy(tokens, ({ input }) => input),
      output: sumBy(tokens, ({ output }) => output),
    };
    expect(usageRecorded).toMatchObject(lacks.includes('tokens') ? { calls: 0 } : sums);
  });

  it('reads on after a record of an unknown type', async () => {
    const conversation = buildConversation(1, 3);
    for (const place of [0, 0.5, 1]) {
      const text = insertRecord(agent, agent.write(conversation), agent.unknownRecord, place);
      const session = await open(text);
      // Its own text may be kept, since the model may have seen it.
      const messages = readMessages(session).filter(({ texts }) => !JSON.stringify(texts).includes('Unknown'));
      expect(messages).toEqual(listExpected(conversation, agent));
      expect(listFaults(session)).toEqual([]);
    }
  });
});

/** The agents whose files name a version, of themselves or of the format. */
const WITH_VERSION = TESTED_AGENTS.flatMap(({ tomorrow, ...agent }) => (tomorrow ? [{ ...agent, tomorrow }] : []));

describe.each(WITH_VERSION)('a session of a version of $name that is not known', (agent) => {
  it('is read, and each screen states that its messages and compactions are approximate', async () => {
    const conversation = buildConversation(1, 3);
    const [version, unknown] = agent.tomorrow;
    const written = agent.write(conversation);
    expect(written).toContain(version);
    const text = written.replaceAll(version, unknown);
    const session = await open(text);
    expect(readMessages(session)).toEqual(listExpected(conversation, agent));
    expect(Object.values(session.agent?.parts ?? {}).slice(2, 4)).not.toContain('recorded');
    const { stdout } = await ctx(['show', 's'], { files: { s: text } });
    expect(stdout).toMatch(/approximate: [^;\n]*messages/);
  });
});
