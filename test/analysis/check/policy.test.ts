import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Example } from '#analysis/check/define.js';
import {
  ANSWERED,
  assistant,
  buildExampleFile,
  entry,
  HEADER,
  system,
  textContent,
  transform,
  user,
} from '#analysis/check/example.js';
import { loadRules } from '#analysis/check/index.js';
import { SIZE_PATTERN, toBytes } from '#analysis/check/policy/max-file-size.js';
import { matchesPattern } from '#analysis/check/policy/patterns.js';
import { check, type Wanted } from '../../support/check.js';
import { fixtures, projectFolder } from '../../support/files.js';
import { runs } from '../../support/runs.js';

async function messages(rule: string, options: unknown, lines: Example, more: Wanted = {}): Promise<readonly string[]> {
  const findings = await check([HEADER, ...lines], { rules: [rule], options: { [rule]: options }, ...more });
  return findings.map(({ message }) => message);
}

const paid = (id: string, parentId: string, total: unknown, more: object = {}): ReturnType<typeof assistant> =>
  assistant(id, parentId, [textContent('yes')], {
    usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 50, cost: { total } },
    ...more,
  });

describe('max-context-tokens', () => {
  const lines = [
    system('s1', null, { content: 'x'.repeat(400), toolsAdded: [{ name: 'read', description: 'y'.repeat(400) }] }),
    user('u1', 's1', 'z'.repeat(400)),
  ];

  it('allows what is allowed and no token more', async () => {
    expect(await messages('max-context-tokens', { system: 140, cached: 140, uncached: 0 }, lines)).toEqual([]);
    expect(await messages('max-context-tokens', { system: 139, cached: 139 }, lines)).toEqual([
      'the system prompt has ~140 tokens, more than the 139 allowed',
      'the messages have ~140 tokens, more than the 139 allowed',
    ]);
    expect(await messages('max-context-tokens', { tools: 50, total: 300 }, lines)).toHaveLength(2);
  });

  it('looks at the active path only', async () => {
    const branched = [...lines, user('u2', 's1', 'short')];
    expect(await messages('max-context-tokens', { cached: 50 }, branched)).toEqual([]);
  });
});

describe('max-context-use', () => {
  const options = { percent: 50 };

  it('counts what the provider has counted, and an estimate of what came behind', async () => {
    const lines = [user('u1', null, 'hello'), paid('a1', 'u1', 0)];
    expect(await messages('max-context-use', options, lines, { limit: 100 })).toEqual([]);
    expect(await messages('max-context-use', options, lines, { limit: 99 })).toEqual([
      'the context fills 50.5% of the window, more than the 50% allowed: 50 of 99 tokens, recorded',
    ]);
    const further = [...lines, user('u2', 'a1', 'x'.repeat(40))];
    expect(await messages('max-context-use', options, further, { limit: 100 })).toEqual([
      'the context fills 65.0% of the window, more than the 50% allowed: 65 of 100 tokens, partly recorded, partly estimated',
    ]);
  });

  it('estimates where the context was changed since', async () => {
    const lines = [
      user('u1', null, 'x'.repeat(400)),
      paid('a1', 'u1', 0),
      entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null }),
    ];
    expect(await messages('max-context-use', options, lines, { limit: 100 })).toEqual([]);
    expect(await messages('max-context-use', { percent: 0.1 }, lines, { limit: 100 })).toEqual([
      expect.stringMatching(/\d of 100 tokens, partly recorded, partly estimated$/) as string,
    ]);
  });

  it('finds that the context window is unknown', async () => {
    expect(await messages('max-context-use', options, ANSWERED)).toEqual([
      "not checked: the size of the model's context window is unknown",
    ]);
    expect(await messages('max-context-use', options, ANSWERED, { baseline: { limit: 1000 } })).toEqual([]);
  });
});

