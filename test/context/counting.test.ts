import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { describeIssue } from '#base/schema-issue.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { readRecordedTokens, readUsageNumbers } from '#context/size/recorded-usage.js';
import {
  countBlockTokens,
  countMessageTokens,
  countPartTokens,
  countTokens,
  countValueTokens,
  type TokenMethod,
} from '#context/size/tokens.js';
import { canonicalJson, canonicalJsonOnce } from '../../src/base/canonical-json.js';
import { formatJson, measureJson } from '../../src/base/json-text.js';
import { splitInProportion } from '../../src/base/proportion.js';
import { runs } from '../support/runs.js';

const text = (words: unknown): object => ({ type: 'text', text: words });
const IMAGE = { type: 'image', data: 'aWI=' };
/** One token each, of whatever length. */
const BY_TEXTS: TokenMethod = { name: 'texts', count: () => 1 };

describe('the tokens of a message', () => {
  it.each<readonly [message: LlmMessage, tokens: number, texts: number]>([
    [{ role: 'user', content: '12345' }, 2, 1],
    [{ role: 'user', content: null }, 0, 0],
    [{ role: 'user', content: [text('12'), text('345')] }, 2, 2],
    [{ role: 'user', content: [text(7)] }, 0, 1],
    [{ role: 'user', content: [IMAGE, text('1')] }, 1201, 1201],
    [{ role: 'toolResult', content: [IMAGE] }, 1200, 1200],
    [{ role: 'assistant', content: [IMAGE, text('1234')] }, 1, 1],
    [{ role: 'assistant', content: [{ type: 'thinking', thinking: '12345', thinkingSignature: 'long' }] }, 2, 1],
    [{ role: 'assistant', content: [{ type: 'toolCall', id: 'long', name: 'ab', arguments: { a: 1 } }] }, 3, 2],
    [{ role: 'assistant', content: [{ type: 'toolCall' }] }, 0, 1],
    [{ role: 'assistant', content: [{ type: 'odd', text: '12345' }, 'odd'] }, 0, 0],
  ])('%j: %i', (message, tokens, texts) => {
    expect(countMessageTokens(message)).toBe(tokens);
    expect(countMessageTokens(message, BY_TEXTS)).toBe(texts);
    const byBlock = countBlockTokens(message);
    expect(byBlock.reduce((sum, each) => sum + each.tokens, 0)).toBe(tokens);
    expect(countBlockTokens(message, BY_TEXTS).reduce((sum, each) => sum + each.tokens, 0)).toBe(texts);
  });

  it('are told by block', () => {
    const content = [text('12345678'), IMAGE, { type: 'odd' }, text('1234')];
    expect(countBlockTokens({ role: 'user', content })).toEqual([
      { block: content[0], tokens: 2 },
      { block: IMAGE, tokens: 1200 },
      { block: content[2], tokens: 0 },
      { block: content[3], tokens: 1 },
    ]);
    expect(countBlockTokens({ role: 'assistant', content }).map(({ tokens }) => tokens)).toEqual([2, 0, 1]);
    expect(countBlockTokens({ role: 'user', content: '12345' })).toEqual([{ block: text('12345'), tokens: 2 }]);
  });

  it('are shared in proportion, in whole numbers that add up', () => {
    expect(splitInProportion([1, 1, 2], 8)).toEqual([2, 2, 4]);
    expect(splitInProportion([0.5, 0.5, 0.5])).toEqual([1, 1, 0]);
    // The largest remainder gets what is left, wherever it is.
    expect(splitInProportion([1.2, 1.1, 1.7], 4)).toEqual([1, 1, 2]);
    expect(splitInProportion([1.7, 1.1, 1.2], 4)).toEqual([2, 1, 1]);
    expect(splitInProportion([0, 0], 8)).toEqual([0, 0]);
    expect(splitInProportion([])).toEqual([]);
    const weights = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(weights, fc.nat(5000), (some, total) => {
        fc.pre(some.some((each) => each > 0));
        const all = some.reduce((sum, each) => sum + each, 0);
        const parts = splitInProportion(some, total);
        expect(parts.reduce((sum, each) => sum + each, 0)).toBe(total);
        for (const [at, part] of parts.entries()) {
          expect(Number.isInteger(part)).toBe(true);
          expect(Math.abs(part - ((some[at] ?? 0) / all) * total)).toBeLessThanOrEqual(1);
        }
        expect(splitInProportion(some).reduce((sum, each) => sum + each, 0)).toBe(Math.ceil(all));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('the tokens of an envelope', () => {
  const envelope: EnvelopeContent = {
    system: {
      parts: [
        { name: 'a', text: '123' },
        { name: 'b', text: '12', separator: '\n\n' },
      ],
      compiled: '',
    },
    tools: [{ name: 'read' }],
    messages: {
      cached: [
        { role: 'user', content: '12345' },
        { role: 'user', content: '1' },
      ],
      uncached: [{ role: 'user', content: '1' }],
    },
    options: { temperature: 1 },
  };

  it('are those of its categories, each rounded up', () => {
    expect(countTokens(envelope)).toEqual({
      system: 2,
      tools: 5,
      cached: 3,
      uncached: 1,
      total: 11,
      method: 'chars/4',
    });
    expect(countTokens(envelope, BY_TEXTS)).toEqual({
      system: 2,
      tools: 1,
      cached: 2,
      uncached: 1,
      total: 6,
      method: 'texts',
    });
    expect(countTokens({ ...envelope, tools: [] }, BY_TEXTS)).toMatchObject({ tools: 0, total: 5 });
  });

  it('are those of parts and values', () => {
    expect(countPartTokens([])).toBe(0);
    expect([
      countValueTokens('12345'),
      countValueTokens([1, 2]),
      countValueTokens(undefined),
      countValueTokens(null),
    ]).toEqual([2, 2, 0, 1]);
    expect([
      countValueTokens('', BY_TEXTS),
      countValueTokens([], BY_TEXTS),
      countValueTokens(undefined, BY_TEXTS),
    ]).toEqual([1, 1, 0]);
  });

  it('has one hash, whatever the order of keys, and another where anything differs', () => {
    const plain = {
      messages: envelope.messages,
      options: envelope.options,
      system: envelope.system,
      tools: envelope.tools,
    };
    expect(hashEnvelope(envelope)).toBe(createHash('sha256').update(canonicalJson(plain)).digest('hex'));
  });
});

describe('recorded tokens', () => {
  const answer = (usage: unknown, fields: object = {}): LlmMessage => ({
    role: 'assistant',
    content: [],
    usage,
    ...fields,
  });
  it.each<readonly [message: LlmMessage, tokens: number | null]>([
    [answer({ totalTokens: 9, input: 1 }), 9],
    [answer({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }), 10],
    [answer({ totalTokens: 0, output: 2 }), 2],
    [answer({ totalTokens: 0 }), null],
    [answer({ totalTokens: -5 }), null],
    [answer({ totalTokens: '9' }), null],
    [answer(null), null],
    [answer({ totalTokens: 9 }, { stopReason: 'error' }), null],
    [answer({ totalTokens: 9 }, { stopReason: 'aborted' }), null],
    [answer({ totalTokens: 9 }, { stopReason: 'length' }), 9],
    [answer({ totalTokens: 9 }, { role: 'user' }), null],
  ])('of %j are %s', (message, tokens) => {
    expect(readRecordedTokens(message)).toBe(tokens);
  });

  it('are 0 if they are not recorded, unlike a cost', () => {
    expect(readUsageNumbers({})).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, cost: null });
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 5, cost: { total: 6 } };
    expect(readUsageNumbers(usage)).toEqual({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, total: 5, cost: 6 });
    expect(readUsageNumbers({ cost: 6 }).cost).toBeNull();
    expect(readUsageNumbers({ cost: { total: '6' } }).cost).toBeNull();
  });
});

describe('canonical JSON', () => {
  it('has its keys in one order, and is JSON', () => {
    expect(canonicalJson({ b: [1, { d: 1, c: undefined }], a: 'x', 10: null, 9: true })).toBe(
      '{"10":null,"9":true,"a":"x","b":[1,{"d":1}]}',
    );
    expect([undefined, Number.NaN, null, '\ud800', -0].map(canonicalJson)).toEqual([
      'null',
      'null',
      'null',
      String.raw`"\ud800"`,
      '0',
    ]);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const written = canonicalJson(value);
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(written))).toBe(written);
      }),
      { numRuns: runs(300) },
    );
  });

  it('is made once of what does not change', () => {
    const value: Record<string, number> = { a: 1 };
    expect(canonicalJsonOnce(value)).toBe('{"a":1}');
    value['a'] = 2;
    expect(canonicalJsonOnce(value)).toBe('{"a":1}');
    expect(canonicalJsonOnce({ a: 2 })).toBe('{"a":2}');
  });
});

