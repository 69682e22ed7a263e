import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from './content.js';
import { type Declaration, findLastMessage, foldDeclarations } from './fold-declarations.js';
import { EMPTY_ENVELOPE } from './overview.js';
import type { DeclaringOp } from './patch-op.js';

/** A region as a function of the baseline: equal regions stay equal for every baseline and every later change. */
interface DeclaredRegion {
  /** The parts or tools that the session itself declares. */
  readonly items: readonly JsonObject[];
  /** Whether a baseline replaces the items, until a system message follows. */
  readonly yieldsToBaseline: boolean;
  /** The ops that apply to the baseline, in their JSON form, without their reasons. */
  readonly ops: readonly JsonObject[];
}

export type DeclaredRegions = Readonly<Record<'system' | 'tools', DeclaredRegion>>;

/**
 * Folds declarations for every baseline. The last system message settles the prompt and the tools: no baseline changes
 * them any more. Of later ops, those that need the baseline wait for it.
 */
export function foldRegions(declarations: readonly Declaration[]): DeclaredRegions {
  const end = findLastMessage(declarations) + 1;
  const settled = foldDeclarations(EMPTY_ENVELOPE, declarations.slice(0, end));
  const ops = declarations.slice(end).flatMap((declaration) => (declaration.kind === 'op' ? [declaration.op] : []));
  const start: RegionState = { content: settled, yieldsToBaseline: end === 0, ops: [] };
  const system = ops.filter(({ region }) => region === 'system').reduce(applyToRegion, start);
  const tools = ops.filter(({ region }) => region === 'tools').reduce(applyToRegion, start);
  return {
    system: { items: system.content.system.parts, yieldsToBaseline: system.yieldsToBaseline, ops: system.ops },
    tools: { items: tools.content.tools, yieldsToBaseline: tools.yieldsToBaseline, ops: tools.ops },
  };
}

/** A region while its ops are applied: `content` has the items. */
interface RegionState extends Omit<DeclaredRegion, 'items'> {
  readonly content: EnvelopeContent;
}

/** Stores an op on a region that depends on the baseline, and applies any other. */
function applyToRegion(state: RegionState, op: DeclaringOp): RegionState {
  if (!state.yieldsToBaseline || op.replacesRegion)
    return { content: op.apply(state.content), yieldsToBaseline: op.yieldsToBaseline, ops: [] };
  const { invalidateCacheReason: _reason, ...json } = op.json;
  return { ...state, ops: [...state.ops, json] };
}
