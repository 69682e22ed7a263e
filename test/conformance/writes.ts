import { CtxError } from '#base/errors.js';
import { buildCompactionEntries, COMPACTION_FORMS } from '#change/compact/compaction-entries.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { buildStockProjection } from '#change/compact/stock-projection.js';
import { buildDraft, buildPlan } from '#change/plan/draft.js';
import { buildEntryChain, buildPatchEntries } from '#change/plan/new-entries.js';
import type { Plan } from '#change/plan/plan.js';
import { hideTransforms } from '#change/plan/stock-view.js';
import { PRUNE_FORMS } from '#change/prune/forms.js';
import { draftRestore, type RestoreForm } from '#change/revert/restore.js';
import { resolveUndo } from '#change/revert/undo-selection.js';
import { encodeEntries } from '#change/write/encode-entries.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { toEphemeralBody, toTransformBody } from '#lab/hooks/entry-bodies.js';
import { formatId } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { generateSession } from '../support/generate.js';
import { countedIds } from '../support/memory-io.js';
import { byZone, type Case, caseOf, compositions, NOW, pruneOnce } from '../support/pruning.js';

/** What one command has written in one form. */
export interface Write {
  readonly name: string;
  /** The session that it was written to. */
  readonly before: Session;
  /** The whole file afterwards. */
  readonly bytes: Uint8Array;
  readonly plan: Plan;
}

/** A session that a stock or an engineered agent may have written; every fourth has transforms. */
export function generatedFor(seed: number): Uint8Array {
  const rates = { compactions: 0.08, edits: 0.1, transforms: seed % 4 === 3 ? 0.08 : 0 };
  return Buffer.from(generateSession({ seed, entries: 24 + (seed % 3) * 8, sound: seed % 2 === 0, ...rates }));
}

/** What prune, compact, restore, apply and hooks write to a session, in every form; `seed` picks among strategies. */
export function* writesTo(bytes: Uint8Array, seed: number): Generator<Write> {
  const [found] = caseOf('s', bytes);
  if (!found) return;
  const { session } = found;
  const write = (name: string, plan: Plan): Write => ({
    name,
    before: session,
    bytes: Buffer.concat([bytes, encodeEntries(plan)]),
    plan,
  });
  for (const [name, plan] of [...prunes(found, seed), ...compactions(session, seed)]) {
    const done = write(name, plan);
    yield done;
    yield* undone(done);
  }
  for (const [name, plan] of [...restores(session, CHANGES_TRIED, RESTORE_FORMS), ...transforms(session)])
    yield write(name, plan);
}

/** What is wrong with a write: null where stock Pi gets what the plan says, and the plan says what it ignores. */
export function faultOf({ before, bytes, plan }: Write): string | null {
  const session = readSession(toByteSource(bytes), 's.jsonl');
  const stock = replayContext(hideTransforms(session), session.tree.leaf);
  if (hashEnvelope(stock) !== plan.predicted.stockSha256) return 'another context than the plan says';
  const projected = buildStockProjection(session, activePath(session.tree)).entries.flatMap(({ messages }) =>
    messages.flatMap((message) => toLlmMessage(message) ?? []),
  );
  if (JSON.stringify(projected) !== JSON.stringify(stock.messages.cached)) return 'another projection than Pi has';
  const { ignoredByStock = [], predicted } = plan;
  const hadTransforms = activePath(before.tree).some(({ type }) => type === 'context_transform');
  return predicted.sha256 === predicted.stockSha256 || ignoredByStock.length > 0 || hadTransforms
    ? null
    : 'readers of transforms see something else, and the plan does not say so';
}

/** How many of the newest changes of a path are undone. */
const CHANGES_TRIED = 2;

type Named = readonly [name: string, plan: Plan];

function* prunes({ session, envelope }: Case, seed: number): Generator<Named> {
  const tried = [byZone[seed % byZone.length], compositions[seed % compositions.length]];
  for (const form of PRUNE_FORMS) {
    for (const composition of tried) {
      const done = composition && pruneOnce(session, composition, { form, envelope });
      if (done) yield [`prune ${composition.name} as ${form}`, buildPlan(buildDraft(session, done.entries), 'prune')];
    }
  }
}

function* compactions(session: Session, seed: number): Generator<Named> {
  const path = activePath(session.tree);
  const keepRecentTokens = [1, 60, 200][seed % 3] ?? 1;
  const preparation = prepareCompaction(attachPatchReader(session), { path, keepRecentTokens, keepsPairs: true });
  for (const form of preparation ? COMPACTION_FORMS : []) {
    const compaction = { path, preparation: preparation!, summary: { text: '## Goal\nAll of it.' }, form };
    const entries = buildCompactionEntries(session, compaction, fresh());
    yield [`compact as ${form}`, buildPlan(buildDraft(session, entries), 'compact')];
  }
}

function* restores(session: Session, most: number, forms: readonly (RestoreForm | null)[]): Generator<Named> {
  const changes = activePath(session.tree).filter(({ type }) => CHANGES.has(type));
  for (const { id } of changes.slice(-most)) {
    for (const form of forms) {
      const undoing = resolveUndo(session, String(id));
      const restored = unlessRefused(() => draftRestore(session, undoing, { form, ...fresh() }));
      if (restored) yield [`restore ${String(id)} as ${form ?? 'fits best'}`, buildPlan(restored.draft, 'restore')];
    }
  }
}

const CHANGES: ReadonlySet<string | null> = new Set(['compaction', 'context_edit', 'context_transform']);
const RESTORE_FORMS: readonly (RestoreForm | null)[] = [null, 'stock', 'context_transform'];

/** A change undone after more was said. */
function* undone({ name, bytes }: Write): Generator<Write> {
  const parentId = formatId(readSession(toByteSource(bytes), 's.jsonl').tree.leaf?.id);
  const message = { role: 'user', content: 'And then?', timestamp: NOW };
  const said = { type: 'message', id: 'said', parentId, timestamp: new Date(NOW).toISOString(), message };
  const longer = Buffer.concat([bytes, Buffer.from(`${JSON.stringify(said)}\n`)]);
  const before = readSession(toByteSource(longer), 's.jsonl');
  for (const [how, plan] of restores(before, 1, [null]))
    yield { name: `${name}, then ${how}`, before, bytes: Buffer.concat([longer, encodeEntries(plan)]), plan };
}

/** A patch of `ctx apply`, and what hooks write at a request. */
function* transforms(session: Session): Generator<Named> {
  const patch = [{ op: 'tools_remove', scope: 'cached', toolNames: ['bash'], invalidateCacheReason: 'gate' }];
  yield [
    'apply',
    buildPlan(buildDraft(session, buildPatchEntries(session, patch, { name: 'x', ...fresh() })), 'apply'),
  ];
  const logged = [{ role: 'user', content: 'Once.', timestamp: NOW }] as const;
  const bodies = [
    toTransformBody({ hook: 'hook.ts', transformerName: 'hook', patch, display: null, rendered: null }),
    toEphemeralBody(logged),
  ];
  const entries = buildEntryChain(session, formatId(session.tree.leaf?.id), bodies, fresh());
  yield ['hooks', buildPlan(buildDraft(session, entries), 'hooks')];
}

function fresh(): { now: () => number; newId: () => string } {
  return { now: () => NOW, newId: countedIds() };
}

function unlessRefused<Value>(act: () => Value): Value | null {
  try {
    return act();
  } catch (error) {
    if (error instanceof CtxError) return null;
    throw error;
  }
}
