import type { JsonObject } from '#base/json.js';
import type { Head } from '#session/table/head.js';
import type { EnvelopeContent } from './content.js';
import { EMPTY_ENVELOPE } from './empty-envelope.js';
import type { PatchStep } from './patch-step.js';
import { applySystemMessage } from './system.js';

export type DeclaringOp = Extract<PatchStep, { readonly ok: true }>;

/** An entry's contribution to the system prompt, the tools and the options. */
export type Declaration =
  | { readonly kind: 'message'; readonly head: Head; readonly message: JsonObject }
  | { readonly kind: 'level'; readonly level: string }
  | { readonly kind: 'op'; readonly op: DeclaringOp };

/** Applies declarations in order. `supplied` replaces the result of an op that yields to a baseline. */
export function folded(
  start: EnvelopeContent,
  declarations: readonly Declaration[],
  supplied: EnvelopeContent = EMPTY_ENVELOPE,
): EnvelopeContent {
  const lastMessage = lastMessageOf(declarations);
  let content = start;
  for (const [at, declaration] of declarations.entries()) {
    if (declaration.kind === 'message') content = applySystemMessage(content, declaration.message);
    else if (declaration.kind === 'level') content = withLevel(content, declaration.level);
    else if (declaration.op.yieldsToBaseline && at > lastMessage)
      content = withRegionOf(supplied, content, declaration.op.region);
    else content = declaration.op.apply(content);
  }
  return content;
}

function lastMessageOf(declarations: readonly Declaration[]): number {
  return declarations.findLastIndex(({ kind }) => kind === 'message');
}

function withRegionOf(
  supplied: EnvelopeContent,
  content: EnvelopeContent,
  region: DeclaringOp['region'],
): EnvelopeContent {
  return region === 'system' ? { ...content, system: supplied.system } : { ...content, tools: supplied.tools };
}

/** Sets the reasoning of a recorded level. Pi requests no reasoning at the level "off". */
export function withLevel(content: EnvelopeContent, level: string): EnvelopeContent {
  const { reasoning: _before, ...others } = content.options;
  return { ...content, options: level === 'off' ? others : { ...others, reasoning: level } };
}

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

/** The system prompt and the tools of declarations, for every baseline. */
export function declaredRegions(declarations: readonly Declaration[]): DeclaredRegions {
  const start = lastMessageOf(declarations) + 1;
  const content = folded(EMPTY_ENVELOPE, declarations.slice(0, start));
  const ops = declarations.slice(start).flatMap((declaration) => (declaration.kind === 'op' ? [declaration.op] : []));
  const stateOf = (name: keyof DeclaredRegions): State =>
    ops
      .filter(({ region }) => region === name)
      .reduce(withOp, { content, rest: { yieldsToBaseline: start === 0, ops: [] } });
  const [system, tools] = [stateOf('system'), stateOf('tools')];
  return {
    system: { ...system.rest, items: system.content.system.parts },
    tools: { ...tools.rest, items: tools.content.tools },
  };
}

interface State {
  readonly content: EnvelopeContent;
  readonly rest: Omit<DeclaredRegion, 'items'>;
}

/** Stores an op on a region that depends on the baseline, and applies any other. */
function withOp({ content, rest }: State, op: DeclaringOp): State {
  if (!rest.yieldsToBaseline || op.replacesRegion)
    return { content: op.apply(content), rest: { yieldsToBaseline: op.yieldsToBaseline, ops: [] } };
  const { invalidateCacheReason: _reason, ...json } = op.json;
  return { content, rest: { ...rest, ops: [...rest.ops, json] } };
}
