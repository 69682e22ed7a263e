import type { Problem, Severity } from '#base/errors.js';
import { asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { toCodexMessages } from '#session/agents/codex/messages.js';
import type { Entry, StoredMessage } from '#session/entry.js';
import { formatIdWord, type Head, type RawId } from '#session/heads/head.js';
import { isOhMyPiSession, readReplacementHistory } from '#session/oh-my-pi.js';
import type { ReplayableSession } from '../replayable.js';
import type { CountedParts, ReplayedParts } from '../size/preamble-price.js';
import { readCountedPrompt } from '../size/recorded-request.js';
import { countDeclaredTokens, type TokenMethod } from '../size/tokens.js';
import { PromptWatch, type Unseen } from '../size/unseen.js';
import { listAppliedEdits, toAppliedCompaction, toAppliedTransform } from './applied-changes.js';
import type { Baseline, EnvelopeContent } from './content.js';
import { isFailedAnswer, readEntryMessage, readSummaryMessage, toDeveloperMessage } from './convert.js';
import { Declarations, type DeclaredRegions, type RegionSources } from './declarations.js';
import type { AppliedCompaction, AppliedEdit, AppliedTransform } from './envelope.js';
import { KeptPlaces } from './kept-places.js';
import { MessageList, type ReadonlyMessageList } from './message-list.js';
import type { LazyMessages } from './overview.js';
import { type BrokenOp, isWithoutEffect, toBrokenOpError } from './patch-op.js';
import { findRepeatedTransform, transformerName } from './repeated-transform.js';
import { readThinkingLevel } from './settings.js';
import { type ImplementedTools, SentTools } from './system.js';
import { findUnknownProblem, problemAt } from './unknown-entry.js';

/**
 * Walks a path from its root and maintains the context after each entry. One instance walks one
 * path once: call `step` for the entries in order, and read the result after any of them.
 *
 * Messages follow Pi's own projection, entry by entry; patch ops change the result. No hook code runs.
 * `test/support/plain-messages.ts` has the same rules without anything that makes them fast, and a law compares both.
 */
export class Replay {
  readonly transforms: AppliedTransform[];
  readonly compactions: AppliedCompaction[];
  readonly diagnostics: Problem[];
  /** The first request since the last compaction with a provider's count of its prompt. */
  firstRecorded: CountedParts | null;
  private readonly edits: Head[];
  private readonly withoutEffect: Set<number>;
  /** The calls of failed answers of oh-my-pi, which sends their results no more than them. */
  private readonly failedCalls: Set<unknown>;
  private resets: number;
  private readonly tools: SentTools;
  /** The cached messages; their tokens exclude the system prompt and tools. */
  readonly messages: ReadonlyMessageList;
  private readonly list: MessageList;
  private readonly prompts: PromptWatch;
  private readonly declarations: Declarations;
  /** The entry of this step, if it was already parsed. */
  private parsed: Entry | null = null;
  private readonly places: KeptPlaces;
  /** Prompt and tools change rarely, and are counted when they do. */
  private readonly countDeclared: (declared: EnvelopeContent) => number;
  /** From this place of the path on, messages are counted and released. */
  private readonly sizesFrom: number;

  /** `before`: the replay of the beginning of this path, which also goes on by itself. */
  constructor(
    private readonly session: ReplayableSession,
    private readonly path: readonly Head[],
    private readonly options: ReplayOptions,
    before: Replay | null = null,
  ) {
    this.transforms = before?.transforms.slice() ?? [];
    this.compactions = before?.compactions.slice() ?? [];
    this.diagnostics = before?.diagnostics.slice() ?? [];
    this.edits = before?.edits.slice() ?? [];
    this.withoutEffect = new Set(before?.withoutEffect);
    this.failedCalls = new Set(before?.failedCalls);
    this.resets = before?.resets ?? 0;
    this.firstRecorded = before?.firstRecorded ?? null;
    this.list = before?.list.forked() ?? new MessageList(options.method);
    this.messages = this.list;
    this.prompts = before?.prompts.forked() ?? new PromptWatch((head) => readEntryMessage(this.session.entry(head)));
    this.countDeclared = memoizeLast((declared) => countDeclaredTokens(declared, options.method));
    this.declarations = before?.declarations.forked() ?? new Declarations(options.baseline ?? {});
    this.tools = new SentTools(options.implementations);
    this.places = new KeptPlaces(session, path);
    // A transform needs the messages before it.
    this.sizesFrom =
      options.messages === 'sizes' ? path.findLastIndex(({ type }) => type === 'context_transform') + 1 : Infinity;
  }

  /**
   * Applies the entry at `index` of the path; `entry` if it was already parsed. Throws a CtxError (input) if a
   * transform cannot be replayed.
   */
  step(head: Head, index: number, entry: Entry | null = null): void {
    this.parsed = entry;
    switch (head.type) {
      case 'message':
      case 'custom_message':
      case 'branch_summary':
        return this.takeMessage(head, index);
      case 'thinking_level_change':
        return this.declarations.addThinkingLevel(readThinkingLevel(this.entry(head)));
      case 'context_edit':
        return this.takeEdit(head, index);
      case 'context_transform':
        return this.takeTransform(head, index);
      case 'compaction':
        return this.takeCompaction(head, index);
      case 'reset_boundary':
        return this.takeReset(head, index);
      default:
        return this.noteUnknown(head, null);
    }
  }

  /** Releases hidden messages before a place of the path, which cannot return. */
  forgetAbove = (index: number): void => this.list.forgetAbove(index);

  content(): EnvelopeContent {
    return { ...this.declarations.content(this.isOmitted), messages: { cached: this.list.shown(), uncached: [] } };
  }

  /** The declared prompt, tools and options. The same object until they change. */
  declared(): EnvelopeContent {
    return this.declarations.content(this.isOmitted);
  }

  /** The system prompt and the tools that the path declares, for every baseline. */
  declaredRegions(): DeclaredRegions {
    return this.declarations.regions(this.isOmitted);
  }

  /** The sent messages, each created on demand. */
  toLookAt(): LazyMessages {
    return this.list.toLookAt((head) => this.messageIn(this.session.entry(head)));
  }

  sources(): RegionSources {
    return this.declarations.sources(this.isOmitted);
  }

  /** Like `declared`, without the tools that have no implementation. */
  declaredAsSent(): EnvelopeContent {
    return this.tools.asSent(this.declared(), this.declarations.recordedToolNames);
  }

  implemented(): ImplementedTools {
    return this.tools.implemented(this.declarations.recordedToolNames);
  }

  /** The edits on the path, with their current effect on the context. */
  appliedEdits(): readonly AppliedEdit[] {
    const { list: messages, isOmitted } = this;
    return listAppliedEdits(this.edits, { messages, isOmitted, systemMessages: this.declarations.messageSources() });
  }

  /** Estimated tokens of the sent content. */
  parts(): ReplayedParts {
    const { tokens, sent } = this.messages.counted();
    return { declared: this.countDeclared(this.declaredAsSent()), messages: tokens, count: sent };
  }

  /** The newest request since the last change whose recorded prompt is smaller than its messages. */
  get unseen(): Unseen | null {
    return this.prompts.unseen;
  }

  private entry(head: Head): Entry {
    return this.parsed ?? this.session.entry(head);
  }

  private readonly isOmitted = (id: RawId): boolean => this.list.edits.inForce(id)?.replacement === null;

  private takeMessage(head: Head, index: number): void {
    const message = this.messageIn(this.entry(head));
    this.noteUnknown(head, message);
    if (message?.role === 'system') {
      this.prompts.change();
      return this.declarations.addSystemMessage(head, message);
    }
    if (message === null || this.isResultOfFailed(message)) return;
    this.prompts.take(head, message);
    this.firstRecorded ??= readCountedPrompt(message, () => this.parts());
    const contribution = { head, index, kind: 'entry', message } as const;
    if (index < this.sizesFrom) this.list.append(contribution);
    else this.list.appendSize(contribution);
  }

  /** The message that an entry adds. oh-my-pi sends what its extensions add, but for words of the user, as a developer. */
  private messageIn(entry: Entry): StoredMessage | null {
    const message = readEntryMessage(entry);
    const isAdded = message?.role === 'custom' && entry.attribution !== 'user';
    return isAdded && isOhMyPiSession(this.session) ? toDeveloperMessage(message) : message;
  }

  /** Whether a message is the result of a call in a failed answer of oh-my-pi, which sends neither. */
  private isResultOfFailed(message: StoredMessage): boolean {
    const { role, content, toolCallId } = message;
    if (role === 'toolResult') return this.failedCalls.has(toolCallId);
    if (role !== 'assistant' || !(isFailedAnswer(message) || this.failedCalls.size > 0)) return false;
    for (const { type, id } of listObjects(content)) {
      if (type !== 'toolCall') continue;
      if (!isFailedAnswer(message)) this.failedCalls.delete(id);
      else if (isOhMyPiSession(this.session)) this.failedCalls.add(id);
    }
    return false;
  }

  /** `/clear` of oh-my-pi: the messages before it are not sent again, unless a later compaction keeps them. */
  private takeReset(head: Head, index: number): void {
    this.resets += 1;
    this.prompts.change();
    this.list.compact({ head, index, kind: 'summary' }, [], null);
    this.afterCompaction(index);
  }

  private takeEdit(head: Head, index: number): void {
    const { replacement } = this.entry(head);
    if (replacement === undefined)
      this.note(head, 'edit-without-replacement', 'the edit has no replacement, not even null', 'error');
    this.edits.push(head);
    this.prompts.change();
    this.declarations.forget();
    const isWhole = isObject(replacement) || replacement === null || replacement === undefined;
    this.list.addEdit({ edit: head, index, replacement: isWhole ? replacement : {} });
  }

  private takeTransform(head: Head, index: number): void {
    const entry = this.entry(head);
    const steps = this.session.readPatch(entry);
    const by = { head, index, transformer: transformerName(entry) };
    this.prompts.change();
    for (const [at, step] of steps.entries()) {
      if (!step.ok) this.violation(head, at, step);
      else if (step.region === 'messages') this.list.transform({ ...by, compacts: step.compacts }, step.apply);
      else this.declarations.addOp(step);
    }
    if (isWithoutEffect(steps)) this.withoutEffect.add(head.index);
    this.transforms.push(toAppliedTransform(head, entry, steps));
    if (steps.some((step) => step.ok && step.compacts)) this.afterCompaction(index);
  }

  private violation(head: Head, at: number, broken: BrokenOp): void {
    if (!this.session.isLenient) throw toBrokenOpError(this.session.file, { head, at, broken });
    const what = `op ${at} of transform ${formatIdWord(head.id)} was skipped: ${broken.message}`;
    this.note(head, `patch-${broken.rule}`, what, 'error');
  }

  private takeCompaction(head: Head, index: number): void {
    const entry = this.entry(head);
    const above = findRepeatedTransform(this.session, this.path, index);
    // A compaction whose transform was skipped applies instead, as in stock Pi.
    const shadowing = above && this.withoutEffect.has(above.index) ? null : above;
    const history = readReplacementHistory(entry);
    this.compactions.push(
      toAppliedCompaction(head, entry, { shadowed: shadowing !== null, isReplaced: history !== null }),
    );
    const checkpoint = isObject(entry.systemMessage) ? entry.systemMessage : null;
    if (checkpoint) this.declarations.noteTools(checkpoint);
    if (shadowing) return this.list.markDualWritten(shadowing);
    const place = history ? this.places.placeAfter(history.throughId) : this.places.placeKept(head);
    const from = place === -1 || place >= index ? null : place;
    if (from === null && !history && this.session.tree.heads.targetAt(head.index) !== -1 && head.target !== head.id) {
      const what = `the first entry that it keeps, "${head.target}", is not before it, so only its summary is left`;
      this.note(head, 'compaction-keeps-nothing', what, 'warning');
    }
    this.prompts.change();
    this.declarations.compact(head, checkpoint, this.isOmitted);
    const messages = history ? toCodexMessages(history.items, factsOf(head, entry)) : [readSummaryMessage(entry)];
    this.list.compact({ head, index, kind: history ? 'history' : 'summary' }, messages, from);
    this.afterCompaction(index);
  }

  private afterCompaction(index: number): void {
    this.firstRecorded = null;
    // A walk of only the end of a path meets one compaction, and has little to release.
    if (this.compactions.length + this.transforms.length + this.resets >= 2 && !this.options.keepsHidden)
      this.list.forgetAbove(this.places.comeBackFrom(index));
  }

  private noteUnknown(head: Head, message: StoredMessage | null): void {
    const problem = findUnknownProblem(head, message);
    if (problem) this.diagnostics.push(problem);
  }

  private note(head: Head, code: string, message: string, severity: Severity): void {
    this.diagnostics.push(problemAt(head, code, message, severity));
  }
}

/** The model and the time that the messages of a replacement history are given, which it does not record. */
function factsOf({ time }: Head, { preserveData }: JsonObject): Parameters<typeof toCodexMessages>[1] {
  const { provider } = asObject(asObject(preserveData).openaiRemoteCompaction);
  return { provider: asString(provider) ?? 'unknown', model: 'unknown', time };
}

export interface ReplayOptions {
  /** The prompt, tools and options that the session does not record; none by default. */
  readonly baseline?: Baseline | undefined;
  /**
   * The required detail of messages: `whole` (the default); `sizes`, to count and release them; `none`, to
   * skip them.
   */
  readonly messages?: 'whole' | 'sizes' | 'none' | undefined;
  /** Keeps hidden messages until `forgetAbove` releases them, since the rest of the path is unknown. */
  readonly keepsHidden?: boolean | undefined;
  /** Names of the implemented tools; by default those that the session's system messages declare. */
  readonly implementations?: readonly string[] | undefined;
  /** The token estimator; by default that of Pi. */
  readonly method?: TokenMethod | undefined;
}
