import { describe, expect, it } from 'vitest';
import { assistant, entry, HEADER, system, textContent, transform, user } from '#analysis/check/example.js';
import type { JsonObject } from '#base/json.js';
import { check } from '../../support/check.js';

const QUESTION = user('u1', null, 'What is in here?');
const ANSWER = assistant('a1', 'u1', [textContent('A README.')]);
const TALK = [HEADER, QUESTION, ANSWER];
const group = { rules: ['cache'] };

async function found(session: readonly JsonObject[]): Promise<readonly string[]> {
  return (await check(session, group)).map(({ rule, entryId }) => `${rule} ${entryId}`);
}

function edit(id: string, parentId: string, targetId: string, replacement: unknown = null): JsonObject {
  return entry('context_edit', id, parentId, { targetId, replacement });
}

/** A session whose system message has this section. */
function told(rules: string): readonly JsonObject[] {
  return [HEADER, system('s1', null, { sections: { rules } }), { ...QUESTION, parentId: 's1' }, ANSWER];
}

describe('a change without a reason', () => {
  it('says what was sent before and is not the same any more', async () => {
    const session = [...TALK, system('s1', 'a1', { sections: { rules: 'Be brief.' }, toolsAdded: [{ name: 'read' }] })];
    expect(await check(session, group)).toMatchObject([
      {
        rule: 'undeclared-change',
        entryId: 's1',
        message: 'it changes the system prompt ("rules") and the tools after it was sent, without a reason',
      },
    ]);
    expect(await check([...TALK, edit('e1', 'a1', 'u1', { content: 'What?' })], group)).toMatchObject([
      { message: 'it changes message 1 of 2 after it was sent, without a reason' },
    ]);
  });

  it('is none of what no request has held, and of what no request holds', async () => {
    expect(await found([...TALK, edit('e1', 'a1', 'a1', { content: 'A file.' })])).toEqual([]);
    expect(await found([HEADER, QUESTION, edit('e1', 'u1', 'u1')])).toEqual([]);
    const failed = assistant('a1', 'u1', [textContent('A READ')], { stopReason: 'error' });
    const retried = [
      HEADER,
      QUESTION,
      failed,
      edit('e1', 'a1', 'a1'),
      assistant('a2', 'e1', [textContent('A README.')]),
    ];
    expect(await found(retried)).toEqual([]);
    expect(await found([...TALK, edit('e1', 'a1', 'u1', { content: 'What is in here?' })])).toEqual([]);
  });

  it('is none of a compaction', async () => {
    const kept = entry('compaction', 'k1', 'a1', { summary: 'A question.', firstKeptEntryId: 'a1', tokensBefore: 9 });
    expect(await found([...TALK, kept])).toEqual([]);
  });
});

describe('a reason without a change', () => {
  const set = (id: string, parentId: string): JsonObject =>
    transform(id, parentId, { op: 'system_part_set', partName: 'rules', text: 'Be brief.' });

  it('is found where the same thing is set again', async () => {
    expect(await found([...TALK, set('t1', 'a1'), set('t2', 't1')])).toEqual(['declared-without-change t2']);
  });

  it('is found where the list of messages is replaced by itself', async () => {
    const messages = [QUESTION['message'], ANSWER['message']];
    const replaced = transform('t1', 'a1', { op: 'messages_cached_replace', messages });
    expect(await found([...TALK, replaced])).toEqual(['declared-without-change t1']);
    const shorter = transform('t1', 'a1', { op: 'messages_cached_replace', messages: messages.slice(0, 1) });
    expect(await found([...TALK, shorter])).toEqual([]);
    const longer = transform('t1', 'a1', {
      op: 'messages_cached_replace',
      messages: [...messages, QUESTION['message']],
    });
    expect(await found([...TALK, longer])).toEqual([]);
  });

  it('is not said of ops that are broken, which have a rule of their own', async () => {
    expect(await found([...TALK, transform('t1', 'a1', { op: 'frobnicate' })])).toEqual([]);
  });

  it('counts options as a change', async () => {
    expect(await found([...TALK, transform('t1', 'a1', { op: 'options_set', maxTokens: 100 })])).toEqual([]);
  });
});

