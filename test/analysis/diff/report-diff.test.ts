import { describe, expect, it } from 'vitest';
import { findCommonPrefix, reportDiff } from '#analysis/diff/report-diff.js';
import { schemas } from '#cli/schemas.js';
import { envelopeAt } from '#context/envelope-at.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';
import { countTokens } from '#context/size/tokens.js';
import { Log } from '../../fixtures/log.js';

async function between(log: Log, before: string, after: string): Promise<readonly [ContextEnvelope, ContextEnvelope]> {
  const session = await log.open();
  return [envelopeAt(session, before), envelopeAt(session, after)];
}

const NONE = { settings: [], parts: [], tools: [], options: [], cached: [], uncached: [] };

describe('how two envelopes differ', () => {
  it('is nothing where they are the same', async () => {
    const [one, other] = await between(new Log('d').twoTurns(), 'a2', 'a2');
    expect(reportDiff(one, other)).toEqual({
      same: true,
      prefix: { tokens: one.meta.tokens.total, end: null },
      ...NONE,
    });
  });

  it('is nothing where only the time or the usage is another, and lists what is sent beside them', async () => {
    const log = (usage: object, text: string): Log =>
      new Log('d').user('u1', 'Go.').assistant('a1', text, { usage, responseId: JSON.stringify(usage) });
    const [before] = await between(log({ input: 5, output: 1 }, 'Done.'), 'a1', 'a1');
    const [same] = await between(log({ input: 9, output: 2 }, 'Done.'), 'a1', 'a1');
    expect(before.messages.cached).not.toEqual(same.messages.cached);
    expect(reportDiff(before, same)).toMatchObject({ same: true, prefix: { end: null }, ...NONE });
    const [other] = await between(log({ input: 9, output: 2 }, 'Done so.'), 'a1', 'a1');
    expect(reportDiff(before, other)).toMatchObject({
      same: false,
      cached: [{ kind: 'changed', values: [{ place: 'content[0].text', before: 'Done.', after: 'Done so.' }] }],
    });
  });

  it('names settings, parts, tools and options that are others', async () => {
    const system = (content: string, name: string) => {
      return { role: 'system', content: '', sections: { rules: content }, toolsAdded: [{ name }] };
    };
    const log = new Log('d')
      .message('s1', system('Be brief.', 'read'))
      .user('u1', 'Go.')
      .entry('m1', 'model_change', { provider: 'openai', modelId: 'gpt-5' })
      .entry('t1', 'thinking_level_change', { thinkingLevel: 'high' })
      .message('s2', system('Be kind.', 'bash'));
    const [before, after] = await between(log, 'u1', 's2');
    const found = reportDiff(before, after);
    expect(found).toMatchObject({
      same: false,
      settings: [
        { name: 'model', before: before.meta.model, after: after.meta.model },
        { name: 'thinkingLevel', before: before.meta.thinkingLevel, after: after.meta.thinkingLevel },
      ],
      parts: [
        {
          kind: 'changed',
          values: [{ place: 'text', kind: 'changed', before: 'Be brief.', after: 'Be kind.' }],
        },
      ],
      tools: [{ kind: 'added', to: 1, after: { name: 'bash' } }],
      cached: [],
      uncached: [],
    });
    expect(after.meta.model).not.toEqual(before.meta.model);
    expect(found.options.map(({ name }) => name)).toEqual(
      JSON.stringify(before.options) === JSON.stringify(after.options) ? [] : ['reasoning'],
    );
    const limited = { ...before, meta: { ...before.meta, limit: 7 } };
    expect(reportDiff(before, limited)).toMatchObject({
      same: false,
      settings: [{ name: 'limit', before: before.meta.limit, after: 7 }],
      parts: [],
    });
  });

  it('knows a message by its entry, whatever became of it', async () => {
    const log = new Log('d').twoTurns().edit('e1', 'u1', { content: 'Nothing alike' });
    const { cached } = reportDiff(...(await between(log, 'a2', 'e1')));
    expect(cached).toMatchObject([
      {
        kind: 'changed',
        from: 0,
        to: 0,
        isMoved: false,
        values: [{ place: 'content', kind: 'changed', before: 'Which file formats dates?', after: 'Nothing alike' }],
      },
    ]);
    expect(reportDiff(...(await between(log, 'u2', 'a2'))).cached).toMatchObject([{ kind: 'added', to: 3 }]);
    expect(reportDiff(...(await between(log, 'a2', 'u2'))).cached).toMatchObject([{ kind: 'removed', from: 3 }]);
  });

  it('takes what a transform put there for what it says only', async () => {
    const replace = (...texts: readonly string[]) => ({
      op: 'messages_cached_replace',
      scope: 'cached',
      messages: texts.map((content) => ({ role: 'user', content })),
      invalidateCacheReason: 'x',
    });
    const log = new Log('d')
      .user('u1', 'x')
      .transform('x1', 'mine', [replace('one', 'two')])
      .transform('x2', 'mine', [replace('qqq', 'one')]);
    const { cached } = reportDiff(...(await between(log, 'x1', 'x2')));
    expect(cached.map(({ kind }) => kind)).toEqual(['added', 'removed']);
  });

  it('takes what transforms of one name put there in two sessions for what it says only, too', async () => {
    const at = async (...texts: readonly string[]): Promise<ContextEnvelope> => {
      const messages = texts.map((content) => ({ role: 'user', content }));
      const replace = { op: 'messages_cached_replace', scope: 'cached', messages, invalidateCacheReason: 'x' };
      return (await between(new Log('d').transform('x1', 'mine', [replace]), 'x1', 'x1'))[0];
    };
    const { cached } = reportDiff(await at('one', 'two'), await at('qqq', 'two'));
    expect(cached.map(({ kind }) => kind)).toEqual(['removed', 'added']);
  });

  it('is what its schema says', async () => {
    const log = new Log('d')
      .twoTurns()
      .edit('e1', 'a1', { content: 'Another one.' })
      .edit('e2', 'u1', null)
      .user('u3', 'Go.');
    const [before, after] = await between(log, 'a2', 'u3');
    const side = (entryId: string, line: number, { meta }: ContextEnvelope) => {
      return { file: 's.jsonl', sessionId: 'd', entryId, line, tokens: meta.tokens, size: meta.size };
    };
    const document = {
      schema: 'ctx/diff',
      schemaVersion: 1,
      before: side('a2', 5, before),
      after: side('u3', 8, after),
      ...reportDiff(before, { ...after, tools: [{ name: 'read' }] }),
    };
    expect(document.cached.map(({ kind }) => kind)).toEqual(['removed', 'changed', 'added']);
    expect(schemas.diff.parse(document)).toEqual(document);
    const end = { section: 'messages', index: 0, name: null };
    for (const wrong of [
      { schema: 'ctx/other' },
      { schemaVersion: 2 },
      { before: null },
      { cached: [{ kind: 'other', to: 0 }] },
      { tools: [{ kind: 'added', to: 'x', after: { name: 'read' } }] },
      { prefix: { tokens: 1, end: { ...end, section: 'other' } } },
      { settings: [{ name: 'other', before: 1, after: 2 }] },
    ])
      expect(schemas.diff.safeParse({ ...document, ...wrong }).success).toBe(false);
    expect(schemas.diff.safeParse({ ...document, prefix: { tokens: 1, end } }).success).toBe(true);
  });
});

