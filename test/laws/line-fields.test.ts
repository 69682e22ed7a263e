import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject } from '#base/json.js';
import { CLAUDE_LAYOUT } from '#session/agents/claude-code/records/fields.js';
import { FieldLayout, VALUE_KIND, valueKindOf, valueNumberOf } from '#session/scan/field-layout.js';
import type { LineFields } from '#session/scan/line-fields.js';
import { readLineFields } from '#session/scan/read-line-fields.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { readLines } from '../../src/session/scan/lines.js';
import { parseLine } from '../../src/session/scan/parse-line.js';
import { generateClaudeCode } from '../support/claude-code.js';
import { mutated, type Mutation, mutation } from '../support/damaged-files.js';
import { bytes } from '../support/entries.js';

interface Fields {
  readonly paths: readonly string[];
  readonly layout: FieldLayout;
}

function fields(...paths: readonly string[]): Fields {
  return { paths, layout: new FieldLayout(Object.fromEntries(paths.map((path) => [path, path]))) };
}

const SMALL = fields(
  'id',
  'at:time',
  'flag:kind',
  'count:number',
  'in:kind',
  'in.list:list',
  'in.list.name',
  'in.text',
);
const CLAUDE_CODE = fields(...CLAUDE_LAYOUT.paths);

interface Read {
  readonly table: LineFields;
  /** The number of lines that JSON.parse decided about. */
  readonly judged: number;
}

function read(content: Uint8Array, { layout }: Fields, isStrict: boolean): Read {
  const source = { ...toByteSource(content), isStrict };
  let judged = 0;
  const table = readLineFields(source, layout, ['known'], (line) => {
    judged += 1;
    const parsed = parseLine(source, line);
    const { offset, length } = line;
    return [{ offset, length, value: parsed.kind === 'value' && isObject(parsed.value) ? parsed.value : null }];
  });
  return { table, judged };
}

/** The fields of every line, with texts instead of their numbers. */
function saidBy({ table }: Read, { paths, layout }: Fields): unknown {
  const named = paths.map((path) => ({ slot: layout.wordOf[path] ?? 0, path }));
  const said = (word: number): unknown =>
    valueKindOf(word) === VALUE_KIND.text ? table.text(valueNumberOf(word)) : word;
  return Array.from({ length: table.length }, (_, line) => {
    if (!table.isObject(line)) return table.span(line);
    const ofLine = named.filter(({ path }) => !path.includes('list.') && !path.includes('content.'));
    const record = ofLine.map(({ path, slot }) => {
      const word = table.at(line, slot);
      // Of a text whose kind alone is read, the number says whether it is empty.
      if (path.endsWith(':kind')) return word;
      if (path.endsWith(':number')) return [word, table.numberAt(line, slot)];
      return valueKindOf(word) === VALUE_KIND.time ? [word, table.at(line, slot + 1)] : said(word);
    });
    const list = ofLine.find(({ path }) => path.endsWith(':list'));
    const word = list ? table.at(line, list.slot) : 0;
    const rows = valueKindOf(word) === VALUE_KIND.list ? valueNumberOf(word) : 0;
    const items = Array.from({ length: rows * layout.itemWords }, (_item, at) =>
      said(table.itemAt(table.firstItem(line), at)),
    );
    return [table.span(line), record, items.join()];
  });
}

function expectSame(content: Uint8Array, of: Fields): number {
  const [fast, strict] = [read(content, of, false), read(content, of, true)];
  expect(saidBy(fast, of)).toEqual(saidBy(strict, of));
  expect(strict.judged).toBe([...readLines(toByteSource(content))].length);
  return strict.judged - fast.judged;
}

const damagedFile = fc
  .tuple(fc.nat({ max: 100_000 }), fc.array(fc.tuple(mutation, fc.nat({ max: 1 << 16 })), { maxLength: 4 }))
  .map(([seed, changes]) =>
    changes.map(([change, at]): Mutation => ({ ...change, at })).reduce(mutated, bytes(generateClaudeCode(seed))),
  );

const leaf = fc.oneof(
  fc.string(),
  fc.nat({ max: 1 << 27 }),
  fc.maxSafeNat(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(
    null,
    '',
    '\ud800',
    '\u0001',
    'a/b',
    'C:\\x',
    'é"\n',
    '2026-02-28T01:02:03.004Z',
    '2026-02-30T01:02:03.004Z',
    2 ** 28,
  ),
);
const item = fc.oneof(leaf, fc.dictionary(fc.constantFrom('name', 'id', 'other'), fc.oneof(leaf, fc.array(leaf))));
const list = fc.oneof(leaf, fc.array(fc.oneof(item, fc.array(item))), item);
const inner = fc.oneof(leaf, fc.record({ list, text: leaf, other: list }, { requiredKeys: [] }), fc.array(item));
const value = fc.record(
  { id: leaf, at: leaf, flag: inner, count: inner, in: inner, other: inner },
  { requiredKeys: [] },
);

describe('the fields of lines that are not parsed', () => {
  it('are those of JSON.parse, whatever the damage', () => {
    let confirmed = 0;
    fc.assert(
      fc.property(damagedFile, (content) => {
        confirmed += expectSame(content, CLAUDE_CODE);
      }),
    );
    expect(confirmed).toBeGreaterThan(300);
  });

  it('are those of JSON.parse, whatever the values', () => {
    let confirmed = 0;
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), fc.boolean(), (values, isSpaced) => {
        const lines = values.map((one) => JSON.stringify(one));
        const spaced = isSpaced ? lines.map((line) => ` ${line}\t`) : lines;
        confirmed += expectSame(bytes(`${spaced.join('\n')}\n`), SMALL);
      }),
    );
    expect(confirmed).toBeGreaterThan(20);
  });

  it.each([
    ['a repeated field', '{"id":"a","id":"b"}', 0],
    ['an escaped field', String.raw`{"\u0069d":"a"}`, 0],
    ['a text with another escape than JSON.stringify writes', String.raw`{"id":"\u0061\/"}`, 0],
    ['a text with usual escapes', String.raw`{"id":"C:\\a \"b\"\n"}`, 1],
    ['a number with a fraction', '{"flag":1.5}', 0],
    ['a count', '{"count":9007199254740991}', 1],
    ['a larger number than counts have', '{"count":9007199254740993}', 0],
    ['a time of another century', '{"at":"1969-12-31T23:59:59.999Z"}', 1],
    ['a line with invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 0x0a]), 0],
    ['fields of several objects in a list', '{"in":{"list":[{"name":"a"},[{"name":"b"}],{"name":"c"}],"text":"d"}}', 1],
    ['an object instead of a list', '{"in":{"list":{"name":"a"}}}', 1],
    ['a torn line', '{"id":"a"', 0],
  ])('are those of JSON.parse: %s', (_, line, confirmed) => {
    expect(expectSame(typeof line === 'string' ? bytes(`${line}\n`) : line, SMALL)).toBe(confirmed);
  });

  it('are read from lines of any length, and from a list of any length', () => {
    const long = `{"id":"${'x'.repeat(3 << 20)}"}`;
    const many = JSON.stringify({ in: { list: Array.from({ length: 140_000 }, (_, at) => ({ name: String(at) })) } });
    const shorter = JSON.stringify({ in: { list: Array.from({ length: 30_000 }, () => ({ name: 'a' })) } });
    const lines = ['{"id":"1"}', long, shorter, shorter, '{"id":"2"}', many, shorter, '{"id":"3"}', '{"id":"4"}'];
    expect(expectSame(bytes(lines.join('\n')), SMALL)).toBe(6);
  });
});
