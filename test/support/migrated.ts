import type { ConversionForm } from '#change/migrate/convert-compactions.js';
import { type MigrationPlan, planMigration } from '#change/migrate/plan-migration.js';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { Baseline } from '#context/replay/content.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { walkEnvelopes } from '#context/replay/walk-envelopes.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { allOf } from './repaired.js';

export interface Migrated extends MigrationPlan {
  readonly bytes: Uint8Array;
}

export function opened(bytes: Uint8Array): Session {
  return readSession(toByteSource(bytes), 'session.jsonl');
}

export function migrated(bytes: Uint8Array, compactions: ConversionForm | null = null): Migrated {
  const plan = planMigration(opened(bytes), { compactions });
  return { ...plan, bytes: allOf(plan.result) };
}

/** What a model is shown after each entry that an id leads to, and at the leaf. */
export function contextsOf(bytes: Uint8Array, baseline: Baseline = {}): ReadonlyMap<unknown, string> {
  const session = opened(bytes);
  const { heads, leaf } = session.tree;
  const contexts = new Map<unknown, string>();
  for (const tip of [...heads].toReversed()) {
    if (contexts.has(tip.id) || heads.entryOfIdAt(tip.index) !== tip.index) continue;
    for (const { head, content } of walkEnvelopes(toLenient(attachPatchReader(session)), pathTo(session.tree, tip), {
      baseline,
    }))
      contexts.set(head.id, hashEnvelope(content));
  }
  contexts.set('HEAD', contexts.get(leaf?.id) ?? 'none');
  return contexts;
}

/** The contexts at the entries of an old file, in the new one. */
export function contextsAt(
  bytes: Uint8Array,
  ids: Iterable<unknown>,
  baseline: Baseline = {},
): ReadonlyMap<unknown, string | undefined> {
  const contexts = contextsOf(bytes, baseline);
  return new Map(Array.from(ids, (id) => [id, contexts.get(id)]));
}
