import type { OpenSession } from '#context/open.js';
import { readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { buildCurrentProjection } from './current-projection.js';
import type { Projection } from './projection.js';
import { buildStockProjection } from './stock-projection.js';

/**
 * Pi's own projection; where transforms have changed messages, the messages as they are now by where they come from.
 */
export function buildProjection(session: OpenSession, path: readonly Head[]): Projection {
  const isChanged = path.some((head) => head.type === 'context_transform' && changesMessages(session, head));
  return isChanged ? buildCurrentProjection(session, path) : buildStockProjection(session, path);
}

/** A transform named compaction also decides whether a compaction below it counts. */
function changesMessages(session: OpenSession, head: Head): boolean {
  const entry = session.entry(head);
  if (readTransformerName(entry) === 'compaction') return true;
  return session.readPatch(entry).some((step) => !step.ok || step.region === 'messages');
}
