import { describe, expect, it } from 'vitest';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextSize } from '#context/replay/envelope.js';
import { splitSize } from '#context/size/split-size.js';
import { assistant, type Entry, entry, sessionOf, user } from '../support/entries.js';

interface Counted {
  /** Estimated tokens of the answer. */
  readonly tokens?: number;
  readonly output?: number;
  readonly model?: string;
  readonly stopReason?: string;
  readonly isPartial?: boolean;
}

/** An answer to a prompt of so many tokens, as its provider counted them. */
function answer(id: string, parentId: string | null, prompt: number, counted: Counted = {}): Entry {
  const { tokens = 10, output = 0, model = 'claude-sonnet-4-5', stopReason = 'stop', isPartial } = counted;
  const usage = {
    input: prompt,
    output,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: prompt + output,
    ...(isPartial && { partialOutput: true }),
  };
  const content = [{ type: 'text', text: 'a'.repeat(tokens * 4) }];
  return assistant(id, parentId, content, { usage, stopReason, provider: 'anthropic', model });
}

/** A message of the user of so many estimated tokens. */
function question(id: string, parentId: string | null, tokens: number): Entry {
  return user(id, parentId, 'q'.repeat(tokens * 4));
}

function sizeOf(...entries: readonly Entry[]): ContextSize {
  const session = sessionOf(...entries);
  return buildEnvelope(attachPatchReader(session), session.tree.leaf).meta.size;
}

/** Prompts of 1,000 tokens that are not recorded, and two counted tokens for each estimated one. */
const GROWING = [
  question('u1', null, 100),
  answer('a1', 'u1', 1200, { output: 20 }),
  question('u2', 'a1', 200),
  answer('a2', 'u2', 1620, { output: 20 }),
  question('u3', 'a2', 500),
  answer('a3', 'u3', 2640, { output: 20 }),
] as const;

