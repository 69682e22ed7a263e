import { describe, expect, it } from 'vitest';
import {
  assistant,
  entry,
  HEADER,
  system,
  textContent,
  toolCall,
  toolResult,
  transform,
  user,
} from '#analysis/check/example.js';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import type { JsonObject } from '#base/json.js';
import { check } from '../../support/check.js';

const QUESTION = user('u1', null, 'What is in here?');
const CALL = assistant('a1', 'u1', [toolCall('c1')]);
const RESULT = toolResult('r1', 'a1', 'c1');
const PAIR = [HEADER, QUESTION, CALL, RESULT];
const group = { rules: ['provider'] };

/** Each finding as its rule and its entry. */
async function found(session: readonly JsonObject[], requests: 'leaf' | 'all' = 'leaf'): Promise<readonly string[]> {
  return (await check(session, { ...group, requests })).map(({ rule, entryId }) => `${rule} ${entryId}`);
}

function edit(id: string, parentId: string, targetId: string, replacement: unknown = null): JsonObject {
  return entry('context_edit', id, parentId, { targetId, replacement });
}

function compaction(id: string, parentId: string, firstKeptEntryId: string): JsonObject {
  return entry('compaction', id, parentId, { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });
}

describe('a call and its result', () => {
  it('may be parted by a compaction that is written between them', async () => {
    const session = [HEADER, QUESTION, CALL, compaction('k1', 'a1', 'k1'), toolResult('r1', 'k1', 'c1')];
    expect(await check(session, group)).toMatchObject([
      {
        rule: 'compaction-in-tool-pair',
        severity: 'error',
        entryId: 'k1',
        line: 4,
        related: ['a1', 'r1'],
        fix: 'compact again and keep entries from "a1" on, or omit the result with a `context_edit`',
      },
    ]);
  });

  it('say where the lines stand that part them', async () => {
    const session = [...PAIR, compaction('k1', 'r1', 'r1')];
    const offset = [HEADER, QUESTION, CALL, RESULT].reduce((sum, line) => sum + JSON.stringify(line).length + 1, 0);
    const length = JSON.stringify(session.at(-1)).length + 1;
    expect(await check(session, group)).toMatchObject([{ offset, length }]);
  });

  it('may be separated by an edit, which the next edit repairs', async () => {
    const parted = [...PAIR, edit('e1', 'r1', 'a1')];
    expect(await found(parted)).toEqual(['compaction-in-tool-pair e1']);
    expect(await found([...parted, edit('e2', 'e1', 'r1')], 'all')).toEqual([]);
  });

  it('may be parted by a transform', async () => {
    const { message } = RESULT;
    const session = [...PAIR, transform('t1', 'r1', { op: 'messages_cached_replace', messages: [message] })];
    expect(await found(session)).toEqual(['compaction-in-tool-pair t1']);
    const compacting = { op: 'compaction_apply', summary: 'A question.', timestamp: 0, firstKeptMessageIndex: 2 };
    expect(await found([...PAIR, transform('t1', 'r1', compacting)])).toEqual(['compaction-in-tool-pair t1']);
  });

  it('are healed by a later compaction for what is sent next, not for the requests before', async () => {
    const session = [
      ...PAIR,
      compaction('k1', 'r1', 'r1'),
      assistant('a2', 'k1', [textContent('A README.')]),
      compaction('k2', 'a2', 'a2'),
    ];
    expect(await found(session)).toEqual([]);
    expect(await found(session, 'all')).toEqual(['compaction-in-tool-pair k1']);
  });

  it('lack the result where the run was interrupted, and at the end only as a note', async () => {
    expect(await found([HEADER, QUESTION, CALL])).toEqual(['open-call a1']);
    expect(await found([HEADER, QUESTION, CALL], 'all')).toEqual(['open-call a1']);
    expect(await found([HEADER, QUESTION, CALL, user('u2', 'a1', 'Go on.')])).toEqual(['call-without-result a1']);
    const two = assistant('a1', 'u1', [textContent('Well.'), toolCall('c1'), toolCall('c2')]);
    expect(
      await check([HEADER, QUESTION, two, RESULT, assistant('a2', 'r1', [textContent('So.')])], group),
    ).toMatchObject([
      { rule: 'call-without-result', place: 'message.content[2]', message: expect.stringContaining('"c2" of "read"') },
    ]);
  });

  it('need not be in order among the results of one answer', async () => {
    const two = assistant('a1', 'u1', [toolCall('c1'), toolCall('c2')]);
    expect(await found([HEADER, QUESTION, two, toolResult('r2', 'a1', 'c2'), toolResult('r1', 'r2', 'c1')])).toEqual(
      [],
    );
  });

  it('may have entries between them that add no message', async () => {
    const label = entry('label', 'l1', 'a1', { targetId: 'u1', label: 'start' });
    const told = system('s1', 'l1', { sections: { rules: 'Be brief.' } });
    const answer = assistant('a2', 'r1', [textContent('A README.')]);
    expect(await found([HEADER, QUESTION, CALL, label, told, toolResult('r1', 's1', 'c1'), answer], 'all')).toEqual([]);
  });

  it('are out of order behind a message of the user, or before one another', async () => {
    const late = [HEADER, QUESTION, CALL, user('u2', 'a1', 'Wait.'), toolResult('r1', 'u2', 'c1')];
    expect(await found(late)).toEqual(['call-without-result a1', 'result-out-of-order r1']);
    const early = [
      HEADER,
      QUESTION,
      toolResult('r1', 'u1', 'c1'),
      { ...assistant('a1', 'r1', [toolCall('c1')]) },
      toolResult('r2', 'a1', 'c1'),
    ];
    expect(await found(early)).toEqual(['result-out-of-order r1']);
  });

  it('may come twice only as an error', async () => {
    const again = toolResult('r2', 'r1', 'c1');
    expect(await check([...PAIR, again], group)).toMatchObject([{ rule: 'duplicate-result', related: ['a1'] }]);
    const later = [...PAIR, assistant('a2', 'r1', [textContent('So.')]), toolResult('r2', 'a2', 'c1')];
    expect(await found(later)).toEqual(['duplicate-result r2']);
  });

  it('are both gone with an answer that failed, but not its result', async () => {
    const failed = assistant('a1', 'u1', [toolCall('c1')], { stopReason: 'aborted' });
    expect(await check([HEADER, QUESTION, failed, RESULT], { rules: ['result-without-call'] })).toMatchObject([
      { entryId: 'r1', related: ['a1'], message: expect.stringContaining('in a failed answer') },
    ]);
  });

  it('may share their id with others of another answer, but not at Anthropic', async () => {
    const again = (more: JsonObject): readonly JsonObject[] => [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [toolCall('call_0')], more),
      toolResult('r1', 'a1', 'call_0'),
      assistant('a2', 'r1', [toolCall('call_0')], more),
      toolResult('r2', 'a2', 'call_0'),
    ];
    const kimi = { api: 'openai-completions', provider: 'moonshot', model: 'kimi' };
    expect(await found(again(kimi))).toEqual([]);
    expect(await found(again({}))).toEqual(['duplicate-call-id a2']);
    const switched = [...again(kimi), assistant('a3', 'r2', [textContent('So.')])];
    expect(await found(switched)).toEqual(['duplicate-call-id a2']);
  });

  it('are not reported on other branches', async () => {
    const session = [...PAIR, user('u2', 'a1', 'A branch.'), user('u3', 'r1', 'Go on.')];
    expect(await found(session, 'all')).toEqual([]);
  });
});

