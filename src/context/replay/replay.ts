import type { Problem, Severity } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { type Entry, readTransformerName, type StoredMessage } from '#session/entry.js';
import { formatIdWord, type Head, type RawId } from '#session/heads/head.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import type { OpenSession } from '../open.js';
import type { ReplayedParts } from '../size/estimated-parts.js';
import { PromptWatch, type UnseenMessages } from '../size/prompt-watch.js';
import { type EstimatedRequest, readEstimatedRequest } from '../size/recorded-request.js';
import { countTokens, type TokenMethod } from '../size/tokens.js';
import { listAppliedEdits, toAppliedCompaction, toAppliedTransform } from './applied-changes.js';
import { readEditReplacement } from './apply-edit.js';
import type { Baseline, EnvelopeContent } from './content.js';
import { readEntryMessage, readHistory, readSummaryMessage } from './convert.js';
import { Declarations, type RegionSources } from './declarations.js';
import type { DeclaredRegions } from './declared-regions.js';
import { CONTEXT_CHANGE_TYPES, MESSAGE_TYPES } from './entry-kinds.js';
import type { AppliedCompaction, AppliedEdit, AppliedTransform, TokenCount } from './envelope.js';
import { MessageList, type ReadonlyMessageList } from './message-list.js';
import type { LazyMessages } from './overview.js';
import { type BrokenOp, isWithoutEffect, toBrokenOpError } from './patch-op.js';
import { PathPlaces } from './path-places.js';
import { readThinkingLevel } from './settings.js';
import { SentTools } from './system-messages.js';
import { findUnknownProblem, toEntryProblem } from './unknown-entry.js';

export interface ReplayOptions {
  /** The prompt, tools and options that the session does not record; none by default. */
  readonly baseline?: Baseline | undefined;
  /** Names of the implemented tools; by default those that the session's system messages declare. */
  readonly implementations?: readonly string[] | undefined;
  /** The token estimator; by default Pi's. */
  readonly method?: TokenMethod | undefined;
}

/** An entry at its place on the path. */
interface PlacedEntry {
  readonly head: Head;
  readonly index: number;
  readonly entry: Entry;
}

/**
 * The context along a path: a fold over its entries, from the root on. Call `step` for the entries in order, and read the
 * context after any of them. The fold has two parts: the messages, and the declarations of prompt, tools and options.
 *
 * Messages follow Pi's own projection, entry by entry; patch ops change the result. No hook code runs. Nothing here is
 * left out for speed: `shortcuts` does that from outside, and laws compare both.
 */
export class Replay {
  readonly transforms: AppliedTransform[] = [];
  readonly compactions: AppliedCompaction[] = [];
  readonly diagnostics: Problem[] = [];
  /** The first request since the last compaction with a provider's count of its prompt. */
  firstRecorded: EstimatedRequest | null = null;
  private list: MessageList;
  private declarations: Declarations;
  private readonly edits: Head[] = [];
  /** The transforms that changed no message because of a broken op, by their indexes. */
  private readonly withoutEffect = new Set<number>();
  private readonly places: PathPlaces;
  private prompts: PromptWatch;
  private readonly tools: SentTools;
  /** Prompt and tools change rarely, and are counted when they do. */
  private readonly countDeclared: (declared: EnvelopeContent) => TokenCount;

  constructor(
    private readonly session: OpenSession,
    private readonly path: readonly Head[],
    private readonly options: ReplayOptions,
  ) {
    this.list = new MessageList(options.method);
    this.declarations = new Declarations(options.baseline ?? {}, this.isOmitted);
    this.places = new PathPlaces(path);
    this.prompts = new PromptWatch((head) => readEntryMessage(this.session.entry(head)));
    this.tools = new SentTools(options.implementations);
    this.countDeclared = memoizeLast((declared) => countTokens(declared, options.method));
  }

  /** Returns a replay that continues independently from here, on a path with the same beginning. */
  fork(path: readonly Head[]): Replay {
    const fork = new Replay(this.session, path, this.options);
    fork.transforms.push(...this.transforms);
    fork.compactions.push(...this.compactions);
    fork.diagnostics.push(...this.diagnostics);
    fork.firstRecorded = this.firstRecorded;
    fork.list = this.list.fork();
    fork.declarations = this.declarations.fork(fork.isOmitted);
    fork.edits.push(...this.edits);
    for (const index of this.withoutEffect) fork.withoutEffect.add(index);
    fork.prompts = this.prompts.fork();
    return fork;
  }

