import { type GateState, gateStep, OPEN_GATE } from '#change/prune/gate/gate.js';
import type { History, ItemKind } from '#change/prune/history.js';
import { toPacketMessage } from '#change/prune/packet.js';
import { configureStrategy, listZoneStrategies } from '#change/prune/policy.js';
import { prepareHistory } from '#change/prune/prepare-history.js';
import { buildProtection } from '#change/prune/protection.js';
import type { ConfiguredStrategy } from '#change/prune/prune.js';
import { summaries } from '#change/prune/strategies/summaries.js';
import type {
  AfterTurnParams,
  AgentMessage,
  AssembleParams,
  AssembleResult,
  CompactParams,
  CompactResult,
  ContextEngine,
  IngestResult,
  MaintainParams,
} from '../contract.js';
import { defineBuiltinEngine, type EngineSetup } from '../define.js';
import type { TranscriptRewriteResult } from '../runtime-context.js';
import { planPiCompaction } from './pi.js';
import { PrunedView, readKind } from './pruned-view.js';

export default defineBuiltinEngine({
  name: 'turn-prune',
  summary: 'Prune at the end of turns, as a policy defines, and compact early',
  create: (setup) => new TurnPrune(setup),
});

const SUMMARIES: ReadonlySet<ItemKind> = new Set(['branch-summary', 'compaction-summary']);

const NO_REWRITE: TranscriptRewriteResult = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };

/** Prunes at the ends of turns, by the policy of the host. */
class TurnPrune implements ContextEngine {
  readonly info = {
    id: 'turn-prune',
    name: 'Pruning at the end of turns',
    ownsCompaction: true,
    turnMaintenanceMode: 'background',
  } as const;
  private readonly view = new PrunedView();
  private gate: GateState = OPEN_GATE;
  /** A compaction was asked for, and put off. */
  private needsCompaction = false;
  /** Summaries that were looked at since the newest turn end. */
  private seenSummaries = new Set<AgentMessage>();

  constructor(private readonly setup: EngineSetup) {}

  ingest(): Promise<IngestResult> {
    return Promise.resolve({ ingested: false });
  }

  /** A packet replaces raw summaries before the first request that would contain them. */
  assemble({ messages }: AssembleParams): Promise<AssembleResult> {
    const raw = messages.filter((message) => this.view.contains(message) && SUMMARIES.has(readKind(message)));
    if (raw.some((message) => !this.seenSummaries.has(message))) this.replaceSummaries(messages);
    for (const message of raw) this.seenSummaries.add(message);
    const shown = this.view.apply(messages);
    return Promise.resolve({ messages: shown, estimatedTokens: this.setup.count(shown) });
  }

  afterTurn({ tokenBudget, runtimeContext }: AfterTurnParams): Promise<void> {
    const tokens = runtimeContext?.currentTokenCount;
    this.seenSummaries.clear();
    if (tokenBudget === undefined || tokens === undefined) return Promise.resolve();
    const { policy } = this.setup;
    const rules = { policy, limit: tokenBudget };
    const { state, verdict } = gateStep(this.gate, { kind: 'turn-end', tokens }, rules);
    this.gate = state;
    if (verdict?.asks === 'compact') this.needsCompaction = true;
    if (verdict && (verdict.asks === 'prune' || policy.pruneAt === 'turn'))
      this.prune(verdict.zone, listZoneStrategies(policy, verdict.zone), { tokens, limit: tokenBudget });
    return Promise.resolve();
  }

  maintain({ runtimeContext }: MaintainParams): Promise<TranscriptRewriteResult> {
    if (!this.needsCompaction || !runtimeContext?.allowDeferredCompactionExecution) return Promise.resolve(NO_REWRITE);
    const result = planPiCompaction(this.setup);
    if (result) this.setup.compacted(result);
    this.needsCompaction = false;
    if (result) this.noteRelief();
    return Promise.resolve(NO_REWRITE);
  }

  /** Compacts by Pi's rules. The host asks for it where a request would be too long. */
  compact(params: CompactParams): Promise<CompactResult> {
    const result = planPiCompaction(this.setup, params);
    this.needsCompaction = false;
    if (!result) return Promise.resolve({ ok: true, compacted: false, reason: 'there is nothing to compact' });
    this.noteRelief();
    return Promise.resolve({ ok: true, compacted: true, result });
  }

  /** Drops the summaries of compactions and branches. The packet states their facts. */
  private replaceSummaries(messages: readonly AgentMessage[]): void {
    const tokens = this.setup.count(this.view.apply(messages));
    this.prune('raw summaries', [configureStrategy(summaries, undefined)], { tokens, limit: this.setup.tokenBudget });
  }

  private prune(why: string, strategies: readonly ConfiguredStrategy[], size: Pick<History, 'tokens' | 'limit'>): void {
    const { setup, view } = this;
    const { policy } = setup;
    const transcript = setup.transcript();
    view.keepOnly(transcript);
    const { history, originals } = view.buildHistory(transcript, { ...size, sessionId: setup.session.header.id });
    const prepared = prepareHistory(history, {
      strategies,
      rules: { protects: buildProtection(policy.protect, setup.labels()), forbids: () => null },
      packetTokens: policy.packetTokens,
      packetAs: (text) => toPacketMessage(text, 0),
      facts: () => setup.facts(),
    });
    if (prepared.saved <= 0) return;
    view.adopt(prepared, originals, setup.now());
    const names = [...new Set(prepared.pruned.decisions.map(({ strategy }) => strategy))];
    setup.note({
      kind: 'prune',
      reason: `${why}: ${names.join(', ')}`,
      tokensBefore: size.tokens,
      tokensAfter: size.tokens - prepared.saved,
    });
    this.noteRelief();
  }

  /** After a compaction or a prune it may be requested again. Pruned messages that stay keep their form. */
  private noteRelief(): void {
    const { policy, tokenBudget } = this.setup;
    this.gate = gateStep(this.gate, { kind: 'relief' }, { policy, limit: tokenBudget ?? 0 }).state;
  }
}
