import { deepFreeze } from '#base/freeze.js';
import { asString } from '#base/json.js';
import { type GateState, gateStep, OPEN_GATE } from '#change/prune/gate/gate.js';
import {
  type History,
  type HistoryItem,
  INPUT_KINDS,
  type ItemKind,
  KIND_OF_ROLE,
  rebuildHistory,
} from '#change/prune/history.js';
import { toPacketMessage } from '#change/prune/packet.js';
import { configureStrategy, listZoneStrategies } from '#change/prune/policy.js';
import { type PreparedHistory, prepareHistory } from '#change/prune/prepare-history.js';
import { buildProtection } from '#change/prune/protection.js';
import type { ConfiguredStrategy } from '#change/prune/prune.js';
import { summaries } from '#change/prune/strategies/summaries.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { PACKET_TYPE } from '#context/replay/ctx-entries.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
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
import type { TranscriptEntry, TranscriptRewriteResult } from '../runtime-context.js';
import { planPiCompaction } from './pi.js';

export default defineBuiltinEngine({
  name: 'turn-prune',
  summary: 'Prune at the end of turns, as a policy defines, and compact early',
  create: (setup) => new TurnPrune(setup),
});

const SUMMARIES: ReadonlySet<ItemKind> = new Set(['branch-summary', 'compaction-summary']);

const NO_REWRITE: TranscriptRewriteResult = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };

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

  /** Only asked for where a request would be too long. */
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

type PrunableMessage = LlmMessage & AgentMessage;

/** The pruned messages of a transcript; the transcript itself stays as it is. */
class PrunedView {
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
    known: Pick<History, 'limit' | 'tokens'> & Pick<HistoryItem, 'sessionId'>,
  ): { readonly history: History; readonly originals: readonly (AgentMessage | null)[] } {
    const items: HistoryItem[] = [];
    const originals: (AgentMessage | null)[] = [];
    const add = (item: ItemParts, original: AgentMessage | null): void => {
      items.push({ ...item, at: items.length, place: items.length });
      originals.push(original);
    };
    const { sessionId } = known;
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
    return { history: rebuildHistory(items, known), originals };
  }

  /** Takes over what strategies have decided for that history. `time` is that of a new packet, in milliseconds since 1970. */
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

function readKind(message: AgentMessage): ItemKind {
  if (message.role === 'custom' && message.customType === PACKET_TYPE) return 'packet';
  return KIND_OF_ROLE[asString(message.role) ?? ''] ?? 'user';
}
