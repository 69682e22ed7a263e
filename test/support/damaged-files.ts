import * as fc from 'fast-check';
import { assistant, bytes, HEADER, label, lines, user } from './entries.js';
import { generateSession } from './generate.js';

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
/** Files made of sound lines and junk. */
export const patchwork = fc
  .tuple(fc.boolean(), fc.array(piece, { maxLength: 12 }))
  .map(([hasHeader, pieces]) => Buffer.concat([bytes(hasHeader ? lines(HEADER) : ''), ...pieces]));

export interface Mutation {
  readonly at: number;
  readonly removed: number;
  readonly inserted: Uint8Array;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 5000 }),
  removed: fc.nat({ max: 3 }),
  inserted: fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(...['\n', '"', '{', '}', '\\', '\0'].map(bytes))),
});

export function mutated(file: Uint8Array, { at, removed, inserted }: Mutation): Uint8Array {
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
/** Sessions in which something happened to a few bytes. */
export const mutant = fc
  .tuple(shape, fc.array(mutation, { maxLength: 6 }))
  .map(([generated, mutations]) => mutations.reduce(mutated, bytes(generateSession(generated))));
