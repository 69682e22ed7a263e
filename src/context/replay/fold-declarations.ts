import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { EnvelopeContent } from './content.js';
import { EMPTY_ENVELOPE } from './overview.js';
import type { DeclaringOp } from './patch-op.js';
import { applySystemMessage } from './system-messages.js';

/** An entry's contribution to the system prompt, the tools and the options. */
export type Declaration =
  | { readonly kind: 'message'; readonly head: Head; readonly message: JsonObject }
  | { readonly kind: 'level'; readonly level: string }
  | { readonly kind: 'op'; readonly op: DeclaringOp };

/** Applies declarations in order. `supplied` replaces the result of an op that yields to a baseline. */
export function foldDeclarations(
  start: EnvelopeContent,
  declarations: readonly Declaration[],
  supplied: EnvelopeContent = EMPTY_ENVELOPE,
): EnvelopeContent {
  const lastMessage = findLastMessage(declarations);
  let content = start;
  for (const [at, declaration] of declarations.entries()) {
    switch (declaration.kind) {
      case 'message':
        content = applySystemMessage(content, declaration.message);
        break;
      case 'level':
        content = setLevel(content, declaration.level);
        break;
      case 'op': {
        const { op } = declaration;
        // Once the session declares its own prompt, the baseline supplies nothing that an earlier op could yield to.
        const isReplaced = op.yieldsToBaseline && at > lastMessage;
        content = isReplaced ? { ...content, [op.region]: supplied[op.region] } : op.apply(content);
      }
    }
  }
  return content;
}

/** The place of the last system message; -1 if there is none. */
export function findLastMessage(declarations: readonly Declaration[]): number {
  return declarations.findLastIndex(({ kind }) => kind === 'message');
}

/** Sets the reasoning of a recorded level. Pi requests no reasoning at the level "off". */
export function setLevel(content: EnvelopeContent, level: string): EnvelopeContent {
  const { reasoning: _before, ...others } = content.options;
  return { ...content, options: level === 'off' ? others : { ...others, reasoning: level } };
}
