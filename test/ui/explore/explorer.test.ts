import { describe, expect, it } from 'vitest';
import { buildSessionIndex } from '#analysis/listing/session-index.js';
import { CtxError } from '#base/errors.js';
import type { OpenSession } from '#context/open.js';
import type { Leave } from '#ui/explore/effect.js';
import { Explorer } from '#ui/explore/explorer.js';
import { buildFirstState } from '#ui/explore/state.js';
import { Log } from '../../fixtures/log.js';
import { FakeEdge, fixture, look, sessionIn, textOfView } from '../../support/exploring.js';

const ENTRIES = 3000;

function talk(entries: number): string {
  const log = new Log('talk');
  for (let at = 0; at < entries; at += 1) {
    if (at % 2 === 0) log.user(id(at), `question ${at}`);
    else log.assistant(id(at), `answer ${at}`, { usage: { input: at * 4, cacheRead: 0, cacheWrite: 0, output: 1 } });
  }
  return log.text();
}

function id(at: number): string {
  return at.toString(16).padStart(8, '0');
}

/** A session that counts what is parsed of it. */
function counted(session: OpenSession): { session: OpenSession; counts: { entries: number } } {
  const counts = { entries: 0 };
  const entry: OpenSession['entry'] = (head) => {
    counts.entries += 1;
    return session.entry(head);
  };
  return { session: { ...session, entry }, counts };
}

function explorerOf(session: OpenSession): { explorer: Explorer; edge: FakeEdge } {
  const edge = new FakeEdge();
  const size = { columns: 80, rows: 24 };
  const explorer = new Explorer(
    edge,
    buildFirstState(buildSessionIndex(session, edge.now), { size, look, window: {} }),
  );
  return { explorer, edge };
}

function press(explorer: Explorer, ...keys: readonly string[]): void {
  for (const key of keys) explorer.onKey(key);
}

describe('a big session', () => {
  it('is read only as far as it is seen', async () => {
    const { session, counts } = counted(await sessionIn(talk(ENTRIES)));
    const { explorer } = explorerOf(session);
    const before = counts.entries;
    explorer.view();
    expect(counts.entries - before).toBeLessThan(30);
  });

  it('has no envelope built while keys come, and one when they stop', async () => {
    const { session, counts } = counted(await sessionIn(talk(ENTRIES)));
    const { explorer, edge } = explorerOf(session);
    press(explorer, 'f', 'f', 'f', 'f');
    edge.pass(1000);
    const before = counts.entries;
    for (let key = 0; key < 100; key += 1) {
      press(explorer, 'k');
      edge.pass(20);
    }
    expect(counts.entries - before).toBe(0);
    expect(explorer.state.shown).toMatchObject({ index: ENTRIES - 1 });
    edge.pass(100);
    expect(explorer.state.shown).toMatchObject({ kind: 'ready', index: ENTRIES - 101 });
    // The last 40 requests are read again, to see how prompts grew.
    expect(Math.abs(counts.entries - before - (ENTRIES - 100) - 81)).toBeLessThan(8);
  });

  it('cancels the build of an envelope that is no longer selected', async () => {
    const { explorer, edge } = explorerOf(await sessionIn(talk(ENTRIES)));
    // Every look at the clock takes a slice's time.
    edge.now = () => (edge.time += 10);
    edge.pass(100);
    const { building, shown } = explorer.state;
    expect([building !== null || shown === null, shown]).toEqual([true, null]);
    press(explorer, 'k');
    edge.pass(100_000);
    expect(explorer.state.shown).toMatchObject({ index: ENTRIES - 2 });
    expect(explorer.state.building).toBe(null);
  });

  it('is searched from the cursor on, around its end', async () => {
    const { explorer, edge } = explorerOf(await sessionIn(talk(ENTRIES)));
    press(explorer, '/', ...'question 1234'.split(''), 'enter');
    edge.pass(1000);
    expect(explorer.state.rows.indexAt(explorer.state.list.cursor)).toBe(1234);
    press(explorer, '/', ...'QUESTION 1'.split(''), 'enter');
    edge.pass(1000);
    expect(explorer.state.notice).toBe('no match for QUESTION 1');
  });

  it('counts all matches, and stops at the first error', async () => {
    const { explorer, edge } = explorerOf(await sessionIn(talk(ENTRIES)));
    press(explorer, '/', ...'question 12'.split(''), 'enter');
    edge.pass(1000);
    const { matches, highlight } = explorer.state;
    expect([matches?.found.length, highlight, explorer.state.searching]).toEqual([56, 'question 12', null]);
    const failed = new Log('failed').user('a0000001', 'x').tool('a0000002', 'bash', {}, 'no', true);
    const other = explorerOf(await sessionIn(failed.user('a0000009', 'y').user('a0000010', 'z').text()));
    press(other.explorer, '[', 'e');
    other.edge.pass(1000);
    const { state } = other.explorer;
    expect(state.rows.indexAt(state.list.cursor)).toBe(2);
    expect([state.searching, state.notice]).toEqual([null, null]);
    press(other.explorer, ']', 'e');
    other.edge.pass(1000);
    expect(other.explorer.state.list.cursor).toBe(state.list.cursor);
    expect(other.explorer.state.notice).toBe('no other error after this entry: went on at the other end');
  });

  it('reports a pattern that hangs, and goes on', async () => {
    const { explorer, edge } = explorerOf(
      await sessionIn(new Log('hangs').user('a0000001', `${'a'.repeat(60)}!`).text()),
    );
    press(explorer, '/', ...'(a+)+$'.split(''), 'enter');
    edge.pass(1000);
    explorer.view();
    expect(explorer.state).toMatchObject({ searching: null, highlight: null });
    expect(explorer.state.notice).toMatch(/exceeded the time limit/);
  });

  it('shows the usage along its path', async () => {
    const { explorer, edge } = explorerOf(await sessionIn(talk(40)));
    edge.pass(1000);
    expect(textOfView(explorer.view())).toContain('Context 157 at request 20 of 20');
  });

  it('draws again what there was no time to read', async () => {
    const session = await sessionIn(talk(100));
    const edge = new FakeEdge();
    edge.now = () => (edge.time += 5);
    const known = buildSessionIndex(session, edge.now);
    const explorer = new Explorer(edge, buildFirstState(known, { size: { columns: 80, rows: 24 }, look, window: {} }));
    expect(textOfView(explorer.view())).toContain('user …');
    for (let round = 0; round < 30; round += 1) {
      edge.pass(1);
      explorer.view();
    }
    expect(textOfView(explorer.view())).not.toContain('user …');
  });
});

