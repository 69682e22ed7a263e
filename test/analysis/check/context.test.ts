import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as made from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import type { JsonObject } from '#base/json.js';
import { check, type Wanted } from '../../support/check.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const { ANSWERED, HEADER, assistant, entry, system, textContent, transform, user } = made;

function checked(lines: readonly JsonObject[], rule: string, wanted: Wanted = {}): Promise<readonly Finding[]> {
  return check([HEADER, ...lines], { rules: [rule], ...wanted });
}

function patched(ops: readonly unknown[], fields: JsonObject = {}): JsonObject {
  return entry('context_transform', 'x1', 'a1', {
    schemaVersion: 1,
    transformerName: 'example',
    patch: ops,
    ...fields,
  });
}

const CHEAPER = { op: 'options_set', scope: 'cached', reasoning: 'low', invalidateCacheReason: 'simple questions' };

describe('the rules of patches', () => {
  it.each<readonly [string, JsonObject, string]>([
    ['patch-schema-version', patched([CHEAPER], { schemaVersion: '1' }), 'schemaVersion'],
    ['patch-fields', patched([], { patch: 'none' }), 'patch'],
    ['patch-fields', patched([CHEAPER, null]), 'patch[1]'],
    ['patch-unknown-op', patched([CHEAPER, { ...CHEAPER, op: 'toString' }]), 'patch[1]'],
    ['patch-scope', patched([{ ...CHEAPER, scope: undefined }]), 'patch[0]'],
    ['patch-reason', patched([{ ...CHEAPER, invalidateCacheReason: undefined }]), 'patch[0]'],
  ])('%s finds %j at %s', async (rule, line, place) => {
    const findings = await checked([...ANSWERED, line], rule);
    expect(findings).toMatchObject([{ place, line: 4, entryId: 'x1', fix: expect.stringContaining('--lenient') }]);
  });

  it('find each broken operation once, and nothing but that', async () => {
    const line = patched([{ ...CHEAPER, op: 'a' }, CHEAPER, { ...CHEAPER, op: 'b' }]);
    const findings = await checked([...ANSWERED, line], 'context');
    expect(findings.map(({ rule, place }) => [rule, place])).toEqual([
      ['patch-unknown-op', 'patch[0]'],
      ['patch-unknown-op', 'patch[2]'],
    ]);
  });

  it('say milder what stands on another branch', async () => {
    const lines = [...ANSWERED, patched([{ ...CHEAPER, op: 'a' }]), user('u2', 'a1', 'Next.')];
    const findings = await checked(lines, 'context');
    expect(findings).toMatchObject([{ rule: 'broken-patch-elsewhere', severity: 'warning', entryId: 'x1' }]);
  });
});

describe('op-without-effect', () => {
  const remove = { op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'no shell' };

  it.each<readonly [string, ...(readonly unknown[])]>([
    ['an option that was set a moment before', CHEAPER, CHEAPER],
    ['a tool that is not there', CHEAPER, remove],
    ['a part that is not there', CHEAPER, { ...remove, op: 'system_part_remove', partName: 'rules' }],
    ['no option at all', CHEAPER, { ...CHEAPER, reasoning: undefined }],
  ])('finds %s', async (_what, ...ops) => {
    expect(await checked([...ANSWERED, patched(ops)], 'op-without-effect')).toMatchObject([{ place: 'patch[1]' }]);
  });

  it('finds a list that is replaced by itself', async () => {
    const replace = { ...CHEAPER, op: 'messages_cached_replace', messages: ANSWERED.map(({ message }) => message) };
    const findings = await checked([...ANSWERED, patched([CHEAPER, replace])], 'op-without-effect');
    expect(findings).toMatchObject([{ place: 'patch[1]', message: 'messages_cached_replace changes nothing' }]);
  });

  it('finds a patch without operations', async () => {
    expect(await checked([...ANSWERED, patched([])], 'op-without-effect')).toMatchObject([{ place: 'patch' }]);
  });

  it('leaves it to the cache rules when a whole transform does nothing', async () => {
    expect(await checked([...ANSWERED, patched([remove])], 'op-without-effect')).toEqual([]);
  });

  it('lets an option be that is set and set back', async () => {
    const back = { ...CHEAPER, reasoning: null };
    expect(await checked([...ANSWERED, patched([CHEAPER, back])], 'op-without-effect')).toEqual([]);
  });
});

