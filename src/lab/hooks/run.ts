import type { JsonObject } from '#base/json.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline, EnvelopeContent } from '#context/replay/content.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { CachedPrefixes } from './cached-prefixes.js';
import type { RequestChange } from './document.js';
import { isAnswerable } from './dropped-messages.js';
import { CONTEXT_REASONS, type HookReason } from './events.js';
import { checkCompaction } from './extension/compaction.js';
import { ExtensionRun } from './extension/extension-run.js';
import { type HookHost, listModules } from './hook-host.js';
import { readHookMessage } from './hook-messages.js';
import type { BoundaryRun, HookCompactionCheck, HookRequest, MessageRun } from './hook-request.js';
import { HookedPath, type MessageChange } from './hooked-path.js';
import type { PlacedRequest } from './path-requests.js';
import { ProposalRun } from './proposal-run.js';
import { RejectionFinder } from './rejection-finder.js';
import { findRequestLimit, findRequestTarget } from './request-meta.js';
import { isFatal } from './run-boundary.js';

export interface HookRunOptions {
  readonly reasons: ReadonlySet<HookReason>;
  readonly baseline: Baseline;
  readonly window: WindowOptions;
  readonly settings: CompactionSettings;
  /** Whether to check at each request if Pi would compact; extensions that handle compactions need it too. */
  readonly checksCompaction: boolean;
  /**
   * Loads the modules a second time, as after a restart of Pi: they are asked again about their own results. null: that
   * does not work.
   */
  again(): Promise<HookHost | null>;
}

/**
 * Runs hooks along a path, request by request. What they persist is there at the next request, as it would be in Pi, and
 * so are their changes of a message. Answers stay as recorded.
 *
 * A request goes through `before_request`, Pi's check for a compaction, and `ephemeral`. After its answer come the
 * messages, `turn_end`, and the check once more. At each of these steps the hooks of the proposal run first.
 */
export class HookRun {
  private readonly cache = new CachedPrefixes();
  private readonly rejections: RejectionFinder;
  private readonly hooked: HookedPath;
  private readonly proposal: ProposalRun;
  private readonly extension: ExtensionRun;

  constructor(
    private readonly session: OpenSession,
    private readonly path: readonly Head[],
    host: HookHost,
    private readonly options: HookRunOptions,
  ) {
    this.hooked = new HookedPath(session, path, { ...options, modules: listModules(host) });
    this.proposal = new ProposalRun(host, this.hooked, options);
    this.extension = new ExtensionRun(host, this.hooked, options);
    this.rejections = new RejectionFinder(session);
  }

  /** All of these requests, which are those of the path in its order. */
  async *runEach(requests: readonly PlacedRequest[]): AsyncGenerator<HookRequest> {
    await this.extension.start();
    for (const request of requests) {
      const prompts = await this.walk(request.at);
      yield this.runRequest(request, { prompts, isOfMany: true });
    }
  }

  /**
   * One request; the entries above it are as recorded, but for prompts that wait for their answer: hooks see those
   * first.
   */
  async runOne(request: PlacedRequest): Promise<HookRequest> {
    const { at, answer } = request;
    const waiting = answer === null ? this.countInputs(at) : 0;
    this.hooked.jumpTo(at - waiting);
    await this.extension.start();
    const head = this.path[at];
    if (waiting > 0) return this.runRequest(request, { prompts: await this.walk(at), isOfMany: false });
    if (head) await this.runPrompt(head, at);
    return this.runRequest(request, { prompts: [], isOfMany: false });
  }

  /** The number of entries up to a place that follow the last answer and its results. */
  private countInputs(at: number): number {
    const last = this.path.slice(0, at + 1).findLastIndex(({ role }) => role === 'assistant' || role === 'toolResult');
    return at - last;
  }

  /** The hooks for one thing that happens at a place: a turn ends there, or its message is complete. */
  async runOnly(reason: 'turn_end' | 'message', at: number): Promise<HookRequest> {
    this.hooked.jumpTo(reason === 'turn_end' ? at : at - 1);
    await this.extension.start();
    const request: Omit<HookRequest, 'events' | 'drafts'> = {
      number: this.path.slice(0, at + 1).filter(answersRequest).length,
      at: this.path[at] ?? null,
      answer: null,
      replayed: this.countReplayed(this.hooked.content()),
      boundaries: [],
      refusals: [],
      messages: [],
      cache: null,
      limit: null,
      changes: [],
      compaction: { preflight: null, evaluation: null },
    };
    const runs = reason === 'turn_end' ? await this.runOnlyTurnEnd(at) : await this.runOnlyMessage(at);
    return { ...request, ...runs, ...this.extension.takeRecord() };
  }

