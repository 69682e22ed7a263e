import { asString, isObject, type JsonObject } from '#base/json.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { findRepeatedTransform } from '#context/replay/repeated-transform.js';
import type { WindowOptions } from '#context/size/window.js';
import { formatId, type Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import type { StockEvent } from '../events.js';
import type { EventRun } from '../extension-fields.js';
import type { HookHost, PiView } from '../hook-host.js';
import type { HookedPath } from '../hooked-path.js';
import { runEntriesBoundary, toDraftBodies } from './boundary.js';
import {
  applyExtensionCompaction,
  askForCompaction,
  type CompactionAnswer,
  type CompactionCause,
  type PendingCompaction,
} from './compaction.js';
import { type Emission, emitAll, ignoreAnswer, listStockHandlers, readAnswerMembers } from './emit.js';
import { buildPiView } from './pi-view.js';
import { buildPromptEvent } from './prompt-event.js';
import { findToolInput, mergeToolResult } from './tool-result.js';
import { runTranscript, type SentByExtension } from './transcript.js';
import { listUnrecordedEntries } from './unrecorded-entries.js';

interface ExtensionOptions {
  readonly window: WindowOptions;
  readonly settings: CompactionSettings;
}

/** Calls the handlers of stock Pi on the way along a path, and makes their results part of it. */
export class ExtensionRun {
  private readonly drafts: JsonObject[] = [];
  private readonly runs: EventRun[] = [];
  private isStarted = false;
  /** The system prompt that a handler forces until the run ends. */
  private forcedPrompt: string | null = null;

  constructor(
    private readonly host: HookHost,
    private readonly hooked: HookedPath,
    private readonly options: ExtensionOptions,
  ) {}

  /** The calls since the last time. */
  takeRuns(): readonly EventRun[] {
    return this.runs.splice(0);
  }

  /** Drafts of the entries that handlers appended since the last time. */
  takeDrafts(): readonly JsonObject[] {
    return this.drafts.splice(0);
  }

  has(event: StockEvent): boolean {
    return listStockHandlers(this.host, event).length > 0;
  }

  /** The session as handlers see it now. */
  view(): PiView {
    return buildPiView(this.hooked, this.options.window);
  }

  /** Lets extensions restore their state, as Pi does when it opens a session. */
  async start(): Promise<void> {
    if (this.isStarted) return;
    this.isStarted = true;
    const reason = this.hooked.heads.length === 0 ? 'startup' : 'resume';
    await this.notify('session_start', { type: 'session_start', reason });
  }

  /** A prompt of the user starts a run, unless it steers one. */
  async runPrompt(head: Head, place: number): Promise<void> {
    if (head.role !== 'user' || !this.has('before_agent_start')) return;
    const { hooked } = this;
    const before = hooked.heads.slice(0, -1).findLast(({ role }) => role !== null && role !== 'system');
    if (before?.role === 'toolResult') return;
    this.forcedPrompt = null;
    const { content } = readEntryMessage(hooked.session.entry(head)) ?? {};
    const bodies: EntryBody[] = [];
    const runs = await emitAll(this.host, {
      ...this.buildEmission(),
      event: 'before_agent_start',
      make: () => buildPromptEvent(hooked, content, this.forcedPrompt),
      take: (emitted) => {
        const { message, systemPrompt } = readAnswerMembers(emitted);
        const what: string[] = [];
        if (isObject(message)) {
          bodies.push({ type: 'custom_message', display: false, content: '', ...message });
          what.push('adds a message');
        }
        if (typeof systemPrompt === 'string') {
          this.forcedPrompt = systemPrompt;
          what.push('replaces the system prompt');
        }
        const outcome = what.length > 0 ? 'changed' : 'unchanged';
        if (emitted.event !== undefined) what.push('changes systemPromptOptions, which has no effect offline');
        return what.length === 0 ? ignoreAnswer(emitted) : { outcome, what: what.join('; ') };
      },
    });
    this.runs.push(...runs);
    this.append(bodies, place);
  }

  /** The result of a tool after the handlers; null if none changes it. */
  async runToolResult(message: JsonObject): Promise<JsonObject | null> {
    if (message.role !== 'toolResult' || !this.has('tool_result')) return null;
    const { toolCallId, toolName, content, details, structuredContent, isError = false, usage } = message;
    const fixed = { type: 'tool_result', toolCallId, toolName, input: findToolInput(this.hooked, toolCallId) };
    let now: JsonObject = { content, details, structuredContent, isError, usage };
    const runs = await emitAll(this.host, {
      ...this.buildEmission(),
      event: 'tool_result',
      make: () => ({ ...fixed, ...now }),
      take: (emitted) => {
        const next = mergeToolResult(now, readAnswerMembers(emitted));
        if (JSON.stringify(next) === JSON.stringify(now)) return ignoreAnswer(emitted);
        now = next;
        return { outcome: 'changed', what: `the result of ${asString(toolName) ?? 'a tool'}` };
      },
    });
    this.runs.push(...runs);
    return runs.some(({ outcome }) => outcome === 'changed') ? { ...message, ...now } : null;
  }

  /** The request as Pi would send it. */
  async runRequest(content: EnvelopeContent, isProjected: boolean): Promise<Omit<SentByExtension, 'runs'>> {
    const isAsked = this.has('context') || this.has('context_with_system');
    const { runs, ...sent } = isAsked
      ? await runTranscript(this.host, this.hooked, { ...this.buildEmission(), content, isProjected })
      : { runs: [], content, changes: [] };
    this.runs.push(...runs);
    const { forcedPrompt: forced } = this;
    if (forced === null) return sent;
    const system = { parts: [{ name: 'forced', text: forced }], compiled: forced };
    return { ...sent, content: { ...sent.content, system } };
  }

  /** The end of a turn: the answer, and the results of its tools, are in the session. */
  async runTurnEnd(answer: number, end: number): Promise<boolean> {
    if (!this.has('turn_end')) return false;
    const { hooked } = this;
    const { path } = hooked;
    const recorded = path.slice(answer, end + 1).filter(({ role }) => role === 'assistant' || role === 'toolResult');
    // As handlers have changed them.
    const heads = recorded.flatMap((head) => hooked.heads.findLast(({ index }) => index === head.index) ?? []);
    const [message = {}, ...toolResults] = heads.map((head) => readEntryMessage(hooked.session.entry(head)) ?? {});
    const [messageEntryId = null, ...toolResultEntryIds] = heads.map(({ id }) => formatId(id));

    const prompt = path.slice(0, answer).findLastIndex(({ role }) => role === 'user');
    const fields = {
      turnIndex: path.slice(prompt + 1, answer).filter(answersRequest).length,
      message,
      toolResults,
      messageEntryId,
      toolResultEntryIds,
      outcome: readRunOutcome(message),
    };
    return this.runBoundary('turn_end', fields, end);
  }

  /** The end of a run: nothing more is to be done for the prompt. */
  async runSettle(answer: number, end: number): Promise<void> {
    const { hooked } = this;
    const head = hooked.path[answer];
    const message = (head && readEntryMessage(hooked.session.entry(head))) ?? {};
    const next = hooked.path.slice(end + 1).find(({ role }) => role === 'user' || role === 'assistant');
    const isOver = end === answer && next?.role !== 'assistant' && message.stopReason !== 'aborted';
    if (isOver && this.has('agent_before_settle'))
      await this.runBoundary('agent_before_settle', { outcome: readRunOutcome(message) }, end);
  }

  /** The compaction that replaces a recorded one; null keeps it. */
  async replaceCompaction(head: Head, cause: () => CompactionCause): Promise<EntryBody | null> {
    const { hooked } = this;
    const place = hooked.path.indexOf(head);
    if (!this.has('session_before_compact') || findRepeatedTransform(hooked.session, hooked.path, place)) return null;
    const answer = await this.askForCompaction({ cause: cause(), keepsFrom: head.target });
    if (answer === null) return null;
    if (answer.kind === 'cancelled') return { type: 'custom', customType: 'ctx.cancelled' };
    return applyExtensionCompaction(hooked, answer.compaction);
  }

  /** Pi compacts here, and the recording does not: with the summary of an extension the context has it from here on. */
  async compact(cause: CompactionCause, place: number): Promise<void> {
    const below = this.hooked.path.slice(place + 1);
    const end = below.findIndex(answersRequest);
    const isRecorded = (end === -1 ? below : below.slice(0, end)).some(({ type }) => type === 'compaction');
    if (isRecorded || !this.has('session_before_compact')) return;
    const answer = await this.askForCompaction({ cause });
    if (answer?.kind !== 'compaction') return;
    this.drafts.push({ type: 'compaction', ...answer.compaction });
    this.hooked.add([applyExtensionCompaction(this.hooked, answer.compaction)]);
  }

  /** Asks the handlers of `session_before_compact` at the end of the path. */
  async askForCompaction(pending: PendingCompaction): Promise<CompactionAnswer> {
    const { settings } = this.options;
    const asked = await askForCompaction(this.host, this.hooked, { ...this.buildEmission(), settings, ...pending });
    this.runs.push(...(asked?.runs ?? []));
    return asked?.answer ?? null;
  }

  private async runBoundary(
    event: 'turn_end' | 'agent_before_settle',
    fields: JsonObject,
    place: number,
  ): Promise<boolean> {
    const asked = { ...this.buildEmission(), event, fields };
    const { drafts, continues, runs } = await runEntriesBoundary(this.host, this.hooked, asked);
    this.runs.push(...runs);
    this.append(drafts, place);
    return continues;
  }

  private append(drafts: readonly JsonObject[], place: number): void {
    const { hooked } = this;
    const added = listUnrecordedEntries(hooked.session, hooked.path, { place, bodies: drafts });
    this.drafts.push(...added);
    hooked.add(toDraftBodies(added, hooked));
  }

  private async notify(event: StockEvent, made: JsonObject): Promise<void> {
    const runs = await emitAll(this.host, {
      ...this.buildEmission(),
      event,
      make: () => made,
      take: () => ({ outcome: 'nothing' }),
    });
    this.runs.push(...runs.filter(({ failure }) => failure !== null));
  }

  private buildEmission(): Pick<Emission, 'at' | 'view' | 'append'> {
    let view: PiView | null = null;
    return {
      at: this.hooked.heads.findLast(({ index }) => index !== -1) ?? null,
      view: () => (view ??= this.view()),
      append: (bodies) => {
        this.drafts.push(...bodies);
        this.hooked.add(bodies);
        view = null;
      },
    };
  }
}

/** Pi's outcome of an answer. */
function readRunOutcome({ stopReason }: JsonObject): 'completed' | 'aborted' | 'error' {
  return stopReason === 'aborted' || stopReason === 'error' ? stopReason : 'completed';
}
