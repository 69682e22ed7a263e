import type { JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { buildCompactionEntries } from '#change/compact/compaction-entries.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { compactionSettings } from '#change/compact/settings.js';
import { extractSummary } from '#change/compact/summarizers/extract.js';
import { summaryTask } from '#change/compact/summary-task.js';
import { buildDraft } from '#change/plan/draft.js';
import type { GateTurn } from '#change/prune/gate/document.js';
import { replayGateOnPath } from '#change/prune/gate/replay-gate.js';
import { listZoneStrategies, type Policy } from '#change/prune/policy.js';
import { preparePrune } from '#change/prune/prepare.js';
import { buildPruneEntries } from '#change/prune/prune-entries.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { countTokens } from '#context/size/tokens.js';
import type { LiveBranch } from '../branch.js';
import type { BoundaryDraft } from '../pi.js';

/** The policy of a gate, and the world that it plans for. */
export interface GateWorld {
  readonly policy: Policy;
  /** The context window in tokens. */
  readonly limit: number;
  /** Pi's settings, the more special ones last. */
  readonly settings: unknown;
  /** Pi's name for the model, as `provider/id`; null if there is none. */
  readonly model: string | null;
}

/**
 * The decision of the gate about the turn that has just ended, as `ctx status --history` has it; null: it asks for
 * nothing.
 */
export function findGateTurn(branch: LiveBranch, { policy, limit }: GateWorld): GateTurn | null {
  const { session, path } = branch;
  const recording = { path, baseline: {}, every: policy.checkAt };
  let last: GateTurn | null = null;
  for (const event of replayGateOnPath(session, recording, { policy, limit }))
    last = event.schema === 'ctx/gate-turn' ? event : null;
  return last !== null && last.asks !== null ? last : null;
}

/** Entries for Pi to append, and what they do, in a few words. */
export interface GatePlan {
  readonly drafts: readonly BoundaryDraft[];
  readonly words: string;
}

/** Plans what a gate asks for by entries of stock Pi; null: nothing can go. */
export function planGate(branch: LiveBranch, { asks, zone }: GateTurn, world: GateWorld): GatePlan | null {
  if (asks === 'prune') return planGatePrune(branch, zone, world);
  return planGateCompaction(branch, world) ?? planGatePrune(branch, zone, world);
}

/** Ids and times are Pi's: those of the entries are replaced. */
const UNUSED = { now: () => 0, newId: () => `draft${(findNewest += 1)}` };
let findNewest = 0;

function planGatePrune(branch: LiveBranch, zone: GateTurn['zone'], { policy, limit }: GateWorld): GatePlan | null {
  const { session, path } = branch;
  const envelope = buildEnvelope(session, path.at(-1) ?? null, { limit });
  const strategies = listZoneStrategies(policy, zone);
  const prune = preparePrune(session, { path, envelope, policy, zone, strategies, form: 'stock' });
  if (prune.saved <= 0) return null;
  const changed = new Set(prune.pruned.decisions.map(({ item }) => item.place)).size;
  const entries = buildPruneEntries(session, prune, `zone ${zone}`, UNUSED);
  if (!makesSmaller(branch, entries)) return null;
  return { drafts: toDrafts(entries), words: `pruned ${pluralize(changed, 'message')}` };
}

function planGateCompaction(branch: LiveBranch, { settings, model }: GateWorld): GatePlan | null {
  const { session, path } = branch;
  const own = compactionSettings([settings], model);
  const { keepRecentTokens } = own;
  const request = { path, keepRecentTokens, keepsPairs: true };
  const preparation = prepareCompaction(session, request);
  if (!preparation) return null;
  const summary = { text: extractSummary(summaryTask(preparation, own, undefined)) };
  const entries = buildCompactionEntries(session, { path, preparation, summary, form: 'compaction' }, UNUSED);
  if (!makesSmaller(branch, entries)) return null;
  const summarised = preparation.messagesToSummarize.length + preparation.turnPrefixMessages.length;
  return { drafts: toDrafts(entries), words: `compacted ${pluralize(summarised, 'message')}` };
}

/** Whether entries make the context smaller: the summary of little may be longer than that. */
function makesSmaller({ session }: LiveBranch, entries: readonly JsonObject[]): boolean {
  const { before, after } = buildDraft(session, entries);
  return countTokens(after).total < countTokens(before).total;
}

/** Entries without what Pi adds: id, parent, time, the tokens before a compaction and the prompt after it. */
function toDrafts(entries: readonly JsonObject[]): readonly BoundaryDraft[] {
  return entries.map(({ id, parentId: _parent, timestamp: _time, tokensBefore: _tokens, ...entry }) => {
    if (entry.type !== 'compaction') return entry as unknown as BoundaryDraft;
    const { fromHook: _hook, systemMessage: _system, firstKeptEntryId, ...rest } = entry;
    // One that keeps nothing names itself.
    return { ...rest, firstKeptEntryId: firstKeptEntryId === id ? null : firstKeptEntryId } as unknown as BoundaryDraft;
  });
}