describe('max-cache-breaks', () => {
  const first = system('s1', null, { content: 'Be brief.', toolsAdded: [{ name: 'read' }] });
  const asked = [first, user('u1', 's1', 'hello'), assistant('a1', 'u1', [textContent('hi')])];
  const again = (parent: string, nth: number): Example => [
    user(`u${nth}`, parent, 'more'),
    assistant(`a${nth}`, `u${nth}`, [textContent('yes')]),
  ];
  const breaks = (...more: Example): Promise<readonly string[]> =>
    messages('max-cache-breaks', { max: 0 }, [...asked, ...more]);

  it('does not count what no request has sent yet, or what only appends', async () => {
    expect(await breaks()).toEqual([]);
    expect(await breaks(...again('a1', 2))).toEqual([]);
    expect(await breaks(system('s2', 'a1', { content: '' }), ...again('s2', 2))).toEqual([]);
    expect(await breaks(entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null }))).toEqual([]);
  });

  it.each([
    ['a prompt that changes', 'system', system('x', 'a1', { sections: { style: 'Be long.' } })],
    ['a tool that comes', 'tools', system('x', 'a1', { toolsAdded: [{ name: 'bash' }] })],
    ['an edit', 'edit', entry('context_edit', 'x', 'a1', { targetId: 'u1', replacement: { content: 'Hi?' } })],
    ['a transform', 'transform', transform('x', 'a1', { op: 'tools_remove', toolNames: ['read'] })],
    [
      'a compaction',
      'compaction',
      entry('compaction', 'x', 'a1', { summary: 'hm', firstKeptEntryId: 'a1', tokensBefore: 1 }),
    ],
  ])('counts %s as ctx cache does', async (_, cause, line) => {
    expect(await breaks(line, ...again('x', 2))).toEqual([
      `the prompt cache was broken once, more than the 0 allowed: ${cause} 1`,
    ]);
  });

  it('counts what the provider recorded, but no pause', async () => {
    const usage = { input: 5000, output: 1, cacheRead: 0, cacheWrite: 5000, totalTokens: 10_001 };
    const answer = (nth: number, timestamp: string): Example =>
      [
        user(`u${nth}`, nth === 1 ? null : `a${nth - 1}`, 'more'),
        assistant(`a${nth}`, `u${nth}`, [textContent('yes')], { usage, timestamp: Date.parse(timestamp) }),
      ].map((line) => ({ ...line, timestamp }));
    const lines = (timestamp: string): Example => [...answer(1, '2026-03-02T09:00:00.000Z'), ...answer(2, timestamp)];
    expect(await messages('max-cache-breaks', { max: 0 }, lines('2026-03-02T09:01:00.000Z'))).toEqual([
      'the prompt cache was broken once, more than the 0 allowed: unexplained 1',
    ]);
    expect(await messages('max-cache-breaks', { max: 0 }, lines('2026-03-02T12:00:00.000Z'))).toEqual([]);
  });

  it('counts each, and names the newest and the others', async () => {
    const edit = (id: string, parentId: string, content: string): Example[number] =>
      entry('context_edit', id, parentId, { targetId: 'u1', replacement: { content } });
    const lines = [
      HEADER,
      ...asked,
      edit('e1', 'a1', 'Hi?'),
      ...again('e1', 2),
      edit('e2', 'a2', 'Hi!'),
      ...again('e2', 3),
    ];
    const wanted = { rules: ['max-cache-breaks'], options: { 'max-cache-breaks': { max: 1 } } };
    expect(await check(lines, wanted)).toMatchObject([
      {
        entryId: 'a3',
        related: ['a2', 'a3'],
        message: 'the prompt cache was broken 2 times, more than the 1 allowed: edit 2',
      },
    ]);
    expect(await messages('max-cache-breaks', { max: 2 }, lines.slice(1))).toEqual([]);
  });
});

