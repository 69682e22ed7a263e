import { pluralize } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { previewMessage } from '#context/words/message-text.js';
import { type Block, cell, line, listingRow, span } from '#ui/doc/doc.js';

/** The messages that are listed one by one. */
const MOST_ROWS = 8;

/** A message, and where it comes from. */
interface PlacedMessage {
  readonly message: LlmMessage;
  readonly from: Provenance;
}

/** The messages whose source is no longer in the context. */
export function renderLeaving(before: ContextEnvelope, after: ContextEnvelope): readonly Block[] {
  const leaving = listLeaving(before, after);
  if (leaving.length === 0) return [];
  const more = leaving.length - MOST_ROWS;
  return [
    line(`${pluralize(leaving.length, 'message')} ${leaving.length === 1 ? 'leaves' : 'leave'} the context:`),
    ...leaving.slice(0, MOST_ROWS).map(renderMessageRow),
    ...(more > 0 ? [line(span(`  … and ${more} more`, 'faint'))] : []),
  ];
}

function listLeaving(before: ContextEnvelope, after: ContextEnvelope): readonly PlacedMessage[] {
  const kept = new Set(after.meta.provenance.map(toKey));
  return before.messages.cached.flatMap((message, at) => {
    const from = before.meta.provenance[at];
    return from && !kept.has(toKey(from)) ? [{ message, from }] : [];
  });
}

/** A message that a transform or a compaction added is not the one that its entry holds. */
function toKey({ entryId, line: at, origin }: Provenance): string {
  const isFromChange = origin === 'transform' || origin === 'compaction';
  return `${at} ${entryId} ${isFromChange}`;
}

function renderMessageRow({ message, from }: PlacedMessage): Block {
  const cells = [cell('', 1), cell(from.entryId ?? '', 8, 'id'), cell(message.role, 10), cell(previewMessage(message))];
  return listingRow(cells);
}
