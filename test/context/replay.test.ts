import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { envelopeAt, type EnvelopeAtOptions } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import { Log } from '../fixtures/log.js';
import { projectFolder } from '../support/files.js';

async function at(session: string | Log, revision = 'HEAD', options: EnvelopeAtOptions = {}): Promise<ContextEnvelope> {
  const bytes =
    typeof session === 'string'
      ? readFileSync(path.join(projectFolder, 'fixtures', session))
      : new TextEncoder().encode(session.text());
  return envelopeAt(await openSession(bytes), revision, options);
}

/** The messages as `entry origin`. */
function sources({ meta }: ContextEnvelope): readonly string[] {
  return meta.provenance.map(({ entryId, origin }) => (origin === 'entry' ? `${entryId}` : `${entryId} ${origin}`));
}

describe('stock sessions', () => {
  it('show the newest compaction first, then what it keeps, also what an older one dropped', async () => {
    const envelope = await at('two-compactions.jsonl');
    expect(sources(envelope)).toEqual(['k2 compaction', 'a1', 'u2', 'a2', 'u3', 'a3', 'u4']);
    expect(envelope.meta.compactions.map(({ entryId }) => entryId)).toEqual(['k1', 'k2']);
  });

  it.each([
    ['retain-none.jsonl', ['k1 compaction', 'u3']],
    ['keeps-from-metadata.jsonl', ['k1 compaction', 'u2']],
    ['keeps-from-nowhere.jsonl', ['k1 compaction', 'u4']],
    ['several-roots.jsonl', ['r1', 'r2']],
    ['branches.jsonl', ['u1', 'a1', 'b1', 'u4']],
    ['user-like.jsonl', ['x1', 'c1', 'u1']],
  ])('%s', async (fixture, expected) => {
    expect(sources(await at(fixture))).toEqual(expected);
  });

  it('let the newest edit of an entry win, and leave out what it edits to null', async () => {
    const envelope = await at('edits.jsonl');
    expect(sources(envelope)).toEqual(['u1', 't1', 't1r edit', 'a1', 'u3']);
    expect(envelope.meta.edits.map(({ entryId, effect }) => `${entryId} ${effect}`)).toEqual([
      'e1 replace',
      'e2 none',
      'e3 omit',
    ]);
    expect(envelope.meta.provenance[2]).toMatchObject({ editId: 'e1' });
  });

  it('do not select an edit that stands above the kept range', async () => {
    const envelope = await at('edits-and-compaction.jsonl');
    expect(envelope.messages.cached.map(readSearchableText).slice(1)).toEqual([
      'It is src/forecast.js.',
      'In which zone?',
    ]);
  });

  it('begin with a checkpoint of the prompt, and drop system messages of the kept range', async () => {
    const { system, tools } = await at('checkpoint.jsonl');
    expect(system.parts.map(({ name }) => name)).toEqual(['preamble', 'plan']);
    expect(tools.map(({ name }) => name)).toEqual(['read']);
    const before = await at('checkpoint.jsonl', 'a2');
    expect(before.system.compiled).toBe('You are a coding agent.\n\n<rules>Be brief.</rules>');
  });

  it('count turns, requests, and say what a provider recorded', async () => {
    const { meta } = await at('weather.jsonl', 'fixed');
    expect(meta).toMatchObject({ turnIndex: 1, requestIndex: 5, usage: { entryId: 'c729368e', current: true } });
    expect((await at('weather.jsonl')).meta.usage).toMatchObject({ current: false });
  });
});

describe('a compaction that is written twice', () => {
  it('works once', async () => {
    const envelope = await at('mixed/dual-written.jsonl');
    expect(sources(envelope)).toEqual(['x1 compaction', 'u2', 'a2', 'u3']);
    expect(envelope.meta.compactions).toMatchObject([{ entryId: 'k1', shadowed: true }]);
  });

  it('gives back what it dropped to a later stock compaction, and takes its summary away', async () => {
    expect(sources(await at('mixed/dropped-comes-back.jsonl'))).toEqual(['k2 compaction', 'a1', 'u2', 'a2', 'u3']);
  });
});

