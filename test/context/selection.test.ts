import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { Replay } from '#context/replay/replay.js';
import { findFirstNeeded } from '#context/shortcuts/first-needed.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { Log } from '../fixtures/log.js';
import { sessionOf } from '../support/entries.js';
import { generateSession } from '../support/generate.js';
import { runs } from '../support/runs.js';

type Json = Readonly<Record<string, unknown>>;

function op(name: string, fields: Json): Json {
  return { op: name, scope: 'cached', invalidateCacheReason: 'test', ...fields };
}

const OPTIONS = op('options_set', { temperature: 0.5 });
const TOOLS = op('tools_remove', { toolNames: ['bash'] });
const SYSTEM = op('system_part_set', { partName: 'rules', text: 'Be brief.' });
const APPLY = op('compaction_apply', { summary: 'short', timestamp: 5, firstKeptMessageIndex: 2 });
const REPLACE = op('messages_cached_replace', { messages: [{ role: 'user', content: 'Again.' }] });
const FOR_ONE_REQUEST = { op: 'messages_uncached_append', scope: 'uncached', messages: [] };

/** u1 a1 u2 a2, a compaction that keeps from a2, u3. */
function compacted(): Log {
  return new Log('selection').twoTurns().compaction('k1', 'all of it', 'a2').user('u3', 'Go on.');
}

function open(text: string): { readonly session: Session; readonly path: readonly Head[] } {
  const session = sessionOf(...text.split('\n').slice(1).filter(Boolean));
  const { leaf } = session.tree;
  return { session, path: leaf ? pathTo(session.tree, leaf) : [] };
}

function neededOf(log: Log): string {
  const { session, path } = open(log.text());
  return String(path[findFirstNeeded(attachPatchReader(session), path)]?.id);
}

describe('what replay must be given', () => {
  it.each([
    ['nothing that is compacted away', compacted()],
    [
      'nothing that is compacted away, with a transform of something else after it',
      compacted().transform('x1', 'test', [OPTIONS, TOOLS, SYSTEM]),
    ],
    [
      'nothing that is compacted away, with a transform that does nothing after it',
      compacted().transform('x1', 'test', [FOR_ONE_REQUEST]),
    ],
    [
      'nothing that is compacted away, with a transform that compacts again after it',
      compacted().transform('x1', 'compaction', [APPLY]),
    ],
    ['nothing that is compacted away, with a transform in the kept range', keptRange(OPTIONS)],
  ])('is %s', (_, log) => {
    expect(neededOf(log)).toBe('a2');
  });

  it.each([
    ['a transform below takes messages', compacted().transform('x1', 'test', [OPTIONS, REPLACE])],
    ['one in the kept range counts them', keptRange(APPLY)],
    ['nothing was compacted', new Log('selection').twoTurns()],
  ])('is everything where %s', (_, log) => {
    expect(neededOf(log)).toBe('u1');
  });
});

/** The transform stands below what the compaction keeps from, and above the compaction. */
function keptRange(patch: Json): Log {
  return new Log('selection').twoTurns().transform('x1', 'test', [patch]).compaction('k1', 'all of it', 'a2');
}

it('every envelope is that of a whole replay', () => {
  const shapes = fc.record({
    seed: fc.nat(1_000_000),
    entries: fc.integer({ min: 10, max: 35 }),
    odd: fc.constantFrom(0, 0.3),
    transforms: fc.constantFrom(0.05, 0.15),
    compactions: fc.constantFrom(0.1, 0.2),
    edits: fc.constantFrom(0, 0.2),
  });
  fc.assert(
    fc.property(shapes, fc.array(fc.constantFrom(OPTIONS, TOOLS, SYSTEM, APPLY), { maxLength: 2 }), (shape, patch) => {
      const text = generateSession(shape).trimEnd();
      const transform = new Log('one').transform('x9', 'test', patch).text().trimEnd().split('\n').at(-1) ?? '';
      const last = open(text).session.tree.leaf?.id ?? null;
      const below = JSON.stringify({ ...(JSON.parse(transform) as Json), parentId: last });
      const { session, path } = open(`${text}\n${below}\n`);
      const replay = new Replay(toLenient(attachPatchReader(session)), path, { baseline: {} });
      for (const [at, head] of path.entries()) {
        replay.step(head, at);
        const { system, tools, messages, options, meta } = buildEnvelope(toLenient(attachPatchReader(session)), head);
        expect({ system, tools, messages, options }).toEqual(replay.content());
        expect(meta.provenance).toEqual(replay.messages.listProvenance());
        expect(meta.edits).toEqual(replay.listAppliedEdits());
      }
    }),
    { numRuns: runs(60) },
  );
});
