import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileEditor } from '#change/bytes/file-editor.js';
import { addLineNumbers } from '#change/bytes/line-numbers.js';
import { Rope, type RopePiece } from '#change/bytes/rope.js';
import { type ByteSource, toByteSource } from '../../../src/session/scan/byte-source.js';
import { bytes, sourceOf } from '../../support/entries.js';
import { allOf } from '../../support/repaired.js';
import { runs } from '../../support/runs.js';

const OLD = 'abcdefghijklmnopqrstuvwxyz';

const piece: fc.Arbitrary<RopePiece> = fc.oneof(
  fc
    .tuple(fc.nat({ max: OLD.length - 1 }), fc.integer({ min: 1, max: 9 }))
    .map(([from, length]) => ({ from, length: Math.min(length, OLD.length - from) })),
  fc
    .string({ unit: fc.constantFrom('0', '1', '2'), minLength: 1, maxLength: 4 })
    .map((text) => ({ bytes: bytes(text) })),
);

interface From {
  readonly byte: string;
  /** null for a new one. */
  readonly from: number | null;
}

/** Each byte of a rope, and where it comes from. */
function bytesOf(pieces: readonly RopePiece[]): readonly From[] {
  return pieces.flatMap((each): readonly From[] =>
    'bytes' in each
      ? Array.from(each.bytes, (byte) => ({ byte: String.fromCharCode(byte), from: null }))
      : Array.from({ length: each.length }, (_, at) => ({ byte: OLD[each.from + at]!, from: each.from + at })),
  );
}

