import { describe, expect, it } from 'vitest';
import { buildOverviewAt, eachEnvelope, envelopeAt } from '#context/envelope-at.js';
import type { EnvelopeOptions } from '#context/replay/build-envelope.js';
import { baselineSchema } from '#context/replay/content.js';
import { type ContextEnvelope, contextEnvelope } from '#context/replay/envelope.js';
import { Log } from '../fixtures/log.js';

async function at(log: Log, options: EnvelopeOptions = {}, revision = 'HEAD'): Promise<ContextEnvelope> {
  return envelopeAt(await log.open(), revision, options);
}

const PROMPT = { role: 'system', content: 'Be brief.', toolsAdded: [{ name: 'read' }] };
const USAGE = { usage: { input: 70, output: 7, totalTokens: 77 } };
const REPLACE = {
  op: 'tools_replace',
  scope: 'cached',
  tools: [{ name: 'read' }, { name: 'deploy' }],
  invalidateCacheReason: 'as asked',
};

describe('all that an envelope says', () => {
  it('of a session in which everything happened', async () => {
    const log = new Log('all')
      .message('s1', PROMPT)
      .entry('n1', 'session_info', { name: 'Dates' })
      .twoTurns()
      .edit('e1', 'u1', { content: 'Which one?' })
      .entry('t1', 'thinking_level_change', { thinkingLevel: 'high' })
      .transform('x1', 'own', [REPLACE], { display: { title: 'More tools', summary: 7 } })
      .assistant('a3', 'Well.', USAGE)
      .entry('p1', 'ephemeral', { messages: [{ role: 'user', content: 'now' }] });
    expect(await at(log, { ephemeral: true, limit: 5000 })).toEqual({
      schema: 'ctx/envelope',
      schemaVersion: 1,
      session: { id: 'all', version: 3, file: '-', name: 'Dates', cwd: '/home/ada/weather' },
      at: { entryId: 'p1', leafId: 'p1', line: 12, depth: 10 },
      system: {
        parts: [{ name: 'content', text: 'Be brief.', separator: '\n\n', kind: 'content' }],
        compiled: 'Be brief.',
      },
      tools: [{ name: 'read' }, { name: 'deploy' }],
      messages: {
        cached: [
          expect.objectContaining({ role: 'user', content: 'Which one?' }),
          expect.objectContaining({ role: 'assistant' }),
          expect.objectContaining({ role: 'user', content: 'In which zone?' }),
          expect.objectContaining({ role: 'assistant' }),
          expect.objectContaining({ role: 'assistant', usage: USAGE.usage }),
        ],
        uncached: [{ role: 'user', content: 'now' }],
      },
      options: { reasoning: 'high' },
      meta: {
        model: { provider: 'anthropic', modelId: 'claude-sonnet-4-5' },
        thinkingLevel: 'high',
        limit: 5000,
        turnIndex: 2,
        requestIndex: 3,
        tokens: { system: 3, tools: 5, cached: 20, uncached: 1, total: 29, method: 'chars/4' },
        // The logged message is not in what the provider counted.
        size: {
          tokens: 79,
          recorded: 77,
          estimated: 2,
          factor: 1.5,
          declaredFactor: 2.692,
          notItemised: null,
          error: null,
          method: 'appended',
        },
        unseen: null,
        composition: {
          contents: [
            { kind: 'prompt', name: 'content', tokens: 8, tokensEstimated: 3 },
            { kind: 'tools', name: null, tokens: 14, tokensEstimated: 5 },
            { kind: 'user', name: null, tokens: 22, tokensEstimated: 8 },
            { kind: 'assistant', name: null, tokens: 35, tokensEstimated: 13 },
          ],
          categories: [
            { category: 'system', tokens: 8, tokensEstimated: 3 },
            { category: 'tool definitions', tokens: 14, tokensEstimated: 5 },
            { category: 'user', tokens: 22, tokensEstimated: 8 },
            { category: 'assistant', tokens: 35, tokensEstimated: 13 },
          ],
          notItemised: null,
          results: [],
          systemParts: [{ name: 'content', tokens: 8, tokensEstimated: 3 }],
          // What is not sent has no tokens.
          tools: [
            { name: 'read', tokens: 14, tokensEstimated: 5 },
            { name: 'deploy', tokens: 0, tokensEstimated: 0 },
          ],
          messages: [
            { tokens: 8, tokensEstimated: 3 },
            { tokens: 16, tokensEstimated: 6 },
            { tokens: 11, tokensEstimated: 4 },
            { tokens: 14, tokensEstimated: 5 },
            { tokens: 5, tokensEstimated: 2 },
            { tokens: 3, tokensEstimated: 1 },
          ],
        },
        usage: { entryId: 'a3', tokens: 77, current: true },
        provenance: [
          { entryId: 'u1', line: 4, origin: 'edit', editId: 'e1' },
          { entryId: 'a1', line: 5, origin: 'entry' },
          { entryId: 'u2', line: 6, origin: 'entry' },
          { entryId: 'a2', line: 7, origin: 'entry' },
          { entryId: 'a3', line: 11, origin: 'entry' },
          { entryId: 'p1', line: 12, origin: 'entry' },
        ],
        transforms: [
          {
            entryId: 'x1',
            line: 10,
            transformerName: 'own',
            ops: ['tools_replace'],
            invalidateCacheReasons: ['as asked'],
            display: { title: 'More tools' },
          },
        ],
        edits: [{ entryId: 'e1', line: 8, targetId: 'u1', effect: 'replace' }],
        compactions: [],
        ephemeralMessages: 1,
        toolsWithoutImplementation: ['deploy'],
        sources: { system: 'recorded', tools: 'recorded', options: 'recorded', limit: 'supplied' },
        diagnostics: [
          {
            code: 'no-implementation',
            severity: 'warning',
            message: 'tool "deploy" has no implementation: omitted at run time',
            line: null,
            entryId: null,
          },
        ],
      },
    });
  });

  it('of a session in which nothing happened', async () => {
    const empty = new Log('none', { cwd: undefined, version: 'odd' }).entry('n', 'label', { targetId: 'n' });
    const { session, at: place, meta } = await at(empty);
    expect(session).toMatchObject({ name: null });
    expect(place).toEqual({ entryId: 'n', leafId: 'n', line: 2, depth: 0 });
    expect(meta).toEqual({
      model: null,
      thinkingLevel: 'off',
      limit: null,
      turnIndex: 0,
      requestIndex: 0,
      tokens: { system: 0, tools: 0, cached: 0, uncached: 0, total: 0, method: 'chars/4' },
      size: {
        tokens: 0,
        recorded: 0,
        estimated: 0,
        factor: 1.4,
        declaredFactor: 1.4,
        notItemised: null,
        error: null,
        method: 'median',
      },
      unseen: null,
      composition: {
        categories: [],
        contents: [],
        notItemised: null,
        results: [],
        systemParts: [],
        tools: [],
        messages: [],
      },
      usage: null,
      provenance: [],
      transforms: [],
      edits: [],
      compactions: [],
      ephemeralMessages: 0,
      toolsWithoutImplementation: [],
      sources: { system: 'unknown', tools: 'unknown', options: 'unknown', limit: 'unknown' },
      diagnostics: [],
    });
    expect((await at(new Log('none'))).at).toEqual({ entryId: null, leafId: null, line: null, depth: 0 });
  });

  it('of unusable entries on the path', async () => {
    const noted = async (log: Log): Promise<readonly unknown[]> =>
      (await at(log)).meta.diagnostics.map(({ code, severity, message, line }) => [line, severity, code, message]);
    const odd = new Log('odd')
      .entry('x1', 'mystery', {})
      .entry('m1', 'message', { message: 'none' })
      .message('m2', { role: 'mystery' })
      .user('u1', 'x')
      .entry('e1', 'context_edit', { targetId: 'u1' })
      .entry('b1', 'branch_summary', { summary: '' });
    expect(await noted(odd)).toEqual([
      [2, 'note', 'unknown-entry', 'entries of type "mystery" add nothing to the context'],
      [3, 'warning', 'no-message', 'the entry has no message'],
      [4, 'note', 'unknown-role', 'messages of role "mystery" are not sent'],
      [6, 'error', 'edit-without-replacement', 'the edit has no replacement, not even null'],
    ]);
    const below = new Log('below').user('u1', 'x').compaction('k1', 'All.', 'u2').user('u2', 'x');
    const what = 'the first entry that it keeps, "u2", is not before it, so only its summary is left';
    expect(await noted(below)).toEqual([[3, 'warning', 'compaction-keeps-nothing', what]]);
    expect(await noted(new Log('itself').user('u1', 'x').compaction('k1', 'All.', 'k1'))).toEqual([]);
  });
});

