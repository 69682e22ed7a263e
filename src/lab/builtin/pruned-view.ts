import { deepFreeze } from '#base/freeze.js';
import { asString } from '#base/json.js';
import {
  type History,
  type HistoryItem,
  INPUT_KINDS,
  type ItemKind,
  KIND_OF_ROLE,
  rebuildHistory,
} from '#change/prune/history.js';
import { toPacketMessage } from '#change/prune/packet.js';
import type { PreparedHistory } from '#change/prune/prepare-history.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { PACKET_TYPE } from '#context/replay/ctx-entries.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
import type { AgentMessage } from '../contract.js';
import type { TranscriptEntry } from '../runtime-context.js';

type PrunableMessage = LlmMessage & AgentMessage;

/** The pruned messages of a transcript; the transcript itself stays as it is. */
export class PrunedView {
  /** The message that replaces a message; null: none. */
  private changes = new Map<AgentMessage, PrunableMessage | null>();
  private packet: PrunableMessage | null = null;

  /** The messages after pruning. The packet has the position of the first message that it replaces. */
  apply(messages: readonly AgentMessage[]): readonly AgentMessage[] {
    const first = this.packet === null ? -1 : messages.findIndex((message) => this.changes.get(message) === null);
    return messages.flatMap((message, at) => {
      const shown = this.changes.get(message);
      if (shown !== null) return [shown ?? message];
      return at === first && this.packet !== null ? [this.packet] : [];
    });
  }

  /** Whether a message is shown as it is, or changed. */
  contains(message: AgentMessage): boolean {
    return this.changes.get(message) !== null;
  }

  /** The transcript as strategies look at it, with the message that each item is. */
  buildHistory(
    transcript: readonly TranscriptEntry[],
    facts: Pick<History, 'limit' | 'tokens'> & Pick<HistoryItem, 'sessionId'>,
  ): { readonly history: History; readonly originals: readonly (AgentMessage | null)[] } {
    const items: HistoryItem[] = [];
    const originals: (AgentMessage | null)[] = [];
    const add = (item: ItemParts, original: AgentMessage | null): void => {
      items.push({ ...item, at: items.length, place: items.length });
      originals.push(original);
    };
    const { sessionId } = facts;
    let waits = this.packet;
    let turnNumber = 0;
    for (const { message, entryId } of transcript) {
      const original = message && toLlmMessage(toMessage(message));
      if (!message || !original) continue;
      const shown = this.changes.get(message);
      if (INPUT_KINDS.has(readKind(message))) turnNumber += 1;
      if (shown === null) {
        if (waits !== null) add(toHistoryItem(waits, 'packet', null, { turnNumber, sessionId }), null);
        waits = null;
        continue;
      }
      const item = toHistoryItem(shown ?? original, readKind(message), entryId, { turnNumber, sessionId });
      add({ ...item, isFrozen: shown !== undefined, original }, message);
    }
    return { history: rebuildHistory(items, facts), originals };
  }

  /**
   * Takes over what strategies have decided for that history. `time` is that of a new packet, in milliseconds since
   * 1970.
   */
  adopt({ pruned, packet }: PreparedHistory, originals: readonly (AgentMessage | null)[], time: number): void {
    for (const { item, message } of pruned.decisions) {
      const original = originals[item.place];
      // The values of a message stay what they are, so it is still one of the agent.
      if (original) this.changes.set(original, message && deepFreeze(message));
    }
    if (packet !== null) this.packet = deepFreeze(toPacketMessage(packet, time));
  }

  /** Forgets what is not in the transcript any more. */
  keepOnly(transcript: readonly TranscriptEntry[]): void {
    const there = new Set(transcript.map(({ message }) => message));
    this.changes = new Map([...this.changes].filter(([message]) => there.has(message)));
    if (![...this.changes.values()].includes(null)) this.packet = null;
  }
}

type ItemParts = Omit<HistoryItem, 'at' | 'place'>;
type InTurn = Pick<HistoryItem, 'turnNumber' | 'sessionId'>;

function toHistoryItem(message: LlmMessage, kind: ItemKind, entryId: string | null, turn: InTurn): ItemParts {
  const from = { entryId, line: 0, origin: kind === 'packet' ? 'transform' : 'entry' } as const;
  return {
    kind,
    message,
    original: message,
    from,
    turn: 0,
    ...turn,
    tokens: countMessageTokens(message),
    isFrozen: false,
  };
}

export function readKind(message: AgentMessage): ItemKind {
  if (message.role === 'custom' && message.customType === PACKET_TYPE) return 'packet';
  return KIND_OF_ROLE[asString(message.role) ?? ''] ?? 'user';
}
