import { describe, expect, it } from 'vitest';
import type { GateEvent } from '#change/prune/gate/document.js';
import { GateTally } from '#change/prune/gate/gate-tally.js';
import { type GateOutcome, replayGateOnPath } from '#change/prune/gate/replay-gate.js';
import { defaultPolicy, type Policy } from '#change/prune/policy.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { type Entry, entry, sessionOf } from '../../../support/entries.js';

const LIMIT = 1000;
const POLICY: Policy = { ...defaultPolicy(), cooldownTurns: 0 };

interface Gated {
  readonly session: Session;
  readonly events: readonly GateEvent[];
  readonly report: GateOutcome;
}

/** A turn for each number, which is how many tokens there are at its end; any other thing is an entry between turns. */
function gated(happened: readonly (number | Entry)[], policy = POLICY): Gated {
  let parentId: unknown = null;
  const entries: Entry[] = [];
  const add = (type: string, rest: Entry): void => {
    const id = `e${entries.length}`;
    entries.push(entry(type, id, parentId, rest));
    parentId = id;
  };
  for (const each of happened) {
    if (typeof each === 'object') {
      add(String(each['type']), each);
      continue;
    }
    add('message', { message: { role: 'user', content: 'Go on.' } });
    const usage = { input: each, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: each };
    const content = [{ type: 'text', text: 'Done.' }];
    add('message', { message: { role: 'assistant', content, usage, stopReason: 'stop' } });
  }
  const session = attachPatchReader(sessionOf(...entries));
  const recording = { path: pathTo(session.tree, session.tree.leaf!), baseline: {}, every: 'turn' } as const;
  const events: GateEvent[] = [];
  const gate = replayGateOnPath(session, recording, { policy, limit: LIMIT });
  for (;;) {
    const next = gate.next();
    if (next.done) return { session, events, report: next.value };
    events.push(next.value);
  }
}

const COMPACTED = { type: 'compaction', summary: 'said', firstKeptEntryId: 'e0', tokensBefore: 750 };
const PRUNED = { type: 'custom', customType: 'ctx.prune', data: { entries: 0 } };

/** What each event says the gate waits for, or was waiting for. */
function waits(happened: readonly (number | Entry)[], policy = POLICY): readonly unknown[] {
  return gated(happened, policy).events.map((event) => {
    const asked = event.schema === 'ctx/gate-relief' ? event.asked : event.waitsFor;
    return asked && [asked.request, asked.tokens.total];
  });
}

