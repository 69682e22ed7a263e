import { canonicalJson } from '#base/json.js';
import type { Head, RawId } from '#session/table/head.js';
import type { LlmMessage } from './content.js';
import { type AgentMessage, toLlm } from './convert.js';
import type { EditReplacement } from './entry-message.js';
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

/** The tokens of a list of slots: only what was appended since the last count has to be counted. */
export class SlotCount {
  private counted = { slots: 0, tokens: 0 };
  /** The list was counted anew so many times. */
  private round = 0;

  constructor(private readonly method: TokenMethod) {}

  /** Estimated tokens of the messages that are sent. */
  of(slots: readonly MessageSlot[]): number {
    let { tokens } = this.counted;
    for (let at = this.counted.slots; at < slots.length; at += 1) {
      const slot = slots[at];
      if (!slot) continue;
      slot.count = { round: this.round, tokens: tokensIn(slot, this.method) };
      tokens += slot.count.tokens;
    }
    this.counted = { slots: slots.length, tokens };
    return tokens;
  }

  /** Counts a slot of the list again, whose message has changed. */
  again(slot: MessageSlot): void {
    if (slot.count.round !== this.round) return;
    const tokens = tokensIn(slot, this.method);
    this.counted.tokens += tokens - slot.count.tokens;
    slot.count.tokens = tokens;
  }

  /** The list is another one. */
  restart(): void {
    this.counted = { slots: 0, tokens: 0 };
    this.round += 1;
  }
}

/** The slots that edits can name, by their entries: put down when the first edit comes, as most sessions have none. */
export class SlotsByEntry {
  private known: Map<RawId, MessageSlot> | null = null;

  /** What an entry brought in; `all` gives the slots that there are so far. */
  of(id: RawId, all: () => readonly MessageSlot[]): MessageSlot | undefined {
    this.known ??= new Map(
      all()
        .filter(isOfStockEntry)
        .map((slot) => [slot.head.id, slot]),
    );
    return this.known.get(id);
  }

  add(slot: MessageSlot): void {
    if (isOfStockEntry(slot)) this.known?.set(slot.head.id, slot);
  }

  forget(slot: MessageSlot): void {
    if (this.known?.get(slot.head.id) === slot) this.known.delete(slot.head.id);
  }
}

/** A message that was counted and let go. */
interface SizeOnly {
  /** As the message for edits and conversion, but for what is in it. Shared by all messages of a role. */
  readonly standIn: AgentMessage;
  /** Estimated, of the message as it is sent; null for one that is not. */
  readonly tokens: number | null;
  /** What a provider recorded of it, if it did. */
  readonly recorded: number | null;
}

/** What is left of a message of which only the size will be asked for. */
export function sizeOnly(message: AgentMessage, method: TokenMethod): SizeOnly {
  const sent = toLlm(message);
  return sent
    ? {
        standIn: standInFor(message['role']),
        tokens: tokensOfMessage(sent, method),
        recorded: recordedTokens(sent),
      }
    : { standIn: NOT_SENT, tokens: null, recorded: null };
}

const NOT_SENT: AgentMessage = { role: null };
const standIns = new Map<unknown, AgentMessage>();

function standInFor(role: unknown): AgentMessage {
  const known = standIns.get(role);
  if (known) return known;
  const standIn = { role };
  standIns.set(role, standIn);
  return standIn;
}
