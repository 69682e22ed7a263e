import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patchBetween } from '#analysis/diff/patch-ops.js';
import { applyPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';
import { runs } from '../../support/runs.js';

const name = fc.constantFrom('a', 'b', 'c', 'd');
const part = fc.record({ name, text: fc.constantFrom('one', 'two') });
const tool = fc.record({ name, description: fc.constantFrom('one', 'two') });
const message = fc.record({
  role: fc.constantFrom('user', 'assistant'),
  content: fc.constantFrom('one', 'two', 'three'),
});
const list = <Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> => fc.array(item, { maxLength: 5, size: 'max' });
const options = fc.record(
  { reasoning: fc.constantFrom('low', 'high'), temperature: fc.nat({ max: 2 }), maxTokens: fc.nat() },
  { requiredKeys: [] },
);
const envelope: fc.Arbitrary<EnvelopeContent> = fc
  .record({ parts: list(part), tools: list(tool), options, cached: list(message) })
  .map(({ parts, tools, options: set, cached }) => ({
    ...setParts(EMPTY_ENVELOPE, parts),
    tools,
    options: set,
    messages: { cached, uncached: [] },
  }));

const base: EnvelopeContent = {
  ...setParts(EMPTY_ENVELOPE, [
    { name: 'a', text: 'one' },
    { name: 'b', text: 'two' },
  ]),
  tools: [{ name: 'read' }, { name: 'bash' }],
  options: { temperature: 1 },
  messages: {
    cached: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
    ],
    uncached: [],
  },
};
const opsTo = (after: Partial<EnvelopeContent>) =>
  patchBetween(base, { ...base, ...after }, 'a test').patch.map((op) =>
    Object.fromEntries(Object.entries(op).filter(([key]) => key !== 'scope' && key !== 'invalidateCacheReason')),
  );

describe('the patch between two envelopes', () => {
  it('turns the one into the other', () => {
    fc.assert(
      fc.property(envelope, envelope, (before, after) => {
        const { patch, impossible } = patchBetween(before, after, 'a test');
        expect(impossible).toEqual([]);
        expect(applyPatch(before, patch).envelope).toEqual(after);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('is empty between an envelope and itself', () => {
    expect(patchBetween(base, structuredClone(base), 'a test')).toEqual({ patch: [], impossible: [] });
  });

  it('sets and removes single parts', () => {
    const parts = [
      { name: 'b', text: 'three' },
      { name: 'c', text: 'four' },
    ];
    expect(opsTo(setParts(base, parts))).toEqual([
      { op: 'system_part_remove', partName: 'a' },
      { op: 'system_part_set', partName: 'b', text: 'three' },
      { op: 'system_part_set', partName: 'c', text: 'four' },
    ]);
  });

  it('replaces all parts where their order changes', () => {
    expect(opsTo(setParts(base, base.system.parts.toReversed()))).toEqual([
      { op: 'system_parts_replace', parts: base.system.parts.toReversed() },
    ]);
  });

  it('removes tools, and unsets an option with null', () => {
    expect(opsTo({ tools: [{ name: 'read' }], options: {} })).toEqual([
      { op: 'tools_remove', toolNames: ['bash'] },
      { op: 'options_set', temperature: null },
    ]);
  });

  it('knows a compaction', () => {
    const cached = [toSummaryMessage('It went well.', 7), base.messages.cached[1]!];
    expect(opsTo({ messages: { cached, uncached: [] } })).toEqual([
      { op: 'compaction_apply', summary: 'It went well.', timestamp: 7, firstKeptMessageIndex: 1 },
    ]);
  });

  it('says what no op can do', () => {
    const uncached = [{ role: 'user' as const, content: 'now' }];
    const before: EnvelopeContent = { ...base, messages: { ...base.messages, uncached } };
    expect(patchBetween(before, base, 'a test')).toEqual({
      patch: [],
      impossible: ['no patch op can change the uncached messages in this way'],
    });
    expect(patchBetween(base, { ...base, options: { ...base.options, top: 1 } }, 'a test').impossible).toHaveLength(1);
  });

  it.each([
    ['tools', { tools: [{ description: 'no name' }] }],
    ['system', { system: { ...base.system, parts: [{ name: 'a' }] } }],
    ['cached', { messages: { cached: ['no message'], uncached: [] } }],
  ])('says so where what stands in the other is nothing that an op takes: %s', (region, rest) => {
    const after = { ...base, ...rest } as unknown as EnvelopeContent;
    expect(patchBetween(base, after, 'a test')).toEqual({
      patch: [],
      impossible: [`no patch op can change the ${region} in this way`],
    });
  });

  it('gives every op its scope, and the reason to those that change what is cached', () => {
    const uncached = [{ role: 'user' as const, content: 'now' }];
    const after: EnvelopeContent = {
      ...base,
      ...setParts(base, [{ name: 'c', text: 'three' }]),
      tools: [{ name: 'write' }],
      options: { temperature: 2 },
      messages: { cached: [], uncached },
    };
    const { patch } = patchBetween(base, after, 'a test');
    const cached = { scope: 'cached', invalidateCacheReason: 'a test' };
    expect(patch.map((op) => JSON.stringify(op))).toEqual(
      [
        { op: 'system_part_remove', ...cached, partName: 'a' },
        { op: 'system_part_remove', ...cached, partName: 'b' },
        { op: 'system_part_set', ...cached, partName: 'c', text: 'three' },
        { op: 'tools_replace', ...cached, tools: [{ name: 'write' }] },
        { op: 'options_set', ...cached, temperature: 2 },
        { op: 'messages_cached_replace', ...cached, messages: [] },
        { op: 'messages_uncached_append', scope: 'uncached', messages: uncached },
      ].map((op) => JSON.stringify(op)),
    );
    expect(applyPatch(base, patch).envelope).toEqual(after);
  });

  it('knows a compaction that keeps all, or more than there was, and one that keeps other messages', () => {
    const opsFor = (...cached: EnvelopeContent['messages']['cached']) =>
      opsTo({ messages: { cached: [toSummaryMessage('S.', 7), ...cached], uncached: [] } }).map(({ op }) => op);
    expect(opsFor(...base.messages.cached)).toEqual(['compaction_apply']);
    expect(opsFor()).toEqual(['compaction_apply']);
    expect(opsFor(...base.messages.cached, ...base.messages.cached)).toEqual(['messages_cached_replace']);
    expect(opsFor({ role: 'user', content: 'two' })).toEqual(['messages_cached_replace']);
  });
});
