import { describe, expect, it } from 'vitest';
import { eachEnvelope, envelopeAt, type EnvelopeAtOptions } from '#context/envelope-at.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import { Log } from '../fixtures/log.js';

type Json = Readonly<Record<string, unknown>>;

async function at(log: Log, options: EnvelopeAtOptions = {}, revision = 'HEAD'): Promise<ContextEnvelope> {
  return envelopeAt(await log.open(), revision, options);
}

/** The texts that are sent; a summary without the sentence that introduces it. */
function texts({ messages }: ContextEnvelope): readonly string[] {
  return messages.cached.map(
    (message) => /<summary>\n([^]*)\n<\/summary>/.exec(readSearchableText(message))?.[1] ?? readSearchableText(message),
  );
}

const replace = (...messages: readonly Json[]): Json => ({
  op: 'messages_cached_replace',
  scope: 'cached',
  invalidateCacheReason: 'rewritten',
  messages,
});
const summarise = (summary: string, firstKeptMessageIndex: number, fields: Json = {}): Json => ({
  op: 'compaction_apply',
  scope: 'cached',
  invalidateCacheReason: 'compaction',
  summary,
  timestamp: 5,
  firstKeptMessageIndex,
  ...fields,
});
const says = (content: string): Json => ({ role: 'user', content, timestamp: 1 });

describe('messages of one transform that a later compaction brings back', () => {
  it('come in the order that the transform gave them', async () => {
    const log = new Log('comeback')
      .user('u1', 'one')
      .transform('x1', 'rewrite', [replace(says('FIRST'), says('SECOND'), says('THIRD'))])
      .compaction('k1', 'S1', 'nowhere')
      .compaction('k2', 'S2', 'u1');
    expect(texts(await at(log))).toEqual(['S2', 'FIRST', 'SECOND', 'THIRD']);
  });
});

describe('the order of messages below a stock compaction', () => {
  const log = new Log('order').user('u1', 'one').user('u2', 'two').user('u3', 'three');

  it('is the one that a transform gave to those that are kept', async () => {
    const [one, two, three] = (await at(log)).messages.cached as readonly Json[];
    const reordered = new Log('reordered').user('u1', 'one').user('u2', 'two').user('u3', 'three');
    reordered.transform('x1', 'reorder', [replace(three!, two!, one!)]).compaction('k1', 'SUM', 'u2');
    expect(texts(await at(reordered))).toEqual(['SUM', 'three', 'two']);
  });

  it('is that of the file for those that come back, also among messages of a transform', async () => {
    log.compaction('k1', 'S1', 'u3').user('u4', 'four');
    const [summary, three, four] = (await at(log)).messages.cached as readonly Json[];
    log.transform('x1', 'rewrite', [replace(summary!, { ...three, content: 'THREE' }, four!, says('NEW'))]);
    log.user('u5', 'five').compaction('k2', 'S2', 'u2');
    expect(texts(await at(log))).toEqual(['S2', 'two', 'THREE', 'four', 'NEW', 'five']);
  });
});

