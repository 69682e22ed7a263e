import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { scanSession } from '#session/scan/incremental-scan.js';
import { bytesAccountedFor, type Scan } from '#session/scan/scan.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { mutant, patchwork } from '../../support/damaged-files.js';
import { assistant, bytes, compaction, type Entry, HEADER, lines, sourceOf, user } from '../../support/entries.js';
import { runs } from '../../support/runs.js';

const A = user('a', null);
const B = assistant('b', 'a');
const MARK = '\ufeff';

function found(content: string | Uint8Array): Scan {
  return scanSession(sourceOf(content), 'f', { withoutHeader: true });
}

function problemsIn(content: string): readonly unknown[] {
  return found(content).problems.map(({ code, line, message }) => [code, line, message]);
}

function codesIn(content: string): readonly string[] {
  return found(content).problems.map(({ code }) => code);
}

function idsIn(content: string): readonly unknown[] {
  return Array.from(found(content).heads, ({ id }) => id);
}

const REFUSED = 'so Pi does not open the file';

describe('a file of another program', () => {
  const turn = { type: 'turn/start', seq: 1, time: 1_785_821_448_088, data: {} };
  const unversioned = { type: 'session', version: 0, id: 's', createdAt: 0, cwd: '/d' };

  it.each([
    ['of lines without types', lines({ record_id: 1, record_type: 'run_started' }, { record_id: 2 })],
    ['with types that Pi does not write', lines({ ...turn, id: 'a', timestamp: '2026-01-01T00:00:00Z' })],
    ['with a header of no version of Pi', lines(unversioned, turn)],
  ])('%s is refused, and not read as damaged', (_, content) => {
    expect(() => found(content)).toThrow('neither a Pi session nor one of another agent that ctx reads');
  });

  it('is told from a session of Pi with entries of extensions alone', () => {
    expect(codesIn(lines(HEADER, { ...turn, id: 'a', parentId: null }))).not.toContain('missing-header');
  });
});

it.each([
  ['an extension', { type: 'notes', id: 'n', parentId: null }],
  ['no type', { a: 1 }],
])('a file that begins with a line of %s, before entries of Pi, can be repaired', (_, first) => {
  const read = (): Scan => scanSession(sourceOf(lines(first, A)), 'f');
  expect(read).toThrow('the first line is not a session header');
  expect(read).toThrow(
    expect.objectContaining({ hint: 'repair it in a new file: ctx repair f --output repaired.jsonl' }),
  );
});