describe('a stock compaction below a transform', () => {
  it('keeps messages in their current form and order, and not those that the transform removed', async () => {
    expect(sources(await at('mixed/compaction-after-transform.jsonl'))).toEqual([
      'k1 compaction',
      'u2',
      'x1 transform',
      'u3',
      'u4',
    ]);
  });

  it('keeps what a bare compaction_apply dropped away, and keeps its summary', async () => {
    const apply = {
      op: 'compaction_apply',
      scope: 'cached',
      summary: 'S',
      timestamp: 0,
      firstKeptMessageIndex: 2,
      invalidateCacheReason: 'x',
    };
    const log = new Log('bare')
      .twoTurns()
      .transform('x1', 'own', [apply])
      .user('u3', 'Go on.')
      .compaction('k1', 'T', 'u1');
    expect(sources(await at(log))).toEqual(['k1 compaction', 'x1 compaction', 'u2', 'a2', 'u3']);
  });

  it('leaves system parts, tools and options of the transform in force on top of its checkpoint', async () => {
    const patch = [
      { op: 'system_part_set', scope: 'cached', partName: 'preamble', text: 'Changed.', invalidateCacheReason: 'x' },
      { op: 'options_set', scope: 'cached', reasoning: 'low', invalidateCacheReason: 'x' },
    ];
    const sections = { preamble: 'Stock.', rules: 'Rules.' };
    const system = { role: 'system', content: '', sections, timestamp: 0 };
    const log = new Log('parts')
      .message('s1', system)
      .twoTurns()
      .transform('x1', 'parts', patch)
      .compaction('k1', 'T', 'u2', { systemMessage: system });
    expect(await at(log)).toMatchObject({ system: { compiled: 'Changed.\n\nRules.' }, options: { reasoning: 'low' } });
  });
});

describe('what transforms and system messages declare', () => {
  const op = (name: string, fields: Record<string, unknown>): Record<string, unknown> => ({
    op: name,
    scope: 'cached',
    invalidateCacheReason: 'x',
    ...fields,
  });
  const tools = (...names: readonly string[]): Record<string, unknown>[] => names.map((name) => ({ name }));

  it('stays as it is where a compaction only restates it', async () => {
    const log = new Log('restated')
      .message('s1', { role: 'system', content: '', sections: { rules: 'R1' }, toolsAdded: tools('read', 'bash') })
      .user('u1', 'x')
      .transform('x1', 't', [
        op('system_part_set', { partName: 'rules', text: 'X' }),
        op('tools_remove', { toolNames: ['bash'] }),
      ])
      .message('s2', { role: 'system', content: '', sections: { rules: 'R2' }, toolsAdded: tools('bash') })
      .user('u2', 'y')
      .compaction('k1', 'S', 'u2', {
        systemMessage: { role: 'system', content: '', sections: { rules: 'R2' }, toolsAdded: tools('read', 'bash') },
      });
    const [before, after] = [await at(log, 'u2'), await at(log)];
    expect(after.system).toEqual(before.system);
    expect(after.tools).toEqual(before.tools);
  });

  it('puts a blank line before a stock section also where it replaces a part of a transform', async () => {
    const log = new Log('glue')
      .message('s1', { role: 'system', content: '', sections: { preamble: 'One.' } })
      .transform('x1', 't', [op('system_part_set', { partName: 'plan', text: 'Two.' })])
      .message('s2', { role: 'system', content: '', sections: { plan: 'Three.' } });
    expect((await at(log)).system.compiled).toBe('One.\n\nThree.');
  });

  it('counts tools as recorded that were declared above a compaction', async () => {
    const log = new Log('recorded')
      .message('s1', { role: 'system', content: '', toolsAdded: tools('read') })
      .user('u1', 'x')
      .transform('x1', 't', [op('tools_replace', { tools: tools('read', 'deploy') })])
      .user('u2', 'y')
      .compaction('k1', 'S', 'u2');
    expect((await at(log)).meta.toolsWithoutImplementation).toEqual(['deploy']);
  });
});

describe('a transform that brings back what a compaction set aside', () => {
  it('gives it back to its entry, so that it is there once', async () => {
    const log = new Log('restore').twoTurns().compaction('k1', 'S', 'u2');
    const all = (await at(log, 'a2')).messages.cached;
    const restore = { op: 'messages_cached_replace', scope: 'cached', messages: all, invalidateCacheReason: 'restore' };
    log.transform('x1', 'restore', [restore]);
    expect(sources(await at(log))).toEqual(['u1', 'a1', 'u2', 'a2']);
    log.user('u3', 'z').compaction('k2', 'T', 'u1');
    expect(sources(await at(log))).toEqual(['k2 compaction', 'u1', 'a1', 'u2', 'a2', 'u3']);
  });

  it('gives it back also as an edit has left it since', async () => {
    const log = new Log('edited').twoTurns().compaction('k1', 'S', 'u2').edit('e1', 'u1', { content: 'edited' });
    const kept = (await at(log, 'a2')).messages.cached.slice(1);
    const all = [{ ...(await at(log, 'u1')).messages.cached[0], content: 'edited' }, ...kept];
    const restore = { op: 'messages_cached_replace', scope: 'cached', messages: all, invalidateCacheReason: 'restore' };
    log.transform('x1', 'restore', [restore]);
    expect(sources(await at(log))).toEqual(['u1 edit', 'a1', 'u2', 'a2']);
  });
});