describe('a compaction by a transform', () => {
  it('puts its summary before a message that an edit hides, and that one brings back', async () => {
    const log = new Log('hidden')
      .user('u1', 'one')
      .user('u2', 'two')
      .user('u3', 'three')
      .edit('e1', 'u2', null)
      .transform('x1', 'compaction', [summarise('SUM', 1)])
      .compaction('k1', 'SUM', 'u2')
      .user('u4', 'four')
      .edit('e2', 'u2', { content: 'two again' });
    expect(texts(await at(log))).toEqual(['SUM', 'two again', 'three', 'four']);
  });

  it.each([
    ['does not say how many tokens there were', { tokensBefore: null }, ['SUM', 'two']],
    ['counts by fractions', { firstKeptMessageIndex: 1.5 }, ['SUM', 'two']],
  ])('is read where it %s', async (_, fields, expected) => {
    const log = new Log('numbers')
      .user('u1', 'one')
      .user('u2', 'two')
      .transform('x1', 'compaction', [summarise('SUM', 1, fields)]);
    expect(texts(await at(log))).toEqual(expected);
  });

  it('leaves its work to its twin where --lenient skips it', async () => {
    const log = new Log('twin')
      .user('u1', 'one')
      .user('u2', 'two')
      .transform('x1', 'compaction', [summarise('SUM', 1)], { schemaVersion: 2 })
      .compaction('k1', 'SUM', 'u2')
      .user('u3', 'three');
    const envelope = await at(log, { lenient: true });
    expect(texts(envelope)).toEqual(['SUM', 'two', 'three']);
    expect(envelope.meta.compactions).toMatchObject([{ entryId: 'k1', shadowed: false }]);
  });

  it('does its own work where --lenient skips an op of it and another one changes messages', async () => {
    const log = new Log('half')
      .user('u1', 'one')
      .user('u2', 'two')
      .transform('x1', 'compaction', [{ op: 'unknown' }, replace(says('OTHER'))])
      .compaction('k1', 'SUM', 'u2');
    const envelope = await at(log, { lenient: true });
    expect(texts(envelope)).toEqual(['OTHER']);
    expect(envelope.meta.compactions).toMatchObject([{ entryId: 'k1', shadowed: true }]);
  });
});

describe('a stock compaction after a prune', () => {
  const call = (id: string): Json => ({ type: 'toolCall', id, name: 'read', arguments: {} });
  const result = (id: string, text: string): Json => ({
    role: 'toolResult',
    toolCallId: id,
    toolName: 'read',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 1,
  });

  it('cuts the shortened result together with its call, and keeps those after the cut', async () => {
    const log = new Log('cut').user('u1', 'read both').assistant('a1', '', { content: [call('c1')] });
    log
      .message('r1', result('c1', 'long one'))
      .user('u2', 'next')
      .assistant('a2', '', { content: [call('c2')] });
    log.message('r2', result('c2', 'long two')).user('u3', 'go on');
    const { messages } = await at(log);
    const [u1, a1, , u2, a2, , u3] = messages.cached as readonly Json[];
    log
      .transform('x1', 'prune', [
        replace(u1!, a1!, result('c1', 'short one'), { ...u2!, content: 'nxt' }, a2!, result('c2', 'short two'), u3!),
      ])
      .compaction('k1', 'SUM', 'u2');
    expect(texts(await at(log)).map((text) => text.split('\n').at(-1))).toEqual([
      'SUM',
      'nxt',
      'read {}',
      'short two',
      'go on',
    ]);
  });
});

