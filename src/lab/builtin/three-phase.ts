import { deepFreeze } from '#base/freeze.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { countPartTokens, countToolTokens, sumMessageTokens } from '#context/size/tokens.js';
import type { AssembleParams, CompactParams, CompactResult, ContextEngine } from '../contract.js';
import { defineBuiltinEngine, type EngineSetup, type WholeAssembleResult } from '../define.js';
import { type CachedHalf, composeCached, composeTail, type Contribution, type Tail } from '../injectors/compose.js';
import { type Assembly, buildDefaultAssembly, fitBudgets } from '../injectors/index.js';
import { pickListStyle, PLAIN_STYLE } from '../injectors/list-style.js';
import type { ObservedConversation } from '../injectors/observer.js';
import type { TranscriptEntry } from '../runtime-context.js';
import { addReadResultTool, answerReadResult } from './scratchpad.js';
import {
  appendTail,
  buildTextMessages,
  countTailTokens,
  joinsNewestMessage,
  ShownConversation,
} from './three-phase-conversation.js';
import { buildResultShortener, type ShownMessage } from './three-phase-history.js';

export default defineBuiltinEngine({
  name: 'three-phase',
  summary: 'Inject context within budgets, shorten history in steps, keep the prefix stable',
  create: (setup) => createThreePhaseEngine(setup, buildDefaultAssembly()),
});

/** The engine, and the contributors of the request that was assembled last. */
export interface ThreePhaseEngine extends ContextEngine {
  contributions(): readonly Contribution[];
  /** Of each message of the request. */
  origins(): readonly MessageOrigin[];
}

/** The source of a message: the conversation, or injectors before or after it. */
export interface MessageOrigin {
  readonly by: 'leading' | ShownMessage['by'] | 'tail';
  readonly entryId: string | null;
}

export function createThreePhaseEngine(setup: EngineSetup, assembly: Assembly): ThreePhaseEngine {
  let assembler = new Assembler(setup, assembly);
  return {
    info: { id: 'three-phase', name: 'Three-phase assembly', ownsCompaction: true },
    // It keeps no messages: each request is assembled from the transcript.
    ingest: () => Promise.resolve({ ingested: false }),
    ingestBatch: () => Promise.resolve({ ingestedCount: 0 }),
    assemble(params) {
      if (!assembler.conversation.isBeginningOf(params.messages)) assembler = new Assembler(setup, assembly);
      return assembler.assemble(params);
    },
    compact: (params) => assembler.compact(params),
    ...(assembly.readResult
      ? { callTool: (params) => Promise.resolve(answerReadResult(setup.transcript(), params)) }
      : {}),
    dispose: () => assembly.close(),
    contributions: () => assembler.contributions(),
    origins: () => assembler.origins(),
  };
}

/** The share of the budget from which on the conversation decays, and by which it must have grown to do so again. */
const DECAY_SHARE = 0.5;
const GROWTH_SHARE = 0.125;

const NO_TAIL: Tail = { text: null, placed: [] };

