import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { bytesAccountedFor, type Scan } from '#session/scan/scan.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { type LineSpan } from '../../../src/session/scan/lines.js';
import { mutant, patchwork } from '../../support/damaged-files.js';
import { bytes } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

/** The session, or null where it is refused as the wrong input. Whatever else is thrown fails the test. */
function read(file: Uint8Array): Session | null {
  try {
    return readSession(toByteSource(file), 'f');
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}

function spansOf({ headerSpan, heads, repeatedHeaders, blanks, damaged: lost }: Scan): readonly LineSpan[] {
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
  for (const { line, offset, length } of scan.damaged) {
    const isReported = scan.problems.some(
      (problem) => problem.offset! <= offset && offset + length <= problem.offset! + problem.length!,
    );
    if (!isReported) yield `line ${line} is lost without a word`;
  }
  for (const head of tree.heads) if (typeof entry(head) !== 'object') yield `line ${head.line} cannot be read`;
  if (tree.leaf && pathTo(tree, tree.leaf).at(-1) !== tree.leaf) yield 'the path does not lead to the leaf';
}

describe.each([
  ['whatever lines it is made of', patchwork],
  ['whatever happens to the bytes of a session', mutant],
])('every byte of a file is accounted for, %s', (_name, file) => {
  it('nothing is thrown but a refusal', () => {
    fc.assert(
      fc.property(file, (content) => {
        expect([...faultsOf(content)]).toEqual([]);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('few of these files are refused', () => {
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
