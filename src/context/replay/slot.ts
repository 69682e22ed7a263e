import { canonicalJson } from '#base/canonical-json.js';
import { memoize } from '#base/memoize.js';
import { type StoredMessage, toMessage } from '#session/entry.js';
import { formatId, type Head, type RawId } from '#session/heads/head.js';
import { categoryOf, resultToolOf, type WeighedMessage } from '../size/composition.js';
import {
  countMessageTokens,
  type MessageWeight,
  readRecordedTokens,
  type TokenMethod,
  weighMessage,
} from '../size/tokens.js';
import type { LlmMessage } from './content.js';
import { applyEdit, type EditReplacement, toLlmMessage } from './convert.js';
import type { Provenance } from './envelope.js';

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

export interface PathEdit {
  /** The `context_edit` entry. */
  readonly edit: Head;
  readonly index: number;
  /** undefined: the edit has no replacement, but earlier edits of its target no longer apply. */
  readonly replacement: EditReplacement | undefined;
}

/** A place in the list. An edit can hide its message and restore it. */
export interface MessageSlot extends PathMessage {
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
const NOT_COUNTED = { round: -1, tokens: 0, sent: 0 };

/** Counts a message once, unless an edit changed it. */
function tokensIn(slot: MessageSlot, method: TokenMethod): number {
  if (!slot.sent) return 0;
  return slot.isEdited
    ? countMessageTokens(slot.sent, method)
    : (slot.tokens ??= countMessageTokens(slot.sent, method));
}

/** A slot as it is weighed; null if its message is not sent. */
export function weighSlot(slot: MessageSlot, { origin }: Provenance, method: TokenMethod): WeighedMessage | null {
  const { sent, size, head } = slot;
  if (!sent) return null;
  const textIs =
    origin === 'compaction'
      ? 'summaries'
      : categoryOf(origin === 'transform' ? sent.role : (roleAt(head) ?? sent.role));
  const isReleased = size !== null && !slot.isEdited;
  const weight = isReleased
    ? (size.weight ?? { tokens: size.tokens ?? 0, thinking: 0, calls: 0, images: 0 })
    : weighMessage(sent, method);
  return { weight, textIs, tool: size ? size.tool : resultToolOf(sent) };
}

/** The role of the message that an entry adds. */
function roleAt({ type, role }: Head): string | null {
  if (type === 'branch_summary') return 'branchSummary';
  return type === 'custom_message' ? 'custom' : role;
}

/** The provider's token count of the shown message, if there is one. */
export function recordedTokensOfSlot({ sent, size }: MessageSlot): number | null {
  return sent && (size ? size.recorded : readRecordedTokens(sent));
}

/** The entry of a slot; messages of a transform have no entry that an edit could name. */
function isOfStockEntry({ head }: MessageSlot): boolean {
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

export function newSlot({ head, index, kind, message, transformer = '' }: PathMessage): MessageSlot {
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

/** The sent messages of a list of slots, and their tokens: only slots appended since the last count are counted. */
export class SlotCount {
  private counted = { slots: 0, tokens: 0, sent: 0 };
  /** The number of complete recounts of the list. */
  private round = 0;

  constructor(private readonly method: TokenMethod) {}

  /** The number of the sent messages, and their estimated tokens. */
  of(slots: readonly MessageSlot[]): Readonly<Record<'tokens' | 'sent', number>> {
    for (; this.counted.slots < slots.length; this.counted.slots += 1) {
      const slot = slots[this.counted.slots];
      if (slot) this.add(slot);
    }
    return this.counted;
  }

  /** Counts a slot again after its message changed. */
  again(slot: MessageSlot): void {
    if (slot.count.round !== this.round) return;
    this.counted.tokens -= slot.count.tokens;
    this.counted.sent -= slot.count.sent;
    this.add(slot);
  }

  /** Counts a list that begins with another slot in place of these. */
  replaceBeginning(gone: readonly MessageSlot[], slot: MessageSlot): void {
    if (this.counted.slots < gone.length) return this.restart();
    for (const each of gone) {
      this.counted.tokens -= each.count.tokens;
      this.counted.sent -= each.count.sent;
      each.count = NOT_COUNTED;
    }
    this.add(slot);
    this.counted.slots += 1 - gone.length;
  }

  /** Starts over with a new list. */
  restart(): void {
    this.counted = { slots: 0, tokens: 0, sent: 0 };
    this.round += 1;
  }

  private add(slot: MessageSlot): void {
    slot.count = { round: this.round, tokens: tokensIn(slot, this.method), sent: slot.sent === null ? 0 : 1 };
    this.counted.tokens += slot.count.tokens;
    this.counted.sent += slot.count.sent;
  }
}

/** The slots that edits can name, by entry: created at the first edit, since most sessions have none. */
export class SlotsByEntry {
  constructor(private known: Map<RawId, MessageSlot> | null = null) {}

  /** Slots by entry for the copies of these slots. */
  forked(copyOf: (slot: MessageSlot) => MessageSlot): SlotsByEntry {
    const { known } = this;
    return new SlotsByEntry(known && new Map([...known].map(([id, slot]) => [id, copyOf(slot)])));
  }

  /** The slots that an entry added; `all` returns the slots so far. */
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

/** A message that was counted and released. */
interface SizeOnly {
  /** The fields of the message for edits and conversion, without content. Shared by all messages of a role. */
  readonly standIn: StoredMessage;
  /** The estimated tokens of the message as it is sent; null for one that is not. */
  readonly tokens: number | null;
  /** The estimated tokens by kind; null for a message that is all text, and for one that is not sent. */
  readonly weight: MessageWeight | null;
  /** The tool of a result; null for another message. */
  readonly tool: string | null;
  /** The provider's token count, if there is one. */
  readonly recorded: number | null;
}

/** Keeps the data of a message of which only the size is needed. */
export function releaseMessage(message: StoredMessage, method: TokenMethod): SizeOnly {
  const sent = toLlmMessage(message);
  if (!sent) return { standIn: NOT_SENT, tokens: null, weight: null, tool: null, recorded: null };
  const weight = weighMessage(sent, method);
  const isText = weight.thinking + weight.calls + weight.images === 0;
  return {
    standIn: standInFor(message['role']),
    tokens: weight.tokens,
    weight: isText ? null : weight,
    tool: resultToolOf(sent),
    recorded: readRecordedTokens(sent),
  };
}

const NOT_SENT: StoredMessage = { role: null };
const standInFor = memoize((role: unknown): StoredMessage => toMessage({ role }));

/** The edits of a path, and their effect on the messages of their targets. */
export class Edits {
  /** `newest`: the newest edit of each target; it is in force if Pi selects it. */
  constructor(
    private readonly newest = new Map<RawId, PathEdit>(),
    private selectedFrom = 0,
  ) {}

  forked(): Edits {
    return new Edits(new Map(this.newest), this.selectedFrom);
  }

  add(edit: PathEdit): void {
    this.newest.set(edit.edit.target, edit);
  }

  /** Edits before this place on the path are no longer selected. */
  selectFrom(index: number): void {
    this.selectedFrom = index;
  }

  get isEmpty(): boolean {
    return this.newest.size === 0;
  }

  /** Whether an edit names an entry, in force or not. */
  isTarget(id: RawId): boolean {
    return this.newest.has(id);
  }

  /** The edit in force for an entry. */
  inForce(id: RawId): PathEdit | undefined {
    const edit = this.newest.get(id);
    return edit && edit.index >= this.selectedFrom ? edit : undefined;
  }

  /** The edited message of a slot, if it has an edit; null if the edit omits it. */
  applied(slot: MessageSlot, message: StoredMessage): StoredMessage | null {
    const edit = isOfStockEntry(slot) ? this.inForce(slot.head.id) : undefined;
    return edit?.replacement === undefined ? message : applyEdit(message, edit.replacement);
  }

  originOf(slot: MessageSlot): Provenance {
    const edit = slot.kind === 'entry' && slot.isEdited ? this.inForce(slot.head.id) : undefined;
    slot.origin ??= originWithoutEdit(slot);
    return edit ? { ...slot.origin, origin: 'edit', editId: formatId(edit.edit.id) } : slot.origin;
  }
}

const ORIGINS = { transform: 'transform', history: 'transform', summary: 'compaction', entry: 'entry' } as const;

function originWithoutEdit({ head, kind, transformer = '' }: MessageSlot): Provenance {
  const origin = { entryId: formatId(head.id), line: head.line, origin: ORIGINS[kind] };
  if (kind === 'history') return { ...origin, transformerName: 'remote compaction' };
  return kind === 'transform' ? { ...origin, transformerName: transformer } : origin;
}
