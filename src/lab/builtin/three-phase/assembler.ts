import { deepFreeze } from '#base/freeze.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { countPartTokens, countToolTokens, sumMessageTokens } from '#context/size/tokens.js';
import type { AssembleParams, CompactParams, CompactResult } from '../../contract.js';
import type { EngineSetup, WholeAssembleResult } from '../../define.js';
import { type Assembly, fitBudgets } from '../../injectors/assembly.js';
import { type CachedHalf, composeCached, composeTail, type Contribution, type Tail } from '../../injectors/compose.js';
import type { ActiveInjector } from '../../injectors/define.js';
import { pickListStyle, PLAIN_STYLE } from '../../injectors/list-style.js';
import type { ObservedConversation } from '../../injectors/observer.js';
import type { TranscriptEntry } from '../../runtime-context.js';
import { buildResultShortener, type ShownMessage } from './decayed-history.js';
import { addReadResultTool } from './read-result.js';
import { ShownConversation } from './shown-conversation.js';
import { appendTail, buildTextMessages, countTailTokens, joinsNewestMessage } from './tail.js';

/** The share of the budget above which the conversation decays. */
const DECAY_SHARE = 0.5;

/** The share of the budget by which it must have grown since, to decay again. */
const GROWTH_SHARE = 0.125;

const NO_TAIL: Tail = { text: null, placed: [] };

/** The source of a message: the conversation, or injectors before or after it. */
export interface MessageOrigin {
  readonly by: 'leading' | ShownMessage['by'] | 'tail';
  readonly entryId: string | null;
}

/** The cached half of a request, with its tokens and the JSON of what is declared for it. */
interface CountedHalf {
  readonly half: CachedHalf;
  readonly declaredJson: string;
  readonly tokens: number;
}

/** The message in front of the conversation; none for no text. */
interface LeadingMessages {
  readonly text: string | null;
  readonly timestamp: unknown;
  readonly messages: readonly LlmMessage[];
}

/** A conversation up to one of its messages. */
interface ConversationStart {
  readonly observed: ObservedConversation;
  /** The number of messages. */
  readonly messages: number;
}

/** The prompt and the tools of a session, and their JSON. */
interface DeclaredParts {
  readonly parts: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  readonly json: string;
}

/** Assembles the requests of one conversation. */
export class ThreePhaseAssembler {
  readonly conversation: ShownConversation;
  private budget: number | null = null;
  /** The tokens of a request above which the conversation decays. */
  private decayAbove = Infinity;
  private cachedHalf: CountedHalf | null = null;
  /** The conversation that the cached half is made of: as it was at first, or when it decayed last. */
  private cachedStart: ConversationStart | null = null;
  private tail = NO_TAIL;
  /** Built once for each prompt and list of tools: these are the same objects until they change. */
  private readonly buildDeclared = memoizeByObject(
    (parts: readonly SystemPart[], given: readonly ToolDefinition[]): DeclaredParts => {
      const tools = this.assembly.readResult ? addReadResultTool(given) : given;
      return { parts, tools, json: JSON.stringify({ parts, tools }) };
    },
  );
  private leading: LeadingMessages = { text: null, timestamp: null, messages: [] };

  constructor(
    private readonly setup: EngineSetup,
    private readonly assembly: Assembly,
  ) {
    this.conversation = new ShownConversation(buildResultShortener(assembly.results));
  }

  contributions(): readonly Contribution[] {
    return [...(this.cachedHalf?.half.placed ?? []), ...this.tail.placed];
  }

  origins(): readonly MessageOrigin[] {
    const origins: MessageOrigin[] = [...this.conversation.shown()];
    const newest = this.conversation.shown().at(-1);
    if ((this.cachedHalf?.half.leading ?? null) !== null) origins.unshift({ by: 'leading', entryId: null });
    if (this.tail.text === null) return origins;
    if (!joinsNewestMessage(newest?.message, this.assembly.tail)) return [...origins, { by: 'tail', entryId: null }];
    return [...origins.slice(0, -1), { by: 'tail', entryId: newest?.entryId ?? null }];
  }

  async assemble({ messages, tokenBudget, sessionId }: AssembleParams): Promise<WholeAssembleResult> {
    const ids = listMessageIds(this.setup.transcript());
    this.conversation.takeIn(messages, { sessionId, entryId: (place) => ids[place] ?? null });
    this.setBudget(tokenBudget ?? this.setup.tokenBudget);
    let half = await this.compose();
    if (this.budget !== null && this.isDue(this.budget)) {
      await this.decay(this.budget, this.budget);
      half = await this.compose();
    }
    const history = this.conversation.shown().map(({ message }) => message);
    const leading = this.buildLeading(half.leading, history[0]?.timestamp ?? 0);
    return {
      messages: appendTail([...leading, ...history], this.tail.text, this.assembly.tail),
      estimatedTokens: this.countTokens(),
      promptAuthority: 'assembled',
      system: half.parts,
      tools: half.tools,
    };
  }