describe('a gate over a session', () => {
  it('says of each turn and each relief what it was', () => {
    const { session, events, report } = gated([300, 550, COMPACTED, 720, 730, PRUNED]);
    const total = (recorded: number): unknown =>
      expect.objectContaining({ total: recorded, recorded, estimated: 0, method: 'recorded' });
    const asked = (request: string, entryId: string, turn: number, tokens: number): object => ({
      request,
      entryId,
      turn,
      tokens: total(tokens),
    });
    const turn = { schema: 'ctx/gate-turn', schemaVersion: 1 };
    const relief = { schema: 'ctx/gate-relief', schemaVersion: 1 };
    expect(events).toEqual([
      {
        ...turn,
        entryId: 'e1',
        line: 3,
        turn: 1,
        tokens: total(300),
        zone: 'green',
        zoneBefore: 'green',
        mode: 'watch',
        asks: null,
        why: 'watch',
        waitsFor: null,
      },
      {
        ...turn,
        entryId: 'e3',
        line: 5,
        turn: 2,
        tokens: total(550),
        zone: 'yellow',
        zoneBefore: 'green',
        mode: 'prune',
        asks: 'prune',
        why: 'crossed',
        waitsFor: asked('prune', 'e3', 2, 550),
      },
      {
        ...relief,
        entryId: 'e4',
        line: 6,
        by: 'compact',
        tokensBefore: 750,
        asked: asked('prune', 'e3', 2, 550),
        tokensEarlier: 200,
        turnEndsEarlier: 0,
      },
      {
        ...turn,
        entryId: 'e6',
        line: 8,
        turn: 3,
        tokens: total(720),
        zone: 'red',
        zoneBefore: 'yellow',
        mode: 'compact',
        asks: 'compact',
        why: 'crossed',
        waitsFor: asked('compact', 'e6', 3, 720),
      },
      {
        ...turn,
        entryId: 'e8',
        line: 10,
        turn: 4,
        tokens: total(730),
        zone: 'red',
        zoneBefore: 'red',
        mode: 'compact',
        asks: null,
        why: 'latched',
        waitsFor: asked('compact', 'e6', 3, 720),
      },
      {
        ...relief,
        entryId: 'e9',
        line: 11,
        by: 'prune',
        tokensBefore: 730,
        asked: asked('compact', 'e6', 3, 720),
        tokensEarlier: 10,
        turnEndsEarlier: 1,
      },
    ]);
    expect(report).toEqual({
      state: { ends: 4, latch: 'green', asked: { yellow: 2, red: 3 }, isRelieved: true },
      waitsFor: null,
    });
    const tally = new GateTally();
    for (const event of events) tally.add(event);
    expect(tally.buildSummary(session, POLICY, { tokens: LIMIT, source: 'supplied', model: 'm' }, 'turn')).toEqual({
      schema: 'ctx/gate-summary',
      schemaVersion: 1,
      session: { id: 'the-session', file: 'session.jsonl' },
      limit: LIMIT,
      limitSource: 'supplied',
      begins: { yellow: 500, red: 700, compact: 850 },
      compactFrom: 'red',
      cooldownTurns: 0,
      every: 'turn',
      turnEnds: 4,
      asked: { prune: 1, compact: 1 },
      reliefs: 2,
      reliefsAskedFor: 2,
    });
  });

  it('waits until the tokens have fallen back', () => {
    expect(waits([550, 400, 550])).toEqual([['prune', 550], null, ['prune', 550]]);
    expect(waits([550, 720, 690])).toEqual([
      ['prune', 550],
      ['compact', 720],
      ['prune', 550],
    ]);
    expect(waits([720, 690, 400])).toEqual([['compact', 720], null, null]);
    expect(gated([550, 720]).report.waitsFor?.request).toBe('compact');
  });

  it('waits for nothing after a relief', () => {
    expect(waits([720, COMPACTED, 300, COMPACTED])).toEqual([['compact', 720], ['compact', 720], null, null]);
    const [, , , last] = gated([720, COMPACTED, 300, COMPACTED]).events;
    expect(last).toMatchObject({ asked: null, tokensEarlier: null, turnEndsEarlier: null });
  });

  it('knows how much there was before a relief by what is recorded, else by the last turn', () => {
    const before = (happened: readonly (number | Entry)[]): unknown =>
      gated(happened).events.flatMap((event) => (event.schema === 'ctx/gate-relief' ? [event.tokensBefore] : []));
    expect(before([720, COMPACTED])).toEqual([750]);
    expect(before([720, { ...COMPACTED, tokensBefore: 0 }])).toEqual([720]);
    expect(before([720, { ...COMPACTED, tokensBefore: 1 }])).toEqual([1]);
    expect(before([720, { ...COMPACTED, tokensBefore: -5 }])).toEqual([720]);
    expect(before([720, { ...COMPACTED, tokensBefore: 'many' }])).toEqual([720]);
    expect(before([PRUNED])).toEqual([null]);
  });

  it('counts no relief that it had not asked for', () => {
    const { session, events } = gated([300, PRUNED]);
    const tally = new GateTally();
    for (const event of events) tally.add(event);
    expect(
      tally.buildSummary(session, POLICY, { tokens: LIMIT, source: 'supplied', model: 'm' }, 'answer'),
    ).toMatchObject({
      every: 'answer',
      turnEnds: 1,
      asked: { prune: 0, compact: 0 },
      reliefs: 1,
      reliefsAskedFor: 0,
    });
  });
});
