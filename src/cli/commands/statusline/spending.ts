import path from 'node:path';
import { countUnpricedCalls, sumKnownCost, toUsageDocument } from '#analysis/stats/usage-sums.js';
import { moveToZone } from '#base/local-time.js';
import { readRunningSession, type RunningReading, type RunningWorld } from '../../sessions/running-session.js';

/** Dollars of the calls of one day in all sessions of an agent. */
export interface Spending {
  readonly cost: number;
  readonly isListed: boolean;
  /**
   * false: a session was not read in time, cannot be read, or has calls without a known price: the cost is at least
   * this.
   */
  readonly isWhole: boolean;
}

/**
 * The milliseconds after which reading ends. They begin after the listing of the folder, so that each call reads some.
 */
const READ_MILLISECONDS = 15;

/**
 * The cost of a day, of the sessions in the folder of all projects that a session is in; null if there is no such
 * folder.
 */
export async function readSpending(
  outside: Omit<RunningWorld, 'deadline'>,
  transcript: string,
  day: string,
): Promise<Spending | null> {
  const root = path.dirname(path.dirname(transcript));
  if (path.basename(root) !== 'projects' || !outside.files.exists(root)) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const begin = outside.timezone === null ? midnight : moveToZone(midnight, outside.timezone);
  const today = outside.files.walk(root).files.filter(({ modified }) => modified >= begin);
  const world: RunningWorld = { ...outside, deadline: outside.now() + READ_MILLISECONDS };
  let cost = 0;
  let isListed = false;
  let isWhole = true;
  for (const { file } of today.toSorted((a, b) => b.modified - a.modified)) {
    const reading = await readInTime(world, file);
    if (reading === 'unread') isWhole = false;
    if (reading === null || reading === 'unread') continue;
    reading.keep();
    const { byDay, byModel } = reading.figures.usage;
    const usage = byDay.get(day);
    if (!reading.isWhole || countUnpricedCalls([...byModel.values()].map(toUsageDocument)) > 0) isWhole = false;
    if (usage === undefined) continue;
    cost += sumKnownCost(toUsageDocument(usage));
    isListed ||= usage.costListed > 0;
  }
  return { cost, isListed, isWhole };
}

/** The session in a file; null for one of an agent that is not known. `unread`: it cannot be read, or not in time. */
async function readInTime(world: RunningWorld, file: string): Promise<RunningReading | 'unread' | null> {
  if (world.now() >= world.deadline) return 'unread';
  try {
    return await readRunningSession(world, file);
  } catch {
    return 'unread';
  }
}
