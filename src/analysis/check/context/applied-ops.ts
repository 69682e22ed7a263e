import { isObject, type JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { PathStep } from '../define.js';

/** An operation of a transform, and the context before and after it. */
export interface AppliedOp {
  /** The index in the patch, from 0. */
  readonly at: number;
  readonly name: string;
  readonly op: JsonObject;
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
}

const NONE: readonly never[] = [];

/** The operations of a transform that replay applies, one after another; none for any other entry. */
export function appliedOps({ head, entry, change }: PathStep): readonly AppliedOp[] {
  if (head.type !== 'context_transform' || !change) return NONE;
  if (newest?.entry !== entry) newest = { entry, ops: [...apply(entry, change.before)] };
  return newest.ops;
}

/** The newest transform that was read: all rules ask for the same transform in turn. */
let newest: { readonly entry: JsonObject; readonly ops: readonly AppliedOp[] } | null = null;

function* apply(entry: JsonObject, start: EnvelopeContent): Generator<AppliedOp> {
  const { patch } = entry;
  let content = start;
  for (const [at, step] of readPatch(entry).entries()) {
    const op: unknown = Array.isArray(patch) ? patch[at] : null;
    if (!step.ok || !isObject(op)) continue;
    const after = step.apply(content);
    yield { at, name: step.name, op, before: content, after };
    content = after;
  }
}
