import { asCount, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { type Entry, messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { UsageRecord } from './usage-records.js';

/**
 * Lists the runs of subagents whose usage the result of a tool records in `details.results`, with the runs that these
 * started. Extensions that start Pi again write such results. Empty for a result with a usage of its own, which
 * includes them.
 */
export function listSubagentRuns(head: Head, entry: Entry): readonly UsageRecord[] {
  if (head.role !== 'toolResult') return NO_RUNS;
  const message = messageOf(entry);
  if (message?.role !== 'toolResult' || isObject(message.usage)) return NO_RUNS;
  return listRuns(message.details, 0);
}

const NO_RUNS: readonly UsageRecord[] = [];
/** Subagents start few further ones, and files may be nested without end. */
const DEEPEST = 8;

function listRuns(details: unknown, depth: number): readonly UsageRecord[] {
  if (!isObject(details) || depth > DEEPEST) return NO_RUNS;
  return listObjects(details.results).flatMap((result) => [
    ...readRun(result),
    ...listObjects(result.messages)
      .filter(({ role, usage }) => role === 'toolResult' && !isObject(usage))
      .flatMap((message) => listRuns(message.details, depth + 1)),
  ]);
}

function readRun({ usage, model, provider }: JsonObject): readonly UsageRecord[] {
  if (!isObject(usage)) return NO_RUNS;
  const { cost } = usage;
  const total = isObject(cost) ? asCount(cost.total) : asCount(cost);
  const tokens = ['input', 'output', 'cacheRead', 'cacheWrite'].map((key) => asCount(usage[key]) ?? 0);
  if (!total && tokens.every((count) => count === 0)) return NO_RUNS;
  const id = asString(model) ?? '?';
  const name = id.includes('/') ? id : `${asString(provider) ?? '?'}/${id}`;
  return [{ source: 'subagents', model: name, usage: { ...usage, cost: isObject(cost) ? cost : toCosts(total) } }];
}

/** Extensions write a total, or 0 if they do not know the price. */
function toCosts(total: number | null): JsonObject {
  return total ? { total } : {};
}