describe('index-out-of-range', () => {
  it.each<readonly [number, number]>([
    [-1, 1],
    [0, 0],
    [2, 0],
    [3, 1],
  ])('of firstKeptMessageIndex %i among two messages: %i', async (firstKeptMessageIndex, count) => {
    const op = { op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex };
    expect(await checked([...ANSWERED, transform('x1', 'a1', op)], 'index-out-of-range')).toHaveLength(count);
  });

  it('counts the messages that the operations before it have left', async () => {
    const replace = { ...CHEAPER, op: 'messages_cached_replace', messages: [] };
    const compact = { ...CHEAPER, op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex: 2 };
    const [finding] = await checked([...ANSWERED, patched([replace, compact])], 'index-out-of-range');
    expect(finding).toMatchObject({ message: 'it keeps from message 2 of 0, so nothing is kept' });
  });
});

describe('dual-write-mismatch', () => {
  const talk = [...ANSWERED, user('u2', 'a1', 'Next.'), assistant('a2', 'u2', [textContent('Well.')])];
  const label = entry('label', 'l1', 'a2', { targetId: 'u1', label: 'start' });

  function halves(op: JsonObject, compaction: JsonObject): readonly JsonObject[] {
    const apply = { ...CHEAPER, op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex: 2, ...op };
    return [
      ...talk,
      label,
      { ...patched([apply], { transformerName: 'compaction' }), parentId: 'l1' },
      entry('compaction', 'k1', 'x1', { summary: 's', firstKeptEntryId: 'u2', tokensBefore: 9, ...compaction }),
      user('u3', 'k1', 'And then?'),
    ];
  }

  it.each<readonly [JsonObject, JsonObject, ...(readonly string[])]>([
    [{}, {}],
    [{ tokensBefore: 9 }, {}],
    [{ firstKeptMessageIndex: 4 }, { firstKeptEntryId: 'l1' }],
    [{ firstKeptMessageIndex: 4 }, { firstKeptEntryId: 'k1' }],
    [{ summary: 'other' }, {}, 'summary: its summary differs from the transform before it'],
    [{ tokensBefore: 8 }, {}, 'tokensBefore: tokensBefore is 9, but 8 in the transform before it'],
    [{}, { firstKeptEntryId: 'a1' }, 'firstKeptEntryId: it keeps 1 message more than the transform before it'],
    [{}, { firstKeptEntryId: 'u1' }, 'firstKeptEntryId: it keeps 2 messages more than the transform before it'],
    [{}, { firstKeptEntryId: 'a2' }, 'firstKeptEntryId: it keeps 1 message fewer than the transform before it'],
    [{}, { firstKeptEntryId: 'k1' }, 'firstKeptEntryId: it keeps 2 messages fewer than the transform before it'],
    [{ op: 'unheard_of' }, {}, 'parentId: the transform before it is named "compaction", but does not compact'],
  ])('of %j and %j: %s', async (op, compaction, ...expected) => {
    const findings = await checked(halves(op as JsonObject, compaction as JsonObject), 'dual-write-mismatch');
    expect(findings.map(({ place, message }) => `${place ?? ''}: ${message}`)).toEqual(expected);
  });

  it('counts what stands between the first kept messages, if it is shown', async () => {
    const between = [
      entry('custom_message', 'm1', 'a1', { customType: 'note', content: 'Look.', display: true }),
      system('s1', 'm1', { sections: { rules: 'Be brief.' } }),
      entry('message', 'b1', 's1', { message: { role: 'bashExecution', command: 'ls', output: '' } }),
    ];
    const twice = (firstKeptMessageIndex: number, firstKeptEntryId: string): readonly JsonObject[] => [
      ...ANSWERED,
      ...between,
      user('u2', 'b1', 'Next.'),
      {
        ...transform('x1', 'u2', { op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex }),
        transformerName: 'compaction',
      },
      entry('compaction', 'k1', 'x1', { summary: 's', firstKeptEntryId, tokensBefore: 9 }),
    ];
    const said = async (lines: readonly JsonObject[]): Promise<readonly string[]> =>
      (await checked(lines, 'dual-write-mismatch')).map(({ message }) =>
        message.replace(' the transform before it', ''),
      );
    expect(await said(twice(4, 'm1'))).toEqual(['it keeps 1 message more than']);
    expect(await said(twice(4, 's1'))).toEqual([]);
    expect(await said(twice(2, 'u2'))).toEqual(['it keeps 1 message fewer than']);
    expect(await said(twice(5, 'u2'))).toEqual(['it keeps 1 message more than']);
    expect(await said(twice(2, 'nobody'))).toEqual([]);
    expect(await said([user('o1', null, 'Elsewhere.'), ...twice(2, 'o1')])).toEqual(['it keeps 2 messages fewer than']);
  });

  it('does not count messages that an edit leaves out', async () => {
    const lines = [
      ...talk,
      entry('context_edit', 'e1', 'a2', { targetId: 'a1', replacement: null }),
      {
        ...transform('x1', 'e1', { op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex: 1 }),
        transformerName: 'compaction',
      },
      entry('compaction', 'k1', 'x1', { summary: 's', firstKeptEntryId: 'a1', tokensBefore: 9 }),
    ];
    expect(await checked(lines, 'dual-write-mismatch')).toEqual([]);
  });

  it('is silent where a transform made the first kept message', async () => {
    const replace = { ...CHEAPER, op: 'messages_cached_replace', messages: [{ role: 'user', content: 'All of it.' }] };
    const lines = [
      ...ANSWERED,
      patched([replace]),
      {
        ...transform('x2', 'x1', { op: 'compaction_apply', summary: 's', timestamp: 0, firstKeptMessageIndex: 0 }),
        transformerName: 'compaction',
      },
      entry('compaction', 'k1', 'x2', { summary: 's', firstKeptEntryId: 'u1', tokensBefore: 9 }),
    ];
    expect(await checked(lines, 'dual-write-mismatch')).toEqual([]);
  });
});

