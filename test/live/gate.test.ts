import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { replayGate } from '#change/prune/gate/replay-gate.js';
import { readPolicy } from '#change/prune/policy.js';
import { envelopeAt } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import { readPatch } from '#context/ops/read-patch.js';
import { LiveBranch } from '../../src/live/branch.js';
import { countLiveContext } from '../../src/live/figures.js';
import gate from '../../src/live/gate/gate.js';
import { findGateTurn, planGate } from '../../src/live/gate/plan.js';
import type { BoundaryDraft } from '../../src/live/pi.js';
import { livePi, type LivePi } from '../support/live-pi.js';
import { liveWith } from '../support/live-world.js';

const LIMIT = 6000;
const TIME = Date.parse('2026-01-05T09:00:00Z');

type Fields = Readonly<Record<string, unknown>>;

/** A running session whose branch grows as in Pi: drafts are appended after the boundary at which they were returned. */
class Running {
  readonly live: LivePi = livePi([], { model: { id: 'faux-1', provider: 'faux', contextWindow: LIMIT } });
  /** The turn ends at which the gate returned drafts, by the id of the last message. */
  readonly acted: string[] = [];
  private count = 0;

  constructor(user: object) {
    gate.install(this.live.pi, liveWith({ user }));
  }

  /** A turn with some calls of a tool before its answer. */
  async turn(words: number, calls = 0): Promise<void> {
    this.add('message', {
      message: { role: 'user', content: `Question ${this.count}: always keep ${'it short '.repeat(words)}` },
    });
    for (let call = 0; call < calls; call += 1) {
      const id = `call-${this.count}`;
      await this.answer([{ type: 'toolCall', id, name: 'bash', arguments: { command: 'ls' } }], 'toolUse');
      const content = [{ type: 'text', text: 'a line of output\n'.repeat(words) }];
      this.add('message', {
        message: { role: 'toolResult', toolCallId: id, toolName: 'bash', content, isError: false },
      });
      await this.boundary('turn_end');
    }
    await this.answer([{ type: 'text', text: `Answer. ${'It is fine. '.repeat(words)}` }], 'stop');
    await this.boundary('turn_end');
    await this.boundary('agent_before_settle');
    await this.live.emit('agent_settled');
  }

  async file(): Promise<Uint8Array> {
    const { ctx, branch } = this.live;
    const lines = [ctx.sessionManager.getHeader(), ...branch].map((line) => JSON.stringify(line));
    return Promise.resolve(new TextEncoder().encode(`${lines.join('\n')}\n`));
  }

  /** An answer with the usage that an estimate gives. */
  private async answer(content: readonly object[], stopReason: string): Promise<void> {
    const session = await openSession(await this.file());
    const input = envelopeAt(session).meta.tokens.total;
    session.close();
    const usage = { input, output: 20, cacheRead: 0, cacheWrite: 0, totalTokens: input + 20 };
    const model = { provider: 'faux', api: 'faux', model: 'faux-1' };
    this.add('message', { message: { role: 'assistant', content, usage, stopReason, ...model } });
  }

  private async boundary(type: string): Promise<void> {
    const [result] = await this.live.emit(type, {
      entries: [],
      outcome: 'completed',
      context: { pendingMessages: [] },
    });
    const drafts = (result as { entries?: readonly BoundaryDraft[] } | undefined)?.entries ?? [];
    if (drafts.length > 0) this.acted.push(this.live.branch.findLast((entry) => entry.type === 'message')!.id);
    for (const { type: of, ...draft } of drafts) {
      const id = `e${String(this.count).padStart(7, '0')}`;
      const kept =
        of === 'compaction' ? { firstKeptEntryId: (draft as Fields)['firstKeptEntryId'] ?? id, tokensBefore: 1 } : {};
      this.add(of, { ...draft, ...kept });
    }
    await this.live.emit('turn_start');
  }

  private add(type: string, fields: Fields): string {
    const id = `e${String(this.count).padStart(7, '0')}`;
    const parentId = this.live.branch.at(-1)?.id ?? null;
    const timestamp = new Date(TIME + this.count * 1000).toISOString();
    this.count += 1;
    this.live.branch.push({ type, id, parentId, timestamp, ...fields });
    return id;
  }
}

