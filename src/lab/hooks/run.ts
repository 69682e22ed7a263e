import { canonicalJson } from '#base/canonical-json.js';
import { type JsonObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Head } from '#session/heads/head.js';
import { answersRequest } from '#session/tree/turns.js';
import { CachedPrefixes } from './cached-prefixes.js';
import { isAnswerable } from './dropped-messages.js';
import { countLineBytes, toEphemeralBody, toTransformBody } from './entry-bodies.js';
import { type BoundaryReason, CONTEXT_REASONS, type HookReason } from './events.js';
import type { HookCompactionCheck, RequestChange } from './extension-fields.js';
import { checkCompaction } from './extension/compaction.js';
import { ExtensionRun } from './extension/extension.js';
import { type HookBoundary, isFatal } from './hook-boundary.js';
import { type HookHost, listModules, nameModule } from './hook-host.js';
import { readHookMessage } from './hook-messages.js';
import type { BoundaryRun, HookRequest, HookRunOptions, MessageRun } from './hook-request.js';
import { HookedPath, type PathHooks } from './hooked-path.js';
import type { PlacedRequest } from './path-requests.js';
import { RejectionFinder } from './rejection-finder.js';
import { buildRequestMeta, findRequestLimit, findRequestTarget } from './request-meta.js';
import { type BoundaryOptions, runBoundary } from './run-boundary.js';
import { type HookedMessage, listMessageHandlers, runMessageHandlers } from './run-message-handlers.js';

/**
 * Runs hooks along a path, request by request. What they persist is there at the next request, as it would be in Pi, and
 * so are their changes of a message. Answers stay as recorded.
 */
export class HookRun {
  private readonly cache = new CachedPrefixes();
  private readonly refusals: RejectionFinder;
  private readonly hooked: HookedPath;
  private readonly extension: ExtensionRun;
  /** Reasons whose hooks change their own result; they are not asked again. */
  private readonly unsteady = new Set<HookReason>();

  constructor(
    private readonly session: OpenSession,
    private readonly path: readonly Head[],
    private readonly host: HookHost,
    private readonly options: HookRunOptions,
  ) {
    this.hooked = new HookedPath(session, path, { ...options, modules: listModules(host) });
    this.extension = new ExtensionRun(host, this.hooked, options);
    this.refusals = new RejectionFinder(session);
  }

  /** All of these requests, which are those of the path in its order. */
  async *runEach(requests: readonly PlacedRequest[]): AsyncGenerator<HookRequest> {
    await this.extension.start();
    for (const request of requests) {
      const prompts = await this.walk(request.at);
      yield this.runRequest(request, { prompts, isOfMany: true });
    }
  }

