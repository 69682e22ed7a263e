import { asString } from '#base/json.js';
import { type History, historyWith, type Item, type Kind } from '#change/prune/history.js';
import { packetMessage } from '#change/prune/packet.js';
import type { Prepared } from '#change/prune/prepare.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlm } from '#context/replay/convert.js';
import { PACKET_TYPE } from '#context/replay/packet-entry.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import type { AgentMessage, TranscriptEntry } from '../contract.js';
import { frozen } from '../drive/frozen.js';

type Shown = LlmMessage & AgentMessage;

/** What was pruned of a transcript, message by message: the transcript itself stays as it is. */
export class PrunedView {
  /** What stands in the place of a message; null: nothing. */
  private changes = new Map<AgentMessage, Shown | null>();
  private packet: Shown | null = null;

  /** The messages as they are shown; the packet stands where the first one was that it stands for. */
  of(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    const first = this.packet === null ? -1 : messages.findIndex((message) => this.changes.get(message) === null);
    return messages.flatMap((message, at) => {
      const shown = this.changes.get(message);
      if (shown !== null) return [shown ?? message];
      return at === first && this.packet !== null ? [this.packet] : [];
    });
  }

  /** The same as strategies look at it, with the messages of the transcript that the items are. */
  history(
    transcript: readonly TranscriptEntry[],
    about: Pick<History, 'model' | 'limit' | 'tokens'>,
  ): { readonly history: History; readonly originals: readonly (AgentMessage | null)[] } {
    const items: Item[] = [];
    const originals: (AgentMessage | null)[] = [];
    let waits = this.packet;
    for (const { message, entryId } of transcript) {
      const original = message && toLlm(message);
      if (!message || !original) continue;
      const shown = this.changes.get(message);
      if (shown === null) {
        if (waits !== null) add(items, originals, { item: itemOf(waits, 'packet', null), original: null });
        waits = null;
        continue;
      }
      const item = itemOf(shown ?? original, kindOf(message), entryId);
      add(items, originals, { item: { ...item, original, isFrozen: shown !== undefined }, original: message });
    }
    return { history: historyWith(items, about), originals };
  }

  /** Takes over what strategies have decided for that history. `time` is that of a new packet, in milliseconds since 1970. */
  take({ pruned, packet }: Prepared, originals: readonly (AgentMessage | null)[], time: number): void {
    for (const { item, message } of pruned.decisions) {
      const original = originals[item.place];
      // The values of a message stay what they are, so it is still one of the agent.
      if (original) this.changes.set(original, message && frozen(message as Shown));
    }
    if (packet !== null) this.packet = frozen(packetMessage(packet, time) as Shown);
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

function itemOf(message: LlmMessage, kind: Kind, entryId: string | null): Added['item'] {
  const from = { entryId, line: 0, origin: kind === 'packet' ? 'transform' : 'entry' } as const;
  return { kind, message, original: message, from, turn: 0, tokens: tokensOfMessage(message), isFrozen: false };
}

function kindOf(message: AgentMessage): Kind {
  if (message.role === 'custom') return message['customType'] === PACKET_TYPE ? 'packet' : 'custom';
  return KINDS[asString(message.role) ?? ''] ?? 'user';
}

const KINDS: Readonly<Record<string, Kind>> = {
  user: 'user',
  assistant: 'assistant',
  toolResult: 'toolResult',
  bashExecution: 'bash',
  branchSummary: 'branch-summary',
  compactionSummary: 'compaction-summary',
};
