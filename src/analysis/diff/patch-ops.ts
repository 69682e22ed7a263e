import { canonicalJson } from '#base/canonical-json.js';
import { type JsonObject } from '#base/json.js';
import { applyPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import { diffOptions, SAME_PART } from './envelope-diff.js';
import { diffList } from './list-diff.js';

/** Patch ops that turn one envelope into another, and the changes that no op supports. */
export interface PatchBetween {
  readonly patch: readonly JsonObject[];
  /** Sentences; none if the patch is complete. */
  readonly impossible: readonly string[];
}

type Region = 'system' | 'tools' | 'options' | 'cached' | 'uncached';

/** The shortest patch for each region with the right result; every op declares `reason`. */
export function patchBetween(before: EnvelopeContent, after: EnvelopeContent, reason: string): PatchBetween {
  const candidates: Readonly<Record<Region, readonly (readonly JsonObject[])[]>> = {
    system: [listPartOps(before, after), [{ op: 'system_parts_replace', parts: after.system.parts }]],
    tools: [listToolRemovals(before, after), [{ op: 'tools_replace', tools: after.tools }]],
    options: [[{ op: 'options_set', ...listOptionFields(before, after) }]],
    cached: [findCompactionOp(before, after), [{ op: 'messages_cached_replace', messages: after.messages.cached }]],
    uncached: [findAppendOp(before, after)],
  };
  const patch: JsonObject[] = [];
  const impossible: string[] = [];
  for (const [region, ways] of Object.entries(candidates) as [Region, readonly (readonly JsonObject[])[]][]) {
    const steps = [[], ...ways.map((ops) => ops.map((op) => addScope(op, reason)))];
    const way = steps.find((ops) => isMade(before, after, region, ops));
    if (way) patch.push(...way);
    else
      impossible.push(`no patch op can change the ${region === 'uncached' ? 'uncached messages' : region} in this way`);
  }
  return { patch, impossible };
}

function addScope(op: JsonObject, reason: string): JsonObject {
  const { op: name, ...fields } = op;
  if (name === 'messages_uncached_append') return { op: name, scope: 'uncached', ...fields };
  return { op: name, scope: 'cached', invalidateCacheReason: reason, ...fields };
}

function isMade(before: EnvelopeContent, after: EnvelopeContent, region: Region, ops: readonly JsonObject[]): boolean {
  try {
    return formatRegion(applyPatch(before, ops).envelope, region) === formatRegion(after, region);
  } catch {
    // The other envelope may contain values that no op accepts.
    return false;
  }
}

function formatRegion({ system, tools, options, messages }: EnvelopeContent, region: Region): string {
  return canonicalJson({ system: system.parts, tools, options, ...messages }[region]);
}

function listPartOps(before: EnvelopeContent, after: EnvelopeContent): readonly JsonObject[] {
  return diffList(before.system.parts, after.system.parts, SAME_PART).map((change): JsonObject => {
    if (change.kind === 'removed') return { op: 'system_part_remove', partName: change.before.name };
    const { name, text } = change.kind === 'moved' ? change.item : change.after;
    return { op: 'system_part_set', partName: name, text };
  });
}

function listToolRemovals({ tools }: EnvelopeContent, after: EnvelopeContent): readonly JsonObject[] {
  const kept = new Set(after.tools.map(({ name }) => name));
  return [{ op: 'tools_remove', toolNames: tools.map(({ name }) => name).filter((name) => !kept.has(name)) }];
}

function listOptionFields(before: EnvelopeContent, after: EnvelopeContent): JsonObject {
  return Object.fromEntries(
    diffOptions(before.options, after.options).map((change) => [change.name, 'after' in change ? change.after : null]),
  );
}

/** A summary that replaces the first messages. */
function findCompactionOp(before: EnvelopeContent, after: EnvelopeContent): readonly JsonObject[] {
  const [first] = after.messages.cached;
  const summary = first ? findSummaryText(first) : null;
  if (!first || summary === null) return [];
  const firstKeptMessageIndex = before.messages.cached.length - (after.messages.cached.length - 1);
  const timestamp = first.timestamp;
  return [{ op: 'compaction_apply', summary, timestamp, firstKeptMessageIndex: Math.max(0, firstKeptMessageIndex) }];
}

function findAppendOp(before: EnvelopeContent, after: EnvelopeContent): readonly JsonObject[] {
  return [{ op: 'messages_uncached_append', messages: after.messages.uncached.slice(before.messages.uncached.length) }];
}
