import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDiff, diffEnvelopes, isEmptyDiff } from '#analysis/diff/envelope-diff.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import { setParts } from '#context/replay/system-messages.js';
import { runs } from '../../support/runs.js';

const word = fc.constantFrom('', 'a', 'b', 'a longer text', '__proto__', 'naïve 🙂', '\ud800');
const json = fc.jsonValue({ maxDepth: 2 });
const part = fc.record({ name: word, text: word, separator: fc.constantFrom('', '\n\n') });
const tool = fc.record({ name: word, description: word, parameters: json });
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: word }),
  fc.record({ type: fc.constant('toolCall'), id: word, name: word, arguments: json }),
  json,
);
const message = fc.record({
  role: fc.constantFrom('user', 'assistant', 'toolResult'),
  content: fc.oneof(word, fc.array(block, { maxLength: 3, size: 'max' }), json),
});
const list = <Item>(item: fc.Arbitrary<Item>): fc.Arbitrary<Item[]> => fc.array(item, { maxLength: 6, size: 'max' });
const envelope: fc.Arbitrary<EnvelopeContent> = fc
  .record({
    parts: list(part),
    tools: list(tool),
    options: fc.dictionary(fc.constantFrom('reasoning', 'temperature', '__proto__', 'x'), json),
    cached: list(message),
    uncached: list(message),
  })
  .map(({ parts, tools, options, cached, uncached }) => ({
    ...setParts(EMPTY_ENVELOPE, parts),
    tools: tools as EnvelopeContent['tools'],
    options,
    messages: { cached, uncached } as EnvelopeContent['messages'],
  }));

describe('the difference of two envelopes', () => {
  it('turns the one into the other (L7)', () => {
    fc.assert(
      fc.property(envelope, envelope, (before, after) => {
        expect(applyDiff(before, diffEnvelopes(before, after))).toEqual(after);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('is the same when messages are told apart by where they come from', () => {
    fc.assert(
      fc.property(envelope, envelope, (before, after) => {
        const sourceOf = (sent: object) => JSON.stringify(sent).length % 3;
        expect(applyDiff(before, diffEnvelopes(before, after, sourceOf))).toEqual(after);
      }),
    );
  });

  it('is empty between an envelope and itself', () => {
    fc.assert(
      fc.property(envelope, (content) => {
        expect(isEmptyDiff(diffEnvelopes(content, structuredClone(content)))).toBe(true);
      }),
    );
  });
});
