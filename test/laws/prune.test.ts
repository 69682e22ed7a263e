import { describe, expect, it } from 'vitest';
import { checkSession } from '#analysis/check/check-session.js';
import { loadRules } from '#analysis/check/index.js';
import { listToolUses } from '#analysis/facts/tool-uses.js';
import { appendInMemory, buildDraft, buildPlan } from '#change/plan/draft.js';
import { defineStrategy } from '#change/prune/define.js';
import { PRUNE_FORMS, type PruneForm } from '#change/prune/forms.js';
import { buildHistory } from '#change/prune/history.js';
import { PACKET_TITLE } from '#change/prune/packet.js';
import { draftRestore } from '#change/revert/restore.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { LlmMessage } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Session } from '#session/session.js';
import { countedIds, ctx } from '../support/memory-io.js';
import {
  byZone,
  type Case,
  type Composition,
  compositions,
  contentOf,
  type Done,
  generatedCases,
  messagesIn,
  NOW,
  pruneOnce,
  recordedCases,
  saying,
  shorteningByZone,
  workingCases,
} from '../support/pruning.js';
import { Random } from '../support/random.js';
import { isWhole, tried } from '../support/runs.js';
import { workingSession } from '../support/working-session.js';

const working = workingCases(10);
const cases: readonly Case[] = tried([...working, ...generatedCases(8), ...recordedCases()], 3);

const rules = (await loadRules(['provider'])).map((rule) => ({
  rule,
  severity: 'error' as const,
  options: rule.options?.parse({}) as never,
}));

/** How often providers would reject the context at the leaf, by rule. */
async function refusals(session: Session): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  checkSession({
    session: attachPatchReader(session),
    rules,
    requests: 'leaf',
    envelope: {},
    report: ({ rule }) => void found.set(rule, (found.get(rule) ?? 0) + 1),
  });
  return found;
}

/** What holds of a context before anything is pruned; each is asked for many times. */
const known = await Promise.all(
  cases.map(async (each) => ({
    ...each,
    refused: await refusals(each.session),
    newest: newestTurn(each.session, each.envelope),
    hash: hashEnvelope(each.envelope),
  })),
);

function newestTurn(session: Session, envelope: ContextEnvelope): readonly unknown[] {
  const { items, turns } = buildHistory(session, envelope, session.tree.leaf);
  return items.filter(({ turn }) => turn === turns - 1).map(({ message }) => message);
}

/** Calls without a result, and results without a call. */
function alone(messages: readonly LlmMessage[]): readonly (string | null)[] {
  return listToolUses(messages).flatMap(({ id, callAt, resultAt }) => (callAt < 0 || resultAt < 0 ? [id] : []));
}

function isPacketHere(message: LlmMessage): boolean {
  return JSON.stringify(message).includes(PACKET_TITLE);
}

/** Undoes a prune, whichever of its entries is named. */
function restored(session: Session, done: Done, fresh = { now: () => NOW, newId: countedIds() }): Session {
  const id = String(done.entries.at(-1)?.['id']);
  return appendInMemory(
    session,
    draftRestore(session, resolveUndo(session, id), { form: null, ...fresh }).draft.entries,
  );
}

describe.each(PRUNE_FORMS)('what is pruned as %s', (form) => {
  // Where not all is tried, each is written in every second form.
  it.each(tried(compositions, 2, PRUNE_FORMS.indexOf(form)))('by $name keeps the laws', async ({ steps }) => {
    let pruned = 0;
    for (const { name, session, envelope, refused, newest, hash } of known) {
      const done = pruneOnce(session, { steps }, { form, envelope });
      if (!done) continue;
      pruned += 1;
      const { prepared } = done;
      const draft = buildDraft(session, done.entries);
      const plan = buildPlan(draft, 'prune');
      const { after: context } = draft;
      const { cached } = context.messages;
      expect(plan.tokens.before.total - plan.tokens.after.total, `${name} gets smaller`).toBe(prepared.saved);
      const isSmaller = prepared.pruned.decisions.every(({ tokens }) => tokens.after <= tokens.before);
      expect(isSmaller, `${name} has nothing that gets longer`).toBe(true);
      // A summary of a branch that stays where an older turn was joins the newest one.
      const atEnd = newestTurn(done.after, context).slice(-newest.length);
      expect(atEnd, `${name} keeps its newest turn`).toEqual(newest);
      const again = pruneOnce(done.after, { steps }, { form, envelope: context });
      expect(again?.prepared.pruned.decisions ?? [], `${name} is done`).toEqual([]);
      const added = [...(await refusals(done.after))].filter(([rule, times]) => times > (refused.get(rule) ?? 0));
      expect(added, `${name} is still taken by providers`).toEqual([]);
      const were = new Set(alone(envelope.messages.cached));
      expect(
        alone(cached).filter((id) => !were.has(id)),
        `${name} parts no call from its result`,
      ).toEqual([]);
      expect(hashEnvelope(contentOf(restored(done.after, done))), `${name} comes back`).toBe(hash);
      if (prepared.packet !== null) expect(cached.filter(isPacketHere).length, `${name} has one packet`).toBe(1);
    }
    expect(pruned).toBeGreaterThan(0);
  });
});

