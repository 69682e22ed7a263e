import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { CtxError } from '../../src/errors.js';
import { linesOf } from '../../src/plan/lines.js';
import { restorePlan } from '../../src/plan/restore.js';
import { transformEntries } from '../../src/plan/transform.js';
import { makePlan, refuseUnfit } from '../../src/plan/make.js';
import { undoingOf } from '../../src/plan/undo.js';
import { bytesIn } from '../../src/session/bytes.js';
import { readSession, type Session } from '../../src/session/session.js';
import { pathTo } from '../../src/session/tree.js';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { countedIds } from '../support/memory-io.js';
import { isComparable, judge } from './judged.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-written-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fresh = (): { now: () => number; newId: () => string } => ({
  now: () => Date.UTC(2026, 2, 1),
  newId: countedIds(),
});

/** All that can be made of a session by undoing one thing, or adding a transform. */
function* writtenFrom(session: Session): Generator<Uint8Array> {
  const { leaf } = session.tree;
  const changes = (leaf ? pathTo(session.tree, leaf) : []).filter(({ type }) =>
    ['compaction', 'context_edit'].includes(type ?? ''),
  );
  for (const { id } of changes) {
    try {
      yield linesOf(restorePlan(session, undoingOf(session, String(id)), { form: null, ...fresh() }).plan);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }
  const op = { op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' };
  yield linesOf(
    makePlan(session, { command: 'apply', entries: transformEntries(session, [op], { name: 'x', ...fresh() }) }),
  );
}

/** Generated sessions, and those of the project that can be appended to. */
function* sessions(): Generator<Uint8Array> {
  for (let seed = 0; seed < 80; seed += 1)
    yield Buffer.from(generateSession({ seed, entries: 30, compactions: 0.1, edits: 0.15 }));
  for (const file of [...fixtures, ...recordings].filter(isSound)) {
    const bytes = readFileSync(file);
    if (bytes.length < 5e6) yield bytes;
  }
}

/** Pi itself fails at some of the damaged ones, before and after. */
function isSound(file: string): boolean {
  return isComparable(file) && !/damaged|missing/.test(file);
}

/** null for one that Pi would rewrite, or that is none. */
function readWritable(bytes: Uint8Array): Session | null {
  try {
    const session = readSession(bytesIn(bytes), 's.jsonl');
    refuseUnfit(session);
    return session;
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}

it('real Pi sees in every file that was written what stock replay predicts', async () => {
  const files: string[] = [];
  for (const bytes of sessions()) {
    const session = readWritable(bytes);
    for (const added of session ? writtenFrom(session) : []) {
      const file = path.join(folder, `${files.length}.jsonl`);
      writeFileSync(file, Buffer.concat([bytes, added]));
      files.push(file);
    }
  }
  const { stdout } = await execa('node', ['judge.mjs', '--hash', '--head'], {
    cwd: path.join(projectFolder, 'test/pi'),
    input: files.join('\n'),
    maxBuffer: 1e9,
  });
  const wrong = stdout.split('\n').flatMap((line) => {
    const verdict = JSON.parse(line) as { file: string; ok: boolean; entries: { id: string | null; sha256: string }[] };
    const ours = judge(readFileSync(verdict.file))?.get(null);
    const pis = verdict.ok ? verdict.entries.find(({ id }) => id === null)?.sha256 : undefined;
    return pis !== undefined && pis === ours ? [] : [verdict.file];
  });
  expect(files.length).toBeGreaterThan(300);
  expect(wrong).toEqual([]);
});