describe('an edit', () => {
  it.each<readonly [replacement: unknown, content: unknown, effect: string]>([
    [{ content: 'new' }, 'new', 'replace'],
    [{}, undefined, 'replace'],
    ['odd', undefined, 'replace'],
    [undefined, 'old', 'none'],
  ])('that puts %j in its place', async (replacement, content, effect) => {
    const { messages, meta } = await at(new Log('e').user('u1', 'old').edit('e1', 'u1', replacement));
    expect(messages.cached.map((message) => message.content)).toEqual([content]);
    expect(meta.edits).toMatchObject([{ effect }]);
  });
});

describe('the schema of an envelope', () => {
  it('takes every envelope, and nothing else', async () => {
    const log = new Log('s').message('s1', PROMPT).user('u1', 'x').edit('e1', 'u1', { content: 'y' });
    const envelope = await at(
      log.transform('x1', 'own', [REPLACE]).compaction('k1', 'All.', 'u1').assistant('a1', 'z', USAGE),
    );
    expect(contextEnvelope.safeParse(envelope).error).toBeUndefined();
    const { meta } = envelope;
    for (const flawed of [
      { schema: 'ctx/other' },
      { schemaVersion: 2 },
      { session: { ...envelope.session, id: 7 } },
      { at: { ...envelope.at, depth: 0.5 } },
      { system: {} },
      { tools: [{}] },
      { messages: { cached: [{ role: 'system' }], uncached: [] } },
      { options: null },
      { meta: { ...meta, tokens: { ...meta.tokens, total: 0.5 } } },
      { meta: { ...meta, size: { ...meta.size, method: 'guessed' } } },
      { meta: { ...meta, usage: { tokens: 7 } } },
      { meta: { ...meta, provenance: [{ entryId: 'u1', line: 2, origin: 'other' }] } },
      { meta: { ...meta, edits: [{ ...meta.edits[0], effect: 'other' }] } },
      { meta: { ...meta, compactions: [{ ...meta.compactions[0], shadowed: 'no' }] } },
      { meta: { ...meta, transforms: [{ ...meta.transforms[0], ops: [7] }] } },
      { meta: { ...meta, transforms: [{ ...meta.transforms[0], display: { title: 7 } }] } },
      { meta: { ...meta, sources: { ...meta.sources, limit: 'guessed' } } },
      { meta: { ...meta, diagnostics: [{ code: 'x', severity: 'bad', message: 'x', line: null, entryId: null }] } },
    ])
      expect(contextEnvelope.safeParse({ ...envelope, ...flawed }).success, JSON.stringify(flawed)).toBe(false);
  });

  it('of a baseline takes what is supplied from outside, and nothing that has no meaning', () => {
    const whole = {
      parts: [{ name: 'a', text: 'A', kind: 'content' }],
      tools: [{ name: 'read' }],
      options: { temperature: 1 },
      limit: 5,
    };
    for (const sound of [whole, {}]) expect(baselineSchema.safeParse(sound).success).toBe(true);
    for (const flawed of [
      { limit: 0 },
      { limit: 0.5 },
      { parts: [{ name: 'a' }] },
      { tools: [{}] },
      { options: 7 },
      { more: 1 },
    ])
      expect(baselineSchema.safeParse(flawed).success, JSON.stringify(flawed)).toBe(false);
  });
});

