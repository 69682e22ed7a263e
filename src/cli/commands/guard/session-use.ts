import path from 'node:path';
import { completeUsage } from '#analysis/running/complete-usage.js';
import { countUnpricedCalls, sumKnownCost, toUsageDocument, type UsageCounts } from '#analysis/stats/usage-sums.js';
import { buildPriceList } from '#context/models/registry.js';
import type { Io } from '#platform/io.js';
import {
  type Notes,
  readRunningSession,
  type RunningReading,
  type RunningWorld,
} from '../../sessions/running-session.js';

/** The use of a running session so far. */
export interface SessionUse {
  /** The recorded tokens of the newest context; null if they are unknown. */
  readonly context: number | null;
  /** Dollars with those of its subagents, recorded or at listed prices; null if no call has a known price. */
  readonly cost: number | null;
  readonly isCostListed: boolean;
  /**
   * false: calls without a known price or parts that were not read in time are missing, so the cost is at least this.
   */
  readonly isCostWhole: boolean;
  readonly calls: ReadonlyMap<string, number>;
  /** false: not all of the session was read in time, so there are at least these calls. */
  readonly isWhole: boolean;
  /** The number of calls since the last prompt that are equal to the one with an id; 0 for an unknown one. */
  countEqual(call: string): number;
  readonly notes: Notes;
  /** Stores numbers for the next reading. */
  keep(notes: Notes): void;
}

/**
 * Reads what a session has used until a deadline; null for a session of an agent that is not known. Throws a CtxError
 * (input).
 */
export async function readSessionUse(io: Io, transcript: string, deadline: number): Promise<SessionUse | null> {
  const world: RunningWorld = {
    files: io.files,
    now: io.now,
    index: await io.openIndex(),
    timezone: null,
    deadline,
  };
  const reading = await readRunningSession(world, transcript);
  if (reading === null) return null;
  const subagents = await readSubagents(world, transcript);
  const { figures, isWhole, notes } = reading;
  const all = subagents.map((one) => one.figures.usage);
  const { hasUnpriced, ...cost } = sumCosts([completeUsage(figures, all, buildPriceList()), ...all]);
  return {
    ...cost,
    isCostWhole: isWhole && !hasUnpriced && subagents.every((one) => one.isWhole),
    context: figures.context.tokens,
    calls: figures.calls,
    countEqual: (call) => figures.repeats.get(figures.recentCalls.get(call) ?? '') ?? 0,
    isWhole,
    notes,
    keep: (changed) => reading.keep(changed),
  };
}

/** Claude Code keeps the sessions of subagents in a folder that is named after the session. */
async function readSubagents(world: RunningWorld, transcript: string): Promise<readonly RunningReading[]> {
  const folder = path.join(transcript.replace(/\.jsonl$/, ''), 'subagents');
  if (!transcript.endsWith('.jsonl') || !world.files.exists(folder)) return [];
  const readings: RunningReading[] = [];
  for (const { file } of world.files.walk(folder).files) {
    const reading = await readRunningSession(world, file);
    reading?.keep();
    if (reading) readings.push(reading);
  }
  return readings;
}

function sumCosts(
  all: readonly UsageCounts[],
): Pick<SessionUse, 'cost' | 'isCostListed'> & { readonly hasUnpriced: boolean } {
  let cost = 0;
  let isCostListed = false;
  let priced = 0;
  let hasUnpriced = false;
  for (const { usage, byModel } of all) {
    const document = toUsageDocument(usage);
    cost += sumKnownCost(document);
    isCostListed ||= document.costListed !== null;
    const unpriced = countUnpricedCalls([...byModel.values()].map(toUsageDocument));
    priced += usage.calls - unpriced;
    hasUnpriced ||= unpriced > 0;
  }
  return { cost: priced > 0 || cost > 0 ? cost : null, isCostListed, hasUnpriced };
}
