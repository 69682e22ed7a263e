import { canonicalJson } from '#base/canonical-json.js';
import { type JsonObject, listObjects } from '#base/json.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Baseline, EnvelopeContent } from './content.js';
import type { RegionSource } from './envelope.js';
import { EMPTY_ENVELOPE } from './overview.js';
import type { PatchOp } from './patch-op.js';
import { applySystemMessage, hasPrompt, markSuppliedPart, setParts, toolName } from './system.js';

/** The source of each region of the envelope. */
export type RegionSources = Readonly<Record<'system' | 'tools' | 'options', RegionSource>>;

/**
 * The declarations of system parts, tools and options on a path, in order: system messages, thinking levels and patch ops.
 * The state is their fold over the baseline, computed on demand, since an edit may still omit a message.
 */
export class Declarations {
  readonly recordedToolNames = new Set<string>();
  private list: Declaration[] = [];
  /** The fold, until a declaration changes. */
  private known: EnvelopeContent | null = null;

  constructor(private readonly baseline: Baseline) {}

  /** Declarations that go on from here by themselves. */
  forked(): Declarations {
    const fork = new Declarations(this.baseline);
    for (const name of this.recordedToolNames) fork.recordedToolNames.add(name);
    fork.list = this.list.slice();
    fork.known = this.known;
    return fork;
  }

  addSystemMessage(head: Head, message: JsonObject): void {
    this.noteTools(message);
    this.list.push({ kind: 'message', head, message });
    this.forget();
  }

  /** Notes that Pi had the tools of a system message, which also counts where a transform is in force instead of it. */
  noteTools(message: JsonObject): void {
    for (const tool of listObjects(message.toolsAdded)) this.recordedToolNames.add(toolName(tool));
  }

  addOp(op: DeclaringOp): void {
    this.list.push({ kind: 'op', op });
    if (op.yieldsToBaseline) this.forget();
    this.known = this.known && op.apply(this.known);
  }

  /** Adds a `thinking_level_change`. The newest of these and of ops on `reasoning` wins, unless one is supplied. */
  addThinkingLevel(level: string): void {
    if (this.baseline.options && 'reasoning' in this.baseline.options) return;
    this.list.push({ kind: 'level', level });
    this.known = this.known && withLevel(this.known, level);
  }

  /**
   * A compaction replaces all earlier system messages with its checkpoint, and drops them even if it has
   * none, as in Pi. Declarations of transforms stay in force. A checkpoint that restates those system
   * messages keeps the order, so that a later one still overrides an earlier op.
   */
  compact(head: Head, checkpoint: JsonObject | null, isOmitted: (id: RawId) => boolean): void {
    this.forget();
    const inForce = this.inForce(isOmitted);
    const ops = inForce.filter(({ kind }) => kind !== 'message');
    if (checkpoint === null) {
      this.list = ops;
      return;
    }
    const restated: Declaration = { kind: 'message', head, message: checkpoint };
    const messages = inForce.filter(({ kind }) => kind === 'message');
    this.list =
      ops.length > 0 && isSameState(messages, thatCount([restated]))
        ? inForce.map((declaration) => (declaration.kind === 'message' ? { ...declaration, head } : declaration))
        : [restated, ...ops];
  }

  /** The entries with a system message here, in force or omitted by an edit. */
  messageSources(): ReadonlySet<RawId> {
    return new Set(this.list.flatMap((declaration) => (declaration.kind === 'message' ? declaration.head.id : [])));
  }

  /** Invalidates the fold after an edit. */
  forget(): void {
    this.known = null;
  }

  /** The fold. `isOmitted` returns whether an edit omits the entry of an id. */
  content(isOmitted: (id: RawId) => boolean): EnvelopeContent {
    this.known ??= folded(this.start(isOmitted), this.inForce(isOmitted), this.supplied());
    return this.known;
  }

  /** The declarations of the path, for any baseline. */
  regions(isOmitted: (id: RawId) => boolean): DeclaredRegions {
    return declaredRegions(this.inForce(isOmitted));
  }