describe('the default filter', () => {
  it('reads answers in the background, and lists what they say', async () => {
    const log = new Log('tools').user('u0000001', 'go');
    for (let at = 0; at < 50; at += 1) log.tool(id(at), 'bash', { command: 'ls' }, 'ok');
    const { explorer, edge } = explorerOf(await sessionIn(log.user('u0000002', 'end').text()));
    expect(explorer.state.rows.length).toBe(102);
    edge.pass(1000);
    expect(explorer.state.rows.length).toBe(52);
  });
});

describe('other commands', () => {
  it('run beside the keys, and only the last one is shown', async () => {
    const { explorer, edge } = explorerOf(await fixture('weather.jsonl'));
    press(explorer, 'c', 'q', 'c');
    const [first, second] = edge.runs;
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
    first?.print('old');
    second?.print('\u001b[1mnew\u001b[22m and \u001b]0;evil\u0007');
    await Promise.resolve();
    edge.pass(10);
    const text = textOfView(explorer.view());
    expect(text).toContain('new and ␛]0;evil␇');
    expect(text).not.toContain('old');
  });

  it('leave and copy are handed on', async () => {
    const { explorer, edge } = explorerOf(await fixture('weather.jsonl'));
    const left: Leave[] = [];
    explorer.onLeave = (leave) => void left.push(leave);
    press(explorer, 'y', 'o', 'q');
    expect(edge.copied).toEqual(['e0f4d7b6']);
    expect(left.map(({ kind }) => kind)).toEqual(['pager', 'quit']);
    expect(explorer.state.notice).toBe(null);
  });
});

describe('while the file is looked at', () => {
  it('keys wait, and come after the news', async () => {
    const { explorer, edge } = explorerOf(await sessionIn(talk(10)));
    const grown = await sessionIn(talk(12));
    await explorer.follow(() => {
      press(explorer, 'k');
      edge.pass(1000);
      expect(explorer.state.rows.length).toBe(10);
      return Promise.resolve({ session: grown, change: 'more' });
    });
    expect([explorer.state.rows.length, explorer.state.list.cursor]).toEqual([12, 10]);
  });

  it('a change of the file is reported, and nothing breaks', async () => {
    const session = await sessionIn(talk(100));
    const gone = (): never => {
      throw new CtxError('input', 'the file shrank while it was being read', { where: 'session.jsonl' });
    };
    const { explorer, edge } = explorerOf({
      ...session,
      entry: (head) => (head.index > 0 && head.index < 50 ? gone() : session.entry(head)),
    });
    explorer.view();
    press(explorer, 'g', 'e');
    edge.pass(1);
    explorer.view();
    expect(explorer.state.notice).toMatch(/^the file shrank while it was being read: session\.jsonl/);
    press(explorer, 'G', 'g', 'e');
    expect(explorer.state).toMatchObject({ page: { title: 'Entry' } });
    press(explorer, 'q', 'j', 'e');
    expect(explorer.state).toMatchObject({ page: null, notice: expect.stringMatching(/^the file shrank/) as string });
  });
});

it('an envelope that cannot be built says why', async () => {
  const log = new Log('broken').user('u0000001', 'x');
  const patch = [{ op: 'no_such_op' }];
  log.entry('t0000001', 'context_transform', { schemaVersion: 1, transformerName: 'x', patch });
  const { explorer, edge } = explorerOf(await sessionIn(log.text()));
  edge.pass(1000);
  expect(textOfView(explorer.view())).toContain('no_such_op');
});