describe('max-compactions', () => {
  const compacted = (id: string, parentId: string): ReturnType<typeof entry> =>
    entry('compaction', id, parentId, { summary: 'hm', firstKeptEntryId: 'a1', tokensBefore: 1 });
  const apply = (id: string, parentId: string): ReturnType<typeof transform> => ({
    ...transform(id, parentId, { op: 'compaction_apply', summary: 'hm', firstKeptMessageIndex: 1, tokensBefore: 1 }),
    transformerName: 'compaction',
  });

  it('counts an entry and the transform that it repeats once', async () => {
    const lines = [...ANSWERED, apply('t1', 'a1'), compacted('c1', 't1')];
    expect(await messages('max-compactions', { max: 1 }, lines)).toEqual([]);
    expect(await messages('max-compactions', { max: 0 }, lines)).toEqual([
      'the path was compacted once, more than the 0 allowed',
    ]);
    const further = [...lines, compacted('c2', 'c1'), apply('t2', 'c2')];
    expect(await messages('max-compactions', { max: 2 }, further)).toEqual([
      'the path was compacted 3 times, more than the 2 allowed',
    ]);
  });

  it('counts a transform of another name by itself, since the compaction below it repeats nothing', async () => {
    const lines = [...ANSWERED, { ...apply('t1', 'a1'), transformerName: 'tidy' }, compacted('c1', 't1')];
    expect(await messages('max-compactions', { max: 1 }, lines)).toEqual([
      'the path was compacted 2 times, more than the 1 allowed',
    ]);
  });

  it.each([
    ['gemini-cli/session.jsonl', 'once'],
    ['copilot-cli/events.jsonl', '2 times'],
    ['codex/continued/rollout-2026-11-24T03-38-03-01a20ba1-cdea-7462-861f-cf712d51e24a.jsonl', 'once'],
  ])('counts the transforms that are the compactions of another agent: %s', async (name, times) => {
    const session = readFileSync(path.join(projectFolder, 'fixtures/agents', name));
    const found = await check(session, { rules: ['max-compactions'], options: { 'max-compactions': { max: 0 } } });
    expect(found.map(({ message }) => message)).toEqual([`the path was compacted ${times}, more than the 0 allowed`]);
  });

  it('does not count those of other branches', async () => {
    const lines = [...ANSWERED, compacted('c1', 'a1'), user('u2', 'a1', 'back')];
    expect(await messages('max-compactions', { max: 0 }, lines)).toEqual([]);
  });

  it('ends where parents go round', async () => {
    const lines = [user('u1', 'c1', 'hello'), compacted('c1', 'u1')];
    expect(await messages('max-compactions', { max: 0 }, lines)).toHaveLength(1);
  });
});

describe('max-cost', () => {
  it('counts all branches, and a call whose cost is no number at the listed price', async () => {
    const lines = [user('u1', null, 'hi'), paid('a1', 'u1', 0.5), paid('a2', 'u1', 0.75), paid('a3', 'u1', 'much')];
    expect(await messages('max-cost', { dollars: 1.25 }, lines.slice(0, 3))).toEqual([]);
    expect(await messages('max-cost', { dollars: 1.24 }, lines.slice(0, 3))).toEqual([
      'the recorded cost of the session is $1.25, more than the $1.24 allowed',
    ]);
    expect(await messages('max-cost', { dollars: 1.26 }, lines)).toEqual([]);
    expect(await messages('max-cost', { dollars: 1.25 }, lines)).toHaveLength(1);
    expect(await messages('max-cost', { dollars: 0 }, [user('u1', null, 'hi')])).toEqual([]);
  });

  it('takes listed prices where no cost is recorded, and none for unknown models', async () => {
    const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1_000_000 };
    const answered = (model: string): Example => {
      const answer = assistant('a1', 'u1', [textContent('yes')], { provider: 'anthropic', model, usage });
      return [user('u1', null, 'hi'), answer];
    };
    expect(await messages('max-cost', { dollars: 1 }, answered('claude-haiku-4-5'))).toEqual([]);
    expect(await messages('max-cost', { dollars: 0.5 }, answered('claude-haiku-4-5'))).toEqual([
      'the cost of the session at listed prices is $1.00, more than the $0.50 allowed',
    ]);
    expect(await messages('max-cost', { dollars: 1 }, answered('no-such-model'))).toEqual([
      'not checked: the cost of 1 call is unknown, since their models have no listed price',
    ]);
    const priced = assistant('a2', 'a1', [], { provider: 'anthropic', model: 'claude-haiku-4-5', usage });
    const mixed = [...answered('no-such-model'), priced];
    expect(await messages('max-cost', { dollars: 0.5 }, mixed)).toEqual([
      'not checked: the cost of 1 call is unknown, since their models have no listed price',
      'the cost of the session at listed prices is $1.00, more than the $0.50 allowed',
    ]);
  });

  it.each([
    [0.0034, 0, '$0.0034', '$0.00'],
    [12, 11.9999, '$12.00', '$11.9999'],
    [1.2, 1.05, '$1.20', '$1.05'],
    [1e-7, 0, '$1.0e-7', '$0.00'],
  ])('tells %d from %d', async (cost, dollars, had, allowed) => {
    expect(await messages('max-cost', { dollars }, [user('u1', null, 'hi'), paid('a1', 'u1', cost)])).toEqual([
      `the recorded cost of the session is ${had}, more than the ${allowed} allowed`,
    ]);
  });
});

