import { countCommon } from '#base/lists.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { type HistoryItem, INPUT_KINDS, type ItemKind, KIND_OF_ROLE, sumItemTokens } from '#change/prune/history.js';
import type { ConfiguredStrategy } from '#change/prune/prune.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
import type { AgentMessage } from '../../contract.js';
import { ConversationObserver, type ObservedConversation } from '../../injectors/observer.js';
import {
  type DecayedHistory,
  decayHistory,
  DECAYS,
  rewriteSummary,
  shortenNewResults,
  type ShownMessage,
  toShownMessage,
} from './decayed-history.js';

export interface DecayOptions {
  /** Tokens that the model can take. */
  readonly budget: number;
  /** Tokens that the whole request should not be over. */
  readonly target: number;
  /** Tokens of all that is not the conversation. */
  readonly besides: number;
  summarize(task: SummaryTask): string;
  /** Writes the summary that is sent; null: `summarize` does. */
  readonly asks: ((task: SummaryTask) => Promise<string>) | null;
}

/** A conversation as a model is shown it: only ever appended to, but where it decays. */
export class ShownConversation {
  /** The messages that are sent, as they entered, but for those that were left out since. */
  private items: HistoryItem[] = [];
  private readonly seen: AgentMessage[] = [];
  private readonly observer = new ConversationObserver();
  private turns = 0;
  private decayed: DecayedHistory | null = null;
  /** The messages as the model is shown them, and their tokens. */
  private visible: ShownMessage[] = [];
  private visibleTokens = 0;

  /** `entering` shortens results that enter. */
  constructor(private readonly entering: ConfiguredStrategy) {}

  messages(): readonly AgentMessage[] {
    return this.seen;
  }

  /** Whether messages begin with those that were taken in, as they were then. */
  isBeginningOf(messages: readonly AgentMessage[]): boolean {
    if (this.seen.length > messages.length) return false;
    const same = countCommon(this.seen, messages);
    return this.seen.slice(same).every((message, at) => hashMessages(message) === hashMessages(messages[same + at]));
  }

  /** Takes in what is new among messages of a session. `entryId` knows the entry of each by its place. */
  takeIn(messages: readonly AgentMessage[], { sessionId, entryId }: Source): void {
    const fresh: HistoryItem[] = [];
    for (const agent of messages.slice(this.seen.length)) {
      const place = this.seen.length;
      this.seen.push(agent);
      const message = toLlmMessage(toMessage(agent));
      if (!message) continue;
      this.observer.add(toMessage(agent));
      const kind = KIND_OF_ROLE[agent.role] ?? 'user';
      if (INPUT_KINDS.has(kind)) this.turns += 1;
      const origin = { place, entryId: entryId(place), sessionId, turnNumber: this.turns };
      fresh.push(toItem(message, kind, origin));
    }
    for (const item of shortenNewResults(fresh, this.entering)) {
      this.items.push(item);
      this.visible.push(toShownMessage(item));
      this.visibleTokens += item.tokens;
    }
  }

  /** Lets it decay as little as the target asks for. */
  async decay({ budget, target, besides, summarize, asks }: DecayOptions): Promise<void> {
    const { items } = this;
    const tokens = besides + sumItemTokens(items);
    const previous = this.decayed?.summary ?? null;
    for (const how of DECAYS) {
      this.decayed = decayHistory(items, { how, limit: budget, tokens, previous, summarize });
      if (besides + this.decayed.tokens <= target) break;
    }
    // A model is asked once, for the messages that do leave.
    if (asks && this.decayed) this.decayed = await rewriteSummary(this.decayed, asks);
    if (!this.decayed) return;
    const { dropped, shown, tokens: left } = this.decayed;
    this.items = items.filter(({ place }) => !dropped.has(place));
    this.visible = shown.slice();
    this.visibleTokens = left;
  }

  shown(): readonly ShownMessage[] {
    return this.visible;
  }

  tokens(): number {
    return this.visibleTokens;
  }

  observed(): ObservedConversation {
    return this.observer.conversation();
  }

  /** Whether the last message is a user's, which waits for an answer. */
  endsWithInput(): boolean {
    return this.items.at(-1)?.message.role === 'user';
  }
}

/** Another one where a message was edited. */
function hashMessages(message: AgentMessage | undefined): string {
  if (!message) return '';
  return `${message.role} ${String(message.timestamp)} ${countMessageTokens({ ...message, role: 'user' })}`;
}

/** The session that messages are of. */
interface Source {
  readonly sessionId: string;
  entryId(place: number): string | null;
}

interface Origin extends Pick<HistoryItem, 'place' | 'sessionId' | 'turnNumber'> {
  readonly entryId: string | null;
}

function toItem(message: LlmMessage, kind: ItemKind, { entryId, ...origin }: Origin): HistoryItem {
  const { place } = origin;
  const from = { entryId, line: place + 1, origin: 'entry' as const };
  const tokens = countMessageTokens(message);
  return { ...origin, at: place, kind, message, original: message, from, turn: 0, tokens, isFrozen: false };
}
