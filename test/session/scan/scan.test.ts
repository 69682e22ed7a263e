import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import type { ByteSource } from '../../../src/session/scan/byte-source.js';
import { activePath, assistant, bytes, HEADER, lines, sessionOf, sourceOf, TALK, user } from '../../support/entries.js';

const TALK_IDS = ['u1', 'a1', 'u2', 'a2'];
const SPREAD = JSON.stringify(user('u1', null), null, 1);

function read(content: string | Uint8Array): Session {
  return readSession(sourceOf(content), 'weather.jsonl');
}

function refusal(content: string | Uint8Array): CtxError {
  try {
    read(content);
  } catch (error) {
    if (error instanceof CtxError) return error;
    throw error;
  }
  throw new Error('the file was read');
}

const BLOCK = 1 << 20;

/** A file that is never held: a block that begins with `head`, `blocks` more of nothing but `a`, then `tail`. */
function hugeSource(head: string, blocks: number, tail: string): ByteSource {
  const [first, last, filler] = [bytes(head.padEnd(BLOCK, 'a')), bytes(tail), new Uint8Array(BLOCK).fill(0x61)];
  const lastStart = (blocks + 1) * BLOCK;
  const piece = (start: number, end: number): Uint8Array => {
    if (end - start > BLOCK) throw new Error('too much is read at once');
    if (start >= lastStart) return last.subarray(start - lastStart, end - lastStart);
    return start < BLOCK ? first.subarray(start, end) : filler.subarray(0, end - start);
  };
  return {
    size: lastStart + last.length,
    close() {},
    read: piece,
    readInto: (target, start) => target.set(piece(start, start + target.length)),
  };
}

/** The rows l01 to l21 of the edge corpus that real Pi was asked about. */
describe('a file is read as Pi reads it', () => {
  it.each([
    [
      'l04: blank and malformed lines before the header are skipped',
      `\n{junk\n  \n${lines(HEADER, ...TALK)}`,
      TALK_IDS,
    ],
    [
      'l05: the children of a malformed line are orphans',
      lines(HEADER, TALK[0]!, '{junk', ...TALK.slice(2)),
      ['u2', 'a2'],
    ],
    ['l06: a last line that breaks off is dropped', `${lines(HEADER, ...TALK)}{"type":"mess`, TALK_IDS],
    ['l07: a last line needs no newline', lines(HEADER, ...TALK).trimEnd(), TALK_IDS],
    ['l08: carriage returns before newlines are harmless', lines(HEADER, ...TALK).replaceAll('\n', '\r\n'), TALK_IDS],
    [
      'l10: JSON that counts as false is dropped',
      lines(HEADER, 'null', '0', TALK[0]!, 'false', '""', TALK[1]!),
      ['u1', 'a1'],
    ],
    ['l11: a scalar as last line is the leaf', lines(HEADER, ...TALK, '7'), [undefined]],
    ['l12: later headers are no entries', lines(HEADER, ...TALK, { ...HEADER, id: 'other', version: 1 }), TALK_IDS],
    ['l14: a future version is taken as it is', lines({ ...HEADER, version: 99 }, ...TALK), TALK_IDS],
    ['l15: a version in quotes is a number', lines({ ...HEADER, version: '3' }, ...TALK), TALK_IDS],
    ['l19: a header alone has no path', lines(HEADER), []],
    ['l20: an entry over several lines is lost', lines(HEADER, SPREAD, user('u2', 'u1')), ['u2']],
    [
      'l21: two entries on a line are lost',
      lines(HEADER, `${JSON.stringify(TALK[0])}${JSON.stringify(TALK[1])}`, user('u2', 'a1')),
      ['u2'],
    ],
  ])('%s', (_rule, content, path) => {
    expect(activePath(read(content))).toEqual(path);
  });

  it('l16: a version that is null is version 1, whose ids are overwritten', () => {
    const session = read(lines({ ...HEADER, version: null }, ...TALK));
    expect(session.header.version).toBe(1);
    expect(activePath(session)).toHaveLength(4);
    expect(activePath(session)).not.toContain('u1');
  });

  it('l17: U+2028, U+2029 and NEL are no line breaks', () => {
    const text = 'one\u2028two\u2029three\u0085four';
    const session = sessionOf(user('u1', null, text));
    expect(session.entry(session.tree.leaf!)).toMatchObject({ message: { content: text } });
  });

  it('l18: bytes that are not UTF-8 become U+FFFD', () => {
    const [before, after] = lines(HEADER, user('u1', null, 'a|b'))
      .split('|')
      .map(bytes);
    const session = read(Uint8Array.from([...before!, 0xff, 0xe2, 0x82, ...after!]));
    expect(session.entry(session.tree.leaf!)).toMatchObject({ message: { content: 'a\ufffd\ufffdb' } });
  });

  it.each([
    ['l01: an empty file', '', 'the file is empty', 'weather.jsonl'],
    ['l02: a file without a JSON line', 'hello\nworld\n', 'this looks like plain text, not a session', 'weather.jsonl'],
    ['l02: a file of white space', ' \n\t\n', 'not a Pi session', 'weather.jsonl'],
    [
      'l03: an entry before the header',
      `\n${lines(TALK[0]!, HEADER)}`,
      'the first line must be a session header, not a "message" entry',
      'weather.jsonl:2',
    ],
    [
      'l03: a scalar before the header',
      lines('7', HEADER),
      'the first line is not a session header',
      'weather.jsonl:1',
    ],
    [
      'l03: a typeless object before the header',
      lines({}, HEADER),
      'the first line is not a session header',
      'weather.jsonl:1',
    ],
    [
      'l09: a byte order mark',
      `\ufeff${lines(HEADER)}`,
      'not a Pi session (line 1: a byte order mark precedes the entry)',
      'weather.jsonl',
    ],
    [
      'l09: a byte order mark, with entries behind it',
      `\ufeff${lines(HEADER, ...TALK)}`,
      'not a Pi session (line 1: a byte order mark precedes the entry)',
      'weather.jsonl',
    ],
    [
      'l13: a header whose id is a number',
      lines({ ...HEADER, id: 7 }),
      'the session header has no id',
      'weather.jsonl:1',
    ],
    ['l13: a header without an id', lines({ type: 'session' }), 'the session header has no id', 'weather.jsonl:1'],
  ])('refuses %s, and says why', (_rule, content, what, where) => {
    const error = refusal(content);
    expect(error).toMatchObject({ kind: 'input', message: what, where });
    expect(error.hint).not.toBeNull();
  });
});

