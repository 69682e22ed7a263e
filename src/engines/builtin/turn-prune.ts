import { asString } from '#base/json.js';
import { OPEN, gateStep, type GateState } from '#change/prune/gate/gate.js';
import type { History } from '#change/prune/history.js';
import { packetMessage } from '#change/prune/packet.js';
import { stepsFor } from '#change/prune/policy.js';
import { prepareHistory } from '#change/prune/prepare.js';
import { protectionBy } from '#change/prune/protection.js';
import type { Zone } from '#change/prune/zones.js';
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
  TranscriptRewriteResult,
} from '../contract.js';
import { defineEngine, type EngineSetup } from '../define.js';
import { compactionByPi } from './compaction-by-pi.js';
import { PrunedView } from './pruned-view.js';

export default defineEngine({
  name: 'turn-prune',
  summary: 'Prune at the end of turns by a policy, and compact early',
  help: `Looks at the context when a turn has ended, as \`ctx gate\` does: the policy \`prune\` of the configuration says in which
zone it prunes and with which strategies, and from which zone on it compacts, which is well before Pi would. The built-in
policy shortens messages in the zone yellow and compacts from the zone red on: it leaves out no turns. A policy with \`turns\` in
a zone that prunes leaves them out, and a packet made from the ledger of the session replaces them. What it has asked for once
it does not ask for again until the context has become smaller or the cooldown is over. A compaction waits until the turn is
over and the host allows what was put off.`,
  create: (setup) => new TurnPrune(setup),
});

const NO_REWRITE: TranscriptRewriteResult = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };

class TurnPrune implements ContextEngine {
  readonly info = {
    id: 'turn-prune',
    name: 'Pruning at the end of turns',
    ownsCompaction: true,
    turnMaintenanceMode: 'background',
  } as const;
  private readonly view = new PrunedView();
  private gate: GateState = OPEN;
  /** A compaction was asked for, and put off. */
  private isDue = false;

  constructor(private readonly setup: EngineSetup) {}

  ingest(): Promise<IngestResult> {
    return Promise.resolve({ ingested: false });
  }

  assemble({ messages }: AssembleParams): Promise<AssembleResult> {
    const shown = this.view.of(messages);
    return Promise.resolve({ messages: shown, estimatedTokens: this.setup.count(shown) });
  }

  afterTurn({ tokenBudget, runtimeContext }: AfterTurnParams): Promise<void> {
    const tokens = runtimeContext?.currentTokenCount;
    if (tokenBudget === undefined || tokens === undefined) return Promise.resolve();
    const rules = { policy: this.setup.policy, limit: tokenBudget };
    const { state, verdict } = gateStep(this.gate, { kind: 'turn-end', tokens }, rules);
    this.gate = state;
    if (verdict?.asks === 'compact') this.isDue = true;
    if (verdict?.asks === 'prune') this.prune(verdict.zone, tokens, tokenBudget);
    return Promise.resolve();
  }

  maintain({ runtimeContext }: MaintainParams): Promise<TranscriptRewriteResult> {
    if (!this.isDue || !runtimeContext?.allowDeferredCompactionExecution) return Promise.resolve(NO_REWRITE);
    const result = compactionByPi(this.setup);
    if (result) this.setup.compacted(result);
    this.isDue = false;
    if (result) this.relieved();
    return Promise.resolve(NO_REWRITE);
  }

  /** Only asked for where a request would be too long. */
  compact({ customInstructions }: CompactParams): Promise<CompactResult> {
    const result = compactionByPi(this.setup, customInstructions);
    this.isDue = false;
    if (!result) return Promise.resolve({ ok: true, compacted: false, reason: 'there is nothing to compact' });
    this.relieved();
    return Promise.resolve({ ok: true, compacted: true, result });
  }

  private prune(zone: Zone, tokens: number, limit: number): void {
    const { setup, view } = this;
    const { policy } = setup;
    const transcript = setup.transcript();
    view.keepOnly(transcript);
    const answer = transcript.findLast(({ message }) => message?.role === 'assistant')?.message;
    const { history, originals } = view.history(transcript, { model: modelOf(answer), limit, tokens });
    const prepared = prepareHistory(history, {
      steps: stepsFor(policy, zone),
      rules: { protects: protectionBy(policy.protect, setup.labels()), forbids: () => null },
      packetTokens: policy.packetTokens,
      packetAs: (text) => packetMessage(text, 0),
      ledger: () => setup.ledger(),
    });
    if (prepared.saved <= 0) return;
    view.take(prepared, originals, setup.now());
    const names = [...new Set(prepared.pruned.decisions.map(({ strategy }) => strategy))];
    setup.note({
      kind: 'prune',
      reason: `${zone}: ${names.join(', ')}`,
      tokensBefore: tokens,
      tokensAfter: tokens - prepared.saved,
      messages: new Set(prepared.pruned.decisions.map(({ item }) => item.place)).size,
    });
    this.gate = gateStep(this.gate, { kind: 'relief' }, { policy, limit }).state;
  }

  /** After a compaction it may be asked for again. What was pruned of what stays keeps its form. */
  private relieved(): void {
    const { policy, tokenBudget } = this.setup;
    this.gate = gateStep(this.gate, { kind: 'relief' }, { policy, limit: tokenBudget ?? 0 }).state;
  }
}

function modelOf(answer: AgentMessage | null | undefined): History['model'] {
  const provider = asString(answer?.['provider']);
  const modelId = asString(answer?.['model']);
  return provider === null || modelId === null ? null : { provider, modelId };
}
