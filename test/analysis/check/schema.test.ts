import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as made from '#analysis/check/example.js';
import type { JsonObject } from '#base/json.js';
import { sessionEntry } from '#context/format/entries.js';
import { check } from '../../support/check.js';
import { fixtures, triedRecordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const { HEADER, assistant, entry, system, textContent, toolCall, toolResult, transform, user } = made;

/** What the group finds: the rule, and the place in the entry. */
async function found(...lines: readonly JsonObject[]): Promise<readonly string[]> {
  const findings = await check([HEADER, ...lines], { rules: ['schema'] });
  return findings.map(({ rule, place }) => `${rule} ${place ?? ''}`).toSorted();
}

function message(fields: JsonObject): JsonObject {
  return entry('message', 'm1', null, { message: { timestamp: 0, ...fields } });
}

const USAGE = (assistant('a', null, [])['message'] as JsonObject)['usage'] as JsonObject;

describe('the schema rules', () => {
  it.each<readonly [JsonObject, ...(readonly string[])]>([
    [entry('message', 'm1', null), 'entry-fields message'],
    [entry('compaction', 'k1', null, { firstKeptEntryId: 'k1' }), 'entry-fields summary', 'entry-fields tokensBefore'],
    [entry('custom_message', 'c1', null, { customType: 'x', content: 7 }), 'entry-fields content'],
    [entry('custom_message', 'c1', null, { customType: 'x', content: null }), 'missing-content content'],
    [entry('session_info', 'i1', null, { name: 7 }), 'entry-fields name'],
    [entry('context_edit', 'e1', null, { targetId: 'e1', replacement: {} }), 'entry-fields replacement.content'],
    [entry('usage', 'g1', null, { kind: 'cache_warm' }), 'usage-fields usage'],
    [entry('label', 'l1', null, { targetId: 'l1', label: 7 }), 'odd-fields label'],
    [entry('thinking_level_change', 't1', null), 'odd-fields thinkingLevel'],
    [user('u1', null, { text: 'Hello' }), 'message-fields message.content'],
    [user('u1', null, [null]), 'block-fields message.content[0]'],
    [user('u1', null, [{}]), 'block-fields message.content[0].type'],
    [user('u1', null, [textContent('a'), { type: 'image', data: 'aGk=' }]), 'block-fields message.content[1].mimeType'],
    [user('u1', null, [{ type: 'document' }]), 'unknown-block message.content[0].type'],
    [user('u1', null, [{ type: 'thinking', thinking: '' }]), 'misplaced-block message.content[0].type'],
    [assistant('a1', null, [{ type: 'thinking' }]), 'block-fields message.content[0].thinking'],
    [assistant('a1', null, [{ ...toolCall('c1'), arguments: '{}' }]), 'block-fields message.content[0].arguments'],
    [
      assistant('a1', null, [{ ...toolCall('c1'), thoughtSignature: 7 }]),
      'odd-fields message.content[0].thoughtSignature',
    ],
    [assistant('a1', null, [], { content: 'Hello' }), 'message-fields message.content'],
    [assistant('a1', null, [], { usage: { ...USAGE, cost: undefined } }), 'usage-fields message.usage.cost'],
    [assistant('a1', null, [], { usage: { ...USAGE, input: '10' } }), 'odd-fields message.usage.input'],
    [assistant('a1', null, [], { usage: { ...USAGE, cacheRead: -1 } }), 'odd-fields message.usage.cacheRead'],
    [assistant('a1', null, [], { usage: { ...USAGE, cost: { total: -100 } } }), 'odd-fields message.usage.cost.total'],
    [assistant('a1', null, [], { model: undefined }), 'odd-fields message.model'],
    [toolResult('r1', null, 'c1', 'done', { content: 'done' }), 'message-fields message.content'],
    [toolResult('r1', null, 'c1', 'done', { toolCallId: undefined }), 'message-fields message.toolCallId'],
    [toolResult('r1', null, 'c1', 'done', { usage: 7 }), 'usage-fields message.usage'],
    [system('s1', null, { sections: { 'my rules': 7 } }), 'message-fields message.sections["my rules"]'],
    [system('s1', null, { toolsAdded: [{ description: 'x' }] }), 'message-fields message.toolsAdded[0].name'],
    [message({ role: 'bashExecution', command: 'ls' }), 'message-fields message.output'],
    [message({ role: 'custom', customType: 'x', content: null }), 'message-fields message.content'],
    [message({ role: 'hookMessage', customType: 'x', content: '' }), 'unknown-role message.role'],
    [message({ content: '' }), 'message-fields message.role'],
    [entry('ephemeral', 'p1', null, { messages: [{ role: 'user', content: 7 }] }), 'odd-fields messages[0].content'],
    [entry('future_change', 'c1', null), 'unknown-entry type'],
  ])('say of %j: %s', async (line, ...expected) => {
    expect(await found(line as JsonObject)).toEqual(expected);
  });

  it.each<readonly [string, JsonObject]>([
    ['links, which the rules of the tree look at', entry('label', 7 as unknown as string, 'x', { targetId: 7 })],
    ['an edit without a replacement', entry('context_edit', 'e1', null, { targetId: 'e1' })],
    ['what a patch lacks', transform('x1', null, { op: 'tools_remove' })],
    [
      'usage inside a patch',
      transform('x1', null, { op: 'messages_cached_replace', messages: [{ role: 'assistant', content: [] }] }),
    ],
    ['a number that is too big for one', { ...assistant('a1', null, []), big: 1 }],
    ['system messages without content', system('s1', null, { content: null })],
  ])('leave alone: %s', async (_what, line) => {
    expect(await found(line)).toEqual([]);
  });

  it('look into the messages of a patch', async () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text' }] },
    ];
    const replace = transform('x1', null, { op: 'messages_cached_replace', messages });
    expect(await found(replace)).toEqual(['op-fields patch[0].messages[1].content[0].text']);
  });

  it('look at the checkpoint of a compaction', async () => {
    const fields = { summary: '', tokensBefore: 0, firstKeptEntryId: 'k1' };
    const bare = { role: 'system', timestamp: 0 };
    expect(await found(entry('compaction', 'k1', null, { ...fields, systemMessage: bare }))).toEqual([
      'message-fields systemMessage.content',
    ]);
  });

  it('say what is expected, what is there, and what comes of it', async () => {
    const [finding] = await check([HEADER, user('u1', null, 42)], { rules: ['message-fields'] });
    expect(finding).toMatchObject({
      severity: 'error',
      message:
        'content of the user message must be string or array, not 42: Pi may stop with an error when it counts tokens',
      line: 2,
      entryId: 'u1',
    });
  });
});

