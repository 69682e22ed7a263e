import { describe, expect, it } from 'vitest';
import type { EnvelopeContent } from '../../src/context/content.js';
import { CtxError } from '../../src/errors.js';
import { ops } from '../../src/ops/index.js';
import { applyPatch, readPatch } from '../../src/ops/read-patch.js';

const ENVELOPE: EnvelopeContent = {
  system: {
    parts: [
      { name: 'base', text: 'Be careful.' },
      { name: 'policy', text: ' Be brief.' },
    ],
    compiled: 'Be careful. Be brief.',
  },
  tools: [{ name: 'read' }, { name: 'bash' }],
  messages: {
    cached: [1, 2, 3].map((number) => ({ role: 'user', content: `message ${number}`, timestamp: number })),
    uncached: [{ role: 'user', content: 'tail', timestamp: 4 }],
  },
  options: { temperature: 1, maxTokens: 100 },
};

function persisted(op: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { schemaVersion: 1, transformerName: 'test', patch: [op] };
}

describe.each(ops)('$name', (op) => {
  const reason = op.scope === 'cached' ? { invalidateCacheReason: ' why ' } : {};
  const example = { op: op.name, scope: op.scope, ...op.example, ...reason };

  it('applies its example', () => {
    const { envelope, reasons } = applyPatch(ENVELOPE, [example]);
    expect(envelope).not.toEqual(ENVELOPE);
    expect(reasons).toEqual(op.scope === 'cached' ? ['why'] : []);
  });

  it('leaves its input alone and survives JSON', () => {
    const before = JSON.stringify(ENVELOPE);
    const { envelope } = applyPatch(ENVELOPE, JSON.parse(JSON.stringify([example])) as unknown[]);
    expect(JSON.stringify(ENVELOPE)).toBe(before);
    expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
  });

  it('changes nothing but its region', () => {
    const { envelope } = applyPatch(ENVELOPE, [example]);
    for (const region of ['system', 'tools', 'messages', 'options'] as const) {
      if (region !== op.region) expect(envelope[region]).toEqual(ENVELOPE[region]);
    }
  });

  it('is persisted only when it has scope cached', () => {
    expect(readPatch(persisted(example))).toMatchObject([{ ok: op.scope === 'cached' }]);
  });

  it.each(
    Object.keys(op.example).filter(
      (field) => field !== 'temperature' && field !== 'reasoning' && field !== 'tokensBefore',
    ),
  )('is refused without %s', (field) => {
    const { [field]: _left, ...rest } = example as Record<string, unknown>;
    expect(() => applyPatch(ENVELOPE, [rest])).toThrow(CtxError);
  });
});

describe('a patch', () => {
  const remove = { op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' };

  it.each([
    ['unknown-op', { ...remove, op: 'tools_shuffle' }],
    ['unknown-op', { ...remove, op: '__proto__' }],
    ['scope', { ...remove, scope: 'uncached' }],
    ['scope', { op: 'messages_uncached_append', scope: 'uncached', messages: [] }],
    ['reason', { ...remove, invalidateCacheReason: ' \n' }],
    ['reason', { ...remove, invalidateCacheReason: undefined }],
    ['fields', { ...remove, toolNames: 'bash' }],
    [
      'fields',
      { op: 'messages_cached_replace', scope: 'cached', messages: [{ role: 'system' }], invalidateCacheReason: 'x' },
    ],
    ['fields', null],
  ])('that breaks the rule %s is not applied', (rule, op) => {
    expect(readPatch({ schemaVersion: 1, patch: [op] })).toMatchObject([{ ok: false, rule }]);
  });

  it.each([[0], ['1'], [2], [undefined]])('of schema version %j is not read', (schemaVersion) => {
    expect(readPatch({ schemaVersion, patch: [remove] })).toMatchObject([{ ok: false, rule: 'schema-version' }]);
  });

  it('keeps fields that nobody knows', () => {
    const messages = [{ role: 'user', content: 'x', __future: { a: 1 } }];
    const { envelope } = applyPatch(ENVELOPE, [
      { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x', extra: 1 },
    ]);
    expect(envelope.messages.cached).toEqual(messages);
  });

  it('does not say that the cache is invalidated where nothing changed', () => {
    expect(applyPatch(ENVELOPE, [{ ...remove, toolNames: ['none'] }])).toMatchObject({
      cacheInvalidated: false,
      reasons: ['gate'],
    });
    expect(applyPatch(ENVELOPE, [remove]).cacheInvalidated).toBe(true);
    expect(
      applyPatch(ENVELOPE, [{ op: 'messages_uncached_append', scope: 'uncached', messages: [] }]).cacheInvalidated,
    ).toBe(false);
  });

  it('names the distinct reasons in order', () => {
    const { reasons } = applyPatch(ENVELOPE, [
      remove,
      { ...remove, invalidateCacheReason: 'other' },
      { ...remove, invalidateCacheReason: ' gate ' },
    ]);
    expect(reasons).toEqual(['gate', 'other']);
  });
});
