import { applyDiff, diffEnvelopes, isSame } from '../../src/diff/envelope-diff.js';
import { patchBetween } from '../../src/diff/patch-ops.js';
import type { ContextEnvelope } from '../../src/context/envelope.js';
import { canonicalJson } from '../../src/context/canonical.js';
import { hashEnvelope } from '../../src/context/hash.js';
import { buildEnvelope } from '../../src/context/build.js';
import { CtxError } from '../../src/errors.js';
import { nodeFiles } from '../../src/io.js';
import { applyPatch } from '../../src/ops/read-patch.js';
import { openSession } from '../../src/open.js';

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
  return places.map((head) => buildEnvelope(session, head ?? null, session.readPatch, { lenient: true }));
}

function pairComplaints(before: ContextEnvelope, after: ContextEnvelope): readonly string[] {
  const diff = diffEnvelopes(before, after);
  const found: string[] = [];
  if (before === after && !isSame(diff)) found.push('something differs from itself');
  if (hashEnvelope(applyDiff(before, diff)) !== hashEnvelope(after))
    found.push('a diff does not lead from one to the other');
  const { patch, impossible } = patchBetween(before, after, 'fuzz');
  if (impossible.length === 0 && hashEnvelope(applyPatch(before, patch).envelope) !== hashEnvelope(after))
    found.push('a patch does not lead from one to the other');
  return found;
}
