import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sumNumbers } from '#base/lists.js';
import { buildContextChart } from '#ui/report/page/chart-data.js';
import { Store } from '#ui/report/page/store.js';
import { Log } from '../../fixtures/log.js';
import { entry, HEADER, lines, user } from '../../support/entries.js';
import { reported } from '../../support/reports.js';

describe('what changed the context', () => {
  it('are compactions, transforms and edits, and nothing of another name', async () => {
    const { data } = await reported(
      lines(
        HEADER,
        user('u1', null),
        ...['constructor', '__proto__', 'toString'].map((type, at) =>
          entry(type, `x${at}`, at === 0 ? 'u1' : `x${at - 1}`, {}),
        ),
        entry('context_edit', 'e1', 'x2', { targetId: 'u1', replacement: null }),
      ),
    );
    expect(new Store(data).changes()).toEqual([{ entry: 4, kind: 'edit', request: 0 }]);
  });
});

/** The usage of an answer whose prompt a provider counted. */
function usage(input: number): Readonly<Record<string, unknown>> {
  return { input, output: 10, cacheRead: 0, cacheWrite: 0, totalTokens: input === 0 ? 0 : input + 10 };
}

describe('a session of another agent', () => {
  it('has no size of a single line beside a message that several lines make', async () => {
    const { data } = await reported(readFileSync('fixtures/agents/claude-code/session.jsonl', 'utf8'));
    expect(data.entries.sizes.length).toBeGreaterThan(5);
    expect(data.entries.sizes.filter((size) => size !== null)).toEqual([]);
  });
});

describe('a request without a count', () => {
  it('has the size that ctx show estimates, between those of its neighbours, in the context and in the cache', async () => {
    const log = new Log('aborted').user('u1', 'word '.repeat(2000)).assistant('a1', 'Done.', { usage: usage(6000) });
    log.user('u2', 'Go on.').assistant('a2', 'Wai', { stopReason: 'aborted', usage: usage(0) });
    log.user('u3', 'Go on.').assistant('a3', 'Done.', { usage: usage(6100) });
    const { data } = await reported(log.text());
    const store = new Store(data);
    expect([0, 1, 2].map((at) => store.tokensText(at))).toEqual(['6,000', '~6,013', '6,100']);
    const { layers, place } = buildContextChart(store);
    expect(sumNumbers(layers.map(({ values }) => values[1] ?? 0))).toBe(store.sizes.total(1));
    expect([1, 2, 3].map((at) => place(at).isEstimated)).toEqual([false, true, false]);
    expect(store.sizes.prompts().map(sumNumbers)).toEqual([6000, store.sizes.total(1), 6100]);
  });
});

describe('the kind of a sent message', () => {
  it('is the name of its entry, so that a summary is not the user', async () => {
    const log = new Log('kinds').user('u1', 'Go.').assistant('a1', 'Done.').compaction('k1', 'Went.', 'a1');
    const { data } = await reported(log.text());
    const store = new Store(data);
    const { messages } = store.envelope(data.requests.onPath - 1);
    expect(messages.flatMap((each) => data.messages[each] ?? []).map((message) => store.kindOf(message))).toEqual([
      'compaction',
      'assistant',
    ]);
  });
});

describe('the size of a request', () => {
  it.each([
    ['weather', /^1,402$/, '~1,878'],
    ['edits', /^~\d+$/, '~36'],
  ])('has a mark unless the provider counted it: %s', async (name, first, next) => {
    const { data } = await reported(readFileSync(`fixtures/${name}.jsonl`, 'utf8'));
    const store = new Store(data);
    expect(store.tokensText(0)).toMatch(first);
    expect(store.tokensText(data.requests.onPath - 1)).toBe(next);
  });
});
