import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '../../src/errors.js';
import { bytesIn, type Span } from '../../src/session/bytes.js';
import { bytesAccountedFor, type Scan } from '../../src/session/scan.js';
import { readSession, type Session } from '../../src/session/session.js';
import { pathTo } from '../../src/session/tree.js';
import { assistant, bytes, HEADER, label, lines, user } from '../support/entries.js';
import { generateSession } from '../support/generate.js';

/** The session, or null where it is refused as the wrong input. Whatever else is thrown fails the test. */
function read(file: Uint8Array): Session | null {
  try {
    return readSession(bytesIn(file), 'f');
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}

function spansOf({ headerSpan, heads, repeatedHeaders, blanks, lost }: Scan): readonly Span[] {
  return [headerSpan, ...heads, ...repeatedHeaders, ...blanks, ...lost].toSorted((a, b) => a.offset - b.offset);
}

/** Where the law is broken: every byte belongs to one span, and one without an entry is blank or reported. */
function* faultsOf(file: Uint8Array): Generator<string> {
  const session = read(file);
  if (session === null) return;
  const { scan, tree, entry } = session;
  if (scan.size !== file.length || bytesAccountedFor(scan) !== file.length)
    yield 'the sum of all spans is not the size';
  let end = 0;
  for (const [index, { line, offset, length }] of spansOf(scan).entries()) {
    if (line !== index + 1 || offset !== end) yield `line ${line} begins at ${offset}, not at ${end}`;
    end = offset + length;
  }
  for (const { line, offset, length } of scan.lost) {
    const isReported = scan.problems.some(
      (problem) => problem.offset! <= offset && offset + length <= problem.offset! + problem.length!,
    );
    if (!isReported) yield `line ${line} is lost without a word`;
  }
  for (const head of tree.heads) if (typeof entry(head) !== 'object') yield `line ${head.line} cannot be read`;
  if (tree.leaf && pathTo(tree, tree.leaf).at(-1) !== tree.leaf) yield 'the path does not lead to the leaf';
}

const id = fc.constantFrom('a', 'b', 'c', '', null, 1, undefined);
const soundLine = fc.oneof(
  fc.tuple(id, id).map(([own, parent]) => lines(user(own, parent, 'naïve 🙂\u2028'))),
  fc.tuple(id, id).map(([own, parent]) => lines(assistant(own, parent))),
  fc.tuple(id, id).map(([own, target]) => lines(label(own, null, target, 'x'))),
  fc.constant(lines(HEADER)),
);
const junkLine = fc.oneof(
  fc.constantFrom(
    '\n',
    '  \r\n',
    '\u2028\n',
    'null\n',
    '0\n',
    '7\n',
    '[]\n',
    '{}\n',
    '{\n',
    '}\n',
    '\0\0\n',
    '\ufeff\n',
  ),
  fc.tuple(soundLine, soundLine).map(([one, other]) => one.trimEnd() + other),
  fc.tuple(soundLine, fc.nat()).map(([text, at]) => `${text.slice(0, at % text.length)}\n`),
  fc
    .tuple(soundLine, fc.nat())
    .map(([text, at]) => `${text.slice(0, at % text.length)}\n${text.slice(at % text.length)}`),
  fc.json().map((text) => `${text}\n`),
);
const piece = fc.oneof(
  soundLine.map(bytes),
  junkLine.map(bytes),
  fc.uint8Array({ maxLength: 12 }),
  // A line without its newline, so that the next piece is glued to it.
  soundLine.map((text) => bytes(text.trimEnd())),
);
const patchwork = fc
  .tuple(fc.boolean(), fc.array(piece, { maxLength: 12 }))
  .map(([hasHeader, pieces]) => Buffer.concat([bytes(hasHeader ? lines(HEADER) : ''), ...pieces]));

interface Mutation {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 5000 }),
  removed: fc.nat({ max: 3 }),
  inserted: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...['\n', '"', '{', '}', '\\', '\0'].map(bytes))),
});

function mutated(file: Uint8Array, { at, removed, inserted }: Mutation): Uint8Array {
  const start = at % (file.length + 1);
  return Buffer.concat([file.subarray(0, start), inserted, file.subarray(start + removed)]);
}

const shape = fc.record({
  seed: fc.nat(),
  version: fc.constantFrom(1, 2, 3),
  entries: fc.nat({ max: 12 }),
  odd: fc.constantFrom(0, 0.5),
  transforms: fc.constantFrom(0, 0.3),
});
const mutant = fc
  .tuple(shape, fc.array(mutation, { maxLength: 6 }))
  .map(([generated, mutations]) => mutations.reduce(mutated, bytes(generateSession(generated))));

describe.each([
  ['whatever lines it is made of', patchwork],
  ['whatever happens to the bytes of a session', mutant],
])('every byte of a file is accounted for, %s', (_name, file) => {
  it('and nothing is thrown but a refusal', () => {
    fc.assert(
      fc.property(file, (content) => {
        expect([...faultsOf(content)]).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('and few of these files are refused', () => {
    const files = fc.sample(file, { numRuns: 200, seed: 1 });
    expect(files.filter((content) => read(content) !== null).length).toBeGreaterThan(80);
  });
});

describe('every byte of a file is accounted for', () => {
  it('wherever writing may have stopped', () => {
    const file = bytes(generateSession({ seed: 7, entries: 6, odd: 0.5 }));
    for (let size = 0; size <= file.length; size += 1) expect([...faultsOf(file.subarray(0, size))]).toEqual([]);
  });
});