describe('thinking', () => {
  const thought = (id: string, parentId: string, more: JsonObject = {}): JsonObject =>
    assistant(
      id,
      parentId,
      [{ type: 'thinking', thinking: id, thinkingSignature: 'c2ln' }, textContent('Well.')],
      more,
    );
  const responses = { api: 'openai-responses', provider: 'openai', model: 'gpt-5' };

  it('of another model is noted once for each model, where it begins', async () => {
    const session = [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [{ type: 'thinking', thinking: 'One.' }, textContent('Well.')]),
      assistant('a2', 'a1', [{ type: 'thinking', thinking: 'Two.' }, textContent('Well.')]),
      assistant('a3', 'a2', [textContent('So.')], { model: 'claude-opus-4-5' }),
    ];
    const hit = {
      rule: 'foreign-thinking',
      entryId: 'a1',
      message: expect.stringContaining('"anthropic/claude-sonnet-4-5" is not sent to "anthropic/claude-opus-4-5"'),
    };
    expect(await check(session, { rules: ['foreign-thinking'] })).toMatchObject([hit]);
    expect(await check(session, { rules: ['foreign-thinking'], requests: 'all' })).toMatchObject([hit]);
  });

  it('has a signature in the form of its API, which is of no interest to other models', async () => {
    const moved = thought('a1', 'u1', responses);
    expect(await found([HEADER, QUESTION, moved])).toEqual(['moved-signature a1']);
    const left = [HEADER, QUESTION, moved, assistant('a2', 'a1', [textContent('So.')])];
    expect(await found(left)).toEqual(['foreign-thinking a1']);
    const { api: _api, ...unnamed } = responses;
    expect(await found([HEADER, QUESTION, thought('a1', 'u1', { ...unnamed, api: 'mine' })])).toEqual([]);
  });

  it('has a signature of its own', async () => {
    const session = [HEADER, QUESTION, thought('a1', 'u1'), user('u2', 'a1', 'And?'), thought('a2', 'u2')];
    expect(await check(session, group)).toMatchObject([
      { rule: 'moved-signature', entryId: 'a2', place: 'message.content[0]' },
    ]);
  });

  it('needs its signature only in the newest turn, and of those who sign', async () => {
    const unsigned = (more: JsonObject = {}): readonly JsonObject[] => [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.' }, toolCall('c1')], more),
      RESULT,
    ];
    expect(await found(unsigned())).toEqual(['lost-signature a1']);
    expect(await found([...unsigned(), user('u2', 'r1', 'Thanks.')])).toEqual([]);
    expect(await found(unsigned({ provider: 'lab' }))).toEqual([]);
    expect(await found(unsigned({ api: 'google-generative-ai' }))).toEqual([]);
  });

  it('may not be the last block', async () => {
    const block = { type: 'thinking', thinking: 'Look.', thinkingSignature: 'c2ln' };
    expect(await found([HEADER, QUESTION, assistant('a1', 'u1', [block, textContent(' ')])])).toEqual([
      'thinking-at-end a1',
    ]);
    expect(await found([HEADER, QUESTION, assistant('a1', 'u1', [block], { stopReason: 'aborted' })])).toEqual([
      'error-in-context a1',
    ]);
    const item = { ...block, thinkingSignature: '{"type":"reasoning"}' };
    expect(await found([HEADER, QUESTION, assistant('a1', 'u1', [item, textContent('')], responses)])).toEqual([]);
    expect(await found([HEADER, QUESTION, assistant('a1', 'u1', [item], responses)])).toEqual(['thinking-at-end a1']);
  });
});