describe('header-fields', () => {
  it.each<readonly [JsonObject, ...(readonly string[])]>([
    [{}],
    [{ version: undefined }],
    [{ cwd: undefined, parentSession: '/elsewhere.jsonl', odd: 7 }],
    [{ version: null }, 'version'],
    [{ version: 3.5 }, 'version'],
    [{ timestamp: undefined }, 'timestamp'],
    [{ timestamp: 'yesterday' }, 'timestamp'],
    [{ cwd: ['/home/ada'] }, 'cwd'],
  ])('of %j finds %j', async (fields, ...places) => {
    const findings = await check([{ ...HEADER, ...(fields as JsonObject) }], { rules: ['header-fields'] });
    expect(findings.map(({ place }) => place)).toEqual(places);
  });

  it('is silent where there is no header', async () => {
    expect(await check([user('u1', null, 'Hello')], { rules: ['header-fields'] })).toEqual([]);
  });
});

describe('ids-without-version', () => {
  const { version: _version, ...withoutVersion } = HEADER;
  const rules = ['ids-without-version'];

  it('lets a list be that lost nothing but its ids', async () => {
    expect(await check([withoutVersion, ...made.ANSWERED], { rules })).toEqual([]);
  });

  it('finds names that lead nowhere afterwards', async () => {
    const label = entry('label', 'l1', 'a1', { targetId: 'u1', label: 'start' });
    expect(await check([withoutVersion, ...made.ANSWERED, label], { rules })).toMatchObject([{ related: ['l1'] }]);
  });

  it('lets version 2 be', async () => {
    const branch = user('u2', 'u1', 'Again.');
    expect(await check([{ ...HEADER, version: 2 }, ...made.ANSWERED, branch], { rules })).toEqual([]);
  });
});

describe('bad-timestamp', () => {
  it.each([undefined, 'yesterday', '', {}])('finds %j', async (timestamp) => {
    const findings = await check([HEADER, { ...user('u1', null, 'a'), timestamp }], { rules: ['bad-timestamp'] });
    expect(findings).toHaveLength(1);
  });

  it.each([1_772_442_000_000, '2026-03-02T09:00:00Z', '2026-03-02'])('takes %j', async (timestamp) => {
    const line = { ...user('u1', null, 'a'), timestamp };
    expect(await check([HEADER, line], { rules: ['bad-timestamp'] })).toEqual([]);
  });
});

