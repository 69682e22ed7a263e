import { CtxError } from '#base/errors.js';
import { asString, listObjects } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { formatId, quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath, type Tree } from '#session/tree/tree.js';
import { findLastResult } from '#session/tree/turns.js';
import type { Draft } from './draft.js';

/**
 * Throws a CtxError (refused) for a change that separates a tool call from its result. A patch may begin a branch
 * between them.
 */
export function assertPairsIntact({ session, entries, before, after }: PairedChange, command: string): void {
  const lastResult = findLastResultBelow(session.tree, asString(entries[0]?.parentId));
  const { cached } = before.messages;
  const lastAnswer = cached.findLastIndex(({ role }) => role === 'assistant');
  // The results of the last calls are in the file if they are below the entry where a branch begins.
  const isBetween = lastResult !== null && command !== 'apply';
  const compared = isBetween ? cached.slice(0, Math.max(0, lastAnswer)) : cached;
  const [first, ...others] = findSeparatedIds(compared, after.messages.cached);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const instead =
    lastResult === null
      ? 'change both or neither'
      : `name ${lastResult}, the last result of its calls, after the session`;
  throw new CtxError('refused', `this would separate the tool call ${quoteId(first)} from its result${more}`, {
    where: session.file,
    hint: `${instead}; --force writes it anyway, but most providers reject the next request`,
  });
}

type PairedChange = Pick<Draft, 'entries'> & {
  readonly session: Pick<Session, 'file' | 'tree'>;
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
};

/** The last result of the calls of the entry where a branch begins; null: there is none after it. */
function findLastResultBelow(tree: Tree, id: string | null): string | null {
  const from = id === null ? undefined : tree.heads.find(id);
  if (!from) return null;
  const last = findLastResult(
    tree.heads,
    activePath(tree).map(({ index }) => index),
    from.index,
  );
  return last === from.index ? null : formatId(tree.heads.at(last)?.id);
}

/**
 * The ids of tool calls and results that stand alone in one list of messages but not in the other: what a change
 * would separate. A result only counts after its call.
 */
export function findSeparatedIds(before: readonly LlmMessage[], after: readonly LlmMessage[]): readonly string[] {
  const alone = findUnpairedIds(before);
  return [...findUnpairedIds(after)].filter((id) => !alone.has(id));
}

function findUnpairedIds(messages: readonly LlmMessage[]): ReadonlySet<string> {
  const open = new Set<string>();
  const answered = new Set<string>();
  const alone = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { type, id } of listObjects(message.content)) {
        if (type === 'toolCall' && typeof id === 'string') open.add(id);
      }
    } else if (message.role === 'toolResult') {
      const id = asString(message.toolCallId);
      if (id === null) continue;
      if (open.delete(id)) answered.add(id);
      else if (!answered.has(id)) alone.add(id);
    }
  }
  return new Set([...alone, ...open]);
}
