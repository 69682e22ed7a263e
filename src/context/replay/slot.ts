import { canonicalJson } from '#base/canonical-json.js';
import { asString } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import { chooseCategory } from '../size/categories.js';
import { readRecordedTokens } from '../size/recorded-usage.js';
import { countMessageTokens, type TokenMethod, toTextWeight, weighMessage } from '../size/tokens.js';
import { readResultTool, type WeighedMessage } from '../size/weighed-message.js';
import type { LlmMessage } from './content.js';
import type { Provenance } from './envelope.js';
import type { SizeOnly } from './released-message.js';

/** A message that an entry of the path added. */
export interface PathMessage {
  readonly head: Head;
  /** The place of the entry on the path; for a message of a transform, that of the message that it replaces. */
  readonly index: number;
  /** `history`: a provider's replacement of earlier messages, instead of a summary. */
  readonly kind: 'entry' | 'summary' | 'history' | 'transform';
  readonly message: StoredMessage;
  /** The name of its transform. */
  readonly transformer?: string;
}

/** A place in the list. An edit can hide its message and restore it. */
export interface MessageSlot extends Omit<PathMessage, 'message'> {
  /** As the entry has it; once it is released, a stand-in without content. */
  message: StoredMessage;
  sent: LlmMessage | null;
  isEdited: boolean;
  /** The message as a transform restated it, with its keys in another order. */
  restated: LlmMessage | null;
  /** The data kept of a released message. */
  size: SizeOnly | null;
  /** Estimated tokens of the message without its edit, if they were counted. */
  tokens: number | null;
  /** The source of the message without its edit, if it was needed. */
  origin: Provenance | null;
  /** The number of the list's count in which it was last counted, its tokens, and 1 if it was sent. */
  count: { round: number; tokens: number; sent: number };
}

/** The count of a slot outside any list. */
export const NOT_COUNTED = { round: -1, tokens: 0, sent: 0 };

/** Counts a message once, unless an edit changed it. */
export function countSlotTokens(slot: MessageSlot, method: TokenMethod): number {
  if (!slot.sent) return 0;
  if (slot.isEdited) return countMessageTokens(slot.sent, method);
  slot.tokens ??= countMessageTokens(slot.sent, method);
  return slot.tokens;
}

/** A slot as it is weighed; null if its message is not sent. */
export function weighSlot(slot: MessageSlot, { origin }: Provenance, method: TokenMethod): WeighedMessage | null {
  const { sent, size, head } = slot;
  if (!sent) return null;
  const role = origin === 'transform' ? sent.role : (roleAt(head) ?? sent.role);
  const textIs = origin === 'compaction' ? 'summaries' : chooseCategory(role);
  const tool = size ? size.tool : readResultTool(sent);
  const isReleased = size !== null && !slot.isEdited;
  if (isReleased) return { weight: size.weight ?? toTextWeight(size.tokens ?? 0), textIs, tool };
  return { weight: weighOnce(sent, method, asString(slot.message.customType)), textIs, tool };
}

/** Messages of a transform, and edited ones, are weighed for each request. */
const weighOnce = memoizeByObject((sent: LlmMessage, method: TokenMethod, customType: string | null) =>
  weighMessage(sent, method, customType),
);

/** The role of the message that an entry adds. */
function roleAt({ type, role }: Head): string | null {
  if (type === 'branch_summary') return 'branchSummary';
  return type === 'custom_message' ? 'custom' : role;
}

/** The provider's token count of the shown message, if there is one. */
export function readSlotTokens({ sent, size }: MessageSlot): number | null {
  return sent && (size ? size.recorded : readRecordedTokens(sent));
}

/** The entry of a slot; messages of a transform have no entry that an edit could name. */
export function isOfStockEntry({ head }: MessageSlot): boolean {
  return head.type !== 'context_transform';
}

/** Restates an equal message with its keys in another order, as it is sent from then on. */
export function restateSlot(slot: MessageSlot | undefined, message: LlmMessage): MessageSlot | null {
  if (!slot) return null;
  if (slot.sent !== message && JSON.stringify(slot.sent) !== JSON.stringify(message)) {
    slot.restated = message;
    slot.sent = message;
  }
  return slot;
}

/** The restated form of a message, unless an edit changed the message since. */
export function chooseRestated(words: LlmMessage | null, shown: LlmMessage | null): LlmMessage | null {
  return words && shown && canonicalJson(words) === canonicalJson(shown) ? words : shown;
}

export function createSlot({ head, index, kind, message, transformer = '' }: PathMessage): MessageSlot {
  return {
    head,
    index,
    kind,
    message,
    transformer,
    sent: null,
    isEdited: false,
    restated: null,
    size: null,
    tokens: null,
    origin: null,
    count: NOT_COUNTED,
  };
}

/** A slot of another list with the same message. */
export function copySlot(slot: MessageSlot): MessageSlot {
  return { ...slot, count: NOT_COUNTED };
}