  /**
   * Applies the entry at `index` of the path; `parsed` if it was already parsed. Throws a CtxError (input) if a
   * transform cannot be replayed, unless the session is lenient.
   */
  step(head: Head, index: number, parsed: Entry | null = null): void {
    const { type } = head;
    // Most other entries add nothing, and need not be parsed.
    if (!MESSAGE_TYPES.has(type) && !CONTEXT_CHANGE_TYPES.has(type) && type !== 'thinking_level_change')
      return this.noteUnknown(head, null);
    this.apply({ head, index, entry: parsed ?? this.session.entry(head) });
  }

  private apply(placed: PlacedEntry): void {
    switch (placed.head.type) {
      case 'thinking_level_change':
        return this.declarations.addThinkingLevel(readThinkingLevel(placed.entry));
      case 'context_edit':
        return this.applyEdit(placed);
      case 'context_transform':
        return this.applyTransform(placed);
      case 'compaction':
        return this.applyCompaction(placed);
      case 'reset_boundary':
        return this.applyReset(placed);
      default:
        return this.addMessage(placed);
    }
  }

  private addMessage({ head, index, entry }: PlacedEntry): void {
    const message = readEntryMessage(entry);
    this.noteUnknown(head, message);
    if (message === null) return;
    if (message.role === 'system') {
      this.prompts.change();
      this.declarations.addSystemMessage(head, message);
      return;
    }
    this.prompts.take(head, message);
    this.firstRecorded ??= readEstimatedRequest(message, () => this.countParts());
    this.list.append({ head, index, kind: 'entry', message });
  }

  private applyEdit({ head, index, entry }: PlacedEntry): void {
    const replacement = readEditReplacement(entry);
    if (replacement === undefined)
      this.note(head, 'edit-without-replacement', 'the edit has no replacement, not even null', 'error');
    this.edits.push(head);
    this.prompts.change();
    this.declarations.forget();
    this.list.addEdit({ edit: head, index, replacement });
  }

  private applyTransform({ head, index, entry }: PlacedEntry): void {
    const steps = this.session.readPatch(entry);
    const by = { head, index, transformer: readTransformerName(entry) };
    this.prompts.change();
    for (const [at, step] of steps.entries()) {
      if (!step.ok) this.skipBroken(head, at, step);
      else if (step.region !== 'messages') this.declarations.addOp(step);
      else {
        this.list.transform({ ...by, compacts: step.compacts }, step.apply);
        if (step.compacts) this.firstRecorded = null;
      }
    }
    if (isWithoutEffect(steps)) this.withoutEffect.add(head.index);
    this.transforms.push(toAppliedTransform(head, entry, steps));
  }

  private skipBroken(head: Head, at: number, broken: BrokenOp): void {
    if (!this.session.isLenient) throw toBrokenOpError(this.session.file, { head, at, broken });
    const what = `op ${at} of transform ${formatIdWord(head.id)} was skipped: ${broken.message}`;
    this.note(head, `patch-${broken.rule}`, what, 'error');
  }

  private applyCompaction({ head, index, entry }: PlacedEntry): void {
    const repeated = this.findRepeated(index);
    const history = readHistory(entry);
    this.compactions.push(
      toAppliedCompaction(head, entry, { shadowed: repeated !== null, isReplaced: history !== null }),
    );
    const checkpoint = isObject(entry.systemMessage) ? entry.systemMessage : null;
    if (checkpoint) this.declarations.noteTools(checkpoint);
    if (repeated) return this.list.markDualWritten(repeated);
    this.prompts.change();
    this.firstRecorded = null;
    this.declarations.compact(head, checkpoint);
    const messages = history ?? [readSummaryMessage(entry)];
    const { keepsAfter } = entry;
    const from = keepsAfter === undefined ? this.findFirstKept(head, index) : this.findPlaceAfter(keepsAfter);
    const by = { head, index, kind: history ? 'history' : 'summary' } as const;
    this.list.compact(by, messages, from !== null && from < index ? from : null);
  }

  /**
   * Finds the transform that a compaction repeats. If the transform was skipped, the compaction applies instead, as in
   * stock Pi.
   */
  private findRepeated(index: number): Head | null {
    const above = findRepeatedTransform(this.session, this.path, index);
    return above && this.withoutEffect.has(above.index) ? null : above;
  }

