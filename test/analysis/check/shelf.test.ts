import { describe, expect, it } from 'vitest';
import { buildUnreadableFile, isUnreadable } from '#analysis/check/checked-file.js';
import { RULE_GROUPS } from '#analysis/check/define.js';
import * as made from '#analysis/check/example.js';
import { FindingTally } from '#analysis/check/finding-tally.js';
import type { Finding } from '#analysis/check/finding.js';
import { loadRules } from '#analysis/check/index.js';
import { FindingRecorder, KnownFindingFilter } from '#analysis/check/known-findings.js';
import { describeBytes } from '#analysis/check/policy/max-file-size.js';
import { findFlawSubject, formatFieldPath } from '#analysis/check/schema/schema-flaws.js';
import { loadActiveRules } from '#analysis/check/settings.js';

const all = await loadRules();
const { HEADER, assistant, entry, buildExampleFile, declareTool, QUESTION, system, textContent, toolCall, toolResult } =
  made;
const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('the lines of examples', () => {
  const timestamp = '2026-03-02T09:00:00.000Z';
  const at = (id: string, parentId: string | null): object => ({ id, parentId, timestamp });

  it('are as Pi writes them', () => {
    expect(entry('label', 'l1', null, { label: 'x' })).toEqual({ type: 'label', ...at('l1', null), label: 'x' });
    expect(made.user('u1', 'r', 'Hi.')).toEqual({
      type: 'message',
      ...at('u1', 'r'),
      message: { role: 'user', content: 'Hi.', timestamp: 0 },
    });
    expect(assistant('a1', 'u1', [textContent('Hi.')], { model: 'm' })).toEqual({
      type: 'message',
      ...at('a1', 'u1'),
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'Hi.' }],
        api: 'anthropic-messages',
        provider: 'anthropic',
        model: 'm',
        usage: {
          input: 10,
          output: 2,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 12,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        stopReason: 'stop',
        timestamp: 0,
      },
    });
    expect(assistant('a1', 'u1', [textContent('Hi.'), toolCall('c1')])['message']).toMatchObject({
      model: 'claude-sonnet-4-5',
      stopReason: 'toolUse',
      content: [textContent('Hi.'), { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'README.md' } }],
    });
    expect(toolResult('r1', 'a1', 'c1')).toEqual({
      type: 'message',
      ...at('r1', 'a1'),
      message: {
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'read',
        content: [{ type: 'text', text: 'done' }],
        isError: false,
        timestamp: 0,
      },
    });
    expect(system('s1', null, { sections: { a: 'b' } })).toEqual({
      type: 'message',
      ...at('s1', null),
      message: { role: 'system', content: '', sections: { a: 'b' }, timestamp: 0 },
    });
    expect(declareTool('read', 'Read a file')).toEqual([
      HEADER,
      system('s1', null, { toolsAdded: [{ name: 'read', description: 'Read a file' }] }),
      { ...QUESTION, parentId: 's1' },
    ]);
    expect(made.transform('t1', 'a1', { op: 'x' })).toEqual({
      type: 'context_transform',
      ...at('t1', 'a1'),
      schemaVersion: 1,
      transformerName: 'example',
      patch: [{ scope: 'cached', invalidateCacheReason: 'an example', op: 'x' }],
    });
  });

  it('end in newlines, but for a text at the end', () => {
    const bytes = new TextEncoder().encode('[3]');
    expect(decoded(buildExampleFile([{ a: 1 }, '[2]', bytes]))).toBe('{"a":1}\n[2]\n[3]\n');
    expect(decoded(buildExampleFile([{ a: 1 }, '[2]']))).toBe('{"a":1}\n[2]');
    expect(decoded(buildExampleFile(['[2]', { a: 1 }]))).toBe('[2]\n{"a":1}\n');
  });

  it('may be half a line, or hold a byte that is no character', () => {
    expect(made.tearLine({ a: 1 })).toBe('{"a');
    const line = made.breakUtf8({ a: 'What?', b: 'Why?' });
    expect(decoded(line)).toBe('{"a":"What?","b":"Why\ufffd"}');
    expect(line.indexOf(0xff)).toBe(line.lastIndexOf(0xff));
  });
});

