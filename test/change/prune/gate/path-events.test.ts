import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { type GatePath, listPathEvents, type PathEvent } from '#change/prune/gate/path-events.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../../src/session/read-session.js';
import { countTurns } from '../../../../src/session/tree/turns.js';
import {
  assistant,
  compaction,
  type Entry,
  entry,
  sessionOf,
  sourceOf,
  toolResult,
  user,
} from '../../../support/entries.js';
import { fixtures, recordings } from '../../../support/files.js';
import { generateSession } from '../../../support/generate.js';
import { runs } from '../../../support/runs.js';

function happeningsOf(session: Session, every: GatePath['every'] = 'turn'): readonly PathEvent[] {
  const { leaf } = session.tree;
  return [
    ...listPathEvents(attachPatchReader(session), {
      path: leaf ? pathTo(session.tree, leaf) : [],
      baseline: {},
      every,
    }),
  ];
}

/** What happens, in short: the entry, and the tokens of a turn end. */
function shortly(session: Session, every: GatePath['every'] = 'turn'): readonly unknown[] {
  return happeningsOf(session, every).map((each) =>
    each.kind === 'relief'
      ? [each.relief.by, each.relief.head.id]
      : [each.end.turn, each.end.head.id, each.end.tokens, each.end.recorded],
  );
}

/** An answer; with the tokens that a provider counted. */
function answer(id: string, parentId: string, totalTokens: number, rest: Entry = {}): Entry {
  const usage = { input: totalTokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens };
  const content = [{ type: 'text', text: 'x'.repeat(40) }];
  return assistant(id, parentId, content, { usage, stopReason: 'stop', ...rest });
}

function result(id: string, parentId: string): Entry {
  return toolResult(id, parentId, 'c', { content: [{ type: 'text', text: 'y'.repeat(80) }] });
}

describe('the ends of turns', () => {
  it('are the last messages before the next turn, with what the provider counted', () => {
    const session = sessionOf(user('u1', null), answer('a1', 'u1', 500), user('u2', 'a1'), answer('a2', 'u2', 700));
    expect(shortly(session)).toEqual([
      [1, 'a1', 500, 500],
      [2, 'a2', 700, 700],
    ]);
  });

  it('do not exist without an answer', () => {
    const bash = entry('message', 'b1', null, { message: { role: 'bashExecution', command: 'ls', output: 'a' } });
    expect(shortly(sessionOf(bash, user('u1', 'b1')))).toEqual([]);
  });

  it('estimate what came after the last recorded answer, at the rate of the models that were measured', () => {
    const session = sessionOf(user('u1', null), answer('a1', 'u1', 500), result('r1', 'a1'));
    expect(shortly(session)).toEqual([[1, 'r1', 528, 500]]);
  });

  it('trust no number of an answer that failed', () => {
    const failed = answer('a2', 'u2', 9000, { stopReason: 'error' });
    const session = sessionOf(user('u1', null), answer('a1', 'u1', 500), user('u2', 'a1', 'z'.repeat(40)), failed);
    expect(shortly(session)).toEqual([
      [1, 'a1', 500, 500],
      [2, 'a2', 528, 500],
    ]);
  });

  it('come before a compaction that follows them, and after one in the middle of them', () => {
    const after = sessionOf(user('u1', null), answer('a1', 'u1', 500), compaction('k1', 'a1', 'u1'));
    expect(shortly(after)).toEqual([
      [1, 'a1', 500, 500],
      ['compact', 'k1'],
    ]);
    const within = sessionOf(
      user('u1', null),
      answer('a1', 'u1', 500),
      compaction('k1', 'a1', 'a1'),
      answer('a2', 'k1', 100),
    );
    expect(shortly(within)).toEqual([
      ['compact', 'k1'],
      [1, 'a2', 100, 100],
    ]);
  });

  it('estimate what an edit took away since the last recorded answer, and what came', () => {
    const edit = entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: { content: 'w'.repeat(8) } });
    const failed = answer('a2', 'e1', 9000, { stopReason: 'aborted' });
    expect(shortly(sessionOf(user('u1', null), answer('a1', 'u1', 500), edit, failed))).toEqual([[1, 'a2', 513, 500]]);
  });

  it('are answers with their results where each of them counts', () => {
    const session = sessionOf(
      user('u1', null),
      answer('a1', 'u1', 500),
      result('r1', 'a1'),
      result('r2', 'r1'),
      answer('a2', 'r2', 600),
    );
    expect(shortly(session, 'answer')).toEqual([
      [1, 'r2', 600, 600],
      [1, 'a2', 600, 600],
    ]);
    expect(shortly(session)).toEqual([[1, 'a2', 600, 600]]);
  });
});