describe('the header', () => {
  it('keeps every field as it was written', () => {
    const written = { ...HEADER, parentSession: '/old.jsonl', future: { deep: [1] } };
    expect(read(lines(written)).header).toEqual({
      id: 'the-session',
      version: 3,
      timestamp: HEADER.timestamp,
      cwd: HEADER.cwd,
      fields: written,
    });
  });

  it.each([
    [undefined, 1],
    [null, 1],
    [2, 2],
    ['3', 3],
    [99, 99],
    [{}, Number.NaN],
  ])('says %j as its version, which is read as %d', (version, understood) => {
    expect(scanSession(sourceOf(lines({ ...HEADER, version })), 'f').header.version).toBe(understood);
  });

  it('may lack all but its id', () => {
    expect(read(lines({ type: 'session', id: 's' })).header).toMatchObject({ version: 1, timestamp: null, cwd: null });
  });
});

describe('hostile files', () => {
  it('may hold a line that is longer than a string can be', () => {
    const [head, tail] = [lines(HEADER, user('u1', null)), `\n${lines(assistant('a1', 'u1'))}`];
    const source = hugeSource(head, 600, tail);
    const found = scanSession(source, 'f');
    expect(Array.from(found.heads, ({ id }) => id)).toEqual(['u1', 'a1']);
    expect(found.problems).toMatchObject([
      { code: 'line-too-long', severity: 'error', line: 3, offset: head.length, length: 601 * BLOCK - head.length + 1 },
    ]);
    expect(bytesAccountedFor(found)).toBe(source.size);
  });

  it('may hold nothing but a line that is too long', () => {
    expect(() => scanSession(hugeSource('', 600, ''), 'f')).toThrow('this looks like plain text, not a session');
  });

  it.each([
    ['20,000 lines that begin an object', '{\n'.repeat(20_000), 20_000],
    ['20,000 lines that begin and end an object too often', '{}}\n'.repeat(20_000), 20_000],
    ['10,000 beginnings of an entry on one line', '{"type":'.repeat(10_000), 1],
    ['20,000 broken entries on one line', '{"type":}'.repeat(20_000), 1],
    ['1,000 long lines that begin an object', `{${'x'.repeat(10_000)}}\n`.repeat(1000), 1000],
    ['brackets nested a million deep, none of them closed', '['.repeat(1_000_000), 1],
    ['brackets nested a million deep, all of them closed', '['.repeat(1_000_000) + ']'.repeat(1_000_000), 1],
    ['300,000 blank lines', ' \n'.repeat(300_000), 0],
    ['a line of a million spaces before junk', `${' '.repeat(1_000_000)}x\n`, 1],
  ])('may hold %s', (_name, body, problems) => {
    const content = `${lines(HEADER)}${body}`;
    const found = scanSession(sourceOf(content), 'f');
    expect(found.problems).toHaveLength(problems);
    expect(bytesAccountedFor(found)).toBe(content.length);
  });
});