describe('a file without a header', () => {
  it('is read with one of no bytes', () => {
    const content = lines(A, B);
    expect(problemsIn(content)).toEqual([['missing-header', 1, `no line is a session header, ${REFUSED}`]]);
    expect(found(content)).toMatchObject({ header: { id: '', version: 3 }, headerSpan: { length: 0 } });
    expect(idsIn(content)).toEqual(['a', 'b']);
  });

  it('names the first line that Pi keeps', () => {
    expect(problemsIn(`null\n\n{junk\n${lines(A)}`)).toMatchObject([
      ['not-an-object', 1, expect.anything()],
      ['malformed-line', 3, expect.anything()],
      ['missing-header', 4, expect.anything()],
    ]);
  });

  it('is of version 1 where no entry has an id', () => {
    const [first, second] = [A, B].map(({ id: _id, parentId: _parentId, ...rest }) => rest) as [Entry, Entry];
    const old = lines(first, second);
    expect(problemsIn(old)).toMatchObject([['missing-header', 1, expect.anything()]]);
    expect(readSession(sourceOf(old), 'f', { withoutHeader: true }).tree.leaf?.parentId).toMatch(/^[\da-f]{8}$/);
    expect(codesIn(old + lines(user('c', null)))).toEqual(['no-id', 'missing-header', 'no-id']);
  });

  it('counts the missing line, as version 1 does, when a compaction says from where it keeps', () => {
    const { firstKeptEntryId: _first, id: _id, ...kept } = compaction('k', null, null);
    const old = lines(
      { type: 'message', message: {} },
      { type: 'message', message: {} },
      { ...kept, firstKeptEntryIndex: 2 },
    );
    const { tree } = readSession(sourceOf(old), 'f', { withoutHeader: true });
    expect(tree.leaf?.target).toBe(tree.heads.at(1)?.id);
  });

  it('may have one that Pi does not take', () => {
    const content = lines({ ...HEADER, id: 7 }, A);
    expect(problemsIn(content)).toEqual([['missing-header', 1, `the session header has no id, ${REFUSED}`]]);
    expect(found(content).repeatedHeaders).toHaveLength(1);
  });

  it.each([
    ['is empty', '', 'the file is empty'],
    ['holds no JSON', 'hello\nworld\n', 'this looks like plain text, not a session'],
    ['holds nothing but NUL bytes', '\0'.repeat(64), /^not a Pi session \(line 1: NUL bytes/],
    ['holds only JSON that Pi drops', 'null\n0\n', /^not a Pi session/],
    ['is blank', '\n\n', 'not a Pi session'],
  ])('is refused where it %s', (_name, content, message) => {
    expect(() => found(content)).toThrow(message);
  });

  it.each([
    ['is glued to its first entry', lines(JSON.stringify(HEADER) + JSON.stringify(A)), 'glued-lines'],
    ['is spread over several lines', `${JSON.stringify(HEADER, null, 1)}\n`, 'split-line'],
  ])('is read where its header %s', (_name, content, code) => {
    expect(codesIn(content)).toEqual(['missing-header', code]);
  });

  it('is refused as before by who does not ask for this', () => {
    expect(() => scanSession(sourceOf(lines(A)), 'f')).toThrow('the first line must be a session header');
    expect(() => scanSession(sourceOf(MARK + lines(HEADER, A)), 'f')).toThrow(/byte order mark/);
  });
});

describe('a header that stands further down', () => {
  it('is the header, and what stands before it is kept', () => {
    const content = lines(A, HEADER, B, { ...HEADER, id: 'another' });
    expect(problemsIn(content)).toMatchObject([
      ['late-header', 2, `the session header comes after another line, ${REFUSED}`],
      ['repeated-header', 4, expect.anything()],
    ]);
    expect(found(content).header.id).toBe(HEADER.id);
    expect(idsIn(content)).toEqual(['a', 'b']);
  });

  it('counts what stands before it', () => {
    expect(problemsIn(`${lines(A, B)}7\n${lines(HEADER)}`)).toMatchObject([
      ['not-an-object', 3, expect.anything()],
      ['late-header', 4, expect.stringContaining('after 3 other lines')],
    ]);
  });

  it('says whether the entries before it need ids', () => {
    const { id: _id, ...noId } = A;
    expect(codesIn(lines(noId, HEADER))).toEqual(['no-id', 'late-header']);
    expect(codesIn(lines(noId, { ...HEADER, version: 1 }))).toEqual(['late-header']);
  });

  it('is not late behind lines that Pi drops', () => {
    expect(codesIn(`\n{junk\nnull\n${lines(HEADER, A)}`)).toEqual(['malformed-line', 'not-an-object']);
  });
});

describe('a byte order mark before the header', () => {
  it('is the only problem, and the header is read', () => {
    const content = MARK + lines(HEADER, A, B);
    expect(problemsIn(content)).toMatchObject([['byte-order-mark', 1, expect.anything()]]);
    expect(found(content)).toMatchObject({ header: { id: HEADER.id }, damaged: [] });
    expect(idsIn(content)).toEqual(['a', 'b']);
  });

  it('does not join the damaged lines around it', () => {
    const [start, end] = [JSON.stringify(A).slice(0, 60), JSON.stringify(A).slice(60)];
    expect(codesIn(`${start}\n${MARK}${lines(HEADER)}${end}\n`)).toEqual([
      'malformed-line',
      'byte-order-mark',
      'malformed-line',
    ]);
  });

  it('loses a header behind entries', () => {
    expect(codesIn(lines(A) + MARK + lines(HEADER))).toEqual(['missing-header', 'byte-order-mark']);
  });
});

describe('the line scanner agrees', () => {
  it.each([
    ['without a header', ''],
    ['with a late header', lines(user('first', null), HEADER)],
    ['with a mark', MARK + lines(HEADER)],
  ])('%s', (_name, top) => {
    const many = Array.from({ length: 2000 }, (_, at) => user(`0000${(at + 4096).toString(16)}`, null));
    const content = bytes(top + lines(...many));
    const doubted = scanSession({ ...toByteSource(content), isStrict: true }, 'f', { withoutHeader: true });
    const { heads, ...rest } = found(content);
    expect(rest).toEqual({ ...doubted, heads: undefined });
    expect(Array.from(heads, ({ id, line }) => [id, line])).toEqual(
      Array.from(doubted.heads, ({ id, line }) => [id, line]),
    );
  });
});

describe.each([
  ['whatever lines a file is made of', patchwork],
  ['whatever happens to the bytes of a session', mutant],
])('every byte is accounted for, %s', (_name, file) => {
  it('only files without any JSON are refused', () => {
    fc.assert(
      fc.property(file, (content) => {
        let scanned;
        try {
          scanned = found(content);
        } catch (error) {
          expect(error).toBeInstanceOf(CtxError);
          return;
        }
        expect(bytesAccountedFor(scanned)).toBe(content.length);
        for (const { offset, length } of scanned.damaged) {
          const isReported = scanned.problems.some(
            (problem) => problem.offset! <= offset && offset + length <= problem.offset! + problem.length!,
          );
          expect(isReported).toBe(true);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it('what has a header is read as ever', () => {
    fc.assert(
      fc.property(file, (content) => {
        let strict;
        try {
          strict = scanSession(toByteSource(content), 'f');
        } catch {
          return;
        }
        expect(found(content).problems).toEqual(strict.problems);
      }),
    );
  });
});