describe('what makes a context smaller', () => {
  const transform = (id: string, parentId: string, transformerName: string): Entry =>
    entry('context_transform', id, parentId, {
      schemaVersion: 1,
      transformerName,
      patch: [{ op: 'messages_cached_replace', scope: 'cached', messages: [], invalidateCacheReason: 'room' }],
    });

  it.each([
    ['a prune', [transform('p1', 'a1', 'prune')], [['prune', 'p1']]],
    [
      'a prune that is made of edits',
      [entry('custom', 'p1', 'a1', { customType: 'ctx.prune', data: { entries: 1 } })],
      [['prune', 'p1']],
    ],
    [
      'a prune that retains from a boundary, once',
      [entry('custom', 'p1', 'a1', { customType: 'ctx.prune', data: { entries: 1 } }), compaction('k1', 'p1', 'a1')],
      [['prune', 'p1']],
    ],
    ['a compaction as a transform', [transform('t1', 'a1', 'compaction')], [['compact', 't1']]],
    [
      'a compaction that was written twice, once',
      [transform('t1', 'a1', 'compaction'), compaction('k1', 't1', 'k1')],
      [['compact', 'k1']],
    ],
    ['no other transform', [transform('t1', 'a1', 'tidy')], []],
    ['no edit', [entry('context_edit', 'e1', 'a1', { targetId: 'u1', replacement: null })], []],
  ])('is %s', (_, entries, expected) => {
    const session = sessionOf(user('u1', null), answer('a1', 'u1', 500), ...entries);
    expect(shortly(session).slice(1)).toEqual(expected);
  });
});

describe('the tokens at the end of a turn', () => {
  const sessions: readonly (readonly [string, string | Uint8Array])[] = [
    ...Array.from({ length: runs(30) }, (_, seed): readonly [string, string] => [
      `generated ${seed}`,
      generateSession({ seed, entries: 60, edits: 0.05, compactions: 0.05, transforms: seed % 3 === 0 ? 0.05 : 0 }),
    ]),
    ...[...fixtures, ...recordings].flatMap((file): readonly (readonly [string, Uint8Array])[] => {
      const bytes = readFileSync(file);
      return bytes.length < 300_000 ? [[path.basename(file), bytes]] : [];
    }),
  ];

  it.each(sessions)('are those of the context there: %s', (_, text) => {
    let session: Session;
    try {
      session = readSession(sourceOf(text), 's.jsonl');
    } catch {
      // A file that holds no session.
      return;
    }
    // In a cycle the path to an entry is not a part of the path to the leaf.
    if (session.problems.some(({ code }) => code === 'cycle')) return;
    for (const every of ['turn', 'answer'] as const) {
      let happened: readonly PathEvent[];
      try {
        happened = happeningsOf(session, every);
      } catch {
        // A transform breaks a rule: then no context can be built either.
        expect(() => buildEnvelope(attachPatchReader(session), session.tree.leaf)).toThrow(CtxError);
        continue;
      }
      for (const each of happened) {
        if (each.kind === 'relief') continue;
        const { head, turn, ...size } = each.end;
        const { notItemised, declaredFactor, ...ofEnvelope } = buildEnvelope(attachPatchReader(session), head).meta
          .size;
        expect({ notItemised, declaredFactor, ...size }).toEqual({ notItemised, declaredFactor, ...ofEnvelope });
        expect(turn).toBe(countTurns(pathTo(session.tree, head)).turns);
      }
    }
  });
});
