import { canonicalJson } from '#base/canonical-json.js';
import { type JsonObject, listObjects } from '#base/json.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Baseline, EnvelopeContent } from './content.js';
import type { RegionSource } from './envelope.js';
import { EMPTY_ENVELOPE } from './overview.js';
import type { PatchOp } from './patch-op.js';
import { applySystemMessage, hasPrompt, markSuppliedPart, readToolName, setParts } from './system-messages.js';

/** The source of each region of the envelope. */
export type RegionSources = Readonly<Record<'system' | 'tools' | 'options', RegionSource>>;

/**
 * The declarations of system parts, tools and options on a path, in order: system messages, thinking levels and patch ops.
 * The state is their fold over the baseline, computed on demand, since an edit may still omit a message.
 */
export class Declarations {
  /** The names of all tools that system messages of the path declared. */
  readonly recordedToolNames = new Set<string>();
  private list: Declaration[] = [];
  /** The fold, until a declaration changes. */
  private known: EnvelopeContent | null = null;

  /** `isOmitted`: whether an edit omits the entry of an id. */
  constructor(
    private readonly baseline: Baseline,
    private readonly isOmitted: (id: RawId) => boolean,
  ) {}

  /** Declarations that go on from here by themselves. */
  fork(isOmitted: (id: RawId) => boolean): Declarations {
    const fork = new Declarations(this.baseline, isOmitted);
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
    for (const tool of listObjects(message.toolsAdded)) this.recordedToolNames.add(readToolName(tool));
  }

  addOp(op: DeclaringOp): void {
    this.list.push({ kind: 'op', op });
    this.known = op.yieldsToBaseline ? null : this.known && op.apply(this.known);
  }

  /** Adds a `thinking_level_change`. The newest of these and of ops on `reasoning` wins, unless one is supplied. */
  addThinkingLevel(level: string): void {
    if (this.baseline.options && 'reasoning' in this.baseline.options) return;
    this.list.push({ kind: 'level', level });
    this.known = this.known && setLevel(this.known, level);
  }

  /**
   * A compaction replaces all earlier system messages with its checkpoint, and drops them even if it has
   * none, as in Pi. Declarations of transforms stay in force. A checkpoint that restates those system
   * messages keeps the order, so that a later one still overrides an earlier op.
   */
  compact(head: Head, checkpoint: JsonObject | null): void {
    this.forget();
    const inForce = this.listInForce();
    const others = inForce.filter(({ kind }) => kind !== 'message');
    if (checkpoint === null) {
      this.list = others;
      return;
    }
    const restated: Declaration = { kind: 'message', head, message: checkpoint };
    const messages = inForce.filter(({ kind }) => kind === 'message');
    // A thinking level declares nothing that a system message does, in whatever order they come.
    const hasOps = others.some(({ kind }) => kind === 'op');
    const keepsOrder = hasOps && isSameState(messages, dropIneffective([restated]));
    if (!keepsOrder) this.list = [restated, ...others];
    else this.list = inForce.map((each) => (each.kind === 'message' ? { ...each, head } : each));
  }

  /** The entries with a system message here, in force or omitted by an edit. */
  messageSources(): ReadonlySet<RawId> {
    return new Set(this.list.flatMap((declaration) => (declaration.kind === 'message' ? declaration.head.id : [])));
  }

  /** Invalidates the fold after an edit. */
  forget(): void {
    this.known = null;
  }

  /** The fold. */
  content(): EnvelopeContent {
    if (this.known) return this.known;
    const supplied = this.buildSupplied();
    const inForce = this.listInForce();
    // Once the session declares its own prompt, the baseline supplies neither the prompt nor the tools.
    const start = hasMessage(inForce) ? { ...EMPTY_ENVELOPE, options: supplied.options } : supplied;
    this.known = foldDeclarations(start, inForce, supplied);
    return this.known;
  }

  /** The declarations of the path, for any baseline. */
  regions(): DeclaredRegions {
    return foldRegions(this.listInForce());
  }