describe('model and thinking level', () => {
  const talk = (): Log => new Log('m').entry('m1', 'model_change', { provider: 'openai', modelId: 'gpt' });
  it.each<readonly [log: Log, model: object | null, level: string]>([
    [talk(), { provider: 'openai', modelId: 'gpt' }, 'off'],
    [
      talk().assistant('a1', '', { stopReason: 'error' }),
      { provider: 'anthropic', modelId: 'claude-sonnet-4-5' },
      'off',
    ],
    [talk().assistant('a1', '', { provider: 7 }).user('u1', 'x'), { modelId: 'claude-sonnet-4-5' }, 'off'],
    [new Log('m').entry('m1', 'model_change', { provider: 'openai' }), { provider: 'openai' }, 'off'],
    [new Log('m').entry('a1', 'message', { message: { role: 'assistant' } }), {}, 'off'],
    [
      new Log('m')
        .entry('t', 'thinking_level_change', { thinkingLevel: 'low' })
        .entry('t2', 'thinking_level_change', {}),
      null,
      'off',
    ],
    [
      talk()
        .entry('t', 'thinking_level_change', { thinkingLevel: 'low' })
        .assistant('a1', '')
        .compaction('k', 'All.', 'a1'),
      { provider: 'anthropic', modelId: 'claude-sonnet-4-5' },
      'low',
    ],
  ])('are the newest ones of the path', async (log, model, thinkingLevel) => {
    expect((await at(log)).meta).toMatchObject({ model, thinkingLevel });
    expect((await at(log)).meta.model).toEqual(model);
  });
});

