import { describe, expect, it } from 'vitest';
import { type Entry, entry, HEADER, lines, user } from '../../support/entries.js';
import { repairBytes } from '../../support/repaired.js';

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** What a session has in its last place whose last line breaks off behind these words; null: only what came before. */
async function closed(torn: Entry, words: string): Promise<Entry | null> {
  const text = JSON.stringify(torn);
  const end = text.indexOf(words) + words.length;
  expect(text).toContain(words);
  const { bytes, discarded: lost } = await repairBytes(
    Buffer.from(lines(HEADER, user('u1', null)) + text.slice(0, end)),
  );
  const [, , last] = Buffer.from(bytes).toString().trimEnd().split('\n');
  // What is not kept of the line is kept beside the file.
  if (last === undefined) expect(lost.map(({ length }) => length)).toEqual([end]);
  return last === undefined ? null : (JSON.parse(last) as Entry);
}

function message(rest: Entry): Entry {
  return entry('message', 'm1', 'u1', { message: rest });
}

const USAGE = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, cost: { total: 0.5 } };
const CALL = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'README.md' } };
const ANSWER = message({
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
    { type: 'text', text: 'Let me look.' },
    CALL,
  ],
  provider: 'anthropic',
  usage: USAGE,
  stopReason: 'toolUse',
});

describe('a message that breaks off', () => {
  it.each([
    [
      'in a text',
      message({ role: 'user', content: 'Which file formats dates?' }),
      'file form',
      { role: 'user', content: 'Which file form' },
    ],
    [
      'in a block of text',
      message({
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
        ],
      }),
      'Tw',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Tw' },
        ],
      },
    ],
    [
      'between two blocks',
      message({
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'image', data: 'aGVs' },
        ],
      }),
      'aGVs',
      { role: 'user', content: [{ type: 'text', text: 'One' }] },
    ],
    [
      'in a tool result',
      message({
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'read',
        content: [{ type: 'text', text: 'A file' }],
        isError: false,
      }),
      'A fi',
      { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'A fi' }] },
    ],
    [
      'in what a tool adds to its result',
      message({
        role: 'toolResult',
        toolCallId: 'c1',
        toolName: 'read',
        content: [{ type: 'text', text: 'A' }],
        details: { diff: 'long' },
      }),
      'lon',
      { role: 'toolResult', toolCallId: 'c1', toolName: 'read', content: [{ type: 'text', text: 'A' }] },
    ],
    [
      'in the output of a command',
      message({ role: 'bashExecution', command: 'ls', output: 'a\nb\nc', exitCode: 0 }),
      'a\\nb\\n',
      { role: 'bashExecution', command: 'ls', output: 'a\nb\n' },
    ],
    [
      'in the middle of an escape',
      message({ role: 'user', content: 'one\ntwo' }),
      'one\\',
      { role: 'user', content: 'one' },
    ],
    [
      'between the halves of a character',
      message({ role: 'user', content: 'smile \ud83d' }),
      'smile \\ud83d',
      { role: 'user', content: 'smile ' },
    ],
  ])('%s keeps what there is', async (_where, torn, words, kept) => {
    expect((await closed(torn, words))?.['message']).toEqual(kept);
  });

  it.each(['é', '€', '🙂', '\u{7ff}', '\u{800}', '\u{ffff}', '\u{10000}'])(
    'in the middle of %j keeps those before it',
    async (character) => {
      const encoded = Buffer.from(character);
      for (let kept = 0; kept <= encoded.length; kept += 1) {
        const text = lines(HEADER) + JSON.stringify(user('u1', null, `smile ${character}`)).split(character)[0]!;
        const torn = Buffer.concat([Buffer.from(text), encoded.subarray(0, kept)]);
        const { bytes, lostBytes } = await repairBytes(torn);
        const isWhole = kept === encoded.length;
        expect(Buffer.from(bytes).toString()).toBe(`${text}${isWhole ? character : ''}"}}\n`);
        expect(Buffer.from(lostBytes)).toEqual(isWhole ? Buffer.alloc(0) : encoded.subarray(0, kept));
      }
    },
  );

  it('in the middle of its first character has nothing to keep', async () => {
    const text = lines(HEADER) + JSON.stringify(user('u1', null, '🙂')).split('🙂')[0]!;
    for (const kept of [1, 2, 3])
      expect(
        Buffer.from(
          (await repairBytes(Buffer.concat([Buffer.from(text), Buffer.from('🙂').subarray(0, kept)]))).bytes,
        ).toString(),
      ).toBe(lines(HEADER));
  });

  it('behind bytes that are no character keeps them', async () => {
    const text = Buffer.from(lines(HEADER) + JSON.stringify(user('u1', null, 'x')).slice(0, -3));
    const torn = Buffer.concat([text, Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80])]);
    expect(Buffer.from((await repairBytes(torn)).bytes)).toEqual(Buffer.concat([torn, Buffer.from('"}}\n')]));
  });
});

