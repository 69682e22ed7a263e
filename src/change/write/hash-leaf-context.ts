import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hashEnvelope } from '#context/replay/envelope-hash.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';

/** Reads a file from its bytes and replays it. A plan predicts this hash. */
export function hashLeafContext(source: ByteSource, file: string): string {
  const session = readSession(source, file);
  return hashEnvelope(buildEnvelope(attachPatchReader(session), session.tree.leaf));
}