describe('the size of a context', () => {
  it('is what the provider counted where nothing came since', () => {
    expect(sizeOf(...GROWING)).toEqual({
      tokens: 2660,
      recorded: 2660,
      estimated: 0,
      factor: 2,
      declaredFactor: 1.5,
      // The first prompt, without its message at the rate of the model.
      notItemised: 1050,
      error: 0,
      method: 'recorded',
    });
  });

  it('adds what came since at the rate at which prompts grew', () => {
    const size = sizeOf(...GROWING, question('u4', 'a3', 50));
    expect(size).toMatchObject({ tokens: 2760, recorded: 2660, estimated: 100, factor: 2, method: 'appended' });
  });

  it('counts an answer that failed as what came since', () => {
    const size = sizeOf(...GROWING, answer('a4', 'a3', 9000, { stopReason: 'error' }));
    expect(size).toMatchObject({ tokens: 2680, recorded: 2660, method: 'appended' });
  });

  it('estimates an answer whose output was not counted to its end', () => {
    const partial = { tokens: 300, output: 2, isPartial: true };
    const beginning = [...GROWING, question('u4', 'a3', 50), answer('a4', 'u4', 2760, partial)];
    const counted = { tokens: 3360, recorded: 2760, estimated: 600, factor: 2, error: 0, method: 'appended' };
    expect(sizeOf(...beginning)).toMatchObject(counted);
    const more = [...beginning, question('u5', 'a4', 100)];
    expect(sizeOf(...more)).toMatchObject({ ...counted, tokens: 3560, estimated: 800 });
    expect(sizeOf(...more, answer('a5', 'u5', 3560, { output: 20 }))).toMatchObject({ tokens: 3580, error: 0 });
    const edit = entry('context_edit', 'e1', 'a4', { targetId: 'u3', replacement: null });
    expect(sizeOf(...beginning, edit)).toMatchObject({ tokens: 2360, method: 'changed' });
  });

  it('takes away what an edit left out', () => {
    const edit = entry('context_edit', 'e1', 'a3', { targetId: 'u3', replacement: null });
    expect(sizeOf(...GROWING, edit)).toMatchObject({
      tokens: 1660,
      recorded: 2660,
      estimated: -1000,
      factor: 2,
      declaredFactor: 1.5,
      // The first prompt, without its message at the rate of the model.
      notItemised: 1050,
      error: null,
      method: 'changed',
    });
  });

  it('takes away what a compaction took', () => {
    const compacted = entry('compaction', 'k1', 'a3', {
      summary: '',
      tokensBefore: 2660,
      firstKeptEntryId: 'a3',
    });
    const size = sizeOf(...GROWING, compacted);
    // Fewer messages are left than the first request had, so they have a share of its 150 tokens.
    const { tokens } = buildOf(compacted);
    expect(size).toMatchObject({ tokens: 1050 + Math.round(1.5 * tokens), method: 'changed', notItemised: 1050 });
  });

  it('measures the rate on all requests since the last compaction where a change took much away', () => {
    const many = Array.from({ length: 61 }, (_, at) => {
      // 100 estimated tokens, which the provider counts as 200 at first, and as 300 at the last 40.
      const before = at === 0 ? 'a3' : `b${at - 1}`;
      return [
        question(`v${at}`, before, 90),
        answer(`b${at}`, `v${at}`, 2860 + (at < 20 ? 200 * at : 300 * at - 2000)),
      ];
    }).flat();
    const last = sizeOf(...GROWING, ...many);
    expect(last).toMatchObject({ factor: 3, method: 'recorded' });
    const edits = Array.from({ length: 61 }, (_, at) =>
      entry('context_edit', `e${at}`, at === 0 ? 'b60' : `e${at - 1}`, { targetId: `v${at}`, replacement: null }),
    );
    const edited = sizeOf(...GROWING, ...many, ...edits);
    expect(edited.factor).toBeGreaterThan(2.3);
    expect(edited.factor).toBeLessThan(2.9);
  });

  it('measures no rate across models, and none across changes', () => {
    const [u1, a1, u2] = GROWING;
    const other = answer('a2', 'u2', 5000, { model: 'claude-opus-4-5' });
    expect(sizeOf(u1, a1, u2, other, question('u3', 'a2', 100))).toMatchObject({ factor: 1.3, error: null });
    const edit = entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null });
    const after = [question('u2', 'e1', 200), answer('a2', 'u2', 5000), question('u3', 'a2', 100)];
    expect(sizeOf(u1, a1, edit, ...after)).toMatchObject({ factor: 1.5, error: null });
  });

  it('says how far the rule was off on the requests before', () => {
    const [u1, a1, u2] = GROWING;
    const surprised = answer('a2', 'u2', 3240);
    const size = sizeOf(u1, a1, u2, surprised);
    // Too little has grown to tell a rate: after 1,220 tokens, 200 at the rate of the model were expected.
    expect(size.factor).toBe(1.5);
    expect(size.error).toBeCloseTo(Math.abs(1220 + 1.5 * 200 - 3240) / 3240, 2);
  });

  it.each([
    ['claude-opus-4-5', 1.3, 'family'],
    ['claude-opus-4-6', 1.53, 'family'],
    ['claude-sonnet-4-6-20260101', 1.48, 'family'],
    ['moonshotai/kimi-k2.5', 1.1, 'family'],
    ['mock', 1.4, 'median'],
  ])('is an estimate by the family of the model where nothing was recorded: %s', (modelId, factor, method) => {
    const change = entry('model_change', 'm1', 'u1', { provider: 'any', modelId });
    const tokens = Math.round(100 * factor);
    expect(sizeOf(question('u1', null, 100), change)).toEqual({
      tokens,
      recorded: 0,
      estimated: tokens,
      factor,
      declaredFactor: factor,
      notItemised: null,
      error: null,
      method,
    });
  });

  it('is what the tokenizer says where nothing was recorded and one is named', () => {
    const session = sessionOf(question('u1', null, 100));
    const method = { name: 'halves', count: (text: string): number => text.length / 2 };
    expect(buildEnvelope(attachPatchReader(session), session.tree.leaf, { method }).meta.size).toMatchObject({
      tokens: 200,
      method: 'tokenizer',
    });
  });

  it('never grows by a removal, however little the provider counted', () => {
    const [u1, a1] = [question('u1', null, 10_000), answer('a1', 'u1', 30)];
    const edit = entry('context_edit', 'e1', 'u2', { targetId: 'u1', replacement: null });
    const size = sizeOf(u1, a1, question('u2', 'a1', 400), edit);
    expect(size).toMatchObject({ recorded: 30, method: 'changed', tokens: 30 });
  });

  it('keeps the proportion of the count where the provider counts little throughout, as of images', () => {
    const [u1, a1] = [question('u1', null, 9000), answer('a1', 'u1', 3600)];
    const [u2, a2] = [question('u2', 'a1', 1000), answer('a2', 'u2', 4400)];
    const edit = entry('context_edit', 'e1', 'a2', { targetId: 'u1', replacement: null });
    // 1,020 of the 9,000 estimated tokens that the first prompt had.
    expect(sizeOf(u1, a1, u2, a2, edit)).toMatchObject({ recorded: 4400, method: 'changed', tokens: 408 });
  });

  it('prices the messages that stay by their text where the provider counted more than any text has', () => {
    const [u1, a1, u2] = [question('u1', null, 100), answer('a1', 'u1', 1200), question('u2', 'a1', 200)];
    // 30,150 tokens for the 320 estimated ones; at the rate of the model they have 480.
    const session = sessionOf(u1, a1, u2, answer('a2', 'u2', 31_200));
    const { size, tokens } = buildEnvelope(attachPatchReader(session), session.tree.leaf).meta;
    const parts = { notItemised: 30_720, notInFile: 29_670, cached: 480, system: 0, tools: 0, uncached: 0 };
    expect(size.notItemised).toBe(1050);
    expect(splitSize(size, tokens)).toEqual(parts);
    const edit = entry('context_edit', 'e1', 'a2', { targetId: 'u2', replacement: null });
    // Of the rest, which no text explains, each of the four messages has had a quarter.
    const edited = sizeOf(u1, a1, u2, answer('a2', 'u2', 31_200), edit);
    expect(edited).toMatchObject({ tokens: 31_200 - 300 - Math.floor(29_670 / 4), method: 'changed' });
  });

  it('is the count of the prompt where the answer follows', () => {
    const session = sessionOf(...GROWING);
    const at = (id: string): ContextSize =>
      buildEnvelope(attachPatchReader(session), session.tree.heads.find(id) ?? null).meta.size;
    expect(at('u3')).toMatchObject({
      tokens: 2640,
      recorded: 2640,
      estimated: 0,
      method: 'recorded',
      notItemised: 1050,
    });
    expect(at('u1')).toMatchObject({ tokens: 1200, method: 'recorded', notItemised: 1050 });
  });

  it('keeps the price of a recorded prompt, whatever is removed', () => {
    const prompt = entry('message', 's1', null, {
      message: { role: 'system', content: 'p'.repeat(2000), toolsAdded: [{ name: 'read' }] },
    });
    const [u1, ...rest] = GROWING;
    const edit = entry('context_edit', 'e1', 'a3', { targetId: 'u3', replacement: null });
    const priceOf = (...last: readonly Entry[]): number => {
      const session = sessionOf(prompt, { ...u1, parentId: 's1' }, ...rest, ...last);
      const { size, tokens } = buildEnvelope(attachPatchReader(session), session.tree.leaf).meta;
      return splitSize(size, tokens).system;
    };
    // 1,200 tokens were counted for the 605 estimated ones of the first request.
    expect([priceOf(), priceOf(edit)]).toEqual([991, 991]);
  });

  it('has no part that is not recorded where prompt and tools are recorded', () => {
    const prompt = entry('message', 's1', null, {
      message: { role: 'system', content: 'Be brief.', toolsAdded: [{ name: 'read' }] },
    });
    const [u1, ...rest] = GROWING;
    expect(sizeOf(prompt, { ...u1, parentId: 's1' }, ...rest)).toMatchObject({ tokens: 2660, notItemised: null });
  });
});

/** The estimate of the context after a compaction of `GROWING`. */
function buildOf(compacted: Entry): { readonly tokens: number } {
  const session = sessionOf(...GROWING, compacted);
  return { tokens: buildEnvelope(attachPatchReader(session), session.tree.leaf).meta.tokens.total };
}