describe('an answer that breaks off', () => {
  it.each([
    ['in its text', 'Let me', [{ type: 'text', text: 'Let me' }]],
    ['in the arguments of a call', 'README', [{ type: 'text', text: 'Let me look.' }]],
    ['behind a call', '"README.md"}}', [{ type: 'text', text: 'Let me look.' }, CALL]],
    ['in its usage', '"usage":{"input":1,', [{ type: 'text', text: 'Let me look.' }, CALL]],
  ])(
    '%s keeps the blocks that are whole, and a usage of nothing, as Pi adds them all up',
    async (_where, words, content) => {
      const kept = (await closed(ANSWER, words))?.['message'];
      expect(kept).toMatchObject({ role: 'assistant', usage: NO_USAGE });
      expect((kept as Entry)['content']).toEqual([
        { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
        ...content,
      ]);
    },
  );

  it('behind its usage keeps that', async () => {
    expect((await closed(ANSWER, '"total":0.5}}'))?.['message']).toMatchObject({ usage: USAGE, provider: 'anthropic' });
  });

  it('in its thinking has nothing to keep', async () => {
    expect(await closed(ANSWER, '"thinking":"h')).toBe(null);
  });
});

describe('another entry that breaks off', () => {
  it('keeps the text of a summary of a branch', async () => {
    const torn = entry('branch_summary', 'b1', 'u1', { fromId: 'a1', summary: 'It went well.', details: {} });
    expect(await closed(torn, 'It went')).toMatchObject({ id: 'b1', summary: 'It went' });
  });

  it('gets the id and the parent that it lacks', async () => {
    const torn = {
      type: 'custom_message',
      customType: 'note',
      content: 'Tests run in UTC.',
      display: true,
      id: 'n1',
      parentId: 'u1',
    };
    const kept = await closed(torn, 'Tests run');
    expect(kept).toEqual({
      type: 'custom_message',
      id: expect.any(String),
      parentId: 'u1',
      customType: 'note',
      content: 'Tests run',
    });
  });

  it.each([
    [entry('compaction', 'k1', 'u1', { summary: 'Much happened.', firstKeptEntryId: 'u1', tokensBefore: 7 }), 'Much'],
    [
      entry('compaction', 'k1', 'u1', { summary: 'Much happened.', firstKeptEntryId: 'u1', tokensBefore: 7 }),
      'tokensBefore',
    ],
    [entry('context_edit', 'e1', 'u1', { targetId: 'u1', replacement: { content: 'Shorter.' } }), 'Shor'],
    [entry('label', 'l1', 'u1', { targetId: 'u1', label: 'here' }), 'her'],
    [entry('model_change', 'c1', 'u1', { provider: 'anthropic', modelId: 'claude' }), 'clau'],
    [entry('custom', 'c1', 'u1', { customType: 'x', data: 'y' }), '"data":"'],
    [message({ role: 'system', content: '', sections: { rules: 'Be brief.' } }), 'Be'],
    [message({ role: 'user', content: 'x' }), '"content":"'],
    [message({ role: 'mystery', content: 'something' }), 'some'],
    [message({ role: 'toolResult', content: 'for whom?' }), 'for'],
  ])('is lost where half of it would mislead: %j, cut behind %j', async (torn, words) => {
    expect(await closed(torn, words)).toBe(null);
  });

  it('keeps of a header what is whole', async () => {
    const header = JSON.stringify({ ...HEADER, id: 'the-one' });
    const torn = header.slice(0, header.indexOf('2026'));
    const { bytes } = await repairBytes(Buffer.from(`${torn}\n${lines(user('u1', null))}`));
    expect(Buffer.from(bytes).toString()).toBe(
      `{"type":"session","version":3,"id":"the-one"}\n${lines(user('u1', null))}`,
    );
  });
});
