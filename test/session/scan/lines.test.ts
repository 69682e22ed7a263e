import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { readLines } from '../../../src/session/scan/lines.js';
import { sourceOf } from '../../support/entries.js';

const BLOCK = 1 << 20;

function textsOf(content: string): readonly string[] {
  const source = sourceOf(content);
  return [...readLines(source)].map(({ offset, length }) =>
    new TextDecoder().decode(source.read(offset, offset + length)),
  );
}

/** Line lengths, newlines included, of a file made of `a` with newlines at these places. */
function lengthsOf(size: number, ...newlines: readonly number[]): readonly number[] {
  const content = new Uint8Array(size).fill(0x61);
  for (const at of newlines) content[at] = 0x0a;
  return [...readLines(toByteSource(content))].map(({ length }) => length);
}

describe('lines of a file', () => {
  it.each([
    ['no line in an empty file', '', []],
    ['one line without a final newline', 'one', ['one']],
    ['one line with a final newline', 'one\n', ['one\n']],
    ['a last line without a newline', 'one\ntwo', ['one\n', 'two']],
    ['blank lines', '\n\n \n', ['\n', '\n', ' \n']],
    ['a carriage return as text', 'one\rtwo\r\nthree', ['one\rtwo\r\n', 'three']],
    ['U+2028, U+2029 and NEL as text', 'a\u2028b\u2029c\u0085d\ve\ff\n', ['a\u2028b\u2029c\u0085d\ve\ff\n']],
  ])('finds %s', (_name, content, expected) => {
    expect(textsOf(content)).toEqual(expected);
  });

  it('counts lines from 1 and says which one lacks its newline', () => {
    expect([...readLines(sourceOf('é\nb'))]).toEqual([
      { line: 1, offset: 0, length: 3, terminated: true },
      { line: 2, offset: 3, length: 1, terminated: false },
    ]);
  });

  it.each([
    ['a newline is the last byte of a block', 2 * BLOCK, [BLOCK - 1], [BLOCK, BLOCK]],
    ['a newline is the first byte of a block', 2 * BLOCK, [BLOCK], [BLOCK + 1, BLOCK - 1]],
    ['newlines stand on both sides of a block edge', BLOCK + 1, [BLOCK - 1, BLOCK], [BLOCK, 1]],
    ['a line runs across blocks', 3 * BLOCK, [10, 3 * BLOCK - 1], [11, 3 * BLOCK - 11]],
    ['the file is one whole block', BLOCK, [BLOCK - 1], [BLOCK]],
    ['the file is one block and one byte', BLOCK + 1, [], [BLOCK + 1]],
  ])('are whole where %s', (_name, size, newlines, expected) => {
    expect(lengthsOf(size, ...newlines)).toEqual(expected);
  });

  it('are read one block at a time, however long they are', () => {
    const asked: number[] = [];
    const source = toByteSource(new Uint8Array(3 * BLOCK + 7));
    const watched = {
      ...source,
      read(start: number, end: number) {
        asked.push(end - start);
        return source.read(start, end);
      },
    };
    expect([...readLines(watched)]).toHaveLength(1);
    expect(asked).toEqual([BLOCK, BLOCK, BLOCK, 7]);
  });

  it('hold every byte exactly once', () => {
    const bytesWithNewlines = fc.array(fc.oneof(fc.constant(0x0a), fc.integer({ min: 0, max: 255 })), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(bytesWithNewlines, (content) => {
        const found = [...readLines(toByteSource(Uint8Array.from(content)))];
        let at = 0;
        for (const { offset, length, terminated } of found) {
          expect(offset).toBe(at);
          at += length;
          expect(content.slice(offset, at).indexOf(0x0a)).toBe(terminated ? length - 1 : -1);
        }
        expect(at).toBe(content.length);
      }),
    );
  });
});