  private async runOnlyTurnEnd(at: number): Promise<Pick<HookRequest, 'boundaries' | 'refusals'>> {
    const boundary = await this.proposal.runBoundary('turn_end', this.path[at] ?? null);
    const answer = this.path.slice(0, at + 1).findLastIndex(answersRequest);
    if (answer !== -1) await this.endTurn(answer, at);
    const refusals = this.rejections.next({ without: boundary.before, sent: this.hooked.content() });
    return { boundaries: [boundary], refusals };
  }

  private async runOnlyMessage(at: number): Promise<Pick<HookRequest, 'messages'>> {
    const head = this.path[at];
    const message = head && readHookMessage(this.session.entry(head));
    if (!message) return { messages: [] };
    const result = await this.extension.runToolResult(message);
    return { messages: [await this.proposal.completeMessage(head, result ?? message)] };
  }

  private async runRequest(
    { number, at, answer, end }: PlacedRequest,
    { prompts, isOfMany }: { readonly prompts: readonly MessageRun[]; readonly isOfMany: boolean },
  ): Promise<HookRequest> {
    const { hooked, options } = this;
    const asItIs = hooked.content();
    const replayed = this.countReplayed(asItIs);
    const { sent, changes, boundaries, preflight } = await this.buildRequest(asItIs, at);

    const without = isOfMany ? hooked.untouchedContent() : asItIs;
    const looksAtContext = CONTEXT_REASONS.some((reason) => options.reasons.has(reason));
    const sentTo = { target: findRequestTarget(hooked, answer), isOfMany };
    const cache = sent && looksAtContext ? this.cache.next({ sent, without }, sentTo) : null;
    const limit = findRequestLimit(hooked, options.window);

    // If the request was not sent, the events after its answer are not reached.
    const isAnswered = sent !== null && answer !== null && end !== null;
    const after = isAnswered ? await this.runAfterAnswer(answer, end) : NOT_ANSWERED;
    return {
      number,
      at: this.path[at] ?? null,
      answer: this.path[answer ?? -1] ?? null,
      replayed,
      messages: [...prompts, ...after.messages],
      boundaries: [...boundaries, ...after.boundaries],
      refusals: sent === null ? [] : this.listRefusals({ sent, without }, prompts),
      cache,
      limit,
      changes,
      compaction: { preflight, evaluation: after.evaluation },
      ...this.extension.takeRecord(),
    };
  }

  private countReplayed({ messages }: EnvelopeContent): HookRequest['replayed'] {
    return { messages: messages.cached.length, tokens: this.hooked.messageTokens() };
  }

  /**
   * Runs the hooks before a request, in Pi's order: what is persisted, Pi's check, and what is for this request alone.
   */
  private async buildRequest(asItIs: EnvelopeContent, at: number): Promise<BuiltRequest> {
    const { reasons } = this.options;
    const head = this.path[at] ?? null;
    const boundaries: BoundaryRun[] = [];
    let sent = asItIs;
    if (reasons.has('before_request')) {
      const boundary = await this.proposal.runBoundary('before_request', head);
      boundaries.push(boundary);
      sent = boundary.after;
    }
    const preflight = await this.preflight(boundaries, at);
    if (boundaries.some(isFatal)) return { sent: null, changes: [], boundaries, preflight };
    if (!reasons.has('ephemeral')) return { sent, changes: [], boundaries, preflight };

    const ephemeral = await this.proposal.runBoundary('ephemeral', head);
    boundaries.push(ephemeral);
    if (isFatal(ephemeral)) return { sent: null, changes: [], boundaries, preflight };
    const isProjected = ephemeral.transforms.every(({ patch }) => patch.every(({ scope }) => scope === 'uncached'));
    const { content, changes } = await this.extension.runRequest(ephemeral.after, isProjected);
    return { sent: content, changes, boundaries, preflight };
  }