  /** One request; the entries above it are as recorded, but for prompts that wait for their answer: hooks see those first. */
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
    return { ...request, ...runs, ...this.takeExtensionRuns() };
  }

  private async runOnlyTurnEnd(at: number): Promise<Pick<HookRequest, 'boundaries' | 'refusals'>> {
    const boundary = await this.runContextHooks('turn_end', at);
    const answer = this.path.slice(0, at + 1).findLastIndex(answersRequest);
    if (answer !== -1) await this.endTurn(answer, at);
    const refusals = this.refusals.next({ without: boundary.before, sent: this.hooked.content() });
    return { boundaries: [boundary], refusals };
  }

  private async runOnlyMessage(at: number): Promise<Pick<HookRequest, 'messages'>> {
    const head = this.path[at];
    const message = head && readHookMessage(this.session.entry(head));
    if (!message) return { messages: [] };
    const result = await this.extension.runToolResult(message);
    return { messages: [await this.completeMessage(head, result ?? message)] };
  }

  private async runRequest(
    { number, at, answer, end }: PlacedRequest,
    { prompts, isOfMany }: { readonly prompts: readonly MessageRun[]; readonly isOfMany: boolean },
  ): Promise<HookRequest> {
    const { hooked } = this;
    const asItIs = hooked.content();
    const replayed = this.countReplayed(asItIs);
    const { sent, changes, boundaries, preflight } = await this.buildRequest(asItIs, at);

    const without = isOfMany ? hooked.untouchedContent() : asItIs;
    const looksAtContext = CONTEXT_REASONS.some((reason) => this.options.reasons.has(reason));
    const sentTo = { target: findRequestTarget(hooked, answer), isOfMany };
    const cache = sent && looksAtContext ? this.cache.next({ sent, without }, sentTo) : null;
    const limit = findRequestLimit(hooked, this.options.window);

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
      refusals: sent === null ? [] : this.listRefusals(sent, without, prompts),
      cache,
      limit,
      changes,
      compaction: { preflight, evaluation: after.evaluation },
      ...this.takeExtensionRuns(),
    };
  }

  private countReplayed({ messages }: EnvelopeContent): HookRequest['replayed'] {
    return { messages: messages.cached.length, tokens: this.hooked.messageTokens() };
  }

  /** Runs the hooks before a request, in Pi's order: what is persisted, Pi's check, and what is for this request alone. */
  private async buildRequest(asItIs: EnvelopeContent, at: number): Promise<BuiltRequest> {
    const { reasons } = this.options;
    const boundaries: BoundaryRun[] = [];
    let sent: EnvelopeContent | null = asItIs;
    const run = async (reason: BoundaryReason): Promise<void> => {
      if (sent === null || !reasons.has(reason)) return;
      const boundary = await this.runContextHooks(reason, at);
      boundaries.push(boundary);
      sent = isFatal(boundary) ? null : boundary.after;
    };
    await run('before_request');
    const preflight = await this.preflight(boundaries, at);
    await run('ephemeral');
    const { content, changes } = await this.runExtensions(sent, boundaries);
    return { sent: content, changes, boundaries, preflight };
  }

  private async runAfterAnswer(answer: number, end: number): Promise<AnsweredRequest> {
    const messages = await this.walk(end);
    const isAsked = this.options.reasons.has('turn_end');
    const boundaries = isAsked ? [await this.runContextHooks('turn_end', end)] : [];
    return { messages, boundaries, evaluation: await this.endTurn(answer, end) };
  }

  /** The reasons why the agent or the provider would refuse a request. */
  private listRefusals(
    sent: EnvelopeContent,
    without: EnvelopeContent,
    prompts: readonly MessageRun[],
  ): readonly string[] {
    const isDropped = prompts.some(({ kind }) => kind === 'dropped');
    if (isDropped && !isAnswerable(sent.messages.cached)) return [NOTHING_TO_ANSWER];
    return this.refusals.next({ without, sent });
  }

  /** The request as extensions of stock Pi leave it; null if it is not sent. */
  private async runExtensions(
    content: EnvelopeContent | null,
    boundaries: readonly BoundaryRun[],
  ): Promise<{ readonly content: EnvelopeContent | null; readonly changes: readonly RequestChange[] }> {
    if (content === null || !this.options.reasons.has('ephemeral')) return { content, changes: [] };
    const ops = boundaries.flatMap(({ reason, transforms }) => (reason === 'ephemeral' ? transforms : []));
    const isProjected = ops.every(({ patch }) => patch.every(({ scope }) => scope === 'uncached'));
    return this.extension.runRequest(content, isProjected);
  }

  private takeExtensionRuns(): Pick<HookRequest, 'events' | 'drafts'> {
    return { events: this.extension.takeRuns(), drafts: this.extension.takeDrafts() };
  }

  /** Pi's check before a request; hooks may just have made the context larger. */
  private async preflight(boundaries: readonly BoundaryRun[], at: number): Promise<HookCompactionCheck | null> {
    const check = this.check();
    const isNew = boundaries.some(({ transforms }) => transforms.length > 0);
    if (check?.reason === 'threshold' && isNew) await this.compact(check, at);
    return check;
  }

  /** The handlers of stock Pi after a turn, and Pi's check for a compaction. */
  private async endTurn(answer: number, end: number): Promise<HookCompactionCheck | null> {
    if (!this.options.reasons.has('turn_end')) return this.check();
    await this.extension.runTurnEnd(answer, end);
    const check = this.check();
    if (check !== null && check.reason !== null) await this.compact(check, end);
    await this.extension.runSettle(answer, end);
    return check;
  }

  private check(): HookCompactionCheck | null {
    const { checksCompaction } = this.options;
    if (!checksCompaction && !this.extension.has('session_before_compact')) return null;
    return this.hooked.heads.length === 0 ? null : checkCompaction(this.hooked, this.options);
  }

  private async compact({ isEnabled, reason, recovery }: HookCompactionCheck, place: number): Promise<void> {
    if (!isEnabled || reason === null || recovery === 'final') return;
    await this.extension.compact({ reason, willRetry: recovery === 'retry' }, place);
  }

  private async runContextHooks(reason: BoundaryReason, at: number): Promise<BoundaryRun> {
    const asked = {
      reason,
      meta: buildRequestMeta(this.hooked, this.options.window),
      view: () => this.extension.view(),
    };
    const boundary = await runBoundary(this.host, this.hooked.content(), asked);
    const place = { at: this.path[at] ?? null, idempotent: null, bytes: 0 };
    if (isFatal(boundary)) return { ...boundary, ...place };
    if (reason === 'ephemeral') {
      const { uncached } = boundary.after.messages;
      return { ...boundary, ...place, bytes: uncached.length === 0 ? 0 : countLineBytes(toEphemeralBody(uncached)) };
    }
    const bodies = boundary.transforms.map(toTransformBody);
    this.hooked.add(bodies);
    const idempotent = await this.isIdempotent(boundary, asked);
    return { ...boundary, ...place, idempotent, bytes: sumBy(bodies, countLineBytes) };
  }

  private async isIdempotent(boundary: HookBoundary, asked: BoundaryOptions): Promise<boolean | null> {
    const { reason, transforms, after } = boundary;
    if (transforms.length === 0 || this.unsteady.has(reason)) return null;
    const host = await this.options.again();
    const again = host && (await runBoundary(host, after, asked));
    if (again === null || isFatal(again)) return null;
    const isSame = again.transforms.length === 0 || canonicalJson(again.after) === canonicalJson(after);
    if (!isSame) this.unsteady.add(reason);
    return isSame;
  }

  /** Goes on to a place; messages become complete on the way. */
  private async walk(place: number): Promise<readonly MessageRun[]> {
    const { reasons } = this.options;
    const runs: MessageRun[] = [];
    const isAsked = reasons.has('message') && listMessageHandlers(this.host).length > 0;
    const walker: PathHooks = {
      completeMessage: async (head, message) => {
        const result = reasons.has('message') ? await this.extension.runToolResult(message) : null;
        const run = isAsked ? await this.completeMessage(head, result ?? message) : null;
        if (run) runs.push(run);
        if (run && run.kind !== 'none') return run;
        return result && { kind: 'replaced', after: result };
      },
      replaceCompaction: (head) => (reasons.has('turn_end') ? this.replaceCompaction(head) : Promise.resolve(null)),
      onPassed: (head) => this.runPrompt(head, this.path.indexOf(head)),
    };
    await this.hooked.walkTo(place, walker);
    return runs;
  }

  private replaceCompaction(head: Head): Promise<EntryBody | null> {
    return this.extension.replaceCompaction(head, () => {
      const { reason, recovery } = checkCompaction(this.hooked, this.options);
      return { reason: reason ?? 'manual', willRetry: recovery === 'retry' };
    });
  }

  private async runPrompt(head: Head, place: number): Promise<void> {
    if (this.options.reasons.has('ephemeral')) await this.extension.runPrompt(head, place);
  }

  private async completeMessage(head: Head, message: JsonObject): Promise<MessageRun> {
    const by = this.hooked.findDroppingHook(head);
    if (by !== null) return { ...toDroppedMessage(message, by), head, idempotent: null };
    const handlers = this.host.handlers.filter(({ hook }) => !this.hooked.liveModules.has(nameModule(hook)));
    const change = await runMessageHandlers({ ...this.host, handlers }, message);
    if (change.kind !== 'replaced' || change.after === null || this.unsteady.has('message'))
      return { ...change, head, idempotent: null };
    const host = await this.options.again();
    if (!host) return { ...change, head, idempotent: null };
    const idempotent = (await runMessageHandlers(host, change.after)).kind === 'none';
    if (!idempotent) this.unsteady.add('message');
    return { ...change, head, idempotent };
  }
}

/** A request as hooks leave it; null as `sent`: it is not sent. */
interface BuiltRequest {
  readonly sent: EnvelopeContent | null;
  readonly changes: readonly RequestChange[];
  readonly boundaries: readonly BoundaryRun[];
  readonly preflight: HookCompactionCheck | null;
}

/** The messages, boundaries and compaction check after a request was answered. */
interface AnsweredRequest {
  readonly messages: readonly MessageRun[];
  readonly boundaries: readonly BoundaryRun[];
  readonly evaluation: HookCompactionCheck | null;
}

const NOT_ANSWERED: AnsweredRequest = { messages: [], boundaries: [], evaluation: null };

/** The agent stops such a request. */
const NOTHING_TO_ANSWER = 'a hook has left out the message that it would answer';

/** A message that a hook left out while the agent ran. */
function toDroppedMessage(before: JsonObject, hook: string): HookedMessage {
  return { kind: 'dropped', by: [hook], before, after: null, failures: [], violations: [] };
}
