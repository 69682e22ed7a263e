import { describe, expect, it } from 'vitest';
import type { Prompt } from '#analysis/cache/prompt.js';
import { describeVerdict } from '#cli/commands/simulate/verdict.js';
import { openSession } from '#context/open.js';
import type { WireMessage } from '#context/request/wire-messages.js';
import { ResultContents } from '#lab/simulate/result-contents.js';
import { simulate } from '#lab/simulate/simulate.js';
import { Log } from '../../fixtures/log.js';
import { engine } from '../../support/engines.js';
import { options, showing, usage } from './simulation-world.js';

function result(callId: string, tokens: number): WireMessage {
  return { role: 'toolResult', entryId: callId, fields: { toolCallId: callId }, tokens, calls: [], holdsImage: false };
}

function sent(...messages: readonly WireMessage[]): Prompt {
  const preamble = { tools: [], system: [], tokens: 0 };
  return { preamble, messages, length: messages.length, generated: [], tokens: 0, images: 0, firstImage: null };
}

const READ = { callId: 'c1', tool: 'read', what: 'a.ts' };
const AGAIN = { callId: 'c2', tool: 'read', what: 'a.ts' };

describe('what is asked for again', () => {
  it('counts where the result is gone, or shorter', () => {
    for (const [shown, tokens] of [
      [sent(), 100],
      [sent(result('c1', 10)), 90],
    ] as const) {
      const contents = new ResultContents();
      contents.ask([READ], 1);
      contents.show(sent(result('c1', 100)), 2);
      contents.show(shown, 3);
      contents.ask([AGAIN], 4);
      expect(contents.rereads).toEqual([
        { request: 4, tool: 'read', what: 'a.ts', callId: 'c1', lostAt: 3, tokensEstimated: tokens },
      ]);
      expect(contents.lost()).toEqual({ results: 1, tokensEstimated: tokens });
    }
  });

  it('does not count where it is still shown, is shown again, or was never shown', () => {
    const contents = new ResultContents();
    contents.ask([READ], 1);
    contents.ask([AGAIN], 2);
    contents.show(sent(result('c1', 100)), 3);
    contents.ask([READ], 3);
    contents.show(sent(), 4);
    contents.show(sent(result('c1', 100)), 5);
    contents.ask([AGAIN], 5);
    expect(contents.rereads).toEqual([]);
    expect(contents.lost()).toEqual({ results: 1, tokensEstimated: 100 });
  });

  it('does not count where another call for the same still stands there', () => {
    const contents = new ResultContents();
    contents.ask([READ, AGAIN], 1);
    contents.show(sent(result('c1', 100), result('c2', 100)), 2);
    contents.show(sent(result('c2', 100)), 3);
    contents.ask([{ ...READ, callId: 'c3' }], 3);
    expect(contents.rereads).toEqual([]);
  });

  it('knows how much of a result was never shown', () => {
    const contents = new ResultContents(new Map([['c1', { tokens: 500, first: 2 }]]));
    contents.ask([READ], 1);
    contents.show(sent(result('c1', 100)), 2);
    contents.ask([AGAIN], 2);
    expect(contents.rereads).toMatchObject([{ callId: 'c1', lostAt: 2, tokensEstimated: 400 }]);
  });

  it('counts where a result was never shown, from the first request that could show it', () => {
    const whole = new Map([['c1', { tokens: 100, first: 2 }]]);
    for (const shown of [sent(), sent(result('other', 10))]) {
      const contents = new ResultContents(whole);
      contents.show(sent(), 1);
      contents.ask([READ, AGAIN], 1);
      expect(contents.rereads).toEqual([]);
      contents.show(shown, 2);
      contents.ask([{ ...READ, callId: 'c3' }], 2);
      expect(contents.rereads).toMatchObject([{ request: 2, callId: 'c1', lostAt: 2, tokensEstimated: 100 }]);
      expect(contents.lost()).toEqual({ results: 1, tokensEstimated: 100 });
    }
  });

  it('looks only at what is new of a list that grows', () => {
    const messages = [result('c1', 100)];
    const contents = new ResultContents();
    contents.show({ ...sent(), messages, length: 1 }, 1);
    messages.push(result('c2', 50));
    contents.show({ ...sent(), messages, length: 2 }, 2);
    expect([...contents.wholes()]).toEqual([
      ['c1', { tokens: 100, first: 1 }],
      ['c2', { tokens: 50, first: 2 }],
    ]);
    expect(contents.lost().results).toBe(0);
  });
});