describe('an edit around a transform', () => {
  const replace = (messages: readonly unknown[]): Record<string, unknown> => ({
    op: 'messages_cached_replace',
    scope: 'cached',
    messages,
    invalidateCacheReason: 'x',
  });

  it('still finds a message that the transform kept', async () => {
    const envelope = await at('mixed/edit-after-transform.jsonl');
    expect(envelope.messages.cached.map(readSearchableText)[0]).toBe('Which file?');
  });

  it('does not touch what the transform put in its place', async () => {
    const log = new Log('replaced')
      .user('u1', 'secret')
      .transform('x1', 'redact', [replace([{ role: 'user', content: '***', timestamp: 0 }])])
      .edit('e1', 'u1', { content: 'secret again' });
    const envelope = await at(log);
    expect(envelope.messages.cached.map(readSearchableText)).toEqual(['***']);
    expect(envelope.meta.edits).toMatchObject([{ effect: 'none' }]);
  });

  it('can bring back a message that was left out when the transform ran, at its place', async () => {
    const log = new Log('hidden').user('u1', 'one').user('u2', 'two').edit('e1', 'u2', null);
    const kept = (await at(log)).messages.cached;
    log
      .transform('x1', 'marker', [replace([...kept, { role: 'user', content: 'marker', timestamp: 0 }])])
      .edit('e2', 'u2', { content: 'two again' });
    expect((await at(log)).messages.cached.map(readSearchableText)).toEqual(['one', 'two again', 'marker']);
  });
});

describe('an edit above what a compaction keeps', () => {
  it('is listed, and has no effect', async () => {
    const log = new Log('above').twoTurns().edit('e1', 'u1', null).user('u3', 'x').compaction('k1', 'S', 'u3');
    expect((await at(log)).meta.edits).toMatchObject([{ entryId: 'e1', effect: 'none' }]);
  });
});

describe('an edit that changes nothing', () => {
  it('says so', async () => {
    const log = new Log('none')
      .message('s1', { role: 'system', content: 'A' })
      .message('x1', { role: 'bashExecution', command: 'ls', output: '' })
      .edit('e1', 'x1', { content: 'B' })
      .edit('e2', 's1', { content: 'B' });
    expect((await at(log)).meta.edits.map(({ effect }) => effect)).toEqual(['none', 'none']);
  });

  it('still takes the place of an earlier one', async () => {
    const log = new Log('place')
      .message('x1', { role: 'bashExecution', command: 'ls', output: '' })
      .edit('e1', 'x1', null);
    expect(sources(await at(log))).toEqual([]);
    expect(sources(await at(log.edit('e2', 'x1', undefined)))).toEqual(['x1']);
  });
});

describe('what a session does not record', () => {
  const baseline = {
    parts: [{ name: 'base', text: 'Base.' }],
    tools: [{ name: 'read' }],
    options: { temperature: 0 },
    limit: 1000,
  };

  it('is unknown and empty, unless a baseline supplies it', async () => {
    expect((await at('branches.jsonl')).meta.sources).toEqual({
      system: 'unknown',
      tools: 'unknown',
      options: 'unknown',
      limit: 'unknown',
    });
    const supplied = await at('branches.jsonl', 'HEAD', { baseline });
    expect(supplied).toMatchObject({
      system: { compiled: 'Base.' },
      tools: [{ name: 'read' }],
      options: { temperature: 0 },
      meta: { limit: 1000 },
    });
    expect(supplied.meta.sources).toEqual({
      system: 'supplied',
      tools: 'supplied',
      options: 'supplied',
      limit: 'supplied',
    });
  });

  it('gives way to what is recorded', async () => {
    const { system, meta } = await at('system-messages.jsonl', 'HEAD', { baseline, limit: 5 });
    expect(system.compiled).not.toContain('Base.');
    expect(meta).toMatchObject({ limit: 5, sources: { system: 'recorded', tools: 'recorded', options: 'supplied' } });
  });

  it('is derived where transforms change it', async () => {
    expect((await at('ops/options_set.jsonl')).meta.sources.options).toBe('derived');
    expect((await at('ops/system_parts_replace.jsonl')).meta.sources.system).toBe('recorded');
  });
});

