import type { LlmMessage } from '#context/replay/content.js';
import { compactionSummary } from '#context/replay/convert.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { Rules } from './guard.js';
import { packetMessage } from './packet.js';
import { whyNotAsEdit, whyNotInStock } from './stock-rules.js';

/**
 * The entries of a prune: `stock` is edits, and a compaction that retains from a boundary where a packet replaces what
 * goes; `context_edit` is edits with the packet as a message at the end; `context_transform` is one transform.
 */
export const PRUNE_FORMS = ['stock', 'context_edit', 'context_transform'] as const;
export type PruneForm = (typeof PRUNE_FORMS)[number];

/** Why a form has no entry for a change. */
export function forbiddenIn(form: PruneForm, session: Session, path: readonly Head[]): Rules['forbids'] {
  if (form === 'stock') return whyNotInStock(session, path);
  return form === 'context_edit' ? whyNotAsEdit(session) : () => null;
}

/** The message that a packet is in a form. `timestamp` is in milliseconds since 1970. */
export function packetIn(form: PruneForm, text: string, timestamp: number): LlmMessage {
  return form === 'stock' ? compactionSummary(text, timestamp) : packetMessage(text, timestamp);
}