describe('content', () => {
  it.each<[string, unknown]>([
    ['no text', ''],
    ['blanks', ' \n'],
    ['no blocks', []],
    ['an empty block', [textContent('')]],
    ['null', null],
    ['a number', 7],
  ])('of the user may be %s', async (_what, content) => {
    expect(await found([HEADER, QUESTION, user('u2', 'u1', content)])).toEqual(['empty-content u2']);
  });

  it('of an answer may be only thinking, or nothing because it failed', async () => {
    const thought = assistant('a1', 'u1', [{ type: 'thinking', thinking: 'Look.' }]);
    expect(await found([HEADER, QUESTION, thought])).toEqual([]);
    expect(await found([HEADER, QUESTION, assistant('a1', 'u1', [])])).toEqual(['empty-content a1']);
    const failed = assistant('a1', 'u1', [], { stopReason: 'error', errorMessage: 'x'.repeat(999) });
    expect(await check([HEADER, QUESTION, failed], group)).toMatchObject([
      {
        rule: 'error-in-context',
        message: expect.stringMatching(/^the answer failed \("x{60}…"\), so Pi does not send/),
      },
    ]);
  });

  it('of an error result is needed by Anthropic', async () => {
    const empty = (content: unknown, isError: boolean): JsonObject =>
      toolResult('r1', 'a1', 'c1', '', { content, isError });
    const results = { rules: ['empty-tool-result'] };
    const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    expect(await check([HEADER, QUESTION, CALL, empty([], true)], results)).toHaveLength(1);
    expect(await check([HEADER, QUESTION, CALL, empty([], false)], results)).toEqual([]);
    expect(await check([HEADER, QUESTION, CALL, empty([textContent(''), image], false)], results)).toHaveLength(1);
    expect(await check([HEADER, QUESTION, CALL, empty([textContent(''), image], true)], results)).toEqual([]);
    const elsewhere = assistant('a1', 'u1', [toolCall('c1')], { api: 'openai-completions' });
    expect(await check([HEADER, QUESTION, elsewhere, empty([], true)], results)).toEqual([]);
  });
});

describe('the first message', () => {
  it('is the summary of a compaction, or the first one that Pi sends', async () => {
    const answer = assistant('a1', 'u1', [textContent('A README.')]);
    const compacted = [HEADER, QUESTION, answer, compaction('k1', 'a1', 'a1')];
    expect(await found(compacted)).toEqual([]);
    expect(await found([HEADER, QUESTION, answer, edit('e1', 'a1', 'u1')])).toEqual(['role-order a1']);
    const failed = assistant('a1', null, [textContent('Hm')], { stopReason: 'error' });
    expect(await found([HEADER, failed, user('u1', 'a1', 'Hello.')])).toEqual(['error-in-context a1']);
  });
});

