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
import type { SizeOnly } from './released-message.js';

/** A message that an entry of the path added. */
export interface PathMessage {
  readonly head: Head;
  /** The place of the entry on the path. A message of a transform has the place of the message that it replaces. */
  readonly index: number;
  /** `history`: a provider's replacement of earlier messages, instead of a summary. */
  readonly kind: 'entry' | 'summary' | 'history' | 'transform';
  readonly message: StoredMessage;
  /** The name of its transform. */
  readonly transformer?: string;
}

/** A place in the list. An edit can hide its message and restore it. */
export interface MessageSlot extends Omit<PathMessage, 'message'> {
  /** The message as its entry has it, or a replacement without content once it is released. */
  message: StoredMessage;
  /** The message as a provider receives it; null if none is sent. */
  sent: LlmMessage | null;
  /** Whether an edit changes or omits the message. */
  isEdited: boolean;
  /** The message as a transform restated it, with its keys in another order. */
  restated: LlmMessage | null;
  /** The data kept of a released message. */
  size: SizeOnly | null;
  /** Estimated tokens of what is sent, once they were counted. */
  tokens: number | null;
  /** Whether the sum of its list includes it. */
  isCounted: boolean;
}

/** Estimated tokens of what is sent of a slot. A message is counted once, until it changes. */
export function countSlotTokens(slot: MessageSlot, method: TokenMethod): number {
  slot.tokens ??= countSent(slot, method);
  return slot.tokens;
}

function countSent({ sent, size, isEdited }: MessageSlot, method: TokenMethod): number {
  if (!sent) return 0;
  return (isEdited ? null : size?.tokens) ?? countMessageTokens(sent, method);
}

/** A slot as it is weighed; null if its message is not sent. */
export function weighSlot(slot: MessageSlot, method: TokenMethod): WeighedMessage | null {
  const { sent, size, head, kind } = slot;
  if (!sent) return null;
  const role = (kind === 'entry' ? roleAt(head) : null) ?? sent.role;
  const textCategory = kind === 'summary' ? 'summaries' : chooseCategory(role);
  const tool = size ? size.tool : readResultTool(sent);
  const isReleased = size !== null && !slot.isEdited;
  if (isReleased) return { weight: size.weight ?? toTextWeight(size.tokens ?? 0), textCategory, tool };
  return { weight: weighOnce(sent, method, asString(slot.message.customType)), textCategory, tool };
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

/** Restates an equal message with its keys in another order, in which it is sent from then on. */
export function restateSlot(slot: MessageSlot | undefined, message: LlmMessage): MessageSlot | null {
  if (!slot) return null;
  if (slot.sent !== message && JSON.stringify(slot.sent) !== JSON.stringify(message)) {
    slot.restated = message;
    slot.sent = message;
  }
  return slot;
}

/** The restated form of a message, unless an edit changed the message since. */
export function chooseRestated(restated: LlmMessage | null, shown: LlmMessage | null): LlmMessage | null {
  return restated && shown && canonicalJson(restated) === canonicalJson(shown) ? restated : shown;
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
    isCounted: false,
  };
}

/** A slot of another list with the same message. */
export function copySlot(slot: MessageSlot): MessageSlot {
  return { ...slot, isCounted: false };
}