describe('the shelf', () => {
  it('hands out the rules of groups in its own order', async () => {
    expect([...new Set(all.map(({ group }) => group))]).toEqual([...RULE_GROUPS]);
    const some = await loadRules(['policy', 'file']);
    expect(some).toEqual(all.filter(({ group }) => group === 'file' || group === 'policy'));
    expect(await loadRules([])).toEqual([]);
  });

  it('finds the rules that settings name, as bad as they say', async () => {
    const wanted = [
      { name: 'orphan', group: 'tree', severity: 'note' },
      { name: 'nobody', group: 'tree', severity: 'error' },
      { name: 'max-cost', group: 'policy', severity: 'error', options: { dollars: 1 } },
    ] as const;
    const active = await loadActiveRules({ rules: wanted, requests: 'leaf' });
    expect(active.map(({ rule, severity, options }) => [rule.name, rule.group, severity, options])).toEqual([
      ['orphan', 'tree', 'note', undefined],
      ['max-cost', 'policy', 'error', { dollars: 1 }],
    ]);
  });
});

const finding = (more: Partial<Finding> = {}): Finding => ({
  rule: 'orphan',
  severity: 'error',
  message: 'lost',
  line: 3,
  entryId: 'u1',
  offset: null,
  length: null,
  place: null,
  fix: null,
  related: [],
  ...more,
});

describe('a tally', () => {
  it('lists findings in the order of the file, and what is about all of it first', () => {
    const tally = new FindingTally();
    const [late, whole, early] = [finding({ line: 9 }), finding({ line: null, rule: 'cycle' }), finding({ line: 2 })];
    for (const one of [late, whole, early]) tally.add(one);
    expect(tally.listFindings()).toEqual([whole, early, late]);
    expect(Object.fromEntries(tally.counts)).toEqual({ orphan: 2, cycle: 1 });
  });

  it('lists a thousand of each rule, and counts the rest', () => {
    const tally = new FindingTally();
    for (let line = 0; line < 1003; line += 1) tally.add(finding({ line }));
    tally.add(finding({ rule: 'cycle' }));
    expect(tally.listFindings()).toHaveLength(1001);
    expect(Object.fromEntries(tally.counts)).toEqual({ orphan: 1003, cycle: 1 });
  });
});

it('a file that cannot be read has that as its one finding', () => {
  const file = buildUnreadableFile('a.jsonl', 'the file is empty', 'remove it');
  expect(file).toEqual({
    file: 'a.jsonl',
    size: 0,
    bytesAccountedFor: 0,
    entries: 0,
    findings: [
      finding({ rule: 'unreadable', message: 'the file is empty', line: null, entryId: null, fix: 'remove it' }),
    ],
    counts: { unreadable: 1 },
  });
  expect(isUnreadable(file)).toBe(true);
  expect(isUnreadable({ ...file, counts: { orphan: 1 } })).toBe(false);
});

