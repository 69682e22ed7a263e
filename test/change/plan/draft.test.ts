import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { hashSource } from '#change/bytes/hash-source.js';
import { appendInMemory, buildDraft, buildPlan } from '#change/plan/draft.js';
import { buildIdSource } from '#change/plan/entry-stamps.js';
import { buildEntryChain, buildEphemeralEntries, buildPatchEntries } from '#change/plan/new-entries.js';
import { readMessages, readPatchOps } from '#change/plan/patch-input.js';
import { type Plan, readPlan } from '#change/plan/plan.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { readTail } from '../../../src/session/read-tail.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import {
  compaction,
  entry,
  type Entry,
  HEADER,
  lines,
  sessionOf,
  sourceOf,
  TALK,
  user,
} from '../../support/entries.js';
import { countedIds } from '../../support/memory-io.js';

const fresh = { now: () => Date.UTC(2026, 2, 1), newId: countedIds() };
const TIMESTAMP = '2026-03-01T00:00:00.000Z';
const DROP = { op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' };
const transform = (id: string, parentId: string, op: Entry): Entry =>
  entry('context_transform', id, parentId, { schemaVersion: 1, transformerName: 'test', patch: [op] });
const hashOf = (...entries: readonly Entry[]): string => {
  const session = sessionOf(...entries);
  return hashEnvelope(replayContext(attachPatchReader(session), session.tree.leaf));
};

describe('a plan', () => {
  it('says what the session is, what is appended, and what that makes of it', () => {
    const text = lines(HEADER, ...TALK);
    const session = readSession(sourceOf(text), 'session.jsonl');
    const added = user('u3', 'a2');
    const draft = buildDraft(session, [{ ...added, gone: undefined }]);
    const plan = buildPlan(draft, 'test');
    const sha256 = hashOf(...TALK, added);
    const { before, after } = draft;
    expect(plan).toEqual({
      schema: 'ctx/plan',
      schemaVersion: 1,
      command: 'test',
      session: {
        file: 'session.jsonl',
        id: 'the-session',
        size: text.length,
        sha256: createHash('sha256').update(text).digest('hex'),
        leafId: 'a2',
        endsWithNewline: true,
      },
      entries: [added],
      predicted: { sha256, stockSha256: sha256 },
      ignoredByStock: [],
      tokens: { before: before.meta.tokens, after: after.meta.tokens },
      size: { before: before.meta.size, after: after.meta.size },
    });
    expect(Object.keys(plan.entries[0]!)).not.toContain('gone');
    expect([hashEnvelope(before), hashEnvelope(after)]).toEqual([hashOf(...TALK), sha256]);
    expect(plan.tokens.after.total).toBeGreaterThan(plan.tokens.before.total);
  });

  it('that appends nothing makes nothing else of it', () => {
    const session = sessionOf(...TALK);
    const plan = buildPlan(buildDraft(session, []), 'test');
    expect(plan.predicted.sha256).toBe(hashOf(...TALK));
    expect(plan.tokens.after).toEqual(plan.tokens.before);
  });

  it('says what Pi will show, which knows no transforms', () => {
    const said = { op: 'messages_cached_replace', scope: 'cached', messages: [], invalidateCacheReason: 'x' };
    const compacted = {
      op: 'compaction_apply',
      scope: 'cached',
      summary: 'what happened',
      timestamp: 1,
      firstKeptMessageIndex: 2,
      invalidateCacheReason: 'x',
    };
    const twin = { ...transform('t1', 'a2', compacted), transformerName: 'compaction' };
    const cases: readonly [before: readonly Entry[], added: readonly Entry[], stock: readonly Entry[]][] = [
      [TALK, [transform('t1', 'a2', said)], TALK],
      [[...TALK, transform('t1', 'a2', said)], [user('u3', 't1')], [...TALK, user('u3', 'a2')]],
      [
        [...TALK, twin, compaction('k1', 't1', 'a2')],
        [user('u3', 'k1')],
        [...TALK, compaction('k1', 'a2', 'a2'), user('u3', 'k1')],
      ],
    ];
    for (const [before, added, stock] of cases) {
      const { predicted } = buildPlan(buildDraft(sessionOf(...before), added), 'test');
      expect(predicted).toEqual({ sha256: hashOf(...before, ...added), stockSha256: hashOf(...stock) });
      expect(predicted.sha256).not.toBe(predicted.stockSha256);
    }
  });

  it('of an empty session has no leaf', () => {
    const { session } = buildPlan(buildDraft(sessionOf(), [user('u1', null)]), 'test');
    expect(session).toMatchObject({ leafId: null, endsWithNewline: true });
  });

  it('puts a newline before its lines where there is none', () => {
    const text = lines(HEADER, ...TALK);
    for (const [content, first] of [
      [text, ''],
      [text.trimEnd(), '\n'],
    ] as const) {
      const session = readSession(sourceOf(content), 'session.jsonl');
      const plan = buildPlan(buildDraft(session, [user('u3', 'a2'), user('ü4', 'u3')]), 'test');
      expect(plan.session.endsWithNewline).toBe(first === '');
      expect(new TextDecoder().decode(encodeEntries(plan))).toBe(first + lines(user('u3', 'a2'), user('ü4', 'u3')));
    }
  });

  const unfit = (what: string, where: string): CtxError =>
    new CtxError('refused', what, { where, hint: 'repair the session first: ctx repair --output NEW.jsonl' });
  const old = (version: string): CtxError =>
    new CtxError('refused', `ctx cannot append to a session of version ${version}`, {
      where: 'session.jsonl',
      hint: 'convert it first: ctx migrate --output NEW.jsonl (Pi gives its entries new ids when it opens it)',
    });

  it.each<[string, string, CtxError]>([
    ['is of version 2', lines({ ...HEADER, version: 2 }, user('u1', null)), old('2')],
    ['is of version 1', lines({ ...HEADER, version: undefined }, user('u1', null)), old('1')],
    [
      'ends with an entry without an id',
      lines(HEADER, entry('custom', undefined, null)),
      unfit('the last entry has no id, so no entry can follow it', 'session.jsonl:2'),
    ],
    [
      'ends with an entry whose id is a number',
      lines(HEADER, user('u1', null), user(7, 'u1')),
      unfit('the last entry has no id, so no entry can follow it', 'session.jsonl:3'),
    ],
    [
      'ends with an entry whose id is empty',
      lines(HEADER, user('', null)),
      unfit('the last entry has no id, so no entry can follow it', 'session.jsonl:2'),
    ],
    [
      'ends in a circle',
      lines(HEADER, user('u1', 'u2'), user('u2', 'u1')),
      unfit('the parents of the last entry form a cycle', 'session.jsonl:2'),
    ],
  ])('is refused for a session that %s', (_, text, error) => {
    const session = readSession(sourceOf(text), 'session.jsonl');
    expect(() => buildPlan(buildDraft(session, []), 'test')).toThrow(error);
  });

  it('can be made for a session of a later version, with another circle, and with an orphan at its end', () => {
    for (const parts of [
      [{ ...HEADER, version: 4 }, user('u1', null)],
      [HEADER, user('x1', 'x2'), user('x2', 'x1'), user('u1', null)],
      [HEADER, user('u1', 'nobody')],
    ]) {
      const session = readSession(sourceOf(lines(...parts)), 'session.jsonl');
      expect(buildPlan(buildDraft(session, []), 'test').session.leafId).toBe('u1');
    }
  });
});

it('the hash of a source is that of all its bytes, however many pieces it is read in', () => {
  for (const size of [0, 1, (1 << 22) - 1, 1 << 22, (1 << 22) + 1, (1 << 23) + 5]) {
    const bytes = Buffer.alloc(size, 'not as long as a piece');
    expect(hashSource(toByteSource(bytes))).toBe(createHash('sha256').update(bytes).digest('hex'));
  }
});

describe('a session as it will be', () => {
  it('is what reading the longer file gives', () => {
    const added = [user('u3', 'a2'), entry('context_edit', 'e1', 'u3', { targetId: 'u1', replacement: null })];
    const session = sessionOf(...TALK);
    const longer = appendInMemory(session, added);
    const read = sessionOf(...TALK, ...added);
    expect(longer.tree.heads.length).toBe(6);
    for (const [one, other] of [...longer.tree.heads].map((head, at) => [head, read.tree.heads.at(at)!] as const)) {
      const { id, type, role, parentId, target, time, line } = one;
      expect({ id, type, role, parentId, target, time, line }).toEqual({
        id: other.id,
        type: other.type,
        role: other.role,
        parentId: other.parentId,
        target: other.target,
        time: other.time,
        line: other.line,
      });
      expect(longer.entry(one)).toEqual(read.entry(other));
    }
    expect(pathTo(longer.tree, longer.tree.leaf!).map(({ id }) => id)).toEqual(['u1', 'a1', 'u2', 'a2', 'u3', 'e1']);
    expect([session.tree.heads.length, session.tree.leaf?.id]).toEqual([4, 'a2']);
  });

  it('goes on behind the last line where only the end of a file was read', () => {
    const long = Array.from({ length: 30 }, (_, at) => user(`u${at}`, null, 'x'.repeat(100_000)));
    const tail = readTail(sourceOf(lines(HEADER, ...long)), 'session.jsonl', () => true);
    expect(tail.scan.isWhole).toBe(false);
    expect(appendInMemory(tail, [user('u30', 'u29')]).tree.leaf).toMatchObject({ id: 'u30', line: 32 });
  });

  it('counts lines from the last one, and from the header', () => {
    const gaps = appendInMemory(sessionOf(TALK[0]!, '', 'damaged', user('u2', 'u1')), [
      user('u3', 'u2'),
      user('u4', 'u3'),
    ]);
    expect([...gaps.tree.heads].map(({ line }) => line)).toEqual([2, 5, 6, 7]);
    expect([...appendInMemory(sessionOf(), [user('u1', null)]).tree.heads].map(({ line }) => line)).toEqual([2]);
  });
});

describe('new entries', () => {
  const at = (id: string, parentId: string | null): Entry => ({ id, parentId, timestamp: TIMESTAMP });

  it('stand one below the other, with their keys in the order of Pi', () => {
    const bodies = [
      { type: 'custom', data: 1 },
      { type: 'label', label: 'x' },
      { type: 'custom_message', content: 'x' },
    ];
    const made = buildEntryChain(sessionOf(), 'p', bodies, { ...fresh, newId: countedIds() });
    const expected = [
      { type: 'custom', data: 1, ...at('d0000001', 'p') },
      { type: 'label', ...at('d0000002', 'd0000001'), label: 'x' },
      { type: 'custom_message', content: 'x', ...at('d0000003', 'd0000002') },
    ];
    expect(JSON.stringify(made)).toBe(JSON.stringify(expected));
  });

  it('get unused ids, and longer ones after a hundred collisions', () => {
    const taken = sessionOf(user('a', null), user('b', 'a'));
    const ids = ['a', 'b', 'c', 'c', 'a', 'd'];
    const next = buildIdSource(taken, () => ids.shift()!);
    expect([next(), next()]).toEqual(['c', 'd']);
    let count = 0;
    const stubborn = buildIdSource(taken, () => {
      count += 1;
      return 'a';
    });
    expect(stubborn()).toBe('aa');
    expect(count).toBe(100 + 2);
  });

  it('are a transform at the leaf, or messages for one request', () => {
    const session = sessionOf(...TALK);
    const place = at('d0000001', 'a2');
    const fields = { schemaVersion: 1, transformerName: 'gate', patch: [DROP] };
    const made = (names: Entry): readonly unknown[] =>
      buildPatchEntries(session, [DROP], { name: 'gate', ...names, ...fresh, newId: countedIds() });
    const bare = { type: 'context_transform', ...place, ...fields };
    expect(made({})).toEqual([bare]);
    expect(made({ title: 'T' })).toEqual([{ ...bare, display: { title: 'T' } }]);
    expect(made({ summary: 'S' })).toEqual([{ ...bare, display: { summary: 'S' } }]);
    expect(Object.keys(made({})[0] as object)).not.toContain('display');
    expect(buildPatchEntries(sessionOf(), [DROP], { name: 'gate', ...fresh })).toMatchObject([{ parentId: null }]);
    expect(buildEphemeralEntries(sessionOf(), [], fresh)).toMatchObject([{ type: 'ephemeral', parentId: null }]);
    const messages = [{ role: 'user', content: 'x' }] as const;
    expect(buildEphemeralEntries(session, messages, { ...fresh, newId: countedIds() })).toEqual([
      { type: 'ephemeral', ...place, messages },
    ]);
  });

  it.each<[string, Entry, string, string]>([
    ['is unknown', { ...DROP, op: 'forget' }, 'unknown op ("forget")', 'rule: unknown-op'],
    [
      'is for one request',
      { ...DROP, scope: 'uncached' },
      'tools_remove has scope "uncached"; only "cached" is persisted',
      'rule: scope; log messages for one request with --ephemeral',
    ],
  ])('are not made of an op that %s', (_, op, message, hint) => {
    expect(() => buildPatchEntries(sessionOf(), [DROP, op], { name: 'x', ...fresh })).toThrow(
      new CtxError('input', message, { where: 'op 1', hint }),
    );
  });
});

describe('a file of the user', () => {
  it.each([
    [[DROP], [DROP]],
    [[], []],
    [DROP, [DROP]],
    [{ patch: [DROP, DROP] }, [DROP, DROP]],
    [{ patch: 'x' }, null],
    [{ patch: null }, [{ patch: null }]],
    [[DROP, 1], null],
    ['x', null],
    [null, null],
  ])('as a patch: %j', (value, ops) => {
    expect(readPatchOps(value)).toEqual(ops);
  });

  const USER = { role: 'user', content: 'x' };
  it.each<[unknown, unknown]>([
    [[USER], [USER]],
    [USER, [USER]],
    [[], []],
    [
      [{ role: 'assistant', content: [] }, { role: 'toolResult' }],
      [{ role: 'assistant', content: [] }, { role: 'toolResult' }],
    ],
    [{ op: 'messages_uncached_append', messages: [USER, USER] }, [USER, USER]],
    [
      [{ messages: [USER] }, USER],
      [USER, USER],
    ],
    [{ messages: 'x' }, null],
    [[USER, { role: 'system' }], null],
    [[USER, 'x'], null],
    ['x', null],
    [null, null],
  ])('as messages: %j', (value, messages) => {
    expect(readMessages(value)).toEqual(messages);
  });
});

describe('a saved plan', () => {
  const plan: Plan = JSON.parse(JSON.stringify(buildPlan(buildDraft(sessionOf(...TALK), [user('u3', 'a2')]), 'test')));
  const [first] = plan.entries;

  it('is read as it was written', () => {
    expect(readPlan(plan, 'plan.json')).toBe(plan);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['another schema', { ...plan, schema: 'ctx/show' }],
    ['another version', { ...plan, schemaVersion: 2 }],
    ['no command', { ...plan, command: undefined }],
    ['no session', { ...plan, session: undefined }],
    ['a short hash', { ...plan, session: { ...plan.session, sha256: plan.session.sha256.slice(1) } }],
    ['a long hash', { ...plan, session: { ...plan.session, sha256: `${plan.session.sha256}0` } }],
    ['a hash with something before it', { ...plan, session: { ...plan.session, sha256: `x${plan.session.sha256}` } }],
    ['a hash in capitals', { ...plan, predicted: { ...plan.predicted, sha256: 'A'.repeat(64) } }],
    ['a size below nothing', { ...plan, session: { ...plan.session, size: -1 } }],
    ['half a byte', { ...plan, session: { ...plan.session, size: 0.5 } }],
    ['a leaf that is a number', { ...plan, session: { ...plan.session, leafId: 1 } }],
    ['an entry without an id', { ...plan, entries: [{ ...first, id: '' }] }],
    ['an entry without a parent', { ...plan, entries: [{ ...first, parentId: undefined }] }],
    ['an entry without a time', { ...plan, entries: [{ ...first, timestamp: 1 }] }],
    ['no tokens', { ...plan, tokens: {} }],
  ])('is none with %s', (_, value) => {
    expect(() => readPlan(value, 'plan.json')).toThrow(/^not a plan: /);
  });

  it('says where it stands and what to do', () => {
    expect(() => readPlan({ ...plan, schema: 'x' }, 'plan.json')).toThrow(
      new CtxError('input', 'not a plan: schema must be "ctx/plan"', {
        where: 'plan.json',
        hint: 'pass a file that --plan wrote',
      }),
    );
  });
});
