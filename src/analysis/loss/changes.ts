import { isObject } from '#base/json.js';
import { applyEdit } from '#context/replay/apply-edit.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { isContextChange } from '#context/size/size-effect.js';
import { PromptWatch, type Unseen } from '#context/size/unseen.js';
import { searchableText } from '#context/words/message-blocks.js';
import { describeUnseen } from '#context/words/unseen.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { PathLoss } from './document.js';

/**
 * The messages of a path whose content an edit has taken away or replaced by other content: results that a client
 * cleared, masked, stored in a file or pruned. Of several edits of a message the newest counts.
 */
export function listContentChanges(session: Session, path: readonly Head[]): PathLoss['changes'] {
  const { heads } = session.tree;
  const newest = new Map<number, Head>();
  for (const head of path) if (head.type === 'context_edit') newest.set(heads.targetAt(head.index), head);
  const changes: PathLoss['changes'] = [];
  for (const target of path) {
    const edit = newest.get(target.index);
    const stored = edit && readEntryMessage(session.entry(target));
    if (!edit || !stored) continue;
    const { replacement } = session.entry(edit);
    if (replacement !== null && !isObject(replacement)) continue;
    const changed = applyEdit(stored, replacement);
    const before = wordsOf(toLlmMessage(stored));
    const after = changed ? wordsOf(toLlmMessage(changed)) : '';
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

function wordsOf(message: LlmMessage | null): string {
  return message ? searchableText(message) : '';
}

/**
 * Why a path may have lost more than the file says: its agent does not record compactions, or a recorded prompt is
 * smaller than the messages that are shown for it. null if neither is so.
 */
export function describeUnprovenLoss(session: Session, path: readonly Head[]): string | null {
  const { agent } = session;
  if (agent && agent.parts.compactions !== 'recorded') {
    const name = [agent.title, agent.version].filter(Boolean).join(' ');
    return `${name} does not record every compaction`;
  }
  const prompts = new PromptWatch((head) => readEntryMessage(session.entry(head)));
  let confirmed: Unseen | null = null;
  for (const head of path) {
    if (isContextChange(head)) {
      prompts.change();
      continue;
    }
    const message = MESSAGE_TYPES.has(head.type) ? readEntryMessage(session.entry(head)) : null;
    if (message) prompts.take(head, message);
    // An answer before a change may be that of a compaction.
    confirmed = prompts.confirmed ?? confirmed;
  }
  const unseen = prompts.unseen ?? confirmed;
  return unseen && describeUnseen(unseen);
}