describe('system-prompt-lost', () => {
  const sections = { preamble: 'You are an agent.', rules: 'Be brief.' };
  const tools = [{ name: 'read', description: 'Read a file', parameters: {} }];
  const talk = [
    system('s1', null, { sections, toolsAdded: tools }),
    user('u1', 's1', 'What is in here?'),
    entry('compaction', 'k1', 'u1', { summary: 's', firstKeptEntryId: 'u1', tokensBefore: 9 }),
  ];

  it('names what is lost', async () => {
    const findings = await checked([...talk, user('u2', 'k1', 'Next.')], 'system-prompt-lost');
    expect(findings).toMatchObject([
      {
        message: 'the compaction does not restate the part "preamble", the part "rules", the tool "read"',
        entryId: 'k1',
      },
    ]);
  });

  it('waits for a system message that restates it before the next request', async () => {
    const restated = system('s2', 'k1', { sections, toolsAdded: tools });
    expect(await checked([...talk, restated, assistant('a1', 's2', [])], 'system-prompt-lost')).toEqual([]);
  });

  it('is not content with half of it', async () => {
    const half = system('s2', 'k1', { sections: { rules: 'Be brief.' } });
    expect(await checked([...talk, half, assistant('a1', 's2', [])], 'system-prompt-lost')).toHaveLength(1);
  });

  it('does not wait beyond the next request', async () => {
    const late = system('s2', 'a1', { sections, toolsAdded: tools });
    expect(await checked([...talk, assistant('a1', 'k1', []), late], 'system-prompt-lost')).toHaveLength(1);
  });

  it('says nothing of sessions that record no prompt', async () => {
    expect(await checked([user('u1', null, 'a'), ...talk.slice(2)], 'system-prompt-lost')).toEqual([]);
  });
});

describe('repeated-replace', () => {
  const whole = Array.from({ length: 20 }, (_, at) => ({ role: 'user', content: `Message ${at} of the talk.` }));

  function replaced(count: number, messagesAt: (at: number) => readonly unknown[]): readonly JsonObject[] {
    const transforms = Array.from({ length: count }, (_, at) =>
      transform(`x${at}`, at === 0 ? 'a1' : `x${at - 1}`, { op: 'messages_cached_replace', messages: messagesAt(at) }),
    );
    return [...ANSWERED, ...transforms];
  }

  it('says how many bytes were stored, and how many of them were new', async () => {
    const lines = replaced(4, (at) => [...whole, { role: 'user', content: `More ${at}` }]);
    const stored = lines.slice(2).reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0);
    const [finding] = await checked(lines, 'repeated-replace');
    expect(finding).toMatchObject({ entryId: 'x3' });
    const [, bytes, news] = /stored 4 times: (\d+) bytes, about (\d+) /.exec(finding?.message ?? '') ?? [];
    expect(Math.abs(Number(bytes) - stored)).toBeLessThanOrEqual(4);
    expect(Number(news)).toBeLessThan(stored / 2);
  });

  it('lets lists be that are new each time', async () => {
    const lines = replaced(4, (at) => whole.map(({ content }) => ({ role: 'user', content: `${content} ${at}` })));
    expect(await checked(lines, 'repeated-replace')).toEqual([]);
  });

  it('begins where the option says', async () => {
    const lines = replaced(2, () => whole);
    expect(await checked(lines, 'repeated-replace')).toEqual([]);
    const options = { 'repeated-replace': { times: 2 } };
    expect(await checked(lines, 'repeated-replace', { options })).toHaveLength(1);
  });
});

