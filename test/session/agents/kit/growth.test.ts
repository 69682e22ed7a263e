import { describe, expect, it } from 'vitest';
import { SessionFollower } from '#context/follow.js';
import { memoryFiles } from '../../../support/memory-io.js';
import { Random } from '../../../support/random.js';
import { TESTED_AGENTS } from './agents.js';
import { FIXTURES, parseValues } from './content.js';
import { buildConversation } from './conversations.js';
import { describeSession } from './read.js';

/** The content of a file again and again while it is written: lines come in pieces, a document is written as a whole. */
function* listStates(text: string, random: Random): Generator<string> {
  for (let end = text.indexOf('\n') + 1; end < text.length; end += random.int(1, Math.ceil(text.length / 12)))
    yield text.slice(0, end);
  yield text;
}

function isOfLines(text: string): boolean {
  return parseValues(text).length > 1;
}

/** Compares the session that was followed from state to state with a fresh reading of each. */
async function expectSameGrowth(states: Iterable<string>): Promise<void> {
  const disk: Record<string, string> = {};
  const files = memoryFiles(disk);
  let live: SessionFollower | null = null;
  let compared = 0;
  for (const state of states) {
    disk['f'] = state;
    const session = live === null ? null : (await live.readNews())?.session;
    live ??= await SessionFollower.open('f', files);
    const followed = session ?? (await live.session());
    // A line without its newline may be half-written: it is read when it is whole.
    if (!state.endsWith('\n') && !state.endsWith('}')) continue;
    const fresh = await SessionFollower.open('f', files);
    expect(describeSession(followed)).toEqual(describeSession(await fresh.session()));
    fresh.close();
    compared += 1;
  }
  live?.close();
  expect(compared).toBeGreaterThan(0);
}

describe.each(FIXTURES.filter(({ text }) => isOfLines(text)))('$name', ({ text }) => {
  it('is while it is written what a fresh reading finds', async () => {
    const lines = text.trimEnd().split('\n');
    await expectSameGrowth(lines.map((_, at) => `${lines.slice(0, at + 1).join('\n')}\n`));
    await expectSameGrowth(listStates(text, new Random(1)));
  });
});

describe.each(TESTED_AGENTS)('a session of $name', (agent) => {
  it('is while it grows what a fresh reading finds', async () => {
    const { messages, ...conversation } = buildConversation(4, 4);
    // Results are in the record of their call, where an agent writes them there.
    const ends = messages.flatMap(({ role }, at) =>
      role === 'assistant' && messages[at]?.role !== 'user' ? [at + 1] : [],
    );
    const states = ends
      .filter((end) => messages[end]?.role !== 'toolResult')
      .map((end) => agent.write({ ...conversation, messages: messages.slice(0, end) }));
    await expectSameGrowth(states);
  });
});