describe('a session in which a file is read twice', () => {
  const text = new Log('twice')
    .user('u1', 'look')
    .tool('t1', 'read', { path: 'a.ts' }, 'x'.repeat(4000))
    .tool('t2', 'bash', { command: 'npm test' }, 'y'.repeat(400))
    .tool('t3', 'read', { path: 'a.ts' }, 'x'.repeat(4000))
    .tool('t4', 'bash', { command: 'npm  test' }, 'y'.repeat(400))
    .assistant('end', 'done', { usage: usage(3000, 0) })
    .text();

  it('has a call for content that an engine had left out', async () => {
    const session = await openSession(Buffer.from(text));
    const without = showing('without results', (messages, request) =>
      messages.map((message) =>
        message.role === 'toolResult' && request > 2
          ? { ...message, content: [{ type: 'text', text: '[gone]' }] }
          : message,
      ),
    );
    const { engines } = await simulate(session, [without, showing('all', (messages) => messages)], options());
    const [recorded, gone, whole] = engines;
    expect([recorded?.rereads, whole?.rereads]).toEqual([[], []]);
    expect(gone?.rereads).toEqual([
      { request: 3, tool: 'read', what: 'a.ts', callId: 'call_t1', lostAt: 3, tokensEstimated: 998 },
      { request: 4, tool: 'bash', what: 'npm test', callId: 'call_t2', lostAt: 3, tokensEstimated: 98 },
    ]);
    expect(gone?.lost).toEqual({ results: 4, tokensEstimated: 2 * 998 + 2 * 98 });
  });
});

describe('the words of user and model', () => {
  const text = new Log('words')
    .user('u1', 'Never touch the lock file, whatever happens to the build')
    .assistant('a1', 'I never touch it, and look at the build first', { usage: usage(2000, 0) })
    .user('u2', 'Go on with the tests')
    .assistant('a2', 'They pass, all of them', { usage: usage(2100, 0) })
    .user('u3', 'Then write the notes')
    .assistant('end', 'done', { usage: usage(2200, 0) })
    .text();
  type Shown = Parameters<Parameters<typeof showing>[1]>[0];
  const last = (messages: Shown): Shown => messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  const emptied = (messages: Shown): Shown =>
    messages.map((message, at) =>
      at === messages.length - 1 ? message : { ...message, content: [{ type: 'text', text: '.' }] },
    );

  it.each([
    ['left out', last],
    ['emptied', emptied],
  ])('are losses that the verdict names where an engine has them %s', async (_, change) => {
    const session = await openSession(Buffer.from(text));
    const { engines } = await simulate(session, [showing('short', change), showing('all', (all) => all)], options());
    const [recorded, short, all] = engines;
    expect(short?.lostTexts).toMatchObject({ instructions: 2, answers: 2 });
    expect([recorded?.lostTexts.instructions, all?.lostTexts.answers]).toEqual([0, 0]);
    expect(describeVerdict(engines)).toMatch(/left out or shortened 2 messages of the user and 2 answers\./);
  });

  it('do not depend on what an engine claims of its size', async () => {
    const session = await openSession(Buffer.from(text));
    const claiming = (name: string, factor: number) => ({
      name,
      make: () =>
        engine({
          assemble: ({ messages }) =>
            Promise.resolve({
              messages: [...messages],
              estimatedTokens: Math.ceil((JSON.stringify(messages).length / 4) * factor),
            }),
        }),
    });
    for (const tokenBudget of [20, 60, 100]) {
      const drive = { ...options().drive, tokenBudget };
      const { engines } = await simulate(session, [claiming('honest', 1), claiming('liar', 0.4)], {
        ...options(),
        drive,
      });
      const [, honest, liar] = engines;
      expect(liar?.overflows).toBe(honest?.overflows);
      expect(liar?.totalCost).toBe(honest?.totalCost);
    }
  });
});
