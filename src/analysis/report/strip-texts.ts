import type { OpenSession } from '#context/open.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { Head } from '#session/heads/head.js';

/**
 * A session with empty messages, none parsed: for callers that only ask which messages are sent.
 * Messages that transforms or edits of the path may read stay unchanged.
 * `stored`: of each entry the message that it adds, -1 for none.
 */
export function stripTexts(session: OpenSession, path: readonly Head[], stored: readonly number[]): OpenSession {
  const { heads } = session.tree;
  const lastTransform = path.findLastIndex(({ type }) => type === 'context_transform');
  const lookedAt = new Set(path.slice(0, Math.max(0, lastTransform)).map(({ index }) => index));
  for (const { type, index } of path) {
    if (type === 'context_edit') lookedAt.add(heads.targetAt(index));
  }
  return {
    ...session,
    entry(head) {
      if (!MESSAGE_TYPES.has(head.type) || head.role === 'system' || lookedAt.has(head.index))
        return session.entry(head);
      const role = stored[head.index] === -1 ? null : (head.role ?? 'user');
      return { type: 'message', message: { role, content: '' } };
    },
  };
}
