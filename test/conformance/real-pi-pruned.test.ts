import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { draftOf, planOf } from '#change/plan/draft.js';
import { linesOf } from '#change/plan/plan.js';
import { draftRestore } from '#change/plan/restore.js';
import { undoingOf } from '#change/plan/undo.js';
import { hashEnvelope } from '#context/replay/hash.js';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { countedIds } from '../support/memory-io.js';
import { byZone, caseOf, type Composition, compositions, NOW, pruneOnce } from '../support/pruning.js';
import { withRealPi } from '../support/real-pi.js';
import { workingSession } from '../support/working-session.js';
import { isComparable, judgeLeaf } from './judged.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-pruned-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Source {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Sessions that real Pi opens, and to which can be appended. */
function* sources(): Generator<Source> {
  for (let seed = 0; seed < 24; seed += 1) {
    const text = workingSession({ seed, turns: 5 + (seed % 8), summaries: seed % 2 === 1 });
    yield { name: `work-${seed}`, bytes: Buffer.from(text) };
  }
  for (let seed = 0; seed < 40; seed += 1) {
    const text = generateSession({ seed, entries: 40, sound: true, compactions: 0.08, edits: 0.08 });
    yield { name: `generated-${seed}`, bytes: Buffer.from(text) };
  }
  for (const file of [...fixtures, ...recordings])
    if (isComparable(file) && !/damaged|missing/.test(file))
      yield { name: path.basename(file, '.jsonl'), bytes: readFileSync(file) };
}

function write(name: string, ...parts: readonly Uint8Array[]): string {
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, Buffer.concat(parts));
  return file;
}

/** The files in which real Pi does not see at the leaf what is seen here. */
async function seenOtherwise(files: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await execa('node', ['judge.mjs', '--hash', '--head'], {
    cwd: path.join(projectFolder, 'test/pi'),
    input: files.join('\n'),
    maxBuffer: 1e9,
  });
  return stdout.split('\n').flatMap((line) => {
    const verdict = JSON.parse(line) as { file: string; ok: boolean; entries: { id: string | null; sha256: string }[] };
    const ours = judgeLeaf(readFileSync(verdict.file));
    const pis = verdict.ok ? verdict.entries.find(({ id }) => id === null)?.sha256 : undefined;
    return pis !== undefined && pis === ours ? [] : [path.basename(verdict.file)];
  });
}

/** Prunes what is written in a file as stock Pi knows it; null where there is nothing to prune. */
function prunedBytes(name: string, bytes: Uint8Array, steps: Composition['steps']): Pruned | null {
  const [found] = caseOf(name, bytes);
  const done = found && pruneOnce(found.session, { steps }, { form: 'stock', envelope: found.envelope });
  if (!found || !done) return null;
  const plan = planOf(draftOf(found.session, done.entries), 'prune');
  return { added: linesOf(plan), predicted: plan.predicted.stockSha256, id: String(done.entries[0]?.['id']) };
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
  it.each(compositions)(
    'sees what was predicted of a session that was pruned by $name',
    async ({ name, steps }) => {
      const files: string[] = [];
      for (const source of sources()) {
        const done = prunedBytes(source.name, source.bytes, steps);
        if (!done) continue;
        const file = write(`${name}-${source.name}`, source.bytes, done.added);
        files.push(file);
        // What Pi sees is compared with what is read of the file, and that with the prediction.
        expect(hashOfContext(source.name, readFileSync(file)), source.name).toBe(done.predicted);
      }
      expect(files.length).toBeGreaterThan(3);
      expect(await seenOtherwise(files)).toEqual([]);
    },
    120_000,
  );

  it('sees what was predicted after three prunes with more said between them, and after each is undone', async () => {
    const files: string[] = [];
    for (const source of sources()) {
      let bytes = source.bytes;
      const ids: string[] = [];
      for (const [nth, { steps }] of byZone.entries()) {
        const done = prunedBytes(source.name, bytes, steps);
        if (!done) continue;
        ids.push(done.id);
        bytes = Buffer.concat([bytes, done.added]);
        const [found] = caseOf(source.name, bytes);
        const parentId = found?.session.tree.leaf?.id ?? null;
        const message = { role: 'user', content: `And then, ${nth}?`, timestamp: NOW };
        const said = { type: 'message', id: `said-${nth}`, parentId, timestamp: new Date(NOW).toISOString(), message };
        bytes = Buffer.concat([bytes, Buffer.from(`${JSON.stringify(said)}\n`)]);
        files.push(write(`series-${source.name}-${nth}`, bytes));
      }
      for (const id of ids.toReversed()) {
        const [found] = caseOf(source.name, bytes);
        if (!found) continue;
        const fresh = { now: () => NOW, newId: countedIds() };
        const undone = draftRestore(found.session, undoingOf(found.session, id), { form: null, ...fresh });
        expect(undone.isSeenByPi).toBe(true);
        bytes = Buffer.concat([bytes, linesOf(planOf(undone.draft, 'restore'))]);
        files.push(write(`series-${source.name}-without-${id}`, bytes));
        expect(hashOfContext(source.name, bytes), source.name).toBe(undone.draft.predicted().stockSha256);
      }
    }
    expect(files.length).toBeGreaterThan(50);
    expect(await seenOtherwise(files)).toEqual([]);
  }, 120_000);
});