  /** Ops on a region without a recorded start make it derived. */
  sources(isOmitted: (id: RawId) => boolean): RegionSources {
    const { parts, tools, options } = this.baseline;
    const recorded = this.hasSystemMessage(isOmitted);
    const sources: Record<'system' | 'tools' | 'options', RegionSource> = {
      system: recorded ? 'recorded' : parts ? 'supplied' : 'unknown',
      tools: recorded ? 'recorded' : tools ? 'supplied' : 'unknown',
      options: options ? 'supplied' : 'unknown',
    };
    for (const declaration of this.list) {
      if (declaration.kind === 'level') sources.options = options ? 'derived' : 'recorded';
      if (declaration.kind !== 'op' || declaration.op.region === 'messages') continue;
      const { region, replacesRegion, yieldsToBaseline } = declaration.op;
      if (yieldsToBaseline) sources[region] = (region === 'system' ? parts : tools) ? 'supplied' : 'unknown';
      else if (replacesRegion) sources[region] = 'recorded';
      else if (sources[region] !== 'recorded') sources[region] = 'derived';
    }
    return sources;
  }

  /** The baseline supplies regions that are not recorded: it is not used once the session declares its own prompt. */
  private start(isOmitted: (id: RawId) => boolean): EnvelopeContent {
    if (this.hasSystemMessage(isOmitted)) return { ...EMPTY_ENVELOPE, options: this.baseline.options ?? {} };
    return this.supplied();
  }

  private supplied(): EnvelopeContent {
    const { parts = [], tools = [], options = {} } = this.baseline;
    return { ...setParts(EMPTY_ENVELOPE, parts.map(markSuppliedPart)), tools, options };
  }

  private hasSystemMessage(isOmitted: (id: RawId) => boolean): boolean {
    return this.inForce(isOmitted).some(({ kind }) => kind === 'message');
  }

  private inForce(isOmitted: (id: RawId) => boolean): readonly Declaration[] {
    return thatCount(
      this.list.filter((declaration) => declaration.kind !== 'message' || !isOmitted(declaration.head.id)),
    );
  }
}

/** Removes the system messages from which Pi builds no prompt. */
function thatCount(declarations: readonly Declaration[]): readonly Declaration[] {
  const messages = declarations.flatMap((declaration) => (declaration.kind === 'message' ? [declaration.message] : []));
  return hasPrompt(messages) ? declarations : declarations.filter(({ kind }) => kind !== 'message');
}

function isSameState(some: readonly Declaration[], others: readonly Declaration[]): boolean {
  return canonicalJson(folded(EMPTY_ENVELOPE, some)) === canonicalJson(folded(EMPTY_ENVELOPE, others));
}

type DeclaringOp = Extract<PatchOp, { readonly ok: true }>;

/** An entry's contribution to the system prompt, the tools and the options. */
type Declaration =
  | { readonly kind: 'message'; readonly head: Head; readonly message: JsonObject }
  | { readonly kind: 'level'; readonly level: string }
  | { readonly kind: 'op'; readonly op: DeclaringOp };

/** Applies declarations in order. `supplied` replaces the result of an op that yields to a baseline. */
function folded(
  start: EnvelopeContent,
  declarations: readonly Declaration[],
  supplied: EnvelopeContent = EMPTY_ENVELOPE,
): EnvelopeContent {
  const { system, tools } = supplied;
  const lastMessage = lastMessageOf(declarations);
  let content = start;
  for (const [at, declaration] of declarations.entries()) {
    if (declaration.kind === 'message') content = applySystemMessage(content, declaration.message);
    else if (declaration.kind === 'level') content = withLevel(content, declaration.level);
    else if (declaration.op.yieldsToBaseline && at > lastMessage)
      content = { ...content, ...(declaration.op.region === 'system' ? { system } : { tools }) };
    else content = declaration.op.apply(content);
  }
  return content;
}

function lastMessageOf(declarations: readonly Declaration[]): number {
  return declarations.findLastIndex(({ kind }) => kind === 'message');
}

/** Sets the reasoning of a recorded level. Pi requests no reasoning at the level "off". */
function withLevel(content: EnvelopeContent, level: string): EnvelopeContent {
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
function declaredRegions(declarations: readonly Declaration[]): DeclaredRegions {
  const start = lastMessageOf(declarations) + 1;
  const content = folded(EMPTY_ENVELOPE, declarations.slice(0, start));
  const ops = declarations.slice(start).flatMap((declaration) => (declaration.kind === 'op' ? [declaration.op] : []));
  const stateOf = (name: keyof DeclaredRegions): State =>
    ops
      .filter(({ region }) => region === name)
      .reduce(withOp, { content, rest: { yieldsToBaseline: start === 0, ops: [] } });
  const system = stateOf('system');
  const tools = stateOf('tools');
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
