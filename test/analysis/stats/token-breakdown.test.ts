import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countSession } from '#analysis/stats/count-session.js';
import { sumBreakdown } from '#analysis/stats/token-breakdown.js';
import { envelopeAt } from '#context/envelope-at.js';
import { toOpenSession } from '#context/open.js';
import type { LlmMessage } from '#context/replay/content.js';
import { BY_CHARACTERS, countBlockTokens, countMessageTokens } from '#context/size/tokens.js';
import { splitInProportion } from '../../../src/base/proportion.js';
import { readSession } from '../../../src/session/read-session.js';
import { sourceOf } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const BY_THIRDS = { name: 'thirds', count: (text: string) => text.length / 3 };

describe('shares', () => {
  it('are whole numbers that add up to the total', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), fc.nat(1e6), (weights, total) => {
        const given = splitInProportion(weights, total);
        expect(given.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
        const isNothing = weights.every((weight) => weight === 0);
        if (!isNothing) expect(given.reduce((sum, share) => sum + share, 0)).toBe(total);
      }),
    );
  });

  it('are in proportion', () => {
    expect(splitInProportion([1, 1, 2])).toEqual([1, 1, 2]);
    expect(splitInProportion([0.25, 0.25, 0.5])).toEqual([0, 0, 1]);
    expect(splitInProportion([30, 10], 4)).toEqual([3, 1]);
  });
});

describe('the ledger', () => {
  it.each([BY_CHARACTERS, BY_THIRDS])('of %j: blocks of a message have all of its tokens', (method) => {
    const text = fc.string({ maxLength: 30 });
    const block = fc.oneof(
      fc.record({ type: fc.constant('text'), text }),
      fc.record({ type: fc.constant('thinking'), thinking: text }),
      fc.record({ type: fc.constant('toolCall'), name: text, arguments: fc.dictionary(text, text) }),
      fc.constant({ type: 'image', data: '' }),
      fc.constant({ type: 'mystery' }),
    );
    const content = fc.oneof(text, fc.array(block));
    fc.assert(
      fc.property(fc.constantFrom('user', 'assistant', 'toolResult'), content, (role, blocks) => {
        const message = { role, content: blocks } as LlmMessage;
        const sum = countBlockTokens(message, method).reduce((all, { tokens }) => all + tokens, 0);
        expect(sum).toBe(countMessageTokens(message, method));
      }),
    );
  });

  it('adds up: by category, by type of entry, and to what the envelope says', async () => {
    for (let seed = 0; seed < runs(120); seed += 1) {
      const shape = { seed, transforms: seed % 3 === 0 ? 0.1 : 0, odd: seed % 4 === 0 ? 0.2 : 0, compactions: 0.08 };
      const source = sourceOf(generateSession({ ...shape, version: seed % 10 === 0 ? 1 : 3 }));
      const session = await toOpenSession(readSession(source, 's.jsonl'));
      const stats = countSession(session, { method: BY_CHARACTERS, title: '' });
      const byType = stats.entryTypes.reduce((sum, { tokensEstimated: tokens }) => sum + tokens, 0);
      expect(byType, `seed ${seed}`).toBe(sumBreakdown(stats.ledger));
      const { tokens } = envelopeAt(session, 'HEAD', { lenient: true }).meta;
      const estimated = (of: readonly { readonly tokensEstimated: number }[]): number =>
        of.reduce((sum, each) => sum + each.tokensEstimated, 0);
      const { categories, systemParts, tools } = stats.context.composition;
      expect(estimated(categories), `seed ${seed}`).toBe(tokens.total);
      expect([estimated(systemParts), estimated(tools)]).toEqual([tokens.system, tokens.tools]);
    }
  });
});
