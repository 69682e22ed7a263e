import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eachEnvelope, envelopeAt } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { EnvelopeHash, hashEnvelope } from '#context/replay/envelope-hash.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { canonicalJson } from '../../src/base/canonical-json.js';
import { Log } from '../fixtures/log.js';
import { generateSession, type Shape } from '../support/generate.js';
import { type Content, fold } from '../support/reference.js';
import { runs } from '../support/runs.js';

const encoder = new TextEncoder();

function open(text: string): Promise<OpenSession> {
  return openSession(encoder.encode(text));
}

const shapes = fc.record<Shape>({
  seed: fc.nat(1_000_000),
  entries: fc.integer({ min: 1, max: 60 }),
  odd: fc.constantFrom(0, 0, 0.3),
  transforms: fc.constantFrom(0, 0.15, 0.4),
  compactions: fc.constantFrom(0, 0.05, 0.2),
});

function contentOf({ system, tools, messages, options }: ContextEnvelope): Content {
  return { system, tools, messages, options };
}

describe('a path of transforms (L2)', () => {
  const part = fc.record({ name: fc.constantFrom('base', 'policy', 'docs'), text: fc.string() });
  const tool = fc.record({ name: fc.constantFrom('read', 'bash', 'edit'), description: fc.string() });
  const message = fc.record({ role: fc.constantFrom('user', 'toolResult'), content: fc.string(), timestamp: fc.nat() });
  const op = fc.oneof(
    fc.record({
      op: fc.constant('system_part_set'),
      partName: fc.constantFrom('base', 'policy', 'new'),
      text: fc.string(),
    }),
    fc.record({ op: fc.constant('system_part_remove'), partName: fc.constantFrom('base', 'policy', 'none') }),
    fc.record({ op: fc.constant('system_parts_replace'), parts: fc.array(part) }),
    fc.record({ op: fc.constant('tools_replace'), tools: fc.array(tool) }),
    fc.record({ op: fc.constant('tools_remove'), toolNames: fc.array(fc.constantFrom('read', 'bash')) }),
    fc.record({ op: fc.constant('messages_cached_replace'), messages: fc.array(message) }),
    fc.record({
      op: fc.constant('options_set'),
      reasoning: fc.constantFrom('low', null),
      maxTokens: fc.constantFrom(100, null),
    }),
    fc.record({
      op: fc.constant('compaction_apply'),
      summary: fc.string(),
      timestamp: fc.nat(),
      firstKeptMessageIndex: fc.integer({ min: -2, max: 9 }),
    }),
  );
  const step = fc.oneof(
    message.map((value) => ({ message: value })),
    fc.array(op, { maxLength: 4 }).map((patch) => ({ patch })),
  );
  const baseline = fc.record({
    parts: fc.array(part),
    tools: fc.array(tool),
    options: fc.record({ temperature: fc.integer() }),
  });

  it('is the fold of its ops over the baseline', async () => {
    await fc.assert(
      fc.asyncProperty(baseline, fc.array(step, { maxLength: 12 }), async (start, steps) => {
        const log = new Log('fold');
        steps.forEach((item, at) => {
          if ('message' in item) log.entry(`m${at}`, 'message', { message: item.message });
          else
            log.transform(
              `x${at}`,
              'law',
              item.patch.map((each) => ({ ...each, scope: 'cached', invalidateCacheReason: 'law' })),
            );
        });
        const session = await open(log.text());
        expect(contentOf(envelopeAt(session, 'HEAD', { baseline: start }))).toEqual(fold(start, steps));
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('every generated session', () => {
  it('gives the same bytes each time it is read (L3)', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const text = generateSession(shape);
        const [first, second] = [envelopeAt(await open(text)), envelopeAt(await open(text))];
        expect(JSON.stringify(first)).toBe(JSON.stringify(second));
      }),
      { numRuns: runs(100) },
    );
  });

  it('gives the same envelope at its leaf with and without shortcuts', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await open(generateSession(shape));
        const last = [...eachEnvelope(session)].at(-1);
        const leaf = contentOf(envelopeAt(session));
        if (last) expect(canonicalJson(leaf)).toBe(canonicalJson(last.content));
        else expect(leaf.messages.cached).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('gives the same envelope, hash and tokens along the path as at each entry alone', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await open(generateSession(shape));
        const hash = new EnvelopeHash();
        for (const { head, content, tokens } of eachEnvelope(session)) {
          const alone = buildEnvelope(session, head);
          expect(canonicalJson(content)).toBe(canonicalJson(contentOf(alone)));
          expect(hash.of(content)).toBe(hashEnvelope(alone));
          expect(tokens()).toEqual(alone.meta.tokens);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('says of every message where it comes from', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const session = await open(generateSession(shape));
        const { messages, meta } = envelopeAt(session, 'HEAD', { ephemeral: true });
        expect(meta.provenance).toHaveLength(messages.cached.length + messages.uncached.length);
        const lines = new Set([...session.tree.heads].map(({ line }) => line));
        for (const { line } of meta.provenance) expect(lines).toContain(line);
      }),
      { numRuns: runs(200) },
    );
  });

  it('has token categories that add up (L12)', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const { tokens } = envelopeAt(await open(generateSession(shape)), 'HEAD', { ephemeral: true }).meta;
        expect(tokens.system + tokens.tools + tokens.cached + tokens.uncached).toBe(tokens.total);
        expect(tokens.method).not.toBe('');
      }),
      { numRuns: runs(100) },
    );
  });
});