describe('ephemeral messages', () => {
  it('are never replayed, and shown for their request when asked for', async () => {
    const fixture = 'ops/messages_uncached_append.jsonl';
    expect(await at(fixture)).toMatchObject({ messages: { uncached: [] }, meta: { ephemeralMessages: 1 } });
    const shown = await at(fixture, 'HEAD', { ephemeral: true });
    expect(shown.messages.uncached.map(readSearchableText)).toEqual(['The build is red right now.']);
    expect(sources(shown).at(-1)).toBe('p1');
  });

  it('are those of the newest request, without what is no message', async () => {
    const logged = (text: string): unknown => ({ messages: [{ role: 'user', content: text }, { role: 'mystery' }] });
    const log = new Log('two')
      .user('u1', 'x')
      .entry('p1', 'ephemeral', logged('first') as Record<string, unknown>)
      .user('u2', 'y')
      .entry('p2', 'ephemeral', logged('second') as Record<string, unknown>);
    const { messages } = await at(log, 'HEAD', { ephemeral: true });
    expect(messages.uncached.map(readSearchableText)).toEqual(['second']);
    expect((await at(log, 'u2', { ephemeral: true })).messages.uncached).toEqual([]);
  });

  it('stay with their request below an edit, which is no message', async () => {
    const log = new Log('edited')
      .user('u1', 'x')
      .entry('p1', 'ephemeral', { messages: [{ role: 'user', content: 'now' }] })
      .edit('e1', 'u1', { content: 'y' });
    expect((await at(log)).meta.ephemeralMessages).toBe(1);
  });

  it('belong to one request', async () => {
    const log = new Log('one')
      .user('u1', 'x')
      .entry('p1', 'ephemeral', { messages: [{ role: 'user', content: 'now' }] })
      .assistant('a1', 'y')
      .user('u2', 'z');
    expect((await at(log, 'HEAD', { ephemeral: true })).messages.uncached).toEqual([]);
  });
});

describe('a transform that breaks a rule', () => {
  it.each(['schema-version', 'unknown-op', 'scope', 'reason', 'fields'])(
    '%s ends the replay, or is skipped',
    async (rule) => {
      const failure = await at(`rules/${rule}.jsonl`).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(CtxError);
      expect((failure as CtxError).where).toMatch(new RegExp(`:\\d+: entry x1, op 0, rule ${rule}$`));
      const { meta } = await at(`rules/${rule}.jsonl`, 'HEAD', { lenient: true });
      expect(meta.diagnostics.map(({ code }) => code)).toContain(`patch-${rule}`);
    },
  );

  it('above the entry that is asked for does no harm below it', async () => {
    expect(sources(await at('rules/reason.jsonl', 'x1^'))).toEqual(['u1', 'a1', 'u2', 'a2']);
  });
});

describe('tools without an implementation', () => {
  it('are no part of what is counted', async () => {
    const all = await at('ops/tools_replace.jsonl', 'HEAD', { implementations: ['grep'] });
    const recorded = await at('ops/tools_replace.jsonl');
    expect(recorded.tools).toEqual(all.tools);
    expect(all.meta.tokens.tools).toBeGreaterThan(0);
    expect(recorded.meta.tokens.tools).toBe(0);
    const { tools, system, cached, uncached, total } = recorded.meta.tokens;
    expect(tools + system + cached + uncached).toBe(total);
  });

  it('are those that the session never declared, or that a list leaves out', async () => {
    expect((await at('ops/tools_replace.jsonl')).meta.toolsWithoutImplementation).toEqual(['grep']);
    expect((await at('ops/tools_remove.jsonl')).meta.toolsWithoutImplementation).toEqual([]);
    const listed = await at('ops/tools_remove.jsonl', 'HEAD', { implementations: [] });
    expect(listed.meta.toolsWithoutImplementation).toEqual(['read']);
    expect(listed.meta.diagnostics.map(({ code }) => code)).toContain('no-implementation');
  });

  it('are not those that the checkpoint of a compaction declares, also where a transform is in force instead', async () => {
    const tools = ['read', 'grep'].map((name) => ({ name, description: 'A tool', parameters: {} }));
    const transform = (name: string, op: object) => ['x-' + name, name, [{ scope: 'cached', ...op }]] as const;
    const declared = new Log('dual')
      .message('s1', { role: 'system', content: '', toolsAdded: tools.slice(0, 1) })
      .twoTurns()
      .transform(...transform('swap', { op: 'tools_replace', tools, invalidateCacheReason: 'tools' }))
      .transform(
        ...transform('compaction', {
          op: 'compaction_apply',
          summary: 'They are local.',
          firstKeptMessageIndex: 2,
          tokensBefore: 9,
          timestamp: 1,
          invalidateCacheReason: 'compaction',
        }),
      );
    expect((await at(declared)).meta.toolsWithoutImplementation).toEqual(['grep']);
    declared.compaction('k1', 'They are local.', 'u2', { systemMessage: { role: 'system', toolsAdded: tools } });
    const { meta } = await at(declared);
    expect(meta.compactions).toMatchObject([{ entryId: 'k1', shadowed: true }]);
    expect(meta.toolsWithoutImplementation).toEqual([]);
  });
});
