import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyHead } from '#session/heads/head.js';
import { IncrementalScan } from '#session/scan/incremental-scan.js';
import {
  buildUnverifiedRecord,
  type LineRecords,
  LineScanner,
  readFlag,
  RECORD_WORD,
  WORDS_PER_RECORD,
} from '#session/scan/line-scanner.js';
import type { Scan } from '#session/scan/scan.js';
import { buildSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { readLines } from '../../../src/session/scan/lines.js';
import { compiled, hashSources, modules } from '../../../src/session/wasm/build.mjs';
import { mutant, mutated, mutation, patchwork } from '../../support/damaged-files.js';
import { bytes, HEADER, lines } from '../../support/entries.js';
import { fixtures, recordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs, tried } from '../../support/runs.js';

const scanner = new LineScanner();

function scanWith(file: Uint8Array, records: Iterable<LineRecords>): Scan | string {
  const scanning = new IncrementalScan(toByteSource(file), 'f');
  try {
    for (const some of records) scanning.take(some);
    scanning.takeTail();
    return scanning.result();
  } catch (error) {
    return String(error);
  }
}

/** The strict reader: nobody vouches for any line. */
function strictly(file: Uint8Array): Scan | string {
  const whole = [...readLines(toByteSource(file))].filter(({ terminated }) => terminated);
  return scanWith(
    file,
    whole.map(({ length }) => buildUnverifiedRecord(length)),
  );
}

function fast(file: Uint8Array): Scan | string {
  return scanWith(file, scanner.scan(toByteSource(file), 0, file.length));
}

/** All that a scan says, with the usage itself in the place of where it stands. */
function saidBy(scan: Scan | string, file: Uint8Array): unknown {
  if (typeof scan === 'string') return scan;
  const session = buildSession({ ...scan, header: { ...scan.header, version: 3 } }, toByteSource(file), 'f');
  const heads = Array.from(scan.heads, (head) => ({
    ...copyHead(head),
    usage: session.usage(head),
    usageStart: 0,
    usageLength: 0,
  }));
  return { ...scan, heads, problems: session.problems };
}

/** How many lines of a file the scanner does not vouch for. */
function doubts(file: Uint8Array): number {
  let count = 0;
  for (const records of scanner.scan(toByteSource(file), 0, file.length))
    for (let at = 0; at < records.count; at += 1)
      if (records.words[at * WORDS_PER_RECORD + RECORD_WORD.flags] === 0) count += 1;
  return count;
}

function vouchesFor(line: string): boolean {
  return doubts(bytes(line)) === 0;
}

describe('the line scanner agrees with JSON.parse', () => {
  it('whatever is wrong with one byte of how most lines begin', () => {
    const line =
      '{"type":"message","id":"0a9f12cd","parentId":"5bd4efde","timestamp":"2026-03-01T09:00:45.619Z","message":{"role":"user","content":"x"}}';
    const others = [
      '0',
      '9',
      'a',
      'f',
      'g',
      'A',
      '"',
      '\\',
      ' ',
      ',',
      ':',
      '{',
      '}',
      '#',
      '/',
      '\u0001',
      '\n',
      'é',
      '',
    ];
    for (let at = 0; at < line.indexOf('"content"'); at += 1)
      for (const other of others) {
        const file = bytes(`${lines(HEADER)}${line.slice(0, at)}${other}${line.slice(at + 1)}\n${line}\n`);
        expect(saidBy(fast(file), file), `${at} ${other}`).toEqual(saidBy(strictly(file), file));
      }
    expect(vouchesFor(`${line}\n`)).toBe(true);
  });

  it.each(['"type":"custom"', '"id":"11111111"', '"parentId":null', '"timestamp":1', '"message":{"role":"user"}'])(
    'that %s stands there a second time',
    (repeated) => {
      const head = '{"type":"message","id":"0a9f12cd","parentId":"5bd4efde","timestamp":"2026-03-01T09:00:45.619Z"';
      expect(vouchesFor(`${head},"message":{"role":"user","content":"x"},${repeated}}\n`)).toBe(false);
    },
  );

  it.each([
    ['"toolCallId":"a","isError":true', 2],
    ['"toolCallId":"a","isError":false', 1],
    ['"toolCallId":"a","details":{"isError":true}', 0],
    ['"toolCallId":"a","isError":true,"isError":false', 0],
    ['"toolCallId":"a","isError":true,"toolCallId":"b"', 0],
    ['"toolCallId":"a","isError":null', 0],
    ['"toolCallId":"a","isError":"true"', 0],
    ['"toolCallId":"a"},"data":{"isError":true', 0],
  ])('about the outcome of %s', (fields, expected) => {
    const head = '{"type":"message","id":"0a9f12cd","parentId":"5bd4efde","timestamp":"2026-03-01T09:00:45.619Z"';
    const file = bytes(`${lines(HEADER)}${head},"message":{"role":"toolResult",${fields}}}\n`);
    const scanned = fast(file);
    expect(typeof scanned === 'string' ? scanned : readFlag.outcome(scanned.heads.flagsAt(0))).toBe(expected);
    expect(saidBy(scanned, file)).toEqual(saidBy(strictly(file), file));
  });

  it.each([
    ['whatever lines a file is made of', patchwork],
    ['whatever happens to the bytes of a session', mutant],
  ])('%s', (_name, files) => {
    fc.assert(
      fc.property(files, (file) => {
        expect(saidBy(fast(file), file)).toEqual(saidBy(strictly(file), file));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('whatever happens to a line that it would vouch for', () => {
    const line = bytes(generateSession({ seed: 3, entries: 3 }));
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
        const file = mutations.reduce(mutated, line);
        expect(saidBy(fast(file), file)).toEqual(saidBy(strictly(file), file));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('wherever quotes and backslashes stand in its blocks', () => {
    const part = fc.constantFrom(
      '\\',
      '\\\\',
      '\\"',
      '\\u00e9',
      '\\ud800',
      '\\x',
      '\\u12',
      '"',
      'a',
      'é',
      '\t',
      '\u0001',
      '{',
      ',',
    );
    const text = fc.tuple(fc.integer({ min: 0, max: 140 }), fc.array(part, { maxLength: 70 }));
    fc.assert(
      fc.property(text, ([padding, parts]) => {
        const body = `"${' '.repeat(padding)}${parts.join('')}"`;
        const head = '"type":"custom","id":"0123abcd","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z"';
        const file = bytes(`${lines(HEADER)}{"data":${body},${head}}\n{${head},"data":[${body}]}\n`);
        expect(saidBy(fast(file), file)).toEqual(saidBy(strictly(file), file));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('whatever numbers and words stand outside of strings', () => {
    const tokens =
      '0 -0 01 1. 1.5 .5 1e5 1E+05 1e - +1 1e-9999 true truex nul null false NaN Infinity [] [1,] [,1] {} {"a":1,} ' +
      '{"a"} {"a":} {1:2} "" \'a\' [[[]]] [} [1} {"a":1] {] \r \f';
    const others = [' \t 7 ', '1 2', '"a" "b"', '1234567890'.repeat(9), `${'['.repeat(9000)}${']'.repeat(9000)}`];
    const token = fc.constantFrom(...tokens.split(' '), ...others);
    fc.assert(
      fc.property(token, fc.integer({ min: 0, max: 70 }), (value, padding) => {
        const pad = ' '.repeat(padding);
        const file = bytes(
          `${lines(HEADER)}{"type":"custom","id":"0123abcd","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z",${pad}"data":${value}}\n`,
        );
        expect(saidBy(fast(file), file)).toEqual(saidBy(strictly(file), file));
      }),
      { numRuns: runs(1500) },
    );
  });

  it('wherever a line crosses the pieces that are read', () => {
    const texts = Array.from({ length: 22 }, (_, seed) => generateSession({ seed, odd: 0.2 }).split('\n').slice(1));
    const images = [300_000, 1_048_576, 1_100_000, 2_500_000].map((size, at) =>
      lines({
        type: 'custom',
        customType: 'x',
        data: 'A'.repeat(size),
        id: `0000000${at}`,
        parentId: null,
        timestamp: HEADER.timestamp,
      }),
    );
    const file = bytes(lines(HEADER) + texts.map((text, at) => text.join('\n') + (images[at % 9] ?? '')).join('\n'));
    expect(file.length).toBeGreaterThan(8_000_000);
    expect(saidBy(fast(file), file)).toEqual(saidBy(strictly(file), file));
  });
});

describe('the line scanner vouches for', () => {
  const entry = '"id":"0123abcd","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z"';
  const message = (rest: string): string => `{"type":"message",${entry},"message":{"role":"user",${rest}}}\n`;

  it.each([
    ['the content of a message', message('"content":[{"type":"text","text":"\\"id\\":\\"ffffffff\\""}]'), true],
    ['keys in any order', `{${entry},"type":"label","label":"x","targetId":"00000000"}\n`, true],
    ['white space', `  { "type" : "label" ,\t${entry} }\r\n`, true],
    ['letters beyond ASCII', message('"content":"naïve 🙂"'), true],
    ['a parent that is not there', `{"type":"label","id":"0123abcd","timestamp":"2026-01-05T09:00:00.000Z"}\n`, true],
    ['deep nesting', message(`"content":${'['.repeat(500)}${']'.repeat(500)}`), true],
    ['no key twice', `{"type":"label",${entry},"id":"0123abcd"}\n`, false],
    ['no key with escapes', `{"type":"label",${entry},"\\u0069d":"ffffffff"}\n`, false],
    ['no role twice', message('"role":"assistant"'), false],
    ['no other id', `{"type":"label","id":"0123ABCD","parentId":null,"timestamp":"2026-01-05T09:00:00.000Z"}\n`, false],
    ['no numeric id', `{"type":"label","id":12345678,"parentId":null,"timestamp":"2026-01-05T09:00:00.000Z"}\n`, false],
    ['no unknown type', `{"type":"future",${entry}}\n`, false],
    ['no unknown role', message('"content":""').replace('user', 'mystery'), false],
    ['no role of another object', `{"type":"message",${entry},"message":{},"x":{"role":"user"}}\n`, false],
    ['a number that crosses its blocks', message(`"content":[${'1'.repeat(200)},2]`), true],
    ['no message that is none', `{"type":"message",${entry},"message":[]}\n`, false],
    ['no session header', lines(HEADER), false],
    ['no other form of time', message('"content":""').replace('.000Z', 'Z'), false],
    ['no day that there is not', message('"content":""').replace('01-05', '02-30'), false],
    ['nothing nested deeper than it can count', message(`"content":${'['.repeat(9000)}${']'.repeat(9000)}`), false],
  ])('%s', (_name, line, expected) => {
    expect(vouchesFor(line)).toBe(expected);
  });

  it('nothing that is not UTF-8', () => {
    const line = Buffer.from(message('"content":"?"'));
    line[line.indexOf('?')] = 0xff;
    expect(doubts(line)).toBe(1);
  });

  const sound = [...fixtures.filter((file) => !file.includes('damaged')), ...recordings];
  it.each(sound)('nearly every line of a session of version 3: %s', (file) => {
    const content = readFileSync(file);
    const found = fast(content);
    if (typeof found === 'string' || !(found.header.version >= 3)) return;
    const odd = Array.from(found.heads).filter(({ id }) => !/^[0-9a-f]{8}$/.test(String(id))).length;
    expect(doubts(content)).toBeLessThanOrEqual(odd + 2 + found.problems.length + found.repeatedHeaders.length);
  });

  it('times as Date reads them', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const line = `{"type":"label","id":"0123abcd","parentId":null,"timestamp":"${date.toISOString()}"}\n`;
          const [records] = scanner.scan(toByteSource(bytes(line)), 0, line.length);
          expect(readFlag.type(records!.words[RECORD_WORD.flags]!)).not.toBe(0);
          expect(records!.doubles[1]).toBe(date.getTime());
        },
      ),
    );
  });
});

it.each(modules)('$source was compiled after its last change', async ({ generated }) => {
  expect(readFileSync(generated, 'utf8')).toContain(`// compiled from ${await hashSources()}\n`);
});

// Compiling all takes seconds. Where not all is tried, a small one shows that this compiler makes what is there.
it.each(tried(modules, 4, 2))('what $source is compiled to is that of its source', async (module) => {
  expect(readFileSync(module.generated, 'utf8')).toBe(await compiled(module));
});