describe('recorded findings', () => {
  const recorded = (findings: readonly Finding[]): ReturnType<FindingRecorder['findings']> => {
    const recorder = new FindingRecorder();
    for (const one of findings) recorder.add(one);
    return recorder.findings();
  };

  it('are sorted, by entry or by message and place', () => {
    const hashed = recorded([finding({ entryId: null })])['orphan'];
    const [hash = ''] = Object.keys(hashed ?? {});
    expect(hash).toMatch(/^hash:[0-9a-f]{16}$/);
    const long = 'x'.repeat(64);
    const found = recorded([
      finding({ entryId: 'u2' }),
      finding({ entryId: null }),
      finding({ entryId: long }),
      finding({ rule: 'cycle' }),
      finding({ entryId: 'u10' }),
      finding({ entryId: 'u2', line: 7, message: 'gone' }),
      finding({ severity: 'note', rule: 'leaves' }),
    ]);
    expect(JSON.stringify(found)).toBe(
      JSON.stringify({
        cycle: { 'entry:u1': 1 },
        orphan: { 'entry:u10': 1, 'entry:u2': 2, [`entry:${long}`]: 1, [hash]: 1 },
      }),
    );
  });

  it('of no entry, or of one with a long id, differ by what they say, where, and that id', () => {
    const different = [
      finding({ entryId: null }),
      finding({ entryId: null, message: 'gone' }),
      finding({ entryId: null, place: 'message' }),
      finding({ entryId: 'x'.repeat(65) }),
      finding({ entryId: `${'x'.repeat(65)}y` }),
    ];
    expect(Object.values(recorded(different)['orphan'] ?? {})).toEqual([1, 1, 1, 1, 1]);
  });

  it('are a number beyond a thousand of a rule', () => {
    const many = Array.from({ length: 1000 }, (_, at) => finding({ entryId: `e${at}` }));
    expect(Object.keys(recorded(many)['orphan'] ?? {})).toHaveLength(1000);
    expect(recorded([...many, finding()])).toEqual({ orphan: { '*': 1001 } });
  });

  it('are met once for each time that they were recorded', () => {
    const sieve = new KnownFindingFilter(recorded([finding(), finding(), finding({ rule: 'cycle' })]));
    expect([1, 2, 3].map(() => sieve.takes(finding()))).toEqual([true, true, false]);
    expect(sieve.takes(finding({ entryId: 'u9' }))).toBe(false);
    expect(sieve.takes(finding({ rule: 'cycle', severity: 'note' }))).toBe(false);
    expect(sieve.takes(finding({ rule: 'other' }))).toBe(false);
    expect(sieve.result(new Set(['orphan', 'cycle']))).toEqual({ met: 2, gone: 1 });
    expect(sieve.result(new Set(['orphan']))).toEqual({ met: 2, gone: 0 });
  });
});

describe('a place in an entry', () => {
  it.each<[readonly PropertyKey[], string]>([
    [[], ''],
    [['message', 'content', 2, 'arguments'], 'message.content[2].arguments'],
    [['sections', 'my rules', 'x1', '$_'], 'sections["my rules"].x1.$_'],
    [['1st'], '["1st"]'],
    [[0, 'a'], '[0].a'],
  ])('%j is named %s', (path, name) => {
    expect(formatFieldPath(path)).toBe(name);
  });

  const line = {
    type: 'message',
    message: { role: 'user', content: [{ type: 'text', text: 'x' }, 'y'], messages: 7 },
    systemMessage: { role: 'system', content: 'z' },
    patch: [{ messages: [{ role: 'robot', content: [] }] }],
    messages: { role: 'x' },
  };

  it.each<[readonly PropertyKey[], string, unknown, readonly PropertyKey[], unknown]>([
    [['type'], 'entry', 'message', ['type'], 'message'],
    [['message'], 'entry', 'message', ['message'], line.message],
    [['message', 'role'], 'message', 'user', ['role'], 'user'],
    [['message', 'role', 'x'], 'message', 'user', ['role', 'x'], undefined],
    [['message', 'content'], 'message', 'user', ['content'], line.message.content],
    [['message', 'content', 0], 'block', 'text', [], line.message.content[0]],
    [['message', 'content', 0, 'text'], 'block', 'text', ['text'], 'x'],
    [['message', 'content', 1], 'block', undefined, [], 'y'],
    [['message', 'messages', 'role'], 'message', 'user', ['messages', 'role'], undefined],
    [['systemMessage', 'content'], 'message', 'system', ['content'], 'z'],
    [['patch', 0, 'messages', 0], 'entry', 'message', ['patch', 0, 'messages', 0], { role: 'robot', content: [] }],
    [['patch', 0, 'messages', 0, 'role'], 'message', 'robot', ['role'], 'robot'],
    [['messages', 'role'], 'entry', 'message', ['messages', 'role'], 'x'],
    [['nowhere', 'else'], 'entry', 'message', ['nowhere', 'else'], undefined],
  ])('%j is of the %s %j: %j, %j', (path, kind, name, field, value) => {
    expect(findFlawSubject(line, path)).toEqual({ kind, name, field, value });
  });
});

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567.6, '1,234,568'],
])('%d is written as %s bytes', (value, words) => {
  expect(describeBytes(value)).toBe(`${words} bytes`);
});
