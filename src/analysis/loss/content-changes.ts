import { isObject } from '#base/json.js';
import { applyEdit } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { PathLoss } from './document.js';

/**
 * The messages of a path whose content an edit has taken away or replaced by other content: results that a client
 * cleared, masked, stored in a file or pruned. Of several edits of a message the newest counts.
 */
export function listContentChanges(session: Session, path: readonly Head[]): PathLoss['changes'] {
  const { heads } = session.tree;
  const edits = path.filter(({ type }) => type === 'context_edit');
  const newest = new Map(edits.map((edit) => [heads.targetAt(edit.index), edit]));
  const changes: PathLoss['changes'] = [];
  for (const target of path) {
    const edit = newest.get(target.index);
    const stored = edit && readEntryMessage(session.entry(target));
    if (!edit || !stored) continue;
    const { replacement } = session.entry(edit);
    if (replacement !== null && !isObject(replacement)) continue;
    const changed = applyEdit(stored, replacement);
    const before = readWords(toLlmMessage(stored));
    const after = changed ? readWords(toLlmMessage(changed)) : '';
    if (changed !== null && after.includes(before)) continue;
    changes.push({
      entryId: formatId(target.id),
      line: target.line,
      role: target.role,
      by: formatId(edit.id),
      change: changed === null ? 'removed' : 'replaced',
      characters: { before: before.length, after: after.length },
    });
  }
  return changes;
}

function readWords(message: LlmMessage | null): string {
  return message ? readSearchableText(message) : '';
}