describe('a picture', () => {
  const shown = (image: JsonObject): JsonObject =>
    user('u1', null, [textContent('Look.'), { type: 'image', ...image }]);

  it.each<[string, JsonObject, string]>([
    ['of an unknown type', { data: PIXEL, mimeType: 'image/heic' }, 'images of type "image/heic" are not supported'],
    ['without a type', { data: PIXEL }, 'the image has no media type'],
    ['without data', { data: '', mimeType: 'image/png' }, 'the image has no data'],
    ['with data that is a number', { data: 7, mimeType: 'image/png' }, 'the image has no data'],
    ['as a data URL', { data: `data:image/png;base64,${PIXEL}`, mimeType: 'image/png' }, 'is not base64'],
    ['without padding', { data: PIXEL.slice(0, -1), mimeType: 'image/png' }, 'is not base64'],
    ['with a gap', { data: `${PIXEL.slice(0, 40)}    ${PIXEL.slice(40)}`, mimeType: 'image/png' }, 'is not base64'],
    ['of another alphabet', { data: `iVBORw0KGgo${'-'.repeat(9)}`, mimeType: 'image/png' }, 'is not base64'],
    [
      'with a bad end behind many pieces',
      { data: `iVBORw0KGgoA${'AAAA'.repeat(99_999)}?AAA`, mimeType: 'image/png' },
      'is not base64',
    ],
    [
      'of another type than it says',
      { data: PIXEL, mimeType: 'image/webp' },
      'the image is image/webp, but its data is image/png',
    ],
    [
      'too large',
      { data: `iVBORw0KGgoA${'AAAA'.repeat(1_400_000)}`, mimeType: 'image/png' },
      'has 5600012 bytes as base64, more than 5242880',
    ],
  ])('%s is refused', async (_what, image, said) => {
    expect(await check([HEADER, shown(image)], { rules: ['unsupported-image'] })).toMatchObject([
      { entryId: 'u1', place: 'message.content[1]', message: expect.stringContaining(said) },
    ]);
  });

  it.each([
    [PIXEL, 'image/png'],
    ['/9j/4AAQSkZJRgABAQ==', 'image/jpeg'],
    ['R0lGODlhAQABAAAAACw=', 'image/gif'],
    ['UklGRiQAAABXRUJQVlA4', 'image/webp'],
    [`iVBORw0KGgoA${'AAAA'.repeat(60_000)}AA==`, 'image/png'],
  ])('is fine as %#', async (data, mimeType) => {
    expect(await found([HEADER, shown({ data, mimeType })])).toEqual([]);
  });

  it('may be refused by what the options say', async () => {
    const options = { 'unsupported-image': { mediaTypes: ['image/jpeg'], maxBytes: 10 } };
    const session = [HEADER, shown({ data: PIXEL, mimeType: 'image/png' })];
    expect(await check(session, { rules: ['unsupported-image'], options })).toHaveLength(1);
  });

  it('is looked for in the messages of extensions and in results, whose places differ', async () => {
    const bad = [{ type: 'image', data: 'x', mimeType: 'image/png' }];
    const note = entry('custom_message', 'm1', 'r1', { customType: 'note', content: bad, display: true });
    const session = [HEADER, QUESTION, CALL, toolResult('r1', 'a1', 'c1', '', { content: bad }), note];
    expect(await check(session, { rules: ['unsupported-image'] })).toMatchObject([
      { entryId: 'r1', place: 'message.content[0]' },
      { entryId: 'm1', place: 'content[0]' },
    ]);
    const replaced = [HEADER, QUESTION, edit('e1', 'u1', 'u1', { content: bad })];
    expect(await check(replaced, { rules: ['unsupported-image'] })).toMatchObject([{ entryId: 'u1', place: null }]);
  });

  it('is counted over the whole request', async () => {
    const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const session = [
      HEADER,
      user('u1', null, [picture, picture]),
      user('u2', 'u1', [textContent('And'), picture, picture]),
    ];
    const options = { 'too-many-images': { most: 2 } };
    expect(await check(session, { rules: ['too-many-images'], options })).toMatchObject([
      { entryId: 'u2', place: 'message.content[1]' },
    ]);
    expect(await found(session)).toEqual([]);
  });
});

describe('a tool that is gone', () => {
  it('is named once, and only where the session records its tools', async () => {
    const calls = [
      QUESTION,
      assistant('a1', 'u1', [toolCall('c1', 'grep'), toolCall('c2', 'grep')]),
      toolResult('r1', 'a1', 'c1'),
      toolResult('r2', 'r1', 'c2'),
    ];
    expect(await found([HEADER, ...calls])).toEqual([]);
    const declared = system('s1', 'r2', { toolsAdded: [{ name: 'read' }] });
    expect(await found([HEADER, ...calls, declared])).toEqual(['tool-not-defined a1']);
  });
});