  /** Finds the place of the first entry that a compaction keeps. null if it keeps none, which it may also state. */
  private findFirstKept(head: Head, index: number): number | null {
    const target = this.session.tree.heads.targetAt(head.index);
    const place = this.places.find(target);
    if (place !== -1 && place < index) return place;
    if (target !== -1 && head.target !== head.id) {
      const what = `the first entry that it keeps, "${head.target}", is not before it, so only its summary is left`;
      this.note(head, 'compaction-keeps-nothing', what, 'warning');
    }
    return null;
  }

  /** Finds the place after an entry; null for an id outside the path. */
  private findPlaceAfter(id: unknown): number | null {
    // An id that is no string names no entry that any program writes.
    const head = typeof id === 'string' ? this.session.tree.heads.find(id) : undefined;
    const place = head ? this.places.find(head.index) : -1;
    return place === -1 ? null : place + 1;
  }

  /** The messages before it are not sent again, unless it keeps the last of them, or a later compaction does. */
  private applyReset({ head, index }: PlacedEntry): void {
    this.prompts.change();
    this.firstRecorded = null;
    const from = this.places.find(this.session.tree.heads.targetAt(head.index));
    this.list.compact({ head, index, kind: 'summary' }, [], from !== -1 && from < index ? from : null);
  }

  private noteUnknown(head: Head, message: StoredMessage | null): void {
    const problem = findUnknownProblem(head, message);
    if (problem) this.diagnostics.push(problem);
  }

  private note(head: Head, code: string, message: string, severity: Severity): void {
    this.diagnostics.push(toEntryProblem(head, code, message, severity));
  }

  /** The cached messages; their tokens exclude the system prompt and tools. */
  get messages(): ReadonlyMessageList {
    return this.list;
  }

  content(): EnvelopeContent {
    return { ...this.declared(), messages: { cached: this.list.listSent(), uncached: [] } };
  }

  /** The declared prompt, tools and options. The same object until they change. */
  declared(): EnvelopeContent {
    return this.declarations.fold();
  }

  /** Returns `declared` without the tools that have no implementation. */
  declaredAsSent(): EnvelopeContent {
    return this.tools.asSent(this.declared(), this.declarations.recordedToolNames);
  }

  /** The names of the declared tools that have no implementation. */
  listUnimplementedTools(): readonly string[] {
    return this.tools.listUnimplemented(this.declared(), this.declarations.recordedToolNames);
  }

  /** The system prompt and the tools that the path declares, for every baseline. */
  declaredRegions(): DeclaredRegions {
    return this.declarations.foldRegions();
  }

  sources(): RegionSources {
    return this.declarations.findSources();
  }

  /** Whether the system prompt and the tools are recorded or supplied. */
  get isPreambleKnown(): boolean {
    const { system, tools } = this.sources();
    return system !== 'unknown' && tools !== 'unknown';
  }

  /** The sent messages, each created on demand. */
  listOnDemand(): LazyMessages {
    return this.list.listOnDemand((head) => readEntryMessage(this.session.entry(head)));
  }

  /** The edits on the path, with their current effect on the context. */
  listAppliedEdits(): readonly AppliedEdit[] {
    const { list: messages, isOmitted } = this;
    return listAppliedEdits(this.edits, {
      messages,
      isOmitted,
      systemMessages: this.declarations.listMessageSources(),
    });
  }

  /** Estimated tokens of the sent content by category. */
  countTokens(): TokenCount {
    const declared = this.countDeclared(this.declaredAsSent());
    const cached = this.list.countSent().tokens;
    return { ...declared, cached, total: declared.total + cached };
  }

  /** Estimated tokens of the sent content, and the number of its messages. */
  countParts(): ReplayedParts {
    const { tokens, sent } = this.list.countSent();
    return { declared: this.countDeclared(this.declaredAsSent()).total, messages: tokens, count: sent };
  }

  /** The newest request since the last change whose recorded prompt is smaller than its messages. */
  get unseen(): UnseenMessages | null {
    return this.prompts.unseen;
  }

  /** Keeps only the size of the message that an entry has just added. See `shortcuts`. */
  releaseMessage(head: Head): void {
    this.list.releaseLast(head);
  }

  /** Forgets hidden messages before a place of the path, which must not return. See `shortcuts`. */
  forgetHidden(before: number): void {
    this.list.forgetHidden(before);
  }

  private readonly isOmitted = (id: RawId): boolean => this.list.edits.findInForce(id)?.replacement === null;
}