describe('max-file-size', () => {
  it('allows as many bytes as the file has', async () => {
    const { length } = buildExampleFile([HEADER, ...ANSWERED]);
    expect(await messages('max-file-size', { max: length }, ANSWERED)).toEqual([]);
    expect(await messages('max-file-size', { max: length - 1 }, ANSWERED)).toHaveLength(1);
  });

  it.each([
    ['10B', 10],
    ['2 kB', 2000],
    ['1.5KB', 1500],
    ['50MB', 50e6],
    ['1GB', 1e9],
    ['1KiB', 1024],
    ['1.5 MiB', 1.5 * 2 ** 20],
    ['2gib', 2 * 2 ** 30],
    [17, 17],
  ])('reads %s', (size, bytes) => {
    expect(toBytes(size)).toBe(bytes);
  });

  it.each(['', '10', 'MB', '10 XB', '1e3B', '-1B', '10MBs', '1..5MB', '1ib'])('refuses %j', (size) => {
    expect(SIZE_PATTERN.test(size)).toBe(false);
  });
});

describe('allowed-reasons', () => {
  const reasons = ['compaction', 'gate: *'];
  const gate = (id: string, parentId: string, reason: unknown): ReturnType<typeof transform> =>
    transform(id, parentId, { op: 'tools_remove', toolNames: ['bash'], invalidateCacheReason: reason });

  it('looks at every op of every branch', async () => {
    const patch = ['compaction', 'gate: x', 'because'].map((reason) => ({
      scope: 'cached',
      op: 'tools_remove',
      toolNames: ['bash'],
      invalidateCacheReason: reason,
    }));
    const lines = [
      HEADER,
      ...ANSWERED,
      entry('context_transform', 't1', 'a1', { schemaVersion: 1, transformerName: 'x', patch: [null, ...patch] }),
      entry('context_transform', 't0', 't1', { schemaVersion: 1, transformerName: 'x', patch: 'because' }),
      gate('t2', 'u1', 'Gate: x'),
      gate('t3', 'u1', 'gate: y'),
    ];
    const wanted = { rules: ['allowed-reasons'], options: { 'allowed-reasons': { reasons } } };
    expect(await check(lines, wanted)).toMatchObject([
      { entryId: 't1', place: 'patch[3].invalidateCacheReason', message: 'the reason "because" is not allowed' },
      { entryId: 't2', place: 'patch[0].invalidateCacheReason' },
    ]);
  });

  it.each([[null], [''], [7], [{ toString: 1 }], [['gate: x']]])('leaves %j to other rules', async (reason) => {
    expect(await messages('allowed-reasons', { reasons }, [...ANSWERED, gate('t1', 'a1', reason)])).toEqual([]);
  });

  it('does not repeat a long reason', async () => {
    const lines = [...ANSWERED, gate('t1', 'a1', 'x'.repeat(1e5))];
    expect((await messages('allowed-reasons', { reasons }, lines))[0]!.length).toBeLessThan(200);
  });
});

