import { CtxError } from '#base/errors.js';
import { asString, objectsIn } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { quotedId } from '#session/table/head.js';

/** Throws a CtxError (refused) for a change that parts a tool call from its result. */
export function assertPairsIntact(before: EnvelopeContent, after: EnvelopeContent, file: string): void {
  const [first, ...others] = partedIds(before.messages.cached, after.messages.cached);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  throw new CtxError('refused', `it would part the tool call ${quotedId(first)} from its result${more}`, {
    where: file,
    hint: 'take both or none; --force writes it all the same, and most providers refuse the next request',
  });
}

/**
 * The ids of tool calls and results that stand alone in one list of messages but not in the other: what a change
 * would part. A result only counts behind its call.
 */
export function partedIds(before: readonly LlmMessage[], after: readonly LlmMessage[]): readonly string[] {
  const known = aloneIn(before);
  return [...aloneIn(after)].filter((id) => !known.has(id));
}

function aloneIn(messages: readonly LlmMessage[]): ReadonlySet<string> {
  const open = new Set<string>();
  const answered = new Set<string>();
  const alone = new Set<string>();
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const { type, id } of objectsIn(message['content']))
        if (type === 'toolCall' && typeof id === 'string') open.add(id);
    } else if (message.role === 'toolResult') {
      const id = asString(message['toolCallId']);
      if (id === null) continue;
      if (open.delete(id)) answered.add(id);
      else if (!answered.has(id)) alone.add(id);
    }
  }
  return new Set([...alone, ...open]);
}
