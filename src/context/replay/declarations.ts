import { canonicalJson } from '#base/canonical-json.js';
import { type JsonObject, listObjects } from '#base/json.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Baseline, EnvelopeContent } from './content.js';
import { type DeclaredRegions, foldRegions } from './declared-regions.js';
import type { RegionSource } from './envelope.js';
import { type Declaration, foldDeclarations, setLevel } from './fold-declarations.js';
import { EMPTY_ENVELOPE } from './overview.js';
import type { DeclaringOp } from './patch-op.js';
import { hasPrompt, markSuppliedPart, readToolName, setParts } from './system-messages.js';

/** The source of each region of the envelope. */
export type RegionSources = Readonly<Record<'system' | 'tools' | 'options', RegionSource>>;

/**
 * The declarations of system parts, tools and options on a path, in order: system messages, thinking levels and patch ops.
 * The state is their fold over the baseline, computed on demand, since an edit may still omit a message.
 *
 * - **supplied**: the baseline has it, since the session does not record it.
 * - **in force**: a declaration counts. Edits omit system messages, and Pi ignores them where they build no prompt.
 * - **yields**: an op only restates what the session had, so that a supplied region replaces its result.
 * - **settled**: no baseline changes it any more, since a system message declares it.
 */
export class Declarations {
  /** The names of all tools that system messages of the path declared. */
  readonly recordedToolNames = new Set<string>();
  private list: Declaration[] = [];
  /** The fold; null once a declaration or an edit has changed it. */
  private folded: EnvelopeContent | null = null;

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
    fork.folded = this.folded;
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
    this.folded = op.yieldsToBaseline ? null : this.folded && op.apply(this.folded);
  }

  /** Adds a `thinking_level_change`. The newest of these and of ops on `reasoning` wins, unless one is supplied. */
  addThinkingLevel(level: string): void {
    if (this.baseline.options && 'reasoning' in this.baseline.options) return;
    this.list.push({ kind: 'level', level });
    this.folded = this.folded && setLevel(this.folded, level);
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
    if (hasOps && isSameState(messages, dropIneffective([restated])))
      this.list = inForce.map((each) => (each.kind === 'message' ? { ...each, head } : each));
    else this.list = [restated, ...others];
  }

  /** The entries with a system message here, in force or omitted by an edit. */
  listMessageSources(): ReadonlySet<RawId> {
    return new Set(this.list.flatMap((declaration) => (declaration.kind === 'message' ? declaration.head.id : [])));
  }

  /** Invalidates the fold after an edit. */
  forget(): void {
    this.folded = null;
  }

  /** Folds the declarations in force; the same object until they change. */
  fold(): EnvelopeContent {
    this.folded ??= this.computeFold();
    return this.folded;
  }

  private computeFold(): EnvelopeContent {
    const supplied = this.buildSupplied();
    const inForce = this.listInForce();
    // Once the session declares its own prompt, the baseline supplies neither the prompt nor the tools.
    const start = hasMessage(inForce) ? { ...EMPTY_ENVELOPE, options: supplied.options } : supplied;
    return foldDeclarations(start, inForce, supplied);
  }

  /** Folds the declarations in force for every baseline. */
  foldRegions(): DeclaredRegions {
    return foldRegions(this.listInForce());
  }

  /** Finds the source of each region. Ops on a region without a recorded start make it derived. */
  findSources(): RegionSources {
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
      if (declaration.kind !== 'op') continue;
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

  /** The declarations that count: edits may omit system messages. */
  private listInForce(): readonly Declaration[] {
    return dropIneffective(
      this.list.filter((declaration) => declaration.kind !== 'message' || !this.isOmitted(declaration.head.id)),
    );
  }
}

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