  private async runAfterAnswer(answer: number, end: number): Promise<AnsweredRequest> {
    const messages = await this.walk(end);
    const boundaries: BoundaryRun[] = [];
    if (this.options.reasons.has('turn_end'))
      boundaries.push(await this.proposal.runBoundary('turn_end', this.path[end] ?? null));
    return { messages, boundaries, evaluation: await this.endTurn(answer, end) };
  }

  /** The reasons why the agent or the provider would refuse a request. */
  private listRefusals(
    requests: { readonly sent: EnvelopeContent; readonly without: EnvelopeContent },
    prompts: readonly MessageRun[],
  ): readonly string[] {
    const isDropped = prompts.some(({ kind }) => kind === 'dropped');
    if (isDropped && !isAnswerable(requests.sent.messages.cached)) return [NOTHING_TO_ANSWER];
    return this.rejections.next(requests);
  }

  /** Pi's check before a request; hooks may just have made the context larger. */
  private async preflight(boundaries: readonly BoundaryRun[], at: number): Promise<HookCompactionCheck | null> {
    const check = this.check();
    const isNew = boundaries.some(({ transforms }) => transforms.length > 0);
    if (check?.reason === 'threshold' && isNew) await this.extension.compact(check, at);
    return check;
  }

  /** The handlers of stock Pi after a turn, and Pi's check for a compaction. */
  private async endTurn(answer: number, end: number): Promise<HookCompactionCheck | null> {
    if (!this.options.reasons.has('turn_end')) return this.check();
    await this.extension.runTurnEnd(answer, end);
    const check = this.check();
    if (check !== null) await this.extension.compact(check, end);
    await this.extension.runSettle(answer, end);
    return check;
  }

  private check(): HookCompactionCheck | null {
    const isWanted = this.options.checksCompaction || this.extension.handlesCompaction;
    return isWanted && this.hooked.heads.length > 0 ? checkCompaction(this.hooked, this.options) : null;
  }

  /** Goes on to a place; messages become complete on the way. */
  private async walk(place: number): Promise<readonly MessageRun[]> {
    const runs: MessageRun[] = [];
    await this.hooked.walkTo(place, {
      completeMessage: (head, message) => this.completeMessage(head, message, runs),
      replaceCompaction: (head) => this.replaceCompaction(head),
      onPassed: (head, at) => this.runPrompt(head, at),
    });
    return runs;
  }

  /** Runs the hooks of a message that becomes complete. Adds their result to `runs`. */
  private async completeMessage(head: Head, message: JsonObject, runs: MessageRun[]): Promise<MessageChange> {
    if (!this.options.reasons.has('message')) return null;
    const result = await this.extension.runToolResult(message);
    if (!this.proposal.seesMessages) return result;
    const run = await this.proposal.completeMessage(head, result ?? message);
    runs.push(run);
    if (run.kind === 'none') return result;
    return run.after ?? 'dropped';
  }

  private async replaceCompaction(head: Head): Promise<EntryBody | null> {
    if (!this.options.reasons.has('turn_end')) return null;
    return this.extension.replaceCompaction(head, () => {
      const { reason, recovery } = checkCompaction(this.hooked, this.options);
      return { reason: reason ?? 'manual', willRetry: recovery === 'retry' };
    });
  }

  private async runPrompt(head: Head, place: number): Promise<void> {
    if (this.options.reasons.has('ephemeral')) await this.extension.runPrompt(head, place);
  }
}

/** A request as hooks leave it. */
interface BuiltRequest extends Pick<HookRequest, 'boundaries'> {
  /** null: it is not sent. */
  readonly sent: EnvelopeContent | null;
  readonly changes: readonly RequestChange[];
  readonly preflight: HookCompactionCheck | null;
}

/** The messages, boundaries and compaction check after a request was answered. */
interface AnsweredRequest extends Pick<HookRequest, 'messages' | 'boundaries'> {
  readonly evaluation: HookCompactionCheck | null;
}

const NOT_ANSWERED: AnsweredRequest = { messages: [], boundaries: [], evaluation: null };

/** The agent stops such a request. */
const NOTHING_TO_ANSWER = 'a hook has left out the message that it would answer';