const base: EnvelopeContent = {
  ...setParts(EMPTY_ENVELOPE, [
    { name: 'preamble', text: 'x'.repeat(40) },
    { name: 'rules', text: 'y'.repeat(40) },
  ]),
  tools: [{ name: 'read' }],
  options: {},
  messages: { cached: [{ role: 'user', content: 'z'.repeat(40) }], uncached: [] },
};
const TOOLS = Math.ceil('{"name":"read"}'.length / 4);
const withMessages = (...cached: EnvelopeContent['messages']['cached']): EnvelopeContent => {
  return { ...base, messages: { cached, uncached: [] } };
};

describe('the common prefix of two requests', () => {
  it('is all of the earlier one where the later one goes on', () => {
    const later = withMessages(...base.messages.cached, { role: 'assistant', content: 'Hi' });
    expect(findCommonPrefix(base, later)).toEqual({ tokens: countTokens(base).total, end: null });
  });

  it('ends at a part that changed, before all messages', () => {
    const later = { ...base, ...setParts(base, [base.system.parts[0]!, { name: 'rules', text: 'other' }]) };
    expect(findCommonPrefix(base, later)).toEqual({
      tokens: TOOLS + 10,
      end: { section: 'system', index: 1, name: 'rules' },
    });
  });

  it('ends behind the tools where one was added, and where one is gone', () => {
    const later = { ...base, tools: [...base.tools, { name: 'bash' }] };
    expect(findCommonPrefix(base, later)).toEqual({ tokens: TOOLS, end: { section: 'tools', index: 1, name: 'bash' } });
    expect(findCommonPrefix(later, base)).toEqual({ tokens: TOOLS, end: { section: 'tools', index: 1, name: null } });
  });

  it('ends at a message that changed or is gone', () => {
    const end = { section: 'messages', index: 0, name: 'user' };
    expect(findCommonPrefix(base, withMessages({ role: 'user', content: 'other' }))).toMatchObject({ end });
    expect(findCommonPrefix(base, withMessages())).toMatchObject({ end: { ...end, name: null } });
  });

  it('does not end at a message that differs in its time, which is not sent', () => {
    const at = (timestamp: number): EnvelopeContent => withMessages({ role: 'user', content: 'Hi', timestamp });
    expect(findCommonPrefix(at(1), at(2)).end).toBeNull();
  });

  it('ends where one has more in a section than the other, with the name of what the later one has there', () => {
    const fewer = { ...base, ...setParts(base, [base.system.parts[0]!]) };
    const more = { ...base, ...setParts(base, [...base.system.parts, { name: 'more', text: 'x' }]) };
    expect(findCommonPrefix(base, fewer)).toEqual({
      tokens: TOOLS + 10,
      end: { section: 'system', index: 1, name: null },
    });
    expect(findCommonPrefix(base, more)).toEqual({
      tokens: TOOLS + 10 + 10,
      end: { section: 'system', index: 2, name: 'more' },
    });
    const none = { ...setParts(base, []), tools: [] };
    expect(findCommonPrefix(none, base)).toEqual({ tokens: 0, end: { section: 'tools', index: 0, name: 'read' } });
    expect(findCommonPrefix(base, none)).toEqual({ tokens: 0, end: { section: 'tools', index: 0, name: null } });
    expect(findCommonPrefix(base, { ...none, messages: { cached: [], uncached: [] } }).end?.section).toBe('tools');
  });

  it('is all there is where the later one is as long, and may end among what is not cached', () => {
    expect(findCommonPrefix(base, structuredClone(base))).toEqual({ tokens: countTokens(base).total, end: null });
    const uncached = [{ role: 'user' as const, content: 'now' }];
    const before: EnvelopeContent = { ...base, messages: { ...base.messages, uncached } };
    expect(findCommonPrefix(before, base)).toEqual({
      tokens: TOOLS + 30,
      end: { section: 'messages', index: 1, name: null },
    });
    expect(findCommonPrefix(base, before)).toEqual({ tokens: countTokens(base).total, end: null });
  });

  it('compares the sent content: not the order of keys, parts without text or the separator of the first', () => {
    const ordered = withMessages({ content: 'z'.repeat(40), role: 'user' });
    expect(findCommonPrefix(base, ordered).end).toBeNull();
    const [first, second] = base.system.parts;
    const parts = (...list: EnvelopeContent['system']['parts']): EnvelopeContent => ({
      ...base,
      system: { ...base.system, parts: list },
    });
    const empty = { name: 'empty', text: '', separator: '---' };
    expect(findCommonPrefix(base, parts(empty, { ...first!, separator: '\n' }, empty, second!)).end).toBeNull();
    expect(findCommonPrefix(base, parts(first!, { ...second!, separator: '---' })).end).toEqual({
      section: 'system',
      index: 1,
      name: 'rules',
    });
  });
});
