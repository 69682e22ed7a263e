import type { ReadPatch } from '#context/replay/patch-op.js';
import { transformerName } from '#context/replay/selection.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { buildCurrentProjection } from './current-projection.js';
import type { Projection } from './projection.js';
import { buildStockProjection } from './stock-projection.js';

/** Pi's own projection; where transforms have changed messages, the messages as they are now by where they come from. */
export function buildProjection(session: Session, path: readonly Head[], readPatch: ReadPatch): Projection {
  const isChanged = path.some((head) => head.type === 'context_transform' && changesMessages(session, head, readPatch));
  return isChanged ? buildCurrentProjection(session, path, readPatch) : buildStockProjection(session, path);
}

/** A transform named compaction also decides whether a compaction below it counts. */
function changesMessages(session: Session, head: Head, readPatch: ReadPatch): boolean {
  const entry = session.entry(head);
  if (transformerName(entry) === 'compaction') return true;
  return readPatch(entry).some((step) => !step.ok || step.region === 'messages');
}