/** Wants to drop and change whatever there is, alone or with what stands beside it. */
function reckless(seed: number): Composition {
  const strategy = defineStrategy({
    name: 'reckless',
    summary: 'Does what it likes',
    help: '',
    *propose({ items }) {
      const random = new Random(seed);
      for (const { at, message } of items) {
        const text = random.pick(['short', 'x'.repeat(random.int(0, 4000))]);
        const changed = { ...message, content: [{ type: 'text', text }] };
        const changes = [{ at, message: random.chance(0.5) ? null : changed }];
        if (random.chance(0.6) && at + 1 < items.length) changes.push({ at: at + 1, message: null });
        yield { changes, reason: 'it can' };
      }
    },
  });
  return { name: strategy.name, steps: [{ strategy, options: undefined }] };
}

describe.each(PRUNE_FORMS)('whatever a strategy wants, as %s', (form) => {
  it('the newest turn stays, pairs stay pairs, nothing gets longer, and it can be undone', () => {
    let refused = 0;
    for (const [seed, { name, session, envelope, newest, hash }] of known.entries()) {
      const done = pruneOnce(session, reckless(seed), { form, envelope });
      if (!done) continue;
      const { decisions, refusals: no } = done.prepared.pruned;
      refused += no.length;
      const context = contentOf(done.after);
      const said = context.messages.cached.filter((message) => !isPacketHere(message));
      expect(said.slice(said.length - newest.length), name).toEqual(newest);
      const were = new Set(alone(envelope.messages.cached));
      expect(
        alone(context.messages.cached).filter((id) => !were.has(id)),
        name,
      ).toEqual([]);
      expect(
        decisions.every(({ tokens }) => tokens.after <= tokens.before),
        name,
      ).toBe(true);
      expect(
        decisions.every(({ item, message }) => message === null || !item.isFrozen),
        name,
      ).toBe(true);
      expect(hashEnvelope(contentOf(restored(done.after, done))), name).toBe(hash);
    }
    expect(refused).toBeGreaterThan(isWhole ? 100 : 30);
  });
});

/** As what a context is pruned, one time after another; in the zones yellow, red and red, or yellow, red and compact, where the newest turns are only shortened. */
const SERIES: readonly (readonly PruneForm[])[] = [
  ['context_transform', 'context_transform', 'context_transform'],
  ['context_edit', 'context_edit', 'context_edit'],
  ['context_edit', 'context_edit', 'context_transform'],
  ['context_transform', 'context_edit', 'context_transform'],
  ['stock', 'stock', 'stock'],
  ['context_edit', 'stock', 'stock'],
  ['stock', 'stock', 'context_transform'],
];
const [yellow, red, compact] = shorteningByZone;

