import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { ops } from '#context/ops/index.js';
import { applyPatch, readPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';

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

describe('what an op changes', () => {
  const [base, policy] = ENVELOPE.system.parts;
  const [one, two, three] = ENVELOPE.messages.cached;
  const message = { role: 'user', content: 'new', timestamp: 5 } as const;
  const region = (op: Readonly<Record<string, unknown>>): Partial<EnvelopeContent> => {
    const { envelope } = applyPatch(ENVELOPE, [{ scope: 'cached', invalidateCacheReason: 'x', ...op }]);
    return Object.fromEntries(
      Object.entries(envelope).filter(([name, value]) => value !== ENVELOPE[name as keyof EnvelopeContent]),
    );
  };

  it.each<[Readonly<Record<string, unknown>>, Partial<EnvelopeContent>]>([
    [
      { op: 'system_part_set', partName: 'base', text: 'Be kind.' },
      { system: { parts: [{ name: 'base', text: 'Be kind.' }, policy!], compiled: 'Be kind. Be brief.' } },
    ],
    [
      { op: 'system_part_set', partName: 'end', text: '!' },
      { system: { parts: [base!, policy!, { name: 'end', text: '!' }], compiled: 'Be careful. Be brief.!' } },
    ],
    [{ op: 'system_part_remove', partName: 'base' }, { system: { parts: [policy!], compiled: ' Be brief.' } }],
    [
      { op: 'system_parts_replace', parts: [{ name: 'all', text: 'Be.' }] },
      { system: { parts: [{ name: 'all', text: 'Be.' }], compiled: 'Be.' } },
    ],
    [{ op: 'tools_replace', tools: [{ name: 'grep' }] }, { tools: [{ name: 'grep' }] }],
    [{ op: 'tools_remove', toolNames: ['read', 'none'] }, { tools: [{ name: 'bash' }] }],
    [{ op: 'options_set', reasoning: 'high', temperature: null }, { options: { reasoning: 'high', maxTokens: 100 } }],
    [{ op: 'options_set', maxTokens: 5 }, { options: { temperature: 1, maxTokens: 5 } }],
    [
      { op: 'messages_cached_replace', messages: [message] },
      { messages: { cached: [message], uncached: ENVELOPE.messages.uncached } },
    ],
    [
      { op: 'messages_uncached_append', scope: 'uncached', messages: [message] },
      { messages: { cached: [one!, two!, three!], uncached: [...ENVELOPE.messages.uncached, message] } },
    ],
  ])('%j', (op, changed) => {
    expect(region(op)).toEqual(changed);
  });

  it.each([
    [-1, 3],
    [0, 3],
    [2, 1],
    [9, 0],
  ])('compaction_apply puts a summary before what stands at %i and behind', (firstKeptMessageIndex, kept) => {
    const { messages } = region({ op: 'compaction_apply', summary: 'It rained.', timestamp: 7, firstKeptMessageIndex });
    expect(messages!.cached.slice(1)).toEqual(ENVELOPE.messages.cached.slice(3 - kept));
    expect(messages!.cached[0]).toMatchObject({ role: 'user', timestamp: 7 });
    expect(JSON.stringify(messages!.cached[0])).toContain('It rained.');
    expect(messages!.uncached).toEqual(ENVELOPE.messages.uncached);
  });
});

const REPLACING = ['messages_cached_replace', 'system_parts_replace', 'tools_replace'];

describe('a patch', () => {
  const remove = { op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' };

  it.each([
    ['unknown-op', { ...remove, op: 'tools_shuffle' }, /^unknown op \("tools_shuffle"\)$/],
    ['unknown-op', { ...remove, op: '__proto__' }, /^unknown op \("__proto__"\)$/],
    ['scope', { ...remove, scope: 'uncached' }, /^tools_remove has scope "uncached"; only "cached" is persisted$/],
    [
      'scope',
      { op: 'messages_uncached_append', scope: 'uncached', messages: [] },
      /^messages_uncached_append has scope "uncached"; only "cached" is persisted$/,
    ],
    ['reason', { ...remove, invalidateCacheReason: ' \n' }, /^tools_remove .* has no invalidateCacheReason$/],
    ['reason', { ...remove, invalidateCacheReason: undefined }, /^tools_remove .* has no invalidateCacheReason$/],
    ['fields', { ...remove, toolNames: 'bash' }, /^tools_remove: toolNames/],
    [
      'fields',
      { op: 'messages_cached_replace', scope: 'cached', messages: [{ role: 'system' }], invalidateCacheReason: 'x' },
      /^messages_cached_replace: /,
    ],
    ['fields', null, /^an op must be an object$/],
  ])('that breaks the rule %s is not applied', (rule, op, message) => {
    expect(readPatch({ schemaVersion: 1, patch: [op] })).toEqual([
      { ok: false, rule, message: expect.stringMatching(message) as string },
    ]);
  });

  it.each([[0], ['1'], [2], [undefined]])('of schema version %j is not read', (schemaVersion) => {
    expect(readPatch({ schemaVersion, patch: [remove] })).toEqual([
      { ok: false, rule: 'schema-version', message: `schemaVersion must be 1, not ${JSON.stringify(schemaVersion)}` },
    ]);
  });

  it('says of its steps what they leave of a region', () => {
    const patch = ops.flatMap((op) =>
      op.scope === 'cached' ? [{ op: op.name, scope: op.scope, ...op.example, invalidateCacheReason: 'x' }] : [],
    );
    const steps = readPatch({ schemaVersion: 1, patch }).filter((step) => step.ok);
    const names = (has: (step: (typeof steps)[number]) => boolean): readonly string[] =>
      steps.flatMap((step) => (has(step) ? [step.name] : [])).toSorted();
    expect(steps).toHaveLength(patch.length);
    expect(names(({ replacesRegion }) => replacesRegion)).toEqual(REPLACING);
    expect(names(({ compacts }) => compacts)).toEqual(['compaction_apply']);
  });

  it('that is no list is not read', () => {
    expect(readPatch({ schemaVersion: 1, patch: remove })).toEqual([
      { ok: false, rule: 'fields', message: 'patch must be a list of ops' },
    ]);
  });

  it('that cannot be applied in a request names the op and the rule', () => {
    expect(() => applyPatch(ENVELOPE, [remove, { ...remove, scope: 'uncached' }])).toThrow(
      expect.objectContaining({
        kind: 'input',
        message: 'patch[1]: tools_remove has scope "uncached"; it must be "cached"',
        hint: 'repair the op; rule: scope',
      }),
    );
  });

  it('keeps unknown fields', () => {
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