describe('the recorded usage', () => {
  const log = (): Log => new Log('u').user('u1', 'x').assistant('a1', 'y', USAGE);
  const remove = { op: 'messages_cached_replace', scope: 'cached', messages: [], invalidateCacheReason: 'x' };
  it.each<readonly [what: string, log: Log, usage: object | null]>([
    [
      'is that of the newest answer',
      log().assistant('a2', 'z', { usage: { totalTokens: 5 } }),
      { entryId: 'a2', tokens: 5, current: true },
    ],
    ['of the one before, where it has none', log().assistant('a2', 'z'), { entryId: 'a1', tokens: 77, current: true }],
    [
      'is old where something was edited since',
      log().edit('e1', 'u1', { content: 'z' }),
      { entryId: 'a1', tokens: 77, current: false },
    ],
    [
      'is old where the answer was edited',
      log().edit('e1', 'a1', { content: 'z' }),
      { entryId: 'a1', tokens: 77, current: false },
    ],
    [
      'is old where it was compacted since',
      log().compaction('k1', 'All.', 'u1'),
      { entryId: 'a1', tokens: 77, current: false },
    ],
    [
      'is old where a transform came since',
      log().transform('x1', 'own', [REPLACE]),
      { entryId: 'a1', tokens: 77, current: false },
    ],
    ['is none where the answer is no longer there', log().transform('x1', 'own', [remove]), null],
    [
      'is current where something was edited before',
      new Log('u').user('u1', 'x').edit('e1', 'u1', { content: 'z' }).assistant('a1', 'y', USAGE),
      { entryId: 'a1', tokens: 77, current: true },
    ],
  ])('%s', async (_what, session, usage) => {
    expect((await at(session)).meta.usage).toEqual(usage);
  });
});

