import type { JsonObject } from '#base/json.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { readEntryMessage } from '#context/replay/convert.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import { findRepeatedTransform } from '#session/tree/compaction.js';
import { answersRequest } from '#session/tree/turns.js';
import type { HookHost } from '../hook-host.js';
import type { HookCompactionCheck } from '../hook-request.js';
import type { HookedPath } from '../hooked-path.js';
import { type EntriesEvent, runEntriesBoundary, toDraftBodies } from './boundary-entries.js';
import {
  applyExtensionCompaction,
  askForCompaction,
  type CompactionAnswer,
  type CompactionCause,
  type PendingCompaction,
} from './compaction.js';
import { runPrompt } from './prompt.js';
import { type HandlerRecord, StockHandlers } from './stock-handlers.js';
import { runToolResult } from './tool-result.js';
import { type ExtendedRequest, runTranscript } from './transcript.js';
import { buildSettleFields, buildTurnEndFields } from './turn-end.js';
import { listUnrecordedEntries } from './unrecorded-entries.js';

interface ExtensionOptions {
  readonly window: WindowOptions;
  readonly settings: CompactionSettings;
}

/**
 * Runs extensions of stock Pi on the way along a path: calls their handlers in Pi's order, and makes their results part
 * of it.
 */
export class ExtensionRun {
  private readonly handlers: StockHandlers;
  private readonly settings: CompactionSettings;
  private isStarted = false;
  /** The system prompt that a handler forces until the run ends. */
  private forcedPrompt: string | null = null;

  constructor(
    host: HookHost,
    private readonly hooked: HookedPath,
    { window, settings }: ExtensionOptions,
  ) {
    this.handlers = new StockHandlers(host, hooked, window);
    this.settings = settings;
  }

  /** The calls of the handlers, and their drafts, since the last time. */
  takeRecord(): HandlerRecord {
    return this.handlers.takeRecord();
  }

  /** Whether an extension may make or cancel a compaction. */
  get handlesCompaction(): boolean {
    return this.handlers.has('session_before_compact');
  }

  /** Lets extensions restore their state, as Pi does when it opens a session. */
  async start(): Promise<void> {
    if (this.isStarted) return;
    this.isStarted = true;
    const reason = this.hooked.heads.length === 0 ? 'startup' : 'resume';
    await this.handlers.emit('session_start', {
      make: () => ({ type: 'session_start', reason }),
      take: () => ({ outcome: 'nothing' }),
    });
  }

  /** A prompt of the user starts a run, unless it steers one. */
  async runPrompt(head: Head, place: number): Promise<void> {
    const { hooked, handlers } = this;
    if (head.role !== 'user' || !handlers.has('before_agent_start')) return;
    const before = hooked.heads.slice(0, -1).findLast(({ role }) => role !== null && role !== 'system');
    if (before?.role === 'toolResult') return;
    const { content } = readEntryMessage(hooked.session.entry(head)) ?? {};
    const { messages, systemPrompt } = await runPrompt(handlers, content);
    this.forcedPrompt = systemPrompt;
    this.append(messages, place);
  }

  /** The result of a tool after the handlers; null if none changes it. */
  async runToolResult(message: JsonObject): Promise<JsonObject | null> {
    if (message.role !== 'toolResult' || !this.handlers.has('tool_result')) return null;
    return runToolResult(this.handlers, message);
  }

  /** The request as Pi would send it. */
  async runRequest(content: EnvelopeContent, isProjected: boolean): Promise<ExtendedRequest> {
    const { handlers, forcedPrompt } = this;
    const isAsked = handlers.has('context') || handlers.has('context_with_system');
    const request = isAsked ? await runTranscript(handlers, content, isProjected) : { content, changes: [] };
    if (forcedPrompt === null) return request;
    const system = { parts: [{ name: 'forced', text: forcedPrompt }], compiled: forcedPrompt };
    return { ...request, content: { ...request.content, system } };
  }

  /** The end of a turn: the answer, and the results of its tools, are in the session. */
  async runTurnEnd(answer: number, end: number): Promise<void> {
    if (this.handlers.has('turn_end'))
      await this.runEntriesBoundary('turn_end', buildTurnEndFields(this.hooked, answer, end), end);
  }

  /** The end of a run: nothing more is to be done for the prompt. */
  async runSettle(answer: number, end: number): Promise<void> {
    const fields = this.handlers.has('agent_before_settle') ? buildSettleFields(this.hooked, answer, end) : null;
    if (fields !== null) await this.runEntriesBoundary('agent_before_settle', fields, end);
  }

  /** The entry that replaces a recorded compaction; null keeps it. */
  async replaceCompaction(head: Head, buildCause: () => CompactionCause): Promise<EntryBody | null> {
    const { hooked } = this;
    const place = hooked.path.indexOf(head);
    if (!this.handlesCompaction || findRepeatedTransform(hooked.session, hooked.path, place)) return null;
    const answer = await this.askForCompaction({ cause: buildCause(), keepsFrom: head.target });
    if (answer === null) return null;
    if (answer.kind === 'cancelled') return { type: 'custom', customType: 'ctx.cancelled' };
    return applyExtensionCompaction(hooked, answer.compaction);
  }

  /**
   * Compacts where Pi would and the recording does not: with the summary of an extension the context has it from here on.
   */
  async compact({ isEnabled, reason, recovery }: HookCompactionCheck, place: number): Promise<void> {
    if (!isEnabled || reason === null || recovery === 'final' || !this.handlesCompaction) return;
    const { path } = this.hooked;
    if (listUntilAnswer(path, place).some(({ type }) => type === 'compaction')) return;
    const answer = await this.askForCompaction({ cause: { reason, willRetry: recovery === 'retry' } });
    if (answer?.kind !== 'compaction') return;
    const draft = { type: 'compaction', ...answer.compaction };
    this.handlers.append([applyExtensionCompaction(this.hooked, answer.compaction)], [draft]);
  }

  /** Asks the handlers of `session_before_compact` at the end of the path. */
  askForCompaction(pending: PendingCompaction): Promise<CompactionAnswer> {
    return askForCompaction(this.handlers, this.settings, pending);
  }

  private async runEntriesBoundary(event: EntriesEvent, fields: JsonObject, place: number): Promise<void> {
    this.append(await runEntriesBoundary(this.handlers, event, fields), place);
  }

  private append(drafts: readonly JsonObject[], place: number): void {
    if (drafts.length === 0) return;
    const { hooked } = this;
    const added = listUnrecordedEntries(hooked.session, drafts, listUntilAnswer(hooked.path, place));
    this.handlers.append(toDraftBodies(added, hooked), added);
  }
}

/** The entries after a place of a path, up to the next answer. */
function listUntilAnswer(path: readonly Head[], place: number): readonly Head[] {
  const below = path.slice(place + 1);
  const end = below.findIndex(answersRequest);
  return end === -1 ? below : below.slice(0, end);
}