class Assembler {
  readonly conversation: ShownConversation;
  private budget: number | null = null;
  /** Tokens from which on the conversation decays. */
  private due = Infinity;
  private cachedHalf: { readonly half: CachedHalf; readonly madeOf: string; readonly tokens: number } | null = null;
  /** The conversation that the cached half uses: as it was at first, or when it decayed last. */
  private since: { readonly observed: ObservedConversation; readonly messages: number } | null = null;
  private tail = NO_TAIL;
  private readonly entries = new EntryIds();
  /** Prompt and tools with their JSON. They are the same objects until they change. */
  private readonly written = memoizeByObject((parts: readonly SystemPart[], given: readonly ToolDefinition[]) => {
    const declared = { parts, tools: this.assembly.readResult ? addReadResultTool(given) : given };
    return { declared, madeOf: JSON.stringify(declared) };
  });
  private leading: {
    readonly text: string | null;
    readonly timestamp: unknown;
    readonly messages: readonly LlmMessage[];
  } | null = null;

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
    const leading = this.cachedHalf?.half.leading ?? null;
    const shown = this.conversation.shown();
    const newest = shown.at(-1);
    const isJoined = this.tail.text !== null && joinsNewestMessage(newest?.message, this.assembly.tail);
    return [
      ...(leading === null ? [] : [{ by: 'leading' as const, entryId: null }]),
      ...(isJoined ? shown.slice(0, -1) : shown),
      ...(this.tail.text === null
        ? []
        : [{ by: 'tail' as const, entryId: isJoined ? (newest?.entryId ?? null) : null }]),
    ];
  }

  async assemble({ messages, tokenBudget, sessionId }: AssembleParams): Promise<WholeAssembleResult> {
    const ids = this.entries.list(this.setup.transcript());
    this.conversation.takeIn(messages, { sessionId, entryId: (place) => ids[place] ?? null });
    this.setBudget(tokenBudget ?? this.setup.tokenBudget);
    let half = await this.compose();
    if (this.budget !== null && this.isDue(this.budget)) {
      await this.decay(this.budget, this.budget);
      half = await this.compose();
    }
    const history = this.conversation.shown().map(({ message }) => message);
    const leading = this.leadingMessages(half.leading, history[0]?.timestamp ?? 0);
    return {
      messages: appendTail([...leading, ...history], this.tail.text, this.assembly.tail),
      estimatedTokens: this.countTokens(),
      promptAuthority: 'assembled',
      system: half.parts,
      tools: half.tools,
    };
  }

  /** Stays the same object while its content is the same, so that the beginning of a request is recognised. */
  private leadingMessages(text: string | null, timestamp: unknown): readonly LlmMessage[] {
    const { leading } = this;
    if (leading?.text !== text || leading.timestamp !== timestamp)
      this.leading = { text, timestamp, messages: deepFreeze(buildTextMessages(text, timestamp)) };
    return this.leading?.messages ?? [];
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
    this.due = budget === null ? Infinity : budget * DECAY_SHARE;
    this.cachedHalf = null;
  }

  /** Rebuilds the cached half only if the prompt, the tools or the shortened history have changed. */
  private async compose(): Promise<CachedHalf> {
    const activeInjectors = fitBudgets(this.assembly.injectors, this.budget);
    const { system, tools } = this.setup.declared();
    const { declared, madeOf } = this.written(system.parts, tools);
    const observed = this.conversation.observed();
    const messages = this.conversation.messages();
    this.since ??= { observed, messages: messages.length };
    if (this.cachedHalf?.madeOf !== madeOf) {
      const { since } = this;
      const half = await composeCached(activeInjectors, {
        ...declared,
        messages: messages.slice(0, since.messages),
        observed: since.observed,
        query: since.observed.firstAsked,
        style: PLAIN_STYLE,
      });
      // Frozen, so that a host need not count them again.
      deepFreeze([half.parts, half.tools]);
      this.cachedHalf = { half, madeOf, tokens: countHalfTokens(half) };
    }
    const { half } = this.cachedHalf;
    const style = pickListStyle(this.assembly.variation, observed.messages);
    const situation = { ...declared, messages, observed, query: observed.newestAsked, style };
    this.tail = await composeTail(activeInjectors, situation, half.moved);
    return half;
  }

  private isDue(budget: number): boolean {
    const tokens = this.countTokens();
    // In the middle of a turn nothing that was sent changes, as long as it fits.
    return tokens > budget || (tokens > this.due && this.conversation.endsWithInput());
  }

  private async decay(budget: number, target: number): Promise<void> {
    const tokensBefore = this.conversation.tokens();
    const besides = this.countOtherTokens();
    const summarize: EngineSetup['summarize'] = (task) => this.setup.summarize(task);
    const asks = this.assembly.summarize;
    await this.conversation.decay({ budget, target, besides, summarize, asks });
    const tokensAfter = this.conversation.tokens();
    this.due = Math.max(budget * DECAY_SHARE, besides + tokensAfter + budget * GROWTH_SHARE);
    // Decayed messages no longer change.
    if (tokensAfter === tokensBefore) return;
    this.since = null;
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

/** The ids of the entries with a message, in a transcript that mostly grows. */
class EntryIds {
  private ids: string[] = [];
  private read = 0;
  private last: TranscriptEntry | undefined;

  list(entries: readonly TranscriptEntry[]): readonly string[] {
    if (entries[this.read - 1] !== this.last) {
      this.ids = [];
      this.read = 0;
    }
    for (const { message, entryId } of entries.slice(this.read)) if (message) this.ids.push(entryId);
    this.read = entries.length;
    this.last = entries.at(-1);
    return this.ids;
  }
}
