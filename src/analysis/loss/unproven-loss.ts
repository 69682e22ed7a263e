import { readEntryMessage } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import { PromptWatch, type UnseenMessages } from '#context/size/prompt-watch.js';
import { isContextChange } from '#context/size/size-effect.js';
import { describeUnseen } from '#context/words/describe-unseen.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';

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
  let confirmed: UnseenMessages | null = null;
  for (const head of path) {
    if (isContextChange(head)) {
      prompts.change();
      continue;
    }
    const message = MESSAGE_TYPES.has(head.type) ? readEntryMessage(session.entry(head)) : null;
    if (message) prompts.take(head, message);
    // An answer before a change may belong to a compaction.
    confirmed = prompts.confirmed ?? confirmed;
  }
  const unseen = prompts.unseen ?? confirmed;
  return unseen && describeUnseen(unseen);
}
