import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import type { Session } from '#session/session.js';
import { resolveRange, resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { activePath, assistant, compaction, entry, type Entry, label, sessionOf, user } from '../../support/entries.js';

function transform(id: string, parentId: string, transformerName: string, patch: readonly Entry[] = []): Entry {
  return entry('context_transform', id, parentId, { schemaVersion: 1, transformerName, patch });
}

/**
 * Two turns, a compaction and a third turn that took two requests, with an abandoned branch beside it.
 * The leaf is a label.
 */
const SESSION = sessionOf(
  user('a1b2c3d4', null),
  assistant('a1b2ffff', 'a1b2c3d4'),
  user('c0ffee00', 'a1b2ffff'),
  assistant('deadbeef', 'c0ffee00'),
  user('aban0001', 'deadbeef'),
  assistant('aban0002', 'aban0001'),
  compaction('badcab1e', 'deadbeef', 'c0ffee00'),
  user('f00df00d', 'badcab1e'),
  assistant('facade00', 'f00df00d'),
  entry('message', 'cab00d1e', 'facade00', { message: { role: 'toolResult', content: [] } }),
  assistant('decade00', 'cab00d1e'),
  label('1abe1000', 'decade00', 'c0ffee00', 'the question'),
  label('1abe1001', '1abe1000', 'deadbeef', 'answered'),
);

function idAt(session: Session, revision: string): unknown {
  const head = resolveRevision(session, revision);
  return head === null ? null : head.id;
}

function refusal(session: Session, revision: string): CtxError {
  try {
    resolveRevision(session, revision);
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error(`"${revision}" was resolved`);
}

describe('a revision', () => {
  it.each([
    ['HEAD', '1abe1001'],
    ['@', '1abe1001'],
    ['deadbeef', 'deadbeef'],
    ['dead', 'deadbeef'],
    ['aban0002', 'aban0002'],
    ['a1b2f', 'a1b2ffff'],
    ['the question', 'c0ffee00'],
    ['answered', 'deadbeef'],
    ['HEAD~0', '1abe1001'],
    ['HEAD~', '1abe1000'],
    ['HEAD~1', '1abe1000'],
    ['HEAD^', '1abe1000'],
    ['@^', '1abe1000'],
    ['HEAD~2', 'decade00'],
    ['HEAD^^', 'decade00'],
    ['HEAD~1^', 'decade00'],
    ['HEAD^~3~', 'f00df00d'],
    ['HEAD~10', 'a1b2c3d4'],
    ['HEAD~010', 'a1b2c3d4'],
    ['facade00~2', 'badcab1e'],
    ['faca~2', 'badcab1e'],
    ['aban0001^', 'deadbeef'],
    ['the question~1', 'a1b2ffff'],
    ['@{turn:1}', 'a1b2c3d4'],
    ['@{turn:2}', 'c0ffee00'],
    ['@{turn:3}', 'f00df00d'],
    ['@{turn:-1}', 'f00df00d'],
    ['@{turn:-3}', 'a1b2c3d4'],
    ['@{turn:2}^', 'a1b2ffff'],
    ['@{request:1}', 'a1b2c3d4'],
    ['@{request:2}', 'c0ffee00'],
    ['@{request:3}', 'f00df00d'],
    ['@{request:4}', 'cab00d1e'],
    ['@{request:-1}', 'cab00d1e'],
    ['@{request:-4}', 'a1b2c3d4'],
    ['@{request:4}~1', 'facade00'],
    ['@{compaction}', 'badcab1e'],
    ['@{compaction}~1', 'deadbeef'],
  ])('%s names an entry', (revision, id) => {
    expect(idAt(SESSION, revision)).toBe(id);
  });

  it.each<[name: string, entries: readonly Entry[], revision: string, id: unknown]>([
    ['the leaf is null in an empty session', [], 'HEAD', null],
    ['a request without a parent was built before the first entry', [assistant('a1', null)], '@{request:1}', null],
    ['a whole id may be short', [user('u', null)], 'u', 'u'],
    ['a whole id is no prefix', [user('abcd', null), user('abcdef', 'abcd')], 'abcd', 'abcd'],
    ['an id goes before a label', [user('u1', null), label('l1', 'u1', 'l1', 'u1')], 'u1', 'u1'],
    ['HEAD goes before a label', [user('u1', null), label('l1', 'u1', 'u1', 'HEAD')], 'HEAD', 'l1'],
    ['a label may look like steps', [user('u1', null), label('l1', 'u1', 'u1', 'HEAD~1^')], 'HEAD~1^', 'u1'],
    [
      'a label may look like a turn',
      [user('u1', null), assistant('a1', 'u1'), label('l1', 'a1', 'a1', '@{turn:1}')],
      '@{turn:1}',
      'a1',
    ],
    [
      'a label may be any text',
      [user('u1', null), label('l1', 'u1', 'u1', 'naïve\n🙂 (x) ~ .*')],
      'naïve\n🙂 (x) ~ .*',
      'u1',
    ],
    [
      'a label on many lines can be stepped from',
      [user('u1', null), assistant('a1', 'u1'), label('l1', 'a1', 'a1', 'x\ny')],
      'x\ny^',
      'u1',
    ],
    [
      'a cleared label is none, so an id is meant',
      [user('u1', null), label('x000', 'u1', 'u1', 'x0'), label('x001', 'x000', 'u1', '')],
      'x001',
      'x001',
    ],
    ['a repeated id is its last entry', [user('dup1', null), user('dup1', null)], 'dup1', 'dup1'],
    ['a custom_message starts a turn', [entry('custom_message', 'c1', null), user('u1', 'c1')], '@{turn:1}', 'c1'],
  ])('%s', (_rule, entries, revision, id) => {
    expect(idAt(sessionOf(...entries), revision)).toBe(id);
  });

  it.each<[name: string, entries: readonly Entry[], id: string]>([
    [
      'the last of several compactions',
      [user('u1', null), compaction('k1', 'u1', 'u1'), compaction('k2', 'k1', 'u1')],
      'k2',
    ],
    ['a transform named compaction', [user('u1', null), transform('t1', 'u1', 'compaction'), user('u2', 't1')], 't1'],
    [
      'the transform of one that was written twice, so that its parent is what was compacted',
      [user('u1', null), transform('t1', 'u1', 'compaction'), compaction('k1', 't1', 'u1')],
      't1',
    ],
    [
      'a transform of another name that compacts',
      [user('u1', null), compaction('k1', 'u1', 'u1'), transform('t1', 'k1', 'tidy', [{ op: 'compaction_apply' }])],
      't1',
    ],
    [
      'the compaction after it, which repeats only one named compaction',
      [user('u1', null), transform('t1', 'u1', 'tidy', [{ op: 'compaction_apply' }]), compaction('k1', 't1', 'u1')],
      'k1',
    ],
    [
      'no transform of another name without a compaction',
      [user('u1', null), compaction('k1', 'u1', 'u1'), transform('t1', 'k1', 'prune')],
      'k1',
    ],
    [
      'none on another branch',
      [user('u1', null), compaction('k1', 'u1', 'u1'), compaction('k2', 'u1', 'u1'), user('u2', 'k1')],
      'k1',
    ],
  ])('@{compaction} names %s', (_rule, entries, id) => {
    expect(idAt(sessionOf(...entries), '@{compaction}')).toBe(id);
  });

  it('HEAD~N is the Nth entry above, as far as the root, and then an error', () => {
    const parents = fc.array(fc.nat(), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(parents, (numbers) => {
        const entries = numbers.map((number, at) =>
          entry('custom', `e${at}`, at === 0 || number % 7 === 0 ? null : `e${number % at}`),
        );
        const session = sessionOf(...entries);
        const path = activePath(session).toReversed();
        for (const [steps, id] of path.entries()) expect(idAt(session, `HEAD~${steps}`)).toBe(id);
        expect(refusal(session, `HEAD~${path.length}`).kind).toBe('usage');
      }),
    );
  });
});

describe('a revision that makes no sense', () => {
  it.each([
    ['', 'no label or id, and a prefix needs 4 characters'],
    ['dea', 'no label or id, and a prefix needs 4 characters'],
    ['DEADBEEF', 'no entry has this id or label'],
    ['eadbeef', 'no entry has this id or label'],
    ['the', 'no label or id, and a prefix needs 4 characters'],
    ['the ques', 'no entry has this id or label'],
    ['~1', 'no label or id, and a prefix needs 4 characters'],
    ['HEAD~-1', 'no entry has this id or label'],
    ['HEAD@{1}', 'no entry has this id or label'],
    ['HEAD~11', '1abe1001 has only 10 ancestors'],
    ['HEAD~99999999999999999999', '1abe1001 has only 10 ancestors'],
    ['a1b2c3d4^', 'a1b2c3d4 has only 0 ancestors'],
    ['@{turn:0}', 'the active path has 3 turns, counted from 1'],
    ['@{turn:4}', 'the active path has 3 turns, counted from 1'],
    ['@{turn:-4}', 'the active path has 3 turns, counted from 1'],
    ['@{turn:-0}', 'the active path has 3 turns, counted from 1'],
    ['@{request:5}', 'the active path has 4 requests, counted from 1'],
    ['@{request:0}', 'the active path has 4 requests, counted from 1'],
    ['@{turn}', 'write @{turn:N}; negative numbers count from the end'],
    ['@{request}', 'write @{request:N}; negative numbers count from the end'],
    ['@{compaction:1}', 'write @{compaction} for the latest one'],
    ['@{turn:1.5}', 'no entry has this id or label'],
    ['@{turn:+1}', 'no entry has this id or label'],
    ['@{yesterday}', 'no entry has this id or label'],
  ])('%j is refused with a reason and with what to try', (revision, why) => {
    const { kind, message, where, hint } = refusal(SESSION, revision);
    expect({ kind, message, where }).toEqual({ kind: 'usage', message: `no revision "${revision}"`, where: why });
    expect(hint).toBe(
      revision === '@{yesterday}'
        ? 'try HEAD, @{turn:N}, @{request:N}, @{compaction}, "the question", "answered", decade00, 1abe1000'
        : 'try HEAD, "the question", "answered", decade00, 1abe1000, 1abe1001',
    );
  });

  it.each([
    ['head', 'HEAD'],
    ['HAED~2', 'HEAD~2'],
    ['HEAD~x', 'HEAD'],
    ['anwsered^', 'answered^'],
    ['the qestion', 'the question'],
    ['@{Turn:1}', '@{turn:1}'],
    ['@{tunr:-2}~3', '@{turn:-2}~3'],
    ['{request:2}', '@{request:2}'],
    ['@{request2}', '@{request:2}'],
    ['request:2', '@{request:2}'],
    ['turn 9~2', '@{turn:9}~2'],
    ['Turn:1', '@{turn:1}'],
    ['@{compation}', '@{compaction}'],
  ])('%j most likely means %j', (revision, meant) => {
    expect(refusal(SESSION, revision).hint).toBe(`did you mean "${meant}"?`);
  });

  it.each(['2', '-1'])('%j may count requests or turns', (number) => {
    expect(refusal(SESSION, number).hint).toBe(`did you mean "@{request:${number}}" or "@{turn:${number}}"?`);
  });

  it.each([
    ['HEAD~1', 'it has only 0 ancestors'],
    ['@{turn:1}', 'the active path has 0 turns, counted from 1'],
    ['@{compaction}', 'the active path has no compaction'],
  ])('%s is refused in an empty session', (revision, why) => {
    expect(refusal(sessionOf(), revision)).toMatchObject({ kind: 'usage', where: why, hint: 'try HEAD' });
  });

  it('is a prefix of several ids, which are listed with their lines', () => {
    expect(refusal(SESSION, 'a1b2')).toMatchObject({
      kind: 'usage',
      message: 'revision "a1b2" is ambiguous',
      where: '2 ids',
      hint: 'use one of a1b2c3d4 (line 2), a1b2ffff (line 3)',
    });
  });

  it('is a prefix of more ids than anybody wants to read', () => {
    const many = Array.from({ length: 20 }, (_, at) => user(`same-${at}`, null));
    const { where, hint } = refusal(sessionOf(...many), 'same-');
    expect(where).toBe('20 ids');
    expect(hint).toMatch(/^use one of (same-\d \(line \d\), ){7}same-7 \(line 9\), and 12 more$/);
  });

  it('is a label that stands at several entries', () => {
    const session = sessionOf(
      user('u1', null),
      user('u2', 'u1'),
      label('l1', 'u2', 'u1', 'x'),
      label('l2', 'l1', 'u2', 'x'),
    );
    expect(refusal(session, 'x^')).toMatchObject({
      kind: 'usage',
      where: '2 labels',
      hint: 'use one of u1 (line 2), u2 (line 3)',
    });
  });

  it('is a label whose entry is not there', () => {
    expect(refusal(sessionOf(label('l1', null, 'missing', 'lost')), 'lost').kind).toBe('usage');
  });

  it('has more steps than a loop has entries', () => {
    const session = sessionOf(user('u1', 'a1'), assistant('a1', 'u1'));
    expect(refusal(session, 'HEAD~1000000000').kind).toBe('usage');
  });

  it('does not follow a loop further than a path does', () => {
    const session = sessionOf(user('u1', 'a1'), assistant('a1', 'u1'));
    expect(pathTo(session.tree, session.tree.leaf!)).toHaveLength(2);
    expect(idAt(session, 'HEAD~1')).toBe('u1');
    expect(refusal(session, 'HEAD~2').kind).toBe('usage');
  });
});

describe('a range', () => {
  function ends(session: Session, range: string): readonly unknown[] {
    const { from, to } = resolveRange(session, range);
    return [from?.id ?? null, to?.id ?? null];
  }

  it.each([
    ['dead', null, 'deadbeef'],
    ['HEAD~1', null, '1abe1000'],
    ['a1b2c3d4..dead', 'a1b2c3d4', 'deadbeef'],
    ['dead..', 'deadbeef', '1abe1001'],
    ['..dead', '1abe1001', 'deadbeef'],
    ['..', '1abe1001', '1abe1001'],
    ['@{turn:1}..@{compaction}^', 'a1b2c3d4', 'deadbeef'],
    ['the question..answered~1', 'c0ffee00', 'c0ffee00'],
  ])('%s', (range, from, to) => {
    expect(ends(SESSION, range)).toEqual([from, to]);
    expect(resolveRange(SESSION, range).isRange).toBe(range.includes('..'));
  });

  it('may be of names that hold dots', () => {
    const session = sessionOf(
      user('aaaa', null),
      user('bbbb', 'aaaa'),
      user('v1..v2', 'bbbb'),
      label('l1', 'v1..v2', 'aaaa', 'v1'),
      label('l2', 'l1', 'bbbb', 'v2'),
      label('l3', 'l2', 'bbbb', 'end.'),
      label('l4', 'l3', 'aaaa', 'a..b'),
    );
    expect(ends(session, 'v1..v2')).toEqual([null, 'v1..v2']);
    expect(ends(session, 'v1..v2~1')).toEqual([null, 'bbbb']);
    expect(ends(session, 'a..b..end.')).toEqual(['aaaa', 'bbbb']);
    expect(ends(session, 'end...a..b')).toEqual(['bbbb', 'aaaa']);
  });

  it('of an empty session is empty', () => {
    expect(ends(sessionOf(), 'HEAD..')).toEqual([null, null]);
  });

  it.each([
    ['nowhere..HEAD', 'no revision "nowhere"'],
    ['HEAD..nowhere', 'no revision "nowhere"'],
    ['a..b...c', 'no revision "a"'],
    ['HEAD~2...HEAD', '"HEAD~2...HEAD" is no range'],
    ['a1b2..HEAD', 'revision "a1b2" is ambiguous'],
  ])('%s is refused', (range, message) => {
    expect(() => resolveRange(SESSION, range)).toThrow(message);
  });
});