describe('parts and tools', () => {
  const said = [
    system('s1', null, {
      content: 'Be brief.',
      sections: { rules: 'Ask first.', empty: '' },
      toolsAdded: [{ name: 'read' }, { name: 'mcp__db__drop' }],
    }),
    user('u1', 's1', 'hello'),
  ];

  it('that are required are there, by name or pattern, and say something', async () => {
    expect(await messages('required-parts', { parts: ['rules', 'con*'] }, said)).toEqual([]);
    expect(await messages('required-parts', { parts: ['rules', 'empty', 'Rules'] }, said)).toEqual([
      'no part of the system prompt is called "empty"',
      'no part of the system prompt is called "Rules"',
    ]);
    expect(await messages('required-tools', { tools: ['read', 'mcp__*__drop'] }, said)).toEqual([]);
    expect(await messages('required-tools', { tools: ['bash'] }, said)).toEqual([
      'no tool that is offered is called "bash"',
    ]);
  });

  it('that are forbidden are not there', async () => {
    expect(await messages('forbidden-parts', { parts: ['empty', 'style'] }, said)).toEqual([]);
    expect(await messages('forbidden-parts', { parts: ['r*s'] }, said)).toEqual([
      'the system part "rules" is not allowed',
    ]);
    expect(await messages('forbidden-tools', { tools: ['bash', '*__drop'] }, said)).toEqual([
      'the tool "mcp__db__drop" is not allowed',
    ]);
  });

  it('that are not recorded are reported as not checked, unless calls show them', async () => {
    expect(await messages('required-parts', { parts: ['a', 'b'] }, ANSWERED)).toEqual([
      'not checked: the session does not record its system prompt',
    ]);
    expect(await messages('required-tools', { tools: ['read'] }, ANSWERED)).toHaveLength(1);
    expect(await messages('forbidden-parts', { parts: ['*'] }, ANSWERED)).toEqual([
      'not checked: the session does not record its system prompt',
    ]);
    expect(await messages('forbidden-tools', { tools: ['*'] }, ANSWERED)).toEqual([]);
    const baseline = { tools: [{ name: 'read' }] };
    expect(await messages('required-tools', { tools: ['read'] }, ANSWERED, { baseline })).toEqual([]);
    expect(await messages('forbidden-tools', { tools: ['read'] }, ANSWERED, { baseline })).toHaveLength(1);
  });
});

describe('a pattern', () => {
  it('says what a regular expression would', () => {
    const small = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 });
    fc.assert(
      fc.property(small, small, (pattern, name) => {
        const parts = pattern.split('*').map((part) => part.replaceAll('.', String.raw`\.`));
        expect(matchesPattern(pattern, name)).toBe(new RegExp(`^${parts.join('.*')}$`).test(name));
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['a*bc*c', 'abc', false],
    ['a*bc*c', 'abcc', true],
    ['a*a', 'a', false],
    ['a*b*', 'ab', true],
    ['*', '', true],
    ['', '', true],
    ['', 'a', false],
  ])('%j says all of %j: %j', (pattern, name, isIt) => {
    expect(matchesPattern(pattern, name)).toBe(isIt);
  });

  it('comes to an end with what is made to be hard', () => {
    expect(matchesPattern(`${'*a'.repeat(50)}b`, 'a'.repeat(1e6))).toBe(false);
  });
});

it('all are off by themselves, and find nothing wrong where nothing is limited', async () => {
  const rules = (await loadRules(['policy'])).filter(({ name }) => name.startsWith('max-'));
  expect(rules.map(({ severity }) => severity)).toEqual(rules.map(() => null));
  const lots = 1e12;
  const recorded = { requests: lots, calls: lots, tokens: lots, cost: lots };
  const all = { max: lots, percent: lots, dollars: lots, total: lots, recorded };
  const options = Object.fromEntries(
    rules.map(({ name, example }) => [
      name,
      Object.fromEntries(Object.keys(example.options ?? {}).map((key) => [key, all[key as keyof typeof all]])),
    ]),
  );
  const wanted: Wanted = { rules: rules.map(({ name }) => name), options, limit: 1e6 };
  for (const file of fixtures.filter((name) => !name.includes('/damaged/')))
    expect(
      (await check(readFileSync(file), wanted)).filter(({ checked }) => checked !== false),
      file,
    ).toEqual([]);
});
