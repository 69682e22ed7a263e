import { asString, deepFreeze } from '#base/json.js';
import { type History, historyWith, INPUT, type Item, type ItemKind, KINDS } from '#change/prune/history.js';
import { packetMessage } from '#change/prune/packet.js';
import type { Prepared } from '#change/prune/prepare.js';
import { PACKET_TYPE } from '#context/replay/batches.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlm } from '#context/replay/convert.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import type { AgentMessage, TranscriptEntry } from '../contract.js';

type Shown = LlmMessage & AgentMessage;

/** The pruned messages of a transcript; the transcript itself stays as it is. */
export class PrunedView {
  /** The message that replaces a message; null: none. */
  private changes = new Map<AgentMessage, Shown | null>();
  private packet: Shown | null = null;

  /** The messages after pruning. The packet has the position of the first message that it replaces. */
  of(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    const first = this.packet === null ? -1 : messages.findIndex((message) => this.changes.get(message) === null);
    return messages.flatMap((message, at) => {
      const shown = this.changes.get(message);
      if (shown !== null) return [shown ?? message];
      return at === first && this.packet !== null ? [this.packet] : [];
    });
  }

  /** Whether a message is shown as it is, or changed. */
  holds(message: AgentMessage): boolean {
    return this.changes.get(message) !== null;
  }

  /** The transcript as strategies look at it, with the message that each item is. */
  history(
    transcript: readonly TranscriptEntry[],
    known: Pick<History, 'model' | 'limit' | 'tokens'> & Pick<Item, 'sessionId'>,
  ): { readonly history: History; readonly originals: readonly (AgentMessage | null)[] } {
    const items: Item[] = [];
    const originals: (AgentMessage | null)[] = [];
    const { sessionId } = known;
    let waits = this.packet;
    let turnNumber = 0;
    for (const { message, entryId } of transcript) {
      const original = message && toLlm(message);
      if (!message || !original) continue;
      const shown = this.changes.get(message);
      if (INPUT.has(kindOf(message))) turnNumber += 1;
      if (shown === null) {
        if (waits !== null)
          add(items, originals, { item: itemOf(waits, 'packet', null, { turnNumber, sessionId }), original: null });
        waits = null;
        continue;
      }
      const item = itemOf(shown ?? original, kindOf(message), entryId, { turnNumber, sessionId });
      add(items, originals, { item: { ...item, isFrozen: shown !== undefined, original }, original: message });
    }
    return { history: historyWith(items, known), originals };
  }

  /** Takes over what strategies have decided for that history. `time` is that of a new packet, in milliseconds since 1970. */
  take({ pruned, packet }: Prepared, originals: readonly (AgentMessage | null)[], time: number): void {
    for (const { item, message } of pruned.decisions) {
      const original = originals[item.place];
      // The values of a message stay what they are, so it is still one of the agent.
      if (original) this.changes.set(original, message && deepFreeze(message as Shown));
    }
    if (packet !== null) this.packet = deepFreeze(packetMessage(packet, time) as Shown);
  }

  /** Forgets what is not in the transcript any more. */
  keepOnly(transcript: readonly TranscriptEntry[]): void {
    const there = new Set(transcript.map(({ message }) => message));
    this.changes = new Map([...this.changes].filter(([message]) => there.has(message)));
    if (![...this.changes.values()].includes(null)) this.packet = null;
  }
}

interface Added {
  readonly item: Omit<Item, 'at' | 'place'>;
  readonly original: AgentMessage | null;
}

function add(items: Item[], originals: (AgentMessage | null)[], { item, original }: Added): void {
  items.push({ ...item, at: items.length, place: items.length });
  originals.push(original);
}

type InTurn = Pick<Item, 'turnNumber' | 'sessionId'>;

function itemOf(message: LlmMessage, kind: ItemKind, entryId: string | null, turn: InTurn): Added['item'] {
  const from = { entryId, line: 0, origin: kind === 'packet' ? 'transform' : 'entry' } as const;
  return {
    kind,
    message,
    original: message,
    from,
    turn: 0,
    ...turn,
    tokens: tokensOfMessage(message),
    isFrozen: false,
  };
}

/** The kind of a message by its role. */
export function kindOf(message: AgentMessage): ItemKind {
  if (message.role === 'custom' && message['customType'] === PACKET_TYPE) return 'packet';
  return KINDS[asString(message.role) ?? ''] ?? 'user';
}
