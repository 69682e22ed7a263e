import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readForeign } from '#session/agents/reader.js';
import { bytesIn, linesOf, type RawLine } from '#session/scan/bytes.js';
import { LineSkeletons, type SkeletonLine } from '#session/scan/line-skeletons.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import type { Session } from '#session/session.js';
import { copyOf } from '#session/table/head.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { generateRollout } from '../support/codex-rollouts.js';
import { type Mutation, mutated, mutation } from '../support/damaged-files.js';
import { bytes } from '../support/entries.js';

const LONG_TEXT = String.raw`a long text \" \\ \n \u00e9 é 🙂 `.repeat(9);
const TEXTS = /"(text|content|output|arguments|summary|aiTitle|customTitle|thread_name|model)":"(?:[^"\\]|\\.)*/g;

/** A generated file with long texts, and damage anywhere in it. */
const file = fc
  .tuple(
    fc.constantFrom(generateClaudeCode, generateRollout),
    fc.nat({ max: 100_000 }),
    fc.array(fc.tuple(mutation, fc.nat({ max: 1 << 20 })), { maxLength: 4 }),
  )
  .map(([generate, seed, changes]) => {
    const whole = bytes(generate(seed).replaceAll(TEXTS, `$&${LONG_TEXT}`));
    return changes.map(([change, at]): Mutation => ({ ...change, at })).reduce(mutated, whole);
  });

const KEYS = ['text', 'content', 'output'];

describe('the lines of a file without their long texts', () => {
  it('are JSON only if the lines are, with the same value except for these texts', () => {
    const skeletons = new LineSkeletons(KEYS);
    let shorter = 0;
    fc.assert(
      fc.property(file, (content) => {
        const source = bytesIn(content);
        const lines = [...skeletons.lines(source)];
        expect(lines.map(lineOf)).toEqual([...linesOf(source)]);
        for (const { offset, length, skeleton } of lines) {
          const value = skeleton === null ? undefined : valueOf(skeleton);
          if (skeleton === null || value === undefined) continue;
          const line = source.read(offset, offset + length);
          expect(isUtf8(line)).toBe(true);
          expect(valueOf(skeleton, emptied)).toEqual(valueOf(String(Buffer.from(line)), emptied));
          if (skeleton.length < length - LONG_TEXT.length) shorter += 1;
        }
      }),
    );
    expect(shorter).toBeGreaterThan(100);
  });

  it.each([
    ['sound', String.raw`{"text":"${LONG_TEXT}"}`, '{"text":""}\n'],
    ['short', '{"text":"a"}', '{"text":"a"}\n'],
    ['of another key', `{"id":"${'x'.repeat(99)}"}`, `{"id":"${'x'.repeat(99)}"}\n`],
    ['with a control character', `{"text":"${'x'.repeat(99)}\t"}`, null],
    ['with an invalid escape', String.raw`{"text":"${'x'.repeat(99)}\x"}`, null],
    ['with half a code point', String.raw`{"text":"${'x'.repeat(99)}\u00e"}`, null],
  ])('keep or lose a text: %s', (_, line, skeleton) => {
    const [first] = new LineSkeletons(KEYS).lines(bytesIn(bytes(`${line}\n`)));
    expect(first?.skeleton).toBe(skeleton);
  });

  it('are left out where a line is longer than the memory for lines', () => {
    const long = `{"text":"${'x'.repeat(3 << 20)}"}\n`;
    const source = bytesIn(bytes(`{"id":1}\n${long}{"id":2}\n{"id":3}`));
    const lines = [...new LineSkeletons(KEYS).lines(source)];
    expect(lines.map(({ skeleton }) => skeleton)).toEqual(['{"id":1}\n', null, '{"id":2}\n', null]);
    expect(lines.map(lineOf)).toEqual([...linesOf(source)]);
  });

  it('make the same session as whole lines', () => {
    // A short file is parsed as a whole.
    const end = bytes(`\n{"type":"mode","pad":[${'0,'.repeat(1 << 15)}0]}\n`);
    fc.assert(
      fc.property(file, (content) => {
        const source = bytesIn(Buffer.concat([content, end]));
        const whole = readForeign({ ...source, isStrict: true }, 'file');
        const fast = readForeign(source, 'file');
        expect(fast && known(fast)).toEqual(whole && known(whole));
      }),
    );
  });
});

function lineOf({ line, offset, length, terminated }: SkeletonLine): RawLine {
  return { line, offset, length, terminated };
}

/** undefined for a text that is not JSON. */
function valueOf(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

function emptied(key: string, value: unknown): unknown {
  return KEYS.includes(key) && typeof value === 'string' ? '' : value;
}

function known(session: Session): unknown {
  const { scan, tree, problems, header, foreign } = session;
  return {
    header,
    foreign,
    problems,
    blanks: scan.blanks,
    lost: scan.lost,
    bytes: bytesAccountedFor(scan),
    leaf: tree.leaf?.index,
    heads: Array.from(tree.heads, copyOf),
    entries: Array.from(tree.heads, (head) => session.entry(head)),
  };
}
