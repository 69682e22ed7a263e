import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { copyHead } from '#session/heads/head.js';
import { IncrementalScan, scanRecords } from '#session/scan/incremental-scan.js';
import { PI_ROLES, PI_TYPES, readFlag, RECORD_WORD, WORDS_PER_RECORD } from '#session/scan/line-scanner.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { type Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { readTail } from '../../../src/session/read-tail.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { assistant, bytes, entry, type Entry, HEADER, label, lines, sessionOf, user } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';

/** Shorter files are read by the strict reader alone. */
const FAST_BYTES = 1 << 16;

/** Several sessions in one file, with what may stand between them. */
function longFile(seed: number, odd: number): Uint8Array {
  const parts = Array.from({ length: 4 }, (_, at) =>
    generateSession({ seed: seed * 10 + at, odd, entries: 30, transforms: 0.1, edits: 0.1 }),
  );
  const [first = '', ...others] = parts;
  const between = [
    '\n',
    '{"torn\n',
    '42\n',
    lines(HEADER),
    lines(assistant('0000000a', '00000009')),
    '  \n',
    '\ufeff{}\n',
  ];
  const bad = Buffer.from(
    '{"type":"custom","id":"0000000b","parentId":null,"timestamp":"2026-01-05T09:00:01.000Z","data":"é\u00ff"}\n',
    'latin1',
  );
  const pieces: Uint8Array[] = [bad, bytes(lines(user('0000000c', null, 'é 🙂')))];
  let text = first;
  for (let at = 0; text.length < FAST_BYTES * 1.2; at += 1) {
    text += between[(seed + at) % between.length]!;
    text += others[at % others.length]!.split('\n').slice(1).join('\n');
  }
  return Buffer.concat([bytes(text), ...pieces, bytes(lines(user('0000000d', '0000000c')))]);
}

/** All that is known of the lines and links of a session. */
function known({ scan, tree: { heads, leaf }, problems }: Session): unknown {
  return {
    heads: Array.from(heads, copyHead),
    parents: Array.from(heads, ({ index }) => heads.parentAt(index)),
    resolved: Array.from(heads, ({ index }) => heads.entryOfIdAt(index)),
    targets: Array.from(heads, ({ index }) => heads.targetAt(index)),
    areParentsAbove: heads.areParentsAbove(),
    others: ['label', 'compaction', 'context_edit', 'custom'].map((type) =>
      [...heads.ofType(type)].map(({ index }) => index),
    ),
    leaf: leaf?.index,
    problems,
    blanks: scan.blanks,
    lost: scan.damaged,
    repeatedHeaders: scan.repeatedHeaders,
    size: bytesAccountedFor(scan),
  };
}

/** Where a usage stands is known to the fast reader only. */
function withoutUsage(all: unknown): unknown {
  return JSON.parse(
    JSON.stringify(all, (key, value: unknown) => {
      if (key === 'usageStart' || key === 'usageLength') return undefined;
      return Number.isNaN(value) ? 'not a time' : value;
    }),
  );
}

