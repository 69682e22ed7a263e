import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { draftRestore } from '#change/revert/restore.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { fixtures, triedRecordings } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { countedIds } from '../support/memory-io.js';
import { byZone, type Case, caseOf, type Composition, compositions, NOW, pruneOnce } from '../support/pruning.js';
import { withRealPi } from '../support/real-pi.js';
import { isWhole, tried } from '../support/runs.js';
import { workingSession } from '../support/working-session.js';
import { isComparable, seenOtherwise } from './judged.js';

interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Sessions that real Pi opens, and to which can be appended. */
function* sources(): Generator<Source> {
  for (const seed of tried([...Array(24).keys()], 5)) {
    const text = workingSession({ seed, turns: 5 + (seed % 8), summaries: seed % 2 === 1 });
    yield { name: `work-${seed}`, bytes: Buffer.from(text) };
  }
  for (const seed of tried([...Array(40).keys()], 5)) {
    const text = generateSession({ seed, entries: 40, sound: true, compactions: 0.08, edits: 0.08 });
    yield { name: `generated-${seed}`, bytes: Buffer.from(text) };
  }
  for (const file of [...fixtures, ...triedRecordings])
    if (isComparable(file) && !/damaged|missing/.test(file))
      yield { name: path.basename(file, '.jsonl'), bytes: readFileSync(file) };
}

/** They and their contexts, which every composition of strategies begins with. */
const CASES = [...sources()].flatMap((source) =>
  caseOf(source.name, source.bytes).map((found) => ({ ...source, found })),
);

/** The names of the files at whose leaf real Pi sees something else than we do. */
async function wrongIn(files: ReadonlyMap<string, Uint8Array>): Promise<readonly string[]> {
  const names = [...files.keys()];
  return (await seenOtherwise([...files.values()])).map((at) => names[at]!);
}

/** Prunes a session as stock Pi knows it; null where there is nothing to prune. */
function prunedBytes(found: Case | undefined, steps: Composition['steps']): Pruned | null {
  const done = found && pruneOnce(found.session, { steps }, { form: 'stock', envelope: found.envelope });
  if (!found || !done) return null;
  const plan = buildPlan(buildDraft(found.session, done.entries), 'prune');
  return { added: encodeEntries(plan), predicted: plan.predicted.stockSha256, id: String(done.entries[0]?.['id']) };
}

interface Pruned {
  readonly added: Uint8Array;
  /** Of the context as Pi is going to see it. */
  readonly predicted: string;
  /** Of the first entry. */
  readonly id: string;
}

function hashOfContext(name: string, bytes: Uint8Array): string | null {
  const [found] = caseOf(name, bytes);
  return found ? hashEnvelope(found.envelope) : null;
}

withRealPi('real Pi', () => {
  it.each(compositions)('sees what was predicted of a session that was pruned by $name', async ({ steps }) => {
    const files = new Map<string, Uint8Array>();
    for (const source of CASES) {
      const done = prunedBytes(source.found, steps);
      if (!done) continue;
      const bytes = Buffer.concat([source.bytes, done.added]);
      files.set(source.name, bytes);
      // What Pi sees is compared with what is read of the file, and that with the prediction.
      expect(hashOfContext(source.name, bytes), source.name).toBe(done.predicted);
    }
    expect(files.size).toBeGreaterThan(isWhole ? 3 : 0);
    expect(await wrongIn(files)).toEqual([]);
  });

  it('sees what was predicted after three prunes with more said between them, and after each is undone', async () => {
    const files = new Map<string, Uint8Array>();
    for (const source of CASES) {
      let bytes = source.bytes;
      const ids: string[] = [];
      for (const [nth, { steps }] of byZone.entries()) {
        const done = prunedBytes(nth === 0 ? source.found : caseOf(source.name, bytes)[0], steps);
        if (!done) continue;
        ids.push(done.id);
        bytes = Buffer.concat([bytes, done.added]);
        const [found] = caseOf(source.name, bytes);
        const parentId = found?.session.tree.leaf?.id ?? null;
        const message = { role: 'user', content: `And then, ${nth}?`, timestamp: NOW };
        const said = { type: 'message', id: `said-${nth}`, parentId, timestamp: new Date(NOW).toISOString(), message };
        bytes = Buffer.concat([bytes, Buffer.from(`${JSON.stringify(said)}\n`)]);
        files.set(`${source.name}-${nth}`, bytes);
      }
      for (const id of ids.toReversed()) {
        const [found] = caseOf(source.name, bytes);
        if (!found) continue;
        const fresh = { now: () => NOW, newId: countedIds() };
        const undone = draftRestore(found.session, resolveUndo(found.session, id), { form: null, ...fresh });
        expect(undone.isSeenByPi).toBe(true);
        bytes = Buffer.concat([bytes, encodeEntries(buildPlan(undone.draft, 'restore'))]);
        files.set(`${source.name}-without-${id}`, bytes);
        expect(hashOfContext(source.name, bytes), source.name).toBe(undone.draft.predicted().stockSha256);
      }
    }
    expect(files.size).toBeGreaterThan(50);
    expect(await wrongIn(files)).toEqual([]);
  });
});