describe('whatever stands on a path', () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('compaction', 1, 'u1', 'k1'));
  const op = fc.record(
    {
      op: fc.oneof(
        fc.constantFrom('messages_cached_replace', 'compaction_apply', 'options_set', 'tools_remove', '__proto__'),
        value,
      ),
      scope: fc.constantFrom('cached', 'uncached'),
      invalidateCacheReason: fc.constantFrom('why', ' '),
      messages: fc.array(fc.oneof(fc.record({ role: fc.constant('user'), content: value }), value)),
      summary: fc.oneof(fc.string(), value),
      timestamp: fc.oneof(fc.nat(), value),
      firstKeptMessageIndex: fc.oneof(fc.integer({ min: -3, max: 5 }), value),
      toolNames: fc.oneof(fc.array(fc.string()), value),
    },
    { requiredKeys: ['op'] },
  );
  const line = fc.oneof(
    fc.record({
      type: fc.constant('context_transform'),
      schemaVersion: fc.oneof(fc.constant(1), value),
      transformerName: fc.oneof(fc.constant('compaction'), value),
      patch: fc.oneof(fc.array(op), value),
    }),
    fc.record({
      type: fc.constant('compaction'),
      summary: value,
      firstKeptEntryId: value,
      tokensBefore: value,
      systemMessage: value,
    }),
    fc.record({ type: fc.constant('context_edit'), targetId: value, replacement: value }),
    fc.record({
      type: fc.constant('message'),
      message: fc.record({ role: fc.constant('system'), sections: value, toolsAdded: value }),
    }),
  );

  it('never makes a rule throw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 6 }), async (lines) => {
        const path = lines.map((fields, at) => ({ ...fields, id: `e${at}`, parentId: at === 0 ? 'a1' : `e${at - 1}` }));
        for (const { message } of await checked([...ANSWERED, ...path], 'context')) expect(message).not.toBe('');
      }),
      { numRuns: runs(300) },
    );
  });

  it('is no error in generated sessions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(100_000), fc.constantFrom(0, 0.3), async (seed, transforms) => {
        const session = new TextEncoder().encode(generateSession({ seed, transforms, compactions: 0.1 }));
        const findings = await check(session, { rules: ['context'] });
        expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      { numRuns: runs(80) },
    );
  });
});

describe('usage-above-window', () => {
  const answered = (id: string, parentId: string, model: string, input: number): JsonObject =>
    assistant(id, parentId, [textContent('Noted.')], { model, usage: { input, output: 9, totalTokens: input + 9 } });
  const talk = [user('u1', null, 'Go.'), answered('a1', 'u1', 'claude-haiku-4-5', 230_000)];

  it.each<readonly [string, Wanted, string]>([
    ['listed for claude-haiku-4-5', {}, '200,000'],
    ['that you set', { limit: 230_008 }, '230,008'],
    ['that you set', { configuredLimit: 90_000 }, '90,000'],
  ])('finds more tokens than the window %s has', async (whose, wanted, tokens) => {
    const findings = await checked(talk, 'usage-above-window', wanted);
    expect(findings).toMatchObject([{ entryId: 'a1', line: 3, severity: 'warning' }]);
    expect(findings[0]?.message).toContain(`recorded 230,009 tokens`);
    expect(findings[0]?.message).toContain(`the context window of ${tokens} ${whose}`);
  });

  it('compares each answer with the window of its model', async () => {
    const lines = [...talk, user('u2', 'a1', 'On.'), answered('a2', 'u2', 'claude-sonnet-4-6', 240_000)];
    expect((await checked(lines, 'usage-above-window')).map(({ entryId }) => entryId)).toEqual(['a1']);
    expect(await checked(talk, 'usage-above-window', { limit: 230_009 })).toEqual([]);
  });
});