describe('a message that a transform writes again with its keys in another order', () => {
  const log = new Log('restated').user('u1', 'hello').assistant('a1', '', {
    content: [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a', offset: 1 } }],
  });

  it('is sent as it was written again, and still comes from its entry', async () => {
    const [hello, answer] = (await at(log)).messages.cached as readonly Json[];
    const content = [{ type: 'toolCall', id: 'c1', name: 'read', arguments: { offset: 1, path: 'a' } }];
    log.transform('x1', 'reorder', [replace(hello!, { ...answer, content })]);
    const { messages, meta } = await at(log);
    expect(JSON.stringify(messages.cached[1]?.['content'])).toBe(JSON.stringify(content));
    expect(meta.provenance[1]).toMatchObject({ entryId: 'a1', origin: 'entry' });
  });

  it('is what its entry says where an edit changes that', async () => {
    log.edit('e1', 'a1', { content: [{ type: 'text', text: 'edited' }] });
    expect(texts(await at(log))).toEqual(['hello', 'edited']);
  });
});

describe('a system part of another program', () => {
  const parts = (...list: readonly Json[]): Json => ({
    op: 'system_parts_replace',
    scope: 'cached',
    invalidateCacheReason: 'r',
    parts: list,
  });
  const promptOf = async (...list: readonly Json[]): Promise<string> =>
    (await at(new Log('parts').user('u1', 'hello').transform('x1', 'parts', [parts(...list)]))).system.compiled;

  it('may have fields of its own', async () => {
    expect(await promptOf({ name: 'base', text: 'You are.', kind: 'policy', separator: 5 })).toBe('You are.');
  });

  it('follows the one before it with nothing between them, unless the part shows that ctx wrote it', async () => {
    const base = { name: 'a', text: 'A' };
    expect(await promptOf(base, { name: 'b', text: 'B', separator: '---' })).toBe('AB');
    expect(await promptOf(base, { name: 'b', text: 'B', separator: '\n\n' })).toBe('A\n\nB');
    expect(await promptOf(base, { name: 'b', text: 'B', separator: '---', kind: 'supplied' })).toBe('A---B');
  });

  it('keeps the separator that a baseline gave it', async () => {
    const baseline = {
      parts: [
        { name: 'a', text: 'A' },
        { name: 'b', text: 'B', separator: '---' },
      ],
    };
    const { system } = await at(new Log('baseline').user('u1', 'hello'), { baseline });
    expect(system.compiled).toBe('A---B');
    expect(await promptOf(...system.parts)).toBe('A---B');
  });
});

describe('the reasoning that a request asks for', () => {
  const level = (log: Log, id: string, thinkingLevel: unknown): Log =>
    log.entry(id, 'thinking_level_change', { thinkingLevel });
  const options = (fields: Json): Json => ({
    op: 'options_set',
    scope: 'cached',
    invalidateCacheReason: 'r',
    ...fields,
  });

  it('is the thinking level that was recorded; none where it is off', async () => {
    const log = level(new Log('level'), 't1', 'medium').user('u1', 'hello');
    const envelope = await at(log);
    expect([envelope.options, envelope.meta.sources.options]).toEqual([{ reasoning: 'medium' }, 'recorded']);
    const off = await at(level(log, 't2', 'off'));
    expect([off.options, off.meta.sources.options]).toEqual([{}, 'recorded']);
    expect((await at(new Log('none').user('u1', 'hello'))).meta.sources.options).toBe('unknown');
  });

  it('follows the entry that comes last, an op or a level; null unsets it', async () => {
    const log = level(new Log('order'), 't1', 'low').transform('x1', 'set', [
      options({ reasoning: 'high', maxTokens: 10.7 }),
    ]);
    expect((await at(log)).options).toEqual({ reasoning: 'high', maxTokens: 10 });
    expect((await at(level(log, 't2', 'minimal'))).options).toEqual({ reasoning: 'minimal', maxTokens: 10 });
    log.transform('x2', 'unset', [options({ reasoning: null })]);
    expect((await at(log)).options).toEqual({ maxTokens: 10 });
  });

  it('stays below a compaction', async () => {
    const log = level(new Log('compacted'), 't1', 'low').twoTurns().compaction('k1', 'SUM', 'u2');
    expect((await at(log)).options).toEqual({ reasoning: 'low' });
  });

  it('is the one that is supplied, where there is one, until an op sets another', async () => {
    const baseline = { options: { reasoning: 'xhigh', temperature: 0 } };
    const log = level(new Log('supplied'), 't1', 'low').user('u1', 'hello');
    const envelope = await at(log, { baseline });
    expect([envelope.options, envelope.meta.sources.options]).toEqual([baseline.options, 'supplied']);
    log.transform('x1', 'set', [options({ reasoning: 'high' })]);
    expect((await at(log, { baseline })).options).toEqual({ reasoning: 'high', temperature: 0 });
  });

  it('is the same in the envelopes of a walk', async () => {
    const log = level(level(new Log('walk'), 't1', 'low').user('u1', 'hello'), 't2', 'off').user('u2', 'bye');
    const session = await log.open();
    expect([...eachEnvelope(session)].map(({ content }) => content.options)).toEqual([
      { reasoning: 'low' },
      { reasoning: 'low' },
      {},
      {},
    ]);
  });
});