describe('the gate', () => {
  it.each([
    ['turns', { compactFrom: 'compact' }, 0],
    ['turns with compaction', {}, 0],
    ['context-manager', { policy: 'context-manager' }, 2],
    ['shorten', { policy: 'shorten', compactFrom: 'compact' }, 2],
  ])('acts as ctx status --history replays it (%s)', async (_name, prune, calls) => {
    const running = new Running({ live: { gate: 'on' }, prune });
    for (let turn = 0; turn < 14; turn += 1) await running.turn(60, calls);
    const session = await openSession(await running.file());
    const policy = readPolicy(prune, '');
    const { events } = replayGate(session, { limit: LIMIT, policy, every: policy.checkAt });
    const asked = events.flatMap((event) =>
      event.schema === 'ctx/gate-turn' && event.asks !== null ? [event.entryId] : [],
    );
    expect(running.acted.length).toBeGreaterThan(0);
    expect(asked).toEqual(expect.arrayContaining(running.acted));
    // Each act is a relief that the replay had asked for, at that place.
    const reliefs = events.flatMap((event) => (event.schema === 'ctx/gate-relief' ? [event.asked?.entryId] : []));
    expect(reliefs).toEqual(running.acted);
    expect(session.problems).toEqual([]);
    // Where it did not act, nothing could go.
    const world = { policy, limit: LIMIT, settings: {}, model: 'faux/faux-1' };
    for (const id of asked.filter((each) => !running.acted.includes(each ?? ''))) {
      const { branch: entries, ctx } = running.live;
      const branch = new LiveBranch(ctx.sessionManager, readPatch);
      branch.grow(entries.slice(0, entries.findIndex((entry) => entry.id === id) + 1));
      const turn = findGateTurn(branch, world);
      expect(turn?.entryId).toBe(id);
      expect(planGate(branch, turn!, world)).toBeNull();
    }
    session.close();
  });

  it('keeps the context below the red zone, and reports each change with its undo', async () => {
    const running = new Running({ live: { gate: 'on' }, prune: { compactFrom: 'compact' } });
    for (let turn = 0; turn < 20; turn += 1) await running.turn(60);
    const session = await openSession(await running.file());
    expect(envelopeAt(session).meta.tokens.total).toBeLessThan(0.7 * LIMIT);
    const { notices } = running.live;
    expect(notices).toHaveLength(running.acted.length);
    for (const notice of notices)
      expect(notice).toMatch(
        /^info: ctx: pruned \d+ messages in zone \w+, [\d,]+ → ~[\d,]+ tokens\nundo: \/ctx revert e\d+$/,
      );
    session.close();
  });

  it.each([
    ['off by default', {}],
    ['off in a configuration', { live: { gate: 'off' } }],
  ])('is %s', async (_name, user) => {
    const running = new Running(user);
    for (let turn = 0; turn < 14; turn += 1) await running.turn(60);
    expect(running.acted).toEqual([]);
    expect(running.live.notices).toEqual([]);
  });

  it('plans nothing that makes the context larger', async () => {
    const running = new Running({});
    for (let turn = 0; turn < 3; turn += 1) await running.turn(1);
    const { branch: entries, ctx } = running.live;
    const branch = new LiveBranch(ctx.sessionManager, readPatch);
    branch.grow(entries);
    const { settings } = { settings: { compaction: { keepRecentTokens: 1 } } };
    const world = { policy: readPolicy({}, ''), limit: 100, settings, model: 'faux/faux-1' };
    const turn = { ...findGateTurn(branch, world)!, asks: 'compact' as const };
    const plan = planGate(branch, turn, world);
    const size = (): number => countLiveContext(branch);
    const before = size();
    branch.grow([
      ...entries,
      ...(plan?.drafts ?? []).map((draft, at) => ({
        ...draft,
        id: `d${at}`,
        parentId: entries.at(-1)!.id,
        timestamp: '',
      })),
    ]);
    expect(size()).toBeLessThanOrEqual(before);
  });

  it('does nothing with one notice where Pi cannot append', async () => {
    const running = new Running({ live: { gate: 'on' }, prune: { compactFrom: 'compact' } });
    // A folder cannot be appended to, whatever the rights of the user.
    running.live.ctx.sessionManager.getSessionFile = () => path.dirname(fileURLToPath(import.meta.url));
    for (let turn = 0; turn < 14; turn += 1) await running.turn(60);
    expect(running.acted).toEqual([]);
    expect(running.live.notices).toEqual([expect.stringContaining('the session file cannot be written')]);
  });
});