  /** Returns the same object while its content is the same, so that the beginning of a request is recognised. */
  private buildLeading(text: string | null, timestamp: unknown): readonly LlmMessage[] {
    const { leading } = this;
    if (leading.text !== text || leading.timestamp !== timestamp)
      this.leading = { text, timestamp, messages: deepFreeze(buildTextMessages(text, timestamp)) };
    return this.leading.messages;
  }

  async compact({ tokenBudget, compactionTarget = 'budget', force = false }: CompactParams): Promise<CompactResult> {
    const budget = tokenBudget ?? this.budget;
    if (budget === null) return { ok: true, compacted: false, reason: 'the context window of the model is unknown' };
    const tokensBefore = this.countTokens();
    const target = compactionTarget === 'budget' ? budget : budget * DECAY_SHARE;
    if (!force && tokensBefore <= target) return { ok: true, compacted: false, reason: 'below the threshold' };
    await this.decay(budget, target);
    const tokensAfter = this.countTokens();
    if (tokensAfter >= tokensBefore) return { ok: true, compacted: false, reason: 'nothing more can be dropped' };
    return { ok: true, compacted: true, result: { tokensBefore, tokensAfter } };
  }

  private setBudget(budget: number | null): void {
    if (budget === this.budget) return;
    this.budget = budget;
    this.decayAbove = budget === null ? Infinity : budget * DECAY_SHARE;
    this.cachedHalf = null;
  }

  /** Rebuilds the tail, and the cached half if the prompt, the tools or the shortened history have changed. */
  private async compose(): Promise<CachedHalf> {
    const activeInjectors = fitBudgets(this.assembly.injectors, this.budget);
    const { system, tools } = this.setup.declared();
    const declared = this.buildDeclared(system.parts, tools);
    const observed = this.conversation.observed();
    const messages = this.conversation.messages();
    this.cachedStart ??= { observed, messages: messages.length };
    if (this.cachedHalf?.declaredJson !== declared.json)
      this.cachedHalf = await this.composeHalf(activeInjectors, declared, this.cachedStart);
    const { half } = this.cachedHalf;
    const style = pickListStyle(this.assembly.variation, observed.messages);
    const { parts } = declared;
    const situation = { parts, tools: declared.tools, messages, observed, query: observed.newestAsked, style };
    this.tail = await composeTail(activeInjectors, situation, half.moved);
    return half;
  }

  private async composeHalf(
    activeInjectors: readonly ActiveInjector[],
    { parts, tools, json }: DeclaredParts,
    { observed, messages: count }: ConversationStart,
  ): Promise<CountedHalf> {
    const messages = this.conversation.messages().slice(0, count);
    const situation = { parts, tools, messages, observed, query: observed.firstAsked, style: PLAIN_STYLE };
    const half = await composeCached(activeInjectors, situation);
    // Frozen, so that a host need not count them again.
    deepFreeze([half.parts, half.tools]);
    return { half, declaredJson: json, tokens: countHalfTokens(half) };
  }

  private isDue(budget: number): boolean {
    const tokens = this.countTokens();
    // In the middle of a turn, messages that were sent stay as they are while they fit.
    return tokens > budget || (tokens > this.decayAbove && this.conversation.endsWithInput());
  }

  private async decay(budget: number, target: number): Promise<void> {
    const tokensBefore = this.conversation.tokens();
    const besides = this.countOtherTokens();
    const summarize: EngineSetup['summarize'] = (task) => this.setup.summarize(task);
    const asks = this.assembly.summarize;
    await this.conversation.decay({ budget, target, besides, summarize, asks });
    const tokensAfter = this.conversation.tokens();
    this.decayAbove = Math.max(budget * DECAY_SHARE, besides + tokensAfter + budget * GROWTH_SHARE);
    // Decayed messages no longer change.
    if (tokensAfter === tokensBefore) return;
    this.cachedStart = null;
    this.cachedHalf = null;
    this.setup.note({ kind: 'prune', reason: 'old turns are shortened', tokensBefore, tokensAfter });
  }

  private countTokens(): number {
    return this.countOtherTokens() + this.conversation.tokens();
  }

  private countOtherTokens(): number {
    const newest = this.conversation.shown().at(-1)?.message;
    return (this.cachedHalf?.tokens ?? 0) + countTailTokens(newest, this.tail.text, this.assembly.tail);
  }
}

function countHalfTokens({ parts, tools, leading }: CachedHalf): number {
  return countPartTokens(parts) + countToolTokens(tools) + sumMessageTokens(buildTextMessages(leading, 0));
}

/** The ids of the entries with a message. */
function listMessageIds(entries: readonly TranscriptEntry[]): readonly string[] {
  const ids: string[] = [];
  for (const { message, entryId } of entries) {
    if (message) ids.push(entryId);
  }
  return ids;
}