describe('a file that is long enough for the fast reader', () => {
  it.each([
    [1, 0],
    [2, 0],
    [3, 0.3],
    [4, 0.3],
    [5, 0.6],
  ])('is read as the strict one reads it (%i, %d)', (seed, odd) => {
    const file = longFile(seed, odd);
    const fast = readSession(toByteSource(file), 'f');
    const strict = readSession({ ...toByteSource(file), isStrict: true }, 'f');
    expect(withoutUsage(known(fast))).toEqual(withoutUsage(known(strict)));
    expect(Array.from(fast.tree.heads, (head) => fast.usage(head))).toEqual(
      Array.from(strict.tree.heads, (head) => strict.usage(head)),
    );
    expect(bytesAccountedFor(fast.scan)).toBe(file.length);
  });

  it('is read as the strict one reads it where all ids differ and branches begin anywhere', () => {
    const ids = Array.from({ length: 900 }, (_, at) => ((at + 800) % 900).toString(16).padStart(8, '0'));
    const parents = ids.map((_, at) =>
      at === 0 || at === 101 ? null : ids[at % 7 === 0 ? Math.floor(at / 2) : at - 1]!,
    );
    const file = bytes(
      lines(HEADER, ...ids.map((id, at) => (at % 5 === 0 ? label(id, parents[at], ids[0]) : user(id, parents[at])))),
    );
    const fast = readSession(toByteSource(file), 'f');
    expect(file.length).toBeGreaterThan(FAST_BYTES);
    expect(Array.from(fast.tree.heads, ({ index }) => fast.tree.heads.parentAt(index))).toEqual(
      parents.map((parent) => (parent === null ? -1 : ids.indexOf(parent))),
    );
    expect(withoutUsage(known(fast))).toEqual(
      withoutUsage(known(readSession({ ...toByteSource(file), isStrict: true }, 'f'))),
    );
  });

  it.each([
    ['junk', 'a'.repeat(3_500_000)],
    ['an entry', JSON.stringify(user('0000000b', '0000000a', 'x'.repeat(3_500_000)))],
  ])('may hold a line of %s that is longer than what is read at once', (_, long) => {
    const [before, behind] = [lines(HEADER, user('0000000a', null)), lines(user('0000000c', '0000000a'))];
    for (const text of [`${before}${long}\n${behind}`, before + long]) {
      const file = bytes(text);
      const [fast, strict] = [false, true].map((isStrict) => readSession({ ...toByteSource(file), isStrict }, 'f'));
      expect(withoutUsage(known(fast!))).toEqual(withoutUsage(known(strict!)));
      expect(bytesAccountedFor(fast!.scan)).toBe(file.length);
    }
  });

  it('is not parsed to know where a usage stands', () => {
    const answer = entry('message', '0000000b', '0000000a', { message: { role: 'assistant', usage: { input: 5 } } });
    const text = lines(HEADER, ...Array.from({ length: 600 }, () => user('0000000a', null)), answer);
    expect(text.length).toBeGreaterThan(FAST_BYTES);
    const { heads } = readSession(toByteSource(bytes(text)), 'f').tree;
    const { usageStart, usageLength } = heads.last!;
    expect(JSON.stringify(answer).slice(usageStart, usageStart + usageLength)).toBe('{"input":5}');
  });

  it('is vouched for, whatever the types and roles that Pi writes', () => {
    const at = { id: '0000000a', parentId: '00000009' };
    const message = (role: string): Entry => entry('message', at.id, at.parentId, { message: { role, content: 'é' } });
    const parts = [...PI_TYPES.slice(1).map((type) => entry(type, at.id, at.parentId)), ...PI_ROLES.map(message)];
    const file = bytes(lines(...Array.from({ length: 40 }, () => parts).flat()));
    expect(file.length).toBeGreaterThan(FAST_BYTES);
    const flags: number[] = [];
    for (const { words, count } of scanRecords(toByteSource(file), 0, file.length))
      for (let record = 0; record < count; record += 1)
        flags.push(words[record * WORDS_PER_RECORD + RECORD_WORD.flags]!);
    const names = flags
      .slice(0, parts.length)
      .map((each) => [PI_TYPES[readFlag.type(each) - 1], PI_ROLES[readFlag.role(each) - 1]]);
    expect(names).toEqual([
      ...PI_TYPES.slice(1).map((type) => [type, undefined]),
      ...PI_ROLES.map((role) => ['message', role]),
    ]);
    expect(flags).toHaveLength(parts.length * 40);
    expect(flags).not.toContain(0);
  });

  it('is read in pieces as it is read at once', () => {
    const file = longFile(6, 0.3);
    const { heads: all, ...whole } = readSession(toByteSource(file), 'f').scan;
    const source = toByteSource(file);
    const scanning = new IncrementalScan(source, 'f');
    for (let at = 0; at < file.length;) {
      const newline = file.indexOf(0x0a, Math.min(at + 5000, file.length - 1));
      const end = newline === -1 ? file.length : newline + 1;
      for (const records of scanRecords(source, at, end)) scanning.take(records);
      at = end;
    }
    scanning.takeTail();
    const { heads, ...rest } = scanning.result();
    expect(rest).toEqual(whole);
    expect(withoutUsage(Array.from(heads, copyHead))).toEqual(withoutUsage(Array.from(all, copyHead)));
  });
});