/** What was said between two prunes: so much that there is something to prune anew. */
function more(times: number): readonly Record<string, unknown>[] {
  const call = { type: 'toolCall', id: `more-${times}`, name: 'bash', arguments: { command: `make step-${times}` } };
  const model = { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-5' };
  const text = Array.from({ length: 300 }, (_, at) => `step ${times}, line ${at}: compiled and linked`).join('\n');
  return [
    { role: 'user', content: `Build step ${times}.` },
    { role: 'assistant', content: [call], ...model, stopReason: 'toolUse' },
    { role: 'toolResult', toolCallId: call.id, toolName: 'bash', content: [{ type: 'text', text }], isError: false },
    { role: 'assistant', content: [{ type: 'text', text: `Step ${times} is built.` }], ...model, stopReason: 'stop' },
  ];
}

interface Series {
  readonly done: readonly Done[];
  readonly last: Session;
}

/** Prunes three times, and says something after each; null where one of them has nothing to do. */
function threePrunes(
  session: Session,
  forms: readonly PruneForm[],
  zones: readonly (Composition | undefined)[],
): Series | null {
  const fresh = { now: () => NOW, newId: countedIds() };
  const all: Done[] = [];
  let last = session;
  for (const [nth, form] of forms.entries()) {
    const done = pruneOnce(last, zones[nth] ?? { steps: [] }, { form, fresh });
    if (!done) return null;
    all.push(done);
    last = saying(done.after, `more${nth}-`, more(nth));
  }
  return { done: all, last };
}

describe.each(tried(SERIES, 3))('three prunes as %s, %s and %s, with more said after each', (...forms) => {
  const series = working.slice(0, 8).flatMap(({ name, session }, nth) => {
    const done = threePrunes(session, forms, [yellow, red, nth < 6 ? red : compact]);
    return done ? [{ name, session, ...done }] : [];
  });

  it('are done in most sessions', () => {
    expect(series.length).toBeGreaterThan(5);
  });

  it('never give other bytes to what an earlier one has shortened', () => {
    let kept = 0;
    for (const { name, done } of series) {
      for (const [nth, { prepared, after }] of done.entries()) {
        const first = new Set(messagesIn(after).map((message) => JSON.stringify(message)));
        const shortened = prepared.pruned.decisions.flatMap(({ message }) =>
          message !== null && first.has(JSON.stringify(message)) ? [JSON.stringify(message)] : [],
        );
        for (const later of done.slice(nth + 1)) {
          const stays = new Set(messagesIn(later.after).map((message) => JSON.stringify(message)));
          const changed = new Set(
            later.prepared.pruned.decisions.flatMap(({ item, message }) =>
              message === null ? [] : [JSON.stringify(item.original)],
            ),
          );
          const again = shortened.filter((text) => changed.has(text));
          expect(again, name).toEqual([]);
          kept += shortened.filter((text) => stays.has(text)).length;
        }
      }
    }
    expect(kept).toBeGreaterThan(10);
  });

  it('leave one packet, the last one', () => {
    for (const { name, last, done } of series) {
      const packets = messagesIn(last).filter(isPacketHere);
      expect(packets.length, name).toBe(done.some(({ prepared }) => prepared.packet !== null) ? 1 : 0);
      const text = done.at(-1)?.prepared.packet;
      if (text) expect(JSON.stringify(packets[0]), name).toContain(JSON.stringify(text).slice(1, -1));
    }
  });

  it('are undone in the order from the last to the first', () => {
    for (const { name, session, done, last } of series) {
      const fresh = { now: () => NOW, newId: countedIds() };
      let back = last;
      for (const each of done.toReversed()) back = restored(back, each, fresh);
      const said = forms.reduce((longer, _form, nth) => saying(longer, `more${nth}-`, more(nth)), session);
      expect(messagesIn(back), name).toEqual(messagesIn(said));
    }
  });

  it('restore the first context if no message follows them', () => {
    for (const { name, session, envelope } of [...working.slice(0, 3), ...generatedCases(2)]) {
      const fresh = { now: () => NOW, newId: countedIds() };
      const done: Done[] = [];
      for (const [nth, form] of forms.entries()) {
        const next = pruneOnce(done.at(-1)?.after ?? session, byZone[nth] ?? { steps: [] }, { form, fresh });
        if (next) done.push(next);
      }
      let back = done.at(-1)?.after ?? session;
      for (const each of done.toReversed()) back = restored(back, each, fresh);
      expect(hashEnvelope(contentOf(back)), name).toBe(hashEnvelope(envelope));
    }
  });
});

describe.each(PRUNE_FORMS)('what ctx prune writes as %s', (form) => {
  it.each(['yellow', 'red', 'compact'])('in zone %s stands behind the old bytes, as the plan said it', async (zone) => {
    for (const seed of tried([1, 0, 2], 3)) {
      const whole = workingSession({ seed: seed + 40, turns: 9, summaries: seed % 2 === 1 });
      const text = seed === 1 ? whole.slice(0, -1) : whole;
      const args = ['prune', 's.jsonl', '--yes', '--zone', zone, '--as', form];
      const world = { files: { 's.jsonl': text }, now: NOW };
      const dry = await ctx([...args, '--dry-run', '--json'], world);
      expect(dry.files).toEqual(world.files);
      const { entries } = JSON.parse(dry.stdout) as { entries: readonly unknown[] };
      const { files } = await ctx(args, world);
      const added = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      expect(Buffer.from(files['s.jsonl'] ?? '').toString()).toBe(`${whole}${added}`);
      expect(entries.length).toBeGreaterThan(0);
    }
  });
});
