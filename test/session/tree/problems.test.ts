import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { quoteId } from '#session/heads/head.js';
import { LINE_DAMAGE } from '#session/scan/damage.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import {
  assistant,
  bytes,
  compaction,
  entry,
  type Entry,
  HEADER,
  label,
  lines,
  sessionOf,
  sourceOf,
  TALK,
  user,
} from '../../support/entries.js';

/** The reports about the lines of a session: the words, and whether it is an error. */
function said({ problems }: Session): readonly unknown[] {
  return problems.map(({ code, severity, message, line, entryId }) => [code, severity, message, line, entryId]);
}

describe('messages about links', () => {
  it.each<[string, readonly Entry[], readonly unknown[]]>([
    [
      'to a parent that is not there',
      [user('u1', 'missing')],
      ['orphan', 'error', 'its parent "missing" is not in the file, so the path begins here', 2, 'u1'],
    ],
    [
      'from an id that comes again',
      [user('u1', null), user('a', 'u1'), user('u1', null)],
      ['duplicate-id', 'error', 'line 4 has the same id and hides this entry', 2, 'u1'],
    ],
    [
      'that lead back to where they begin',
      [user('u1', 'u1')],
      ['cycle', 'error', 'it is its own parent; the path is cut here, where Pi would run out of memory', 2, 'u1'],
    ],
    [
      'that go round',
      [user('a', 'c'), user('b', 'a'), user('c', 'b'), user('d', 'a')],
      [
        'cycle',
        'error',
        'its parents form a cycle of 3 entries; the path is cut here, where Pi would run out of memory',
        4,
        'c',
      ],
    ],
    [
      'of a label',
      [label('l1', null, 'missing', 'x')],
      ['dangling-label', 'warning', 'it labels "missing", which is not in the file', 2, 'l1'],
    ],
    [
      'of a label that names nothing',
      [label('l1', null, undefined, 'x')],
      ['dangling-label', 'warning', 'it does not name its entry', 2, 'l1'],
    ],
    [
      'of an edit',
      [entry('context_edit', 'e1', null, { targetId: 7, replacement: null })],
      ['dangling-edit', 'warning', 'it edits "7", which is not in the file', 2, 'e1'],
    ],
    [
      'of an edit that names nothing',
      [entry('context_edit', 'e1', null, { replacement: null })],
      ['dangling-edit', 'warning', 'it does not name its entry', 2, 'e1'],
    ],
    [
      'of a compaction',
      [compaction('k1', null, 'missing')],
      ['dangling-compaction', 'warning', 'the first entry that it keeps, "missing", is not in the file', 2, 'k1'],
    ],
    [
      'of a compaction that says nothing',
      [compaction('k1', null, undefined)],
      ['dangling-compaction', 'warning', 'it does not name the first entry that it keeps', 2, 'k1'],
    ],
  ])('%s', (_, entries, expected) => {
    expect(said(sessionOf(...entries))).toEqual([expected]);
  });

  it('names long ids by their beginnings', () => {
    expect(quoteId('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
    expect(quoteId('x'.repeat(81))).toBe(`"${'x'.repeat(80)}…"`);
    expect(quoteId('a"b\u0007')).toBe(String.raw`"a\"b\u0007"`);
    expect(quoteId(null)).toBe('"null"');
  });
});

describe('messages about lines', () => {
  it.each<[string, string | Uint8Array, readonly unknown[]]>([
    ['not JSON', '{junk\n', ['malformed-line', 'error', LINE_DAMAGE['malformed-line'], 3, null]],
    ['no object', '7\n', ['not-an-object', 'error', LINE_DAMAGE['not-an-object'], 3, null]],
    ['without a type', '{"id":"x"}\n', ['no-type', 'warning', LINE_DAMAGE['no-type'], 3, 'x']],
    ['without an id', '{"type":"custom"}\n', ['no-id', 'error', LINE_DAMAGE['no-id'], 3, null]],
    ['another header', lines(HEADER), ['repeated-header', 'warning', LINE_DAMAGE['repeated-header'], 3, null]],
    [
      'not UTF-8',
      Uint8Array.from([...bytes('{"type":"custom","id":"x","data":"'), 0xff, ...bytes('"}\n')]),
      ['invalid-utf8', 'warning', LINE_DAMAGE['invalid-utf8'], 3, 'x'],
    ],
    [
      'a header that is not UTF-8',
      Uint8Array.from([...bytes('{"type":"session","id":"'), 0xff, ...bytes('"}\n')]),
      ['invalid-utf8', 'warning', LINE_DAMAGE['invalid-utf8'], 3, null],
    ],
  ])('that are %s', (_, body, expected) => {
    const content = Buffer.concat([bytes(lines(HEADER, user('u1', null))), Buffer.from(body)]);
    expect(said(readSession(sourceOf(content), 'f'))).toContainEqual(expected);
  });
});

const NAME_IT = 'list the sessions that ctx reads: ctx ls --agent all';
const NOT_READ = 'neither a Pi session nor one of another agent that ctx reads';
const REPAIR_IT = 'repair it in a new file: ctx repair f.jsonl --output repaired.jsonl';

describe('a file is refused', () => {
  it.each<[string, string, string, string, string]>([
    ['that is empty', '', 'the file is empty', 'f.jsonl', NAME_IT],
    ['of white space', ' \n\t\n', 'not a Pi session', 'f.jsonl', NAME_IT],
    ['of text', 'hello\nworld\n', 'this looks like plain text, not a session', 'f.jsonl', NAME_IT],
    [
      'that begins with a number',
      '7\n',
      'neither a Pi session nor one of another agent that ctx reads',
      'f.jsonl:1',
      NAME_IT,
    ],
    [
      'that begins with an object',
      '\n{}\n',
      'neither a Pi session nor one of another agent that ctx reads',
      'f.jsonl:2',
      NAME_IT,
    ],
    ['of an unknown agent', '{"type":"user","text":"Hello"}\n', NOT_READ, 'f.jsonl:1', NAME_IT],
    [
      'that begins with an entry',
      lines(user('u1', null), HEADER),
      'the first line must be a session header, not a "message" entry',
      'f.jsonl:1',
      REPAIR_IT,
    ],
    ['whose header has no id', lines({ ...HEADER, id: 7 }), 'the session header has no id', 'f.jsonl:1', REPAIR_IT],
    [
      'whose damaged line may have been the header',
      `\n{"type":"session\n${lines(user('u1', null))}`,
      'not a Pi session (line 2: the line is not JSON)',
      'f.jsonl',
      REPAIR_IT,
    ],
    [
      'that begins with a byte order mark',
      `\ufeff${lines(HEADER, user('u1', null))}`,
      'not a Pi session (line 1: a byte order mark precedes the entry)',
      'f.jsonl',
      REPAIR_IT,
    ],
  ])('%s', (_, content, what, where, hint) => {
    expect(() => readSession(sourceOf(content), 'f.jsonl')).toThrow(new CtxError('input', what, { where, hint }));
  });

  it('that changes while it is read', () => {
    let content = bytes(lines(HEADER, ...TALK));
    const source = sourceOf(content);
    const session = readSession({ ...source, read: (start, end) => content.subarray(start, end) }, 'f.jsonl');
    content = bytes(lines(HEADER, ...TALK).replaceAll('{', '['));
    expect(() => session.entry(session.tree.heads.at(1)!)).toThrow(
      new CtxError('input', 'the file changed while it was being read', {
        where: 'f.jsonl:3',
        hint: 'run the command again',
      }),
    );
  });
});

describe('a file that Pi refuses is read all the same if that is wanted, and', () => {
  const read = (content: string): Session => readSession(sourceOf(content), 'f.jsonl', { withoutHeader: true });
  const refused = (what: string): string => `${what}, so Pi does not open the file`;

  it.each<[string, string, readonly unknown[]]>([
    ['it has no header', lines(...TALK), ['missing-header', 'error', refused('no line is a session header'), 1, null]],
    [
      'its header has no id',
      lines({ ...HEADER, id: 7 }, ...TALK),
      ['missing-header', 'error', refused('the session header has no id'), 1, null],
    ],
    [
      'its header stands behind an entry',
      lines(user('u1', null), HEADER),
      ['late-header', 'error', refused('the session header comes after another line'), 2, null],
    ],
    [
      'its header stands behind entries',
      lines(...TALK, HEADER),
      ['late-header', 'error', refused('the session header comes after 4 other lines'), 5, null],
    ],
    [
      'a mark stands before its header',
      `\ufeff${lines(HEADER, assistant('a1', null))}`,
      ['byte-order-mark', 'error', LINE_DAMAGE['byte-order-mark'], 1, null],
    ],
  ])('%s', (_, content, expected) => {
    expect(said(read(content))).toEqual([expected]);
  });
});