describe('a file that is still written', () => {
  const begin = (text: string): { scanning: IncrementalScan; isEntry: boolean } => {
    const source = toByteSource(bytes(text));
    const scanning = new IncrementalScan(source, 'f');
    const end = text.lastIndexOf('\n') + 1;
    for (const records of scanRecords(source, 0, end)) scanning.take(records);
    return { scanning, isEntry: scanning.takeEntryTail() };
  };
  const last = JSON.stringify(user('u2', 'u1'));

  it.each([
    ['an entry without its newline', last, true],
    ['half an entry', last.slice(0, -1), false],
    ['a number', '4', false],
    ['white space', '  ', false],
    ['nothing', '', false],
  ])('has %s at its end', (_, tail, isTaken) => {
    const text = lines(HEADER, user('u1', null)) + tail;
    const { scanning, isEntry } = begin(text);
    expect(isEntry).toBe(isTaken);
    expect(scanning.hasHeader).toBe(true);
    expect(scanning.end).toBe(isTaken ? text.length : text.length - tail.length);
    expect(Array.from(scanning.result().heads, ({ id }) => id)).toEqual(isTaken ? ['u1', 'u2'] : ['u1']);
    expect(scanning.result().problems).toEqual([]);
  });

  it('goes on behind the newline that its last line has got, or where it stopped', () => {
    const text = lines(HEADER, user('u1', null));
    for (const tail of [last, last.slice(0, 9)]) {
      const { scanning, isEntry } = begin(text + tail);
      const more = text + lines(user('u2', 'u1'), user('u3', 'u2'));
      const source = toByteSource(bytes(more));
      scanning.continueWith(source, isEntry);
      for (const records of scanRecords(source, scanning.end, source.size)) scanning.take(records);
      scanning.takeTail();
      const found = scanning.result();
      expect(Array.from(found.heads, ({ id, line }) => [id, line])).toEqual([
        ['u1', 2],
        ['u2', 3],
        ['u3', 4],
      ]);
      expect(bytesAccountedFor(found)).toBe(more.length);
    }
  });
});

describe('the end of a long file', () => {
  const FIRST_BYTES = 1 << 21;
  const body = lines(
    ...Array.from({ length: 40 }, (_, at) => user(`u${at}`, at === 0 ? null : `u${at - 1}`, 'x'.repeat(100_000))),
  );

  it.each<[string, string, boolean]>([
    ['is enough', lines(HEADER), false],
    [
      'is not where the header is longer than anybody looks for it',
      lines({ ...HEADER, cwd: 'x'.repeat(70_000) }),
      true,
    ],
    ['is not in version 1', lines({ ...HEADER, version: 1 }), true],
    ['is in version 2', lines({ ...HEADER, version: 2 }), false],
  ])('%s', (_, beginning, isWhole) => {
    const { scan, tree, header } = readTail(toByteSource(bytes(beginning + body)), 'f', () => true);
    expect([scan.isWhole, tree.heads.length, tree.leaf?.line, header.id]).toEqual([
      isWhole,
      isWhole ? 40 : 20,
      41,
      HEADER.id,
    ]);
  });

  it('is refused where the first line is an entry, as the whole is', () => {
    expect(() => readTail(toByteSource(bytes(lines(user('u', null)) + body)), 'f', () => true)).toThrow(CtxError);
  });

  it('is the whole of it where a line is longer than what is read first', () => {
    const long = user('u2', 'u1', 'x'.repeat(FIRST_BYTES * 4));
    const file = bytes(lines(HEADER, user('u1', null), long));
    const session = readTail(toByteSource(file), 'f', () => true);
    expect(pathTo(session.tree, session.tree.leaf!).map(({ id }) => id)).toEqual(['u1', 'u2']);
    expect(session.scan.isWhole).toBe(true);
  });
});

describe('a revision', () => {
  const odd = sessionOf(
    user(7, null),
    user(true, 7),
    user('u1', 7),
    user(7, 'u1'),
    user(null, 7),
    label('l1', 'u1', 7, 'seven'),
  );

  it.each([
    ['7', 5],
    ['true', 3],
    ['seven', 5],
  ])('%s names an entry whose id is no text', (revision, line) => {
    expect(resolveRevision(odd, revision)?.line).toBe(line);
  });

  it('that is very long is not an error', () => {
    const long = `HEA${'D'.repeat(58)}`;
    expect(() => resolveRevision(odd, long)).toThrow(
      expect.objectContaining({ hint: 'try HEAD, "seven", 7, l1' }) as Error,
    );
    expect(() => resolveRevision(odd, 'HEDA')).toThrow(
      expect.objectContaining({ hint: 'did you mean "HEAD"?' }) as Error,
    );
  });
});

it('a mark before what is no header says nothing of a header', () => {
  const content = bytes(`\ufeff${lines(entry('custom', 'c1', null), user('u1', null))}`);
  const { problems } = readSession(toByteSource(content), 'f', { withoutHeader: true });
  expect(problems.map(({ code, line }) => [code, line])).toEqual([
    ['byte-order-mark', 1],
    ['missing-header', 2],
  ]);
});

describe('a root behind an entry that is its own parent', () => {
  it('stays a root', () => {
    const long = 'x'.repeat(FAST_BYTES);
    const file = bytes(lines(HEADER, user('0000000a', '0000000a', long), user('0000000b', null, long)));
    const { heads } = readSession(toByteSource(file), 'f').tree;
    expect([heads.parentAt(0), heads.parentAt(1)]).toEqual([0, -1]);
  });
});