describe('a file put together from pieces of another one', () => {
  it('holds them, wherever it is read', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.tuple(fc.nat(), fc.nat())), (pieces, reads) => {
        const rope = new Rope(sourceOf(OLD), pieces);
        const whole = bytesOf(pieces)
          .map(({ byte }) => byte)
          .join('');
        expect(rope.size).toBe(whole.length);
        for (const read of [...reads, [0, whole.length] as const]) {
          const [start, end] = read.map((at) => at % (whole.length + 1)).toSorted((a, b) => a - b) as [number, number];
          expect(Buffer.from(rope.read(start, end)).toString()).toBe(whole.slice(start, end));
          const target = new Uint8Array(end - start);
          rope.readInto(target, start);
          expect(Buffer.from(target).toString()).toBe(whole.slice(start, end));
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('knows where each byte comes from, and for a new one where the next one does', () => {
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), fc.array(fc.nat()), (pieces, places) => {
        const rope = new Rope(sourceOf(OLD), pieces);
        const all = bytesOf(pieces);
        for (const place of places) {
          const at = place % all.length;
          expect(rope.findOrigin(at)).toBe(all.slice(at).find(({ from }) => from !== null)?.from ?? OLD.length);
          const before = all.slice(0, at + 1).findLast(({ from }) => from !== null)?.from;
          expect(rope.findEndOrigin(at + 1)).toBe(before === undefined || before === null ? 0 : before + 1);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('can be nothing at all', () => {
    const rope = new Rope(sourceOf(OLD), []);
    expect([rope.size, rope.read(0, 0).length, rope.findOrigin(0), rope.findEndOrigin(0)]).toEqual([
      0,
      0,
      OLD.length,
      0,
    ]);
  });

  it('is doubted where the other one is', () => {
    const pieces = [{ from: 0, length: 2 }];
    expect(new Rope(sourceOf(OLD), pieces).isStrict).toBe(false);
    expect(new Rope({ ...sourceOf(OLD), isStrict: true }, pieces).isStrict).toBe(true);
  });

  it('leaves the other one open', () => {
    let isClosed = false;
    const rope = new Rope({ ...sourceOf(OLD), close: () => void (isClosed = true) }, [{ from: 1, length: 2 }]);
    rope.close();
    expect([isClosed, Buffer.from(rope.read(0, 2)).toString()]).toEqual([false, 'bc']);
  });
});

type Step = readonly ['keep' | 'leave out' | 'lose a' | 'lose b', number] | readonly ['add', string];

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.constantFrom('keep' as const, 'leave out' as const, 'lose a' as const, 'lose b' as const), fc.nat(30)),
  fc.tuple(fc.constant('add' as const), fc.constantFrom('', '0', '12')),
);

describe('a file that is copied with changes', () => {
  it('contains kept and added bytes, and reports lost ones, adjacent ones together', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const editing = new FileEditor(sourceOf(OLD));
        const lost = Array.from(OLD, () => '-');
        let after = '';
        let at = 0;
        for (const each of steps) {
          if (each[0] === 'add') {
            editing.add(each[1]);
            after += each[1];
            continue;
          }
          const [what, offset] = each;
          const to = Math.min(offset, OLD.length);
          if (what === 'keep') editing.keepTo(to);
          else if (what === 'leave out') editing.skipTo(to);
          else editing.discardTo(to, what);
          if (what === 'keep') after += OLD.slice(at, Math.max(at, to));
          if (what.startsWith('lose')) lost.fill(what.at(-1)!, at, Math.max(at, to));
          at = Math.max(at, to);
        }
        after += OLD.slice(at);
        const { result, discarded: parts } = editing.finish();
        expect(Buffer.from(allOf(result)).toString()).toBe(after);
        const said = Array.from(OLD, () => '-');
        for (const { code, offset, length } of parts) said.fill(code.at(-1)!, offset, offset + length);
        expect(said.join('')).toBe(lost.join(''));
        // None ends where the next one of its kind begins.
        for (const [nth, { code, offset, length }] of parts.entries())
          expect([parts[nth + 1]?.code, parts[nth + 1]?.offset]).not.toEqual([code, offset + length]);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is the file itself where nothing changes, also an empty one', () => {
    for (const text of ['', OLD]) {
      const source = sourceOf(text);
      const editing = new FileEditor(source);
      for (const at of [2, 1]) editing.keepTo(Math.min(at, text.length));
      editing.add('');
      const { result, repairs, discarded: lost } = editing.finish();
      expect(result).toBe(source);
      expect([repairs, lost]).toEqual([[], []]);
    }
    const added = new FileEditor(sourceOf(''));
    added.add('new');
    expect(Buffer.from(allOf(added.finish().result)).toString()).toBe('new');
  });

  it('is made of as few pieces as can be', () => {
    const editing = new FileEditor(sourceOf(OLD));
    for (const at of [1, 2, 3]) editing.keepTo(at);
    editing.copyFrom({ offset: 3, length: 2 });
    editing.copyFrom({ offset: 9, length: 0 });
    editing.skipTo(5);
    editing.keepTo(7);
    editing.add('new');
    const { result } = editing.finish();
    expect(result instanceof Rope && result.pieces).toEqual([
      { from: 0, length: 7 },
      { bytes: bytes('new') },
      { from: 7, length: OLD.length - 7 },
    ]);
  });

  it.each([
    ['a', 'a'],
    ['', ''],
    [7, '7'],
    [{}, null],
    [null, null],
    [undefined, null],
  ])('says of an entry with the id %j that it is %j', (id, entryId) => {
    const editing = new FileEditor(sourceOf(OLD));
    editing.note('code', { offset: 1, length: 2, id }, 'What was done.');
    expect(editing.finish().repairs).toEqual([
      { code: 'code', message: 'What was done.', entryId, offset: 1, length: 2 },
    ]);
  });
});

function linesAt(source: ByteSource, offsets: readonly number[]): (offset: number) => number {
  const parts = addLineNumbers(
    source,
    offsets.map((offset) => ({ offset })),
  );
  return (offset) => parts.find((part) => part.offset === offset)?.line ?? 1;
}

describe('the line that a byte stands on', () => {
  it('is one more than the newlines before it', () => {
    const file = fc.string({ unit: fc.constantFrom('a', '\n', 'é'), maxLength: 30 });
    fc.assert(
      fc.property(file, fc.array(fc.nat(), { maxLength: 6 }), (text, places) => {
        const all = Buffer.from(text);
        const offsets = places.map((place) => place % (all.length + 1));
        const lineOf = linesAt(toByteSource(all), offsets);
        for (const at of offsets) expect(lineOf(at)).toBe(all.toString('latin1', 0, at).split('\n').length);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is known far into a file, which is read only up to there', () => {
    const part = 1 << 20;
    const all = Buffer.alloc(4 * part, 'x');
    for (const at of [0, part - 1, part, 2 * part - 1]) all[at] = 0x0a;
    const reads: number[] = [];
    const source = {
      ...toByteSource(all),
      read: (start: number, end: number) => (reads.push(end), all.subarray(start, end)),
    };
    const lineOf = linesAt(source, [2 * part, part, part - 1, 0, part + 1, 1, 2 * part - 1]);
    expect([0, 1, part - 1, part, part + 1, 2 * part - 1, 2 * part].map(lineOf)).toEqual([1, 2, 2, 3, 4, 4, 5]);
    expect(reads).toEqual([part, 2 * part, 3 * part]);
    expect(linesAt(source, [])(0)).toBe(1);
    expect(reads).toHaveLength(3);
  });
});
