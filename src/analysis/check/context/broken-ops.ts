import type { JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { Head } from '#session/table/head.js';
import type { Hit, PathStep } from '../define.js';

/** The rules that replay holds the operations of a transform to. */
export type BoundaryRule = 'schema-version' | 'unknown-op' | 'scope' | 'reason' | 'fields';

const NONE: readonly never[] = [];

/** What breaks one of those rules, for the rule of that name. */
export function brokenOps({ head, entry, diagnostics }: PathStep, wanted: BoundaryRule): readonly Hit[] {
  if (diagnostics.length === 0 || head.type !== 'context_transform') return NONE;
  return breaksOf(entry, head).flatMap(({ rule, hit }) => (rule === wanted ? hit : []));
}

interface Break {
  readonly rule: string;
  readonly hit: Hit;
}

/** Everything in a transform that breaks one of those rules. */
export function breaksOf(entry: JsonObject, head: Head): readonly Break[] {
  const isList = Array.isArray(entry['patch']);
  return readPatch(entry).flatMap((step, at) => {
    if (step.ok) return [];
    const { rule, message } = step;
    const place = rule === 'schema-version' ? 'schemaVersion' : isList ? `patch[${at}]` : 'patch';
    return [{ rule, hit: { message, at: head, place, fix: FIX } }];
  });
}

const FIX = 'mend the operation, or read the session with --lenient, which leaves it out';
