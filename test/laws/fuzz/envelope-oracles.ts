import { applyDiff, diffEnvelopes, isEmptyDiff } from '#analysis/diff/envelope-diff.js';
import { patchBetween } from '#analysis/diff/patch-ops.js';
import { CtxError } from '#base/errors.js';
import { toLenient } from '#context/lenient.js';
import { openSession } from '#context/open.js';
import { applyPatch } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { canonicalJson } from '../../../src/base/canonical-json.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';

/** What is wrong with the envelopes of a session, whatever its bytes are: replayed twice, compared, and patched. */
export async function envelopeComplaints(bytes: Uint8Array): Promise<readonly string[]> {
  try {
    const [first, second] = await Promise.all([envelopesIn(bytes), envelopesIn(bytes)]);
    const others = first.map(canonicalJson);
    if (others.some((text, at) => text !== canonicalJson(second[at]))) return ['two replays differ'];
    return first.flatMap((envelope) => first.flatMap((other) => pairComplaints(envelope, other)));
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return [];
    return [`a bug: ${String((error as Error).stack)}`];
  }
}

/** At the end, in the middle, and before everything. */
async function envelopesIn(bytes: Uint8Array): Promise<readonly ContextEnvelope[]> {
  const session = await openSession(bytes, nodeFiles);
  const { heads, leaf } = session.tree;
  const places = [leaf, heads.at(heads.length >> 1), null];
  return places.map((head) => buildEnvelope(toLenient(session), head ?? null));
}

function pairComplaints(before: ContextEnvelope, after: ContextEnvelope): readonly string[] {
  const diff = diffEnvelopes(before, after);
  const found: string[] = [];
  if (before === after && !isEmptyDiff(diff)) found.push('something differs from itself');
  if (hashEnvelope(applyDiff(before, diff)) !== hashEnvelope(after))
    found.push('a diff does not lead from one to the other');
  const { patch, impossible } = patchBetween(before, after, 'fuzz');
  if (impossible.length === 0 && hashEnvelope(applyPatch(before, patch).envelope) !== hashEnvelope(after))
    found.push('a patch does not lead from one to the other');
  return found;
}