describe('tools', () => {
  const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, description: `Use ${name}`, ...more });
  /** A request with each of these lists of tools. */
  const lists = (...all: readonly (readonly JsonObject[])[]): readonly JsonObject[] => [
    HEADER,
    user('u', null, 'Go.'),
    ...all.flatMap((tools, at) => [
      transform(`t${at}`, at === 0 ? 'u' : `a${at - 1}`, { op: 'tools_replace', tools }),
      assistant(`a${at}`, `t${at}`, [textContent('Done.')]),
    ]),
  ];
  const orders = { rules: ['tool-order'] };

  it('in another order are found, also when other sets came between', async () => {
    const [a, b, c] = [tool('a'), tool('b'), tool('c')];
    expect(await check(lists([a, b], [b, a]), orders)).toMatchObject([{ entryId: 't1' }]);
    expect(await check(lists([a, b], [a], [a, b]), orders)).toEqual([]);
    expect(await check(lists([a, b], [b], [b, a]), orders)).toMatchObject([{ entryId: 't2' }]);
    expect(await check(lists([a, b], [a, b, c]), orders)).toEqual([]);
  });

  it('that are written differently are found, those that differ are not', async () => {
    const one = tool('a', { parameters: { type: 'object', properties: {} } });
    const other = tool('a', { parameters: { properties: {}, type: 'object' } });
    expect(await check(lists([one], [other]), orders)).toMatchObject([
      { entryId: 't1', message: 'the tool "a" is the same as before, but serialised differently' },
    ]);
    expect(await check(lists([one], [other, tool('b')]), orders)).toHaveLength(1);
    expect(await check(lists([one], [tool('a', { parameters: { type: 'string' } })]), orders)).toEqual([]);
  });

  it('that flip without a request between are not found', async () => {
    const [a, b] = [tool('a'), tool('b')];
    const flip = [
      ...lists([a, b]),
      transform('x1', 'a0', { op: 'tools_replace', tools: [b, a] }),
      transform('x2', 'x1', { op: 'tools_replace', tools: [a, b] }),
      assistant('x3', 'x2', [textContent('Done.')]),
    ];
    expect(await check(flip, orders)).toEqual([]);
  });

  it('may change now and then', async () => {
    const often = { rules: ['tools-changed-often'] };
    const many = (count: number): readonly JsonObject[] =>
      lists(...Array.from({ length: count }, (_, at) => [tool(`t${at}`)]));
    expect(await check(many(6), often)).toEqual([]);
    expect(await check(many(7), often)).toMatchObject([
      { entryId: 't6', message: 'the tools changed 6 times in 7 requests, most recently here' },
    ]);
    const calm = Array.from({ length: 120 }, (_, at) =>
      assistant(`z${at}`, at === 0 ? 'a6' : `z${at - 1}`, [textContent('Done.')]),
    );
    expect(await check([...many(7), ...calm], often)).toEqual([]);
  });
});

describe('the prompt', () => {
  it.each([
    ['It is 2026-03-02T09:00:00Z.', 'volatile-prefix s1', 'the time "2026-03-02T09:00:00Z" at 6'],
    ['Now: 09:31', 'volatile-prefix s1', 'the time "09:31" at 5'],
    ['Session 3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'volatile-prefix s1', 'the UUID'],
    ['Built 1772442000', 'volatile-prefix s1', 'the timestamp'],
    ['You run as pid 4711.', 'volatile-prefix s1', 'the process id "4711" at 15'],
    ['Write to /tmp/pi-x7f3k2 only.', 'volatile-prefix s1', 'the temporary path "/tmp/pi-x7f3k2"'],
    ['HEAD is 9fceb02d0ae598e95dc970b74767f19372d61af8', 'volatile-prefix s1', 'the random id'],
    ['Today is Monday, March 2, 2026.', 'dated-prefix s1', 'the date "March 2, 2026" at 17'],
    ['On 02.03.2026 and 2026-03-02 and 2026/03/02', 'dated-prefix s1', 'and 2 more'],
    ['Current date: 1999-12-31', 'dated-prefix s1', 'the date "1999-12-31"'],
  ])('that contains %j is reported', async (rules, rule, said) => {
    expect(await found(told(rules))).toEqual([rule]);
    const [finding] = await check(told(rules), group);
    expect(finding).toMatchObject({ place: 'message.sections.rules' });
    expect(finding?.message).toContain('the system part "rules" contains');
    expect(finding?.message).toContain(said);
  });

  it.each(['The RFC is of 2012-06-30.', 'Commit at 17:00 or so.', 'src/a.ts:12:30', 'Use the beta of x-2026-03-02.'])(
    'that contains %j is accepted',
    async (rules) => {
      expect(await found(told(rules))).toEqual([]);
    },
  );

  it('is looked at as it is at the end, and the entry is named that said it last', async () => {
    const now = 'Current time: 09:31:05';
    const cleared = [...told(now), transform('t1', 'a1', { op: 'system_part_set', partName: 'rules', text: 'Be.' })];
    expect(await check(cleared, { rules: ['volatile-prefix'] })).toEqual([]);
    const set = [...told('Be brief.'), transform('t1', 'a1', { op: 'system_part_set', partName: 'rules', text: now })];
    expect(await check(set, { rules: ['volatile-prefix'] })).toMatchObject([{ entryId: 't1', place: 'patch[0].text' }]);
    const supplied = { parts: [{ name: 'base', text: now }] };
    expect(await check(TALK, { rules: ['volatile-prefix'], baseline: supplied })).toMatchObject([
      { entryId: null, line: null, message: expect.stringContaining('the system part "base"') },
    ]);
  });

  it('includes what tools say of themselves', async () => {
    const parameters = { properties: { path: { description: 'Under /tmp/run-4k2j9x' } } };
    const declared = [HEADER, system('s1', null, { toolsAdded: [{ name: 'read', description: 'Read', parameters }] })];
    expect(await check(declared, group)).toMatchObject([
      {
        rule: 'volatile-prefix',
        entryId: 's1',
        place: 'message.toolsAdded[0].parameters.properties.path.description',
        message: expect.stringContaining('the tool "read" ("parameters.properties.path.description")'),
      },
    ]);
  });

  it('may change now and then', async () => {
    const changes = (count: number): readonly JsonObject[] =>
      Array.from({ length: count }, (_, at) => [
        system(`s${at}`, at === 0 ? null : `a${at - 1}`, { sections: { rules: `Rule ${at}` } }),
        assistant(`a${at}`, `s${at}`, [textContent('Done.')]),
      ]).flat();
    const often = { rules: ['prompt-changed-often'] };
    expect(await check([HEADER, ...changes(6)], often)).toEqual([]);
    expect(await check([HEADER, ...changes(7)], often)).toMatchObject([{ entryId: 's6' }]);
  });
});
