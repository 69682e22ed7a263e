import { canonicalJson } from '#base/canonical-json.js';
import { asObject, type JsonObject, listObjects } from '#base/json.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { HistoryEdit } from '#session/agents/copy-changes.js';
import type { SessionToCopy } from '../copy/session-to-copy.js';

/** A session in whose recorded histories messages have another content. `edits`: by the index of the entry. */
export function editHistories(
  session: SessionToCopy,
  edits: ReadonlyMap<number, readonly HistoryEdit[]>,
): SessionToCopy {
  if (edits.size === 0) return session;
  return {
    ...session,
    entry(head) {
      const entry = session.entry(head);
      const own = edits.get(head.index);
      return own ? editEntry(entry, own) : entry;
    },
  };
}

/** An entry whose operations replace the messages by a list. */
function editEntry(entry: JsonObject, edits: readonly HistoryEdit[]): JsonObject {
  const left = [...edits];
  const patch = listObjects(entry.patch).map((op) => {
    const messages = listObjects(op.messages).flatMap((message) => {
      if (!left[0] || canonicalJson(listBlocks(message)) !== canonicalJson(left[0].before)) return [message];
      const after = left.shift()?.after ?? null;
      return after === null ? [] : [{ ...asObject(message), content: after }];
    });
    return 'messages' in op ? { ...op, messages } : op;
  });
  return { ...entry, patch };
}
