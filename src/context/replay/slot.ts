import { canonicalJson } from '#base/canonical.js';
import type { Head } from '#session/table/head.js';
import type { LlmMessage } from './content.js';
import type { AgentMessage } from './convert.js';
import type { EditReplacement } from './entry-message.js';
import type { SizeOnly } from './size-only.js';
import { recordedTokens, type TokenMethod, tokensOfMessage } from './tokens.js';

/** A message as an entry of the path brought it in. */
export interface PathMessage {
  readonly head: Head;
  /** Of the entry, on the path; of a message that a transform brought in, that of a message which it replaces. */
  readonly index: number;
  readonly kind: 'entry' | 'summary' | 'transform';
  readonly message: AgentMessage;
}

export interface PathEdit {
  /** The `context_edit` entry. */
  readonly edit: Head;
  readonly index: number;
  /** undefined: the edit says nothing, but earlier ones of its target do not count any more. */
  readonly replacement: EditReplacement | undefined;
}

/** A place in the list. An edit can hide what stands there and bring it back. */
export interface MessageSlot extends PathMessage {
  sent: LlmMessage | null;
  isEdited: boolean;
  /** The message as a transform wrote it again, with its keys in another order. */
  restated: LlmMessage | null;
  /** Of a message that was let go, what was kept. */
  size: SizeOnly | null;
  /** Estimated tokens of the message without its edit, where somebody counted them. */
  tokens: number | null;
  /** In which count of the list it was last counted, and with how many tokens. */
  count: { round: number; tokens: number };
}

/** The count of a slot that no list holds yet. */
const NOT_COUNTED = { round: -1, tokens: 0 };

/** A message is counted once, but for one that an edit changed. */
export function tokensIn(slot: MessageSlot, method: TokenMethod): number {
  if (!slot.sent) return 0;
  return slot.isEdited ? tokensOfMessage(slot.sent, method) : (slot.tokens ??= tokensOfMessage(slot.sent, method));
}

/** What a provider recorded of the message that is shown, if it did. */
export function recordedIn({ sent, size }: MessageSlot): number | null {
  return sent && (size ? size.recorded : recordedTokens(sent));
}

/** What a transform brought in has no entry that an edit could name. */
export function isOfStockEntry({ head }: MessageSlot): boolean {
  return head.type !== 'context_transform';
}

/** A transform may write an equal message with its keys in another order, and that is what is sent from then on. */
export function restated(slot: MessageSlot | undefined, message: LlmMessage): MessageSlot | null {
  if (!slot) return null;
  if (slot.sent !== message && JSON.stringify(slot.sent) !== JSON.stringify(message)) {
    slot.restated = message;
    slot.sent = message;
  }
  return slot;
}

/** The restated form of a message, where an edit has not made another message of it since. */
export function inWordsOf(words: LlmMessage | null, shown: LlmMessage | null): LlmMessage | null {
  return words && shown && canonicalJson(words) === canonicalJson(shown) ? words : shown;
}

/** A slot of a message that nothing has looked at yet. */
export function newSlot(contribution: PathMessage): MessageSlot {
  return {
    ...contribution,
    sent: null,
    isEdited: false,
    restated: null,
    size: null,
    tokens: null,
    count: NOT_COUNTED,
  };
}
