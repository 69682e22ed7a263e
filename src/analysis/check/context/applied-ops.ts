import { isObject, type JsonObject } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { PathEntry } from '../define.js';

/** An operation of a transform, and the context before and after it. */
export interface AppliedOp {
  /** The index in the patch, from 0. */
  readonly at: number;
  readonly name: string;
  readonly op: JsonObject;
  readonly before: EnvelopeContent;
  readonly after: EnvelopeContent;
}

/** The operations of a transform that replay applies, one after another; none for any other entry. */
export function listAppliedOps({ head, entry: applied, change }: PathEntry): readonly AppliedOp[] {
  if (head.type !== 'context_transform' || !change) return NO_OPS;
  if (newest?.entry !== applied) newest = { entry: applied, ops: [...apply(applied, change.before)] };
  return newest.ops;
}

const NO_OPS: readonly never[] = [];

/** The newest transform that was read: all rules ask for the same transform in turn. */
let newest: { readonly entry: JsonObject; readonly ops: readonly AppliedOp[] } | null = null;

function* apply(transformEntry: JsonObject, start: EnvelopeContent): Generator<AppliedOp> {
  const { patch } = transformEntry;
  let content = start;
  for (const [at, step] of readPatch(transformEntry).entries()) {
    const op: unknown = Array.isArray(patch) ? patch[at] : null;
    if (!step.ok || !isObject(op)) continue;
    const after = step.apply(content);
    yield { at, name: step.name, op, before: content, after };
    content = after;
  }
}