describe('how a region is known', () => {
  const part = { op: 'system_part_set', scope: 'cached', partName: 'a', text: 'A', invalidateCacheReason: 'x' };
  const supply = { parts: [{ name: 'base', text: 'Base.' }], tools: [{ name: 'read' }] };
  it.each<readonly [what: string, log: Log, sources: object]>([
    ['recorded', new Log('s').message('s1', PROMPT), { system: 'recorded', tools: 'recorded' }],
    [
      'derived where it is changed',
      new Log('s').transform('x1', 'own', [part]),
      { system: 'derived', tools: 'unknown' },
    ],
    [
      'recorded where it is replaced',
      new Log('s').transform('x1', 'own', [REPLACE, part]),
      { system: 'derived', tools: 'recorded' },
    ],
    [
      'recorded, whatever is changed',
      new Log('s').message('s1', PROMPT).transform('x1', 'own', [part]),
      { system: 'recorded', tools: 'recorded' },
    ],
    [
      'unknown where the prompt was left out',
      new Log('s').message('s1', PROMPT).edit('e1', 's1', null),
      { system: 'unknown', tools: 'unknown' },
    ],
    [
      'unknown where a compaction has no checkpoint',
      new Log('s').message('s1', PROMPT).compaction('k1', 'All.', 's1'),
      { system: 'unknown', tools: 'unknown' },
    ],
    [
      'recorded in a checkpoint',
      new Log('s').compaction('k1', 'All.', 'u1', { systemMessage: PROMPT }),
      { system: 'recorded', tools: 'recorded' },
    ],
  ])('%s', async (_what, log, sources) => {
    expect((await at(log)).meta.sources).toMatchObject(sources);
    const supplied = Object.fromEntries(
      Object.entries(sources).map(([name, how]) => [name, how === 'unknown' ? 'supplied' : (how as string)]),
    );
    expect((await at(log, { baseline: supply })).meta.sources).toMatchObject(supplied);
  });

  it('says what an edit of a prompt does', async () => {
    const log = new Log('s').message('s1', PROMPT).edit('e1', 's1', null);
    expect((await at(log)).meta.edits).toMatchObject([{ effect: 'omit' }]);
    expect((await at(log)).system.compiled).toBe('');
    expect((await at(log, { baseline: supply })).system.compiled).toBe('Base.');
    log.edit('e2', 's1', { content: 'x' });
    expect((await at(log)).meta.edits).toMatchObject([{ effect: 'none' }, { effect: 'none' }]);
    expect((await at(log)).system.compiled).toBe('Be brief.');
  });
});

describe('along a path', () => {
  it('is what was shown after each entry, with what was noted so far', async () => {
    const log = new Log('along')
      .message('s1', PROMPT)
      .user('u1', 'x')
      .entry('x1', 'mystery', {})
      .edit('e1', 'u1', null);
    const seen = [];
    for (const { head, content, diagnostics } of eachEnvelope(await log.open()))
      seen.push([head.id, content.system.compiled, content.messages.cached.length, diagnostics.length]);
    expect(seen).toEqual([
      ['s1', 'Be brief.', 0, 0],
      ['u1', 'Be brief.', 1, 0],
      ['x1', 'Be brief.', 1, 1],
      ['e1', 'Be brief.', 0, 1],
    ]);
  });

  it('is the same to look at, message by message, where none is held', async () => {
    const log = new Log('look')
      .twoTurns()
      .edit('e1', 'u2', { content: 'twelve chars' })
      .entry('p1', 'ephemeral', { messages: [{ role: 'user', content: 'now' }] });
    const session = await log.open();
    const { messages, meta } = buildOverviewAt(session, 'HEAD', { ephemeral: true });
    expect([messages.cached.length, messages.uncached.length, meta.tokens.total]).toEqual([4, 1, 22]);
    const looked = [0, 1, 2, 3, 4].map((index) => messages.cached.at(index));
    expect(meta.composition.messages.map(({ tokensEstimated }) => tokensEstimated)).toEqual([7, 6, 3, 5, 1]);
    expect(looked.map((each) => [each?.from?.entryId, each?.from?.origin])).toEqual([
      ['u1', 'entry'],
      ['a1', 'entry'],
      ['u2', 'edit'],
      ['a2', 'entry'],
      [undefined, undefined],
    ]);
    expect(looked[2]?.message.content).toBe('twelve chars');
    expect(looked[1]?.message.content).toEqual([{ type: 'text', text: 'src/forecast.js does.' }]);
    expect(messages.uncached.at(0)).toMatchObject({ message: { content: 'now' }, from: { entryId: 'p1' } });
    expect(messages.uncached.at(1)).toBeUndefined();
  });
});