const HEALTHY: readonly JsonObject[] = [
  system('s1', null, { sections: { preamble: 'You.' }, toolsAdded: [{ name: 'read', parameters: {} }] }),
  user('u1', 's1', [textContent('a'), { type: 'image', data: 'aGk=', mimeType: 'image/png' }]),
  assistant('a1', 'u1', [{ type: 'thinking', thinking: 'b', thinkingSignature: 'c' }, toolCall('c1')]),
  toolResult('r1', 'a1', 'c1'),
  entry('custom_message', 'm1', 'r1', { customType: 'x', content: 'a', display: true }),
  entry('context_edit', 'e1', 'm1', { targetId: 'u1', replacement: { content: 'b' } }),
  entry('branch_summary', 'b1', 'e1', { fromId: 'u1', summary: 'c', usage: USAGE }),
  transform('x1', 'b1', { op: 'messages_cached_replace', messages: [{ role: 'user', content: [textContent('a')] }] }),
  entry('compaction', 'k1', 'x1', { summary: 'd', firstKeptEntryId: 'u1', tokensBefore: 1, usage: USAGE }),
  entry('usage', 'g1', 'k1', { kind: 'cache_warm', provider: 'p', model: 'm', usage: USAGE }),
];

/** An entry in which one value, at any depth, is another one or gone. */
const changed = fc
  .tuple(
    fc.constantFrom(...HEALTHY),
    fc.array(fc.nat(), { maxLength: 6 }),
    fc.option(fc.jsonValue(), { nil: undefined }),
  )
  .map(([line, steps, value]) => {
    const copy = structuredClone(line) as Record<string, unknown>;
    let holder: Record<string, unknown> = copy;
    for (const [at, step] of steps.entries()) {
      const keys = Object.keys(holder);
      const key = keys[step % Math.max(1, keys.length)];
      if (key === undefined) break;
      const inner = holder[key];
      if (at === steps.length - 1 || typeof inner !== 'object' || inner === null) {
        if (value === undefined) delete holder[key];
        else holder[key] = value;
        break;
      }
      holder = inner as Record<string, unknown>;
    }
    return JSON.parse(JSON.stringify(copy)) as JsonObject;
  });

const LINKS_AND_TIMES = new Set([
  'id',
  'parentId',
  'timestamp',
  'targetId',
  'fromId',
  'firstKeptEntryId',
  'firstKeptEntryIndex',
]);

/** Whether other rules look at what is wrong there. */
function isOfOthers([key, ...rest]: readonly PropertyKey[], line: JsonObject): boolean {
  const name = String(key);
  if (rest.length > 0) return false;
  if (name === 'type') return typeof line['type'] !== 'string';
  return LINKS_AND_TIMES.has(name) || (name === 'replacement' && line[name] === undefined);
}

describe('whatever stands in an entry', () => {
  it('is judged as the published schema judges it', async () => {
    await fc.assert(
      fc.asyncProperty(changed, async (line) => {
        const hits = (await found(line)).filter((hit) => !hit.startsWith('bad-timestamp'));
        // Of a patch, other rules look at most.
        if (line['type'] === 'context_transform') return;
        const { error } = sessionEntry.safeParse(line);
        expect(hits.length > 0).toBe(error?.issues.some(({ path: at }) => !isOfOthers(at, line)) ?? false);
      }),
      { numRuns: runs(600) },
    );
  });

  it('is found in any company', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(changed, { maxLength: 8 }), async (changes) => {
        const lines = changes.map((line, at) => ({ ...line, id: `e${at}`, parentId: null }));
        const together = await check([HEADER, ...HEALTHY, ...lines], { rules: ['schema'] });
        const alone = await Promise.all(lines.map((line) => check([HEADER, line], { rules: ['schema'] })));
        const words = together.map(({ rule, entryId, place, message: said }) => [rule, entryId, place, said].join(' '));
        const expected = alone
          .flat()
          .map(({ rule, entryId, place, message: said }) => [rule, entryId, place, said].join(' '));
        expect(words.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('undamaged sessions', () => {
  /** Real Pi stops with an error at what these hold. */
  const RIGHTLY = new Set(['missing-content', 'agent-sessions-openclaw-large', 'pi-cache-graph-session-linear']);
  const files = [...fixtures, ...triedRecordings].filter((file) => !/damaged|rules/.test(path.dirname(file)));

  it.each(files.map((file) => [path.basename(file, '.jsonl'), file]))('%s holds no errors', async (name, file) => {
    const findings = await check(readFileSync(file), { rules: ['schema', 'context'] });
    expect(findings.some(({ severity }) => severity === 'error')).toBe(RIGHTLY.has(name));
  });

  it('hold nothing but notes when they were generated', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(100_000),
        fc.constantFrom(1, 2, 3),
        fc.constantFrom(0, 0.3),
        async (seed, version, transforms) => {
          const session = new TextEncoder().encode(generateSession({ seed, version, transforms }));
          const findings = await check(session, { rules: ['schema'] });
          expect(findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
        },
      ),
      { numRuns: runs(80) },
    );
  });
});