describe('the length of JSON', () => {
  /** A value that is too deep for some versions of JavaScript, around another one. */
  function deep(value: unknown, levels: number): unknown {
    let around = value;
    for (let level = 0; level < levels; level += 1) around = level % 2 === 0 ? [around] : { k: around };
    return around;
  }

  it('is that of the text, however deep it is', () => {
    const levels = 40_000;
    const around = (levels / 2) * ('[]'.length + '{"k":}'.length);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { length } = JSON.stringify(value);
        expect(measureJson(value)).toBe(length);
        expect(measureJson(deep(value, levels))).toBe(around + length);
      }),
      { numRuns: 20 },
    );
    expect(countValueTokens(deep('1234', levels))).toBe(Math.ceil((around + 6) / 4));
    expect(formatJson({ a: 1 })).toBe('{"a":1}');
  });

  it('is not asked of what cannot be written for another reason', () => {
    const cannot = {
      toJSON() {
        throw new TypeError('no');
      },
    };
    expect(() => formatJson(cannot)).toThrow('no');
  });
});

describe('what a schema found wrong', () => {
  const schema = z.strictObject({
    name: z.string(),
    kind: z.optional(z.enum(['a', 'b'])),
    count: z.optional(z.int().check(z.positive())),
    most: z.optional(z.int().check(z.nonnegative())),
    list: z.optional(z.array(z.string()).check(z.minLength(1))),
    content: z.optional(z.union([z.string(), z.array(z.string())])),
    odd: z.optional(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])),
    even: z.optional(z.string().check(z.regex(/x/))),
  });
  it.each<readonly [value: unknown, what: string]>([
    [7, 'the value must be object'],
    [{}, 'name must be string'],
    [{ name: 'x', kind: 'c' }, 'kind must be "a" or "b"'],
    [{ name: 'x', more: 1, other: 2 }, 'the value has an unknown key "more", "other"'],
    [{ name: 'x', most: -1 }, 'most must be 0 or more'],
    [{ name: 'x', list: [] }, 'list must not be empty'],
    [{ name: 'x', count: 0 }, 'count must be more than 0'],
    [{ name: 'x', content: 7 }, 'content must be string or array'],
    [{ name: 'x', content: [7] }, 'content must be string'],
    [{ name: 'x', odd: { a: 1 } }, 'odd is not well-formed'],
    [{ name: 'x', even: 'y' }, 'even is not well-formed'],
  ])('%j: %s', (value, what) => {
    const { error } = schema.safeParse(value);
    expect(error && describeIssue(error)).toBe(what);
  });

  it('is reported even for an empty session', () => {
    expect(describeIssue({ issues: [] })).toBe('not well-formed');
  });
});