  /** Ops on a region without a recorded start make it derived. */
  sources(): RegionSources {
    const { parts, tools, options } = this.baseline;
    /** Without any declaration of the path. */
    const supplied: RegionSources = {
      system: parts ? 'supplied' : 'unknown',
      tools: tools ? 'supplied' : 'unknown',
      options: options ? 'supplied' : 'unknown',
    };
    const sources: Record<keyof RegionSources, RegionSource> = { ...supplied };
    if (hasMessage(this.listInForce())) {
      sources.system = 'recorded';
      sources.tools = 'recorded';
    }
    for (const declaration of this.list) {
      if (declaration.kind === 'level') sources.options = options ? 'derived' : 'recorded';
      if (declaration.kind !== 'op' || declaration.op.region === 'messages') continue;
      const { region, replacesRegion, yieldsToBaseline } = declaration.op;
      if (yieldsToBaseline) sources[region] = supplied[region];
      else if (replacesRegion) sources[region] = 'recorded';
      else if (sources[region] !== 'recorded') sources[region] = 'derived';
    }
    return sources;
  }

  private buildSupplied(): EnvelopeContent {
    const { parts = [], tools = [], options = {} } = this.baseline;
    return { ...setParts(EMPTY_ENVELOPE, parts.map(markSuppliedPart)), tools, options };
  }

  /** Those that count: edits may omit system messages. */
  private listInForce(): readonly Declaration[] {
    return dropIneffective(
      this.list.filter((declaration) => declaration.kind !== 'message' || !this.isOmitted(declaration.head.id)),
    );
  }
}

type DeclaringOp = Extract<PatchOp, { readonly ok: true }>;

/** An entry's contribution to the system prompt, the tools and the options. */
type Declaration =
  | { readonly kind: 'message'; readonly head: Head; readonly message: JsonObject }
  | { readonly kind: 'level'; readonly level: string }
  | { readonly kind: 'op'; readonly op: DeclaringOp };

function hasMessage(declarations: readonly Declaration[]): boolean {
  return declarations.some(({ kind }) => kind === 'message');
}

/** Without the system messages, if Pi builds no prompt from them. */
function dropIneffective(declarations: readonly Declaration[]): readonly Declaration[] {
  const messages = declarations.flatMap((declaration) => (declaration.kind === 'message' ? [declaration.message] : []));
  return hasPrompt(messages) ? declarations : declarations.filter(({ kind }) => kind !== 'message');
}

function isSameState(some: readonly Declaration[], others: readonly Declaration[]): boolean {
  const start = EMPTY_ENVELOPE;
  return canonicalJson(foldDeclarations(start, some)) === canonicalJson(foldDeclarations(start, others));
}

/** Applies declarations in order. `supplied` replaces the result of an op that yields to a baseline. */
function foldDeclarations(
  start: EnvelopeContent,
  declarations: readonly Declaration[],
  supplied: EnvelopeContent = EMPTY_ENVELOPE,
): EnvelopeContent {
  const lastMessage = findLastMessage(declarations);
  let content = start;
  for (const [at, declaration] of declarations.entries()) {
    if (declaration.kind === 'message') content = applySystemMessage(content, declaration.message);
    else if (declaration.kind === 'level') content = setLevel(content, declaration.level);
    else if (!declaration.op.yieldsToBaseline || at < lastMessage) content = declaration.op.apply(content);
    else if (declaration.op.region === 'system') content = { ...content, system: supplied.system };
    else content = { ...content, tools: supplied.tools };
  }
  return content;
}

function findLastMessage(declarations: readonly Declaration[]): number {
  return declarations.findLastIndex(({ kind }) => kind === 'message');
}

/** Sets the reasoning of a recorded level. Pi requests no reasoning at the level "off". */
function setLevel(content: EnvelopeContent, level: string): EnvelopeContent {
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

/**
 * The system prompt and the tools of declarations, for every baseline. A system message settles both; of later ops, those
 * that need the baseline wait for it.
 */
function foldRegions(declarations: readonly Declaration[]): DeclaredRegions {
  const end = findLastMessage(declarations) + 1;
  const settled = foldDeclarations(EMPTY_ENVELOPE, declarations.slice(0, end));
  const ops = declarations.slice(end).flatMap((declaration) => (declaration.kind === 'op' ? [declaration.op] : []));
  const foldRegion = (name: keyof DeclaredRegions): RegionState => {
    const start: RegionState = { content: settled, yieldsToBaseline: end === 0, ops: [] };
    return ops.filter(({ region }) => region === name).reduce(applyToRegion, start);
  };
  const { content: withParts, ...system } = foldRegion('system');
  const { content: withTools, ...tools } = foldRegion('tools');
  return {
    system: { ...system, items: withParts.system.parts },
    tools: { ...tools, items: withTools.tools },
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
