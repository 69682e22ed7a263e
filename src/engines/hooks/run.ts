import type { Prompt } from '#analysis/cache/prompt.js';
import { canonicalJson, type JsonObject } from '#base/json.js';
import { partedIds } from '#change/plan/draft.js';
import type { Baseline } from '#context/replay/baseline.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { messageOfEntry } from '#context/replay/entry-message.js';
import type { WindowOptions } from '#context/size/window.js';
import type { Session } from '#session/session.js';
import { type Head, quotedId } from '#session/table/head.js';
import { answersRequest } from '#session/tree/tree.js';
import { messagesGiven } from './boundary-rules.js';
import { type HookedMessage, messageHandlers, runBoundary, runMessage } from './chain.js';
import {
  type HookBoundary,
  type BoundaryReason,
  ephemeralBody,
  type HookHost,
  isFatal,
  lineBytes,
  type HookReason,
  transformBody,
} from './define.js';
import { HookedPath } from './hooked-path.js';
import { type PlacedRequest, PromptsSent, type Reuse, reuseOf } from './requests.js';

export interface HookRunOptions {
  readonly reasons: ReadonlySet<HookReason>;
  readonly baseline: Baseline;
  readonly window: WindowOptions;
  /** Skip patch ops of the session that break a rule. */
  readonly lenient: boolean;
  /** Loads the modules a second time, as after a restart of Pi: they are asked again about their own results. null: that does not work. */
  again(): Promise<HookHost | null>;
}

/** A boundary, and what it would come to. */
export interface BoundaryRun extends HookBoundary {
  /** The entry that it stands behind. */
  readonly at: Head | null;
  /** Whether the hooks, reloaded, leave their own result unchanged; null if that was not requested. */
  readonly idempotent: boolean | null;
  /** Of the lines that it would add to the file. */
  readonly bytes: number;
}

/** A message that is complete, and what the hooks made of it. */
export interface MessageRun extends HookedMessage {
  readonly head: Head;
  readonly idempotent: boolean | null;
}

/** One request with hooks. */
export interface HookRequest {
  readonly number: number;
  readonly at: Head | null;
  readonly answer: Head | null;
  /** Messages in the context that replay gives, and their estimated tokens. */
  readonly replayed: { readonly messages: number; readonly tokens: number };
  readonly messages: readonly MessageRun[];
  readonly boundaries: readonly BoundaryRun[];
  /** Why a provider would refuse it as the hooks have left it. */
  readonly refusals: readonly string[];
  /** null where the request is not sent, since a hook failed, or where only messages are looked at. */
  readonly cache: (Reuse & { readonly withoutHooks: Reuse }) | null;
}

/**
 * Runs hooks along a path, request by request. What they persist is there at the next request, as it would be in Pi, and
 * so is what they make of a message. What was answered stays what is recorded.
 */
export class HookRun {
  private readonly prompts = { sent: new PromptsSent(), without: new PromptsSent() };
  private before: { readonly sent: Prompt; readonly without: Prompt } | null = null;
  private readonly hooked: HookedPath;
  /** Reasons whose hooks change their own result; they are not asked again. */
  private readonly unsteady = new Set<HookReason>();

  constructor(
    private readonly session: Session,
    private readonly path: readonly Head[],
    private readonly host: HookHost,
    private readonly options: HookRunOptions,
  ) {
    this.hooked = new HookedPath(session, path, options);
  }

  /** All of these requests, which are those of the path in its order. */
  async *each(requests: readonly PlacedRequest[]): AsyncGenerator<HookRequest> {
    for (const request of requests) {
      const prompts = await this.walk(request.at);
      yield this.request(request, { prompts, isOfMany: true });
    }
  }

  /** One request; what stands above it is as it is recorded. */
  async one(request: PlacedRequest): Promise<HookRequest> {
    this.hooked.jumpTo(request.at);
    return this.request(request, { prompts: [], isOfMany: false });
  }

  /** The hooks for one thing that happens at a place: a turn ends there, or its message is complete. */
  async only(reason: 'turn_end' | 'message', at: number): Promise<HookRequest> {
    const head = this.path[at] ?? null;
    if (reason === 'turn_end') this.hooked.jumpTo(at);
    const { messages } = this.hooked.content();
    const replayed = { messages: messages.cached.length, tokens: this.hooked.messageTokens() };
    const number = this.path.slice(0, at + 1).filter(answersRequest).length;
    const request = {
      number,
      at: head,
      answer: null,
      replayed,
      boundaries: [],
      refusals: [],
      messages: [],
      cache: null,
    };
    if (reason === 'turn_end') {
      const boundary = await this.boundary('turn_end', at);
      return { ...request, boundaries: [boundary], refusals: refusalsOf(boundary.before, boundary.after) };
    }
    const message = head && messageOfEntry(this.session.entry(head));
    return message && head ? { ...request, messages: [await this.finish(head, message)] } : request;
  }

  private async request(
    { number, at, answer, end }: PlacedRequest,
    { prompts, isOfMany }: { readonly prompts: readonly MessageRun[]; readonly isOfMany: boolean },
  ): Promise<HookRequest> {
    const { reasons } = this.options;
    const { hooked } = this;
    const asItIs = hooked.content();
    const replayed = { messages: asItIs.messages.cached.length, tokens: hooked.messageTokens() };
    const boundaries: BoundaryRun[] = [];
    let sent: EnvelopeContent | null = asItIs;
    for (const reason of ['before_request', 'ephemeral'] as const) {
      if (sent === null || !reasons.has(reason)) continue;
      const boundary = await this.boundary(reason, at);
      boundaries.push(boundary);
      sent = isFatal(boundary) ? null : boundary.after;
    }
    const without = isOfMany ? hooked.contentWithout() : asItIs;
    const cache = sent && this.looksAtContext() ? this.reuse({ sent, without }, { answer, isOfMany }) : null;
    // What comes after the answer is not reached where the request was not sent.
    const isAnswered = end !== null && sent !== null;
    const answers = isAnswered ? await this.walk(end) : [];
    if (isAnswered && reasons.has('turn_end')) boundaries.push(await this.boundary('turn_end', end));
    const [above, below] = [this.path[at] ?? null, this.path[answer ?? -1] ?? null];
    const refusals = sent ? refusalsOf(without, sent) : [];
    const messages = [...prompts, ...answers];
    return { number, at: above, answer: below, replayed, messages, boundaries, refusals, cache };
  }

  private looksAtContext(): boolean {
    const { reasons } = this.options;
    return reasons.has('before_request') || reasons.has('ephemeral') || reasons.has('turn_end');
  }

  private async boundary(reason: BoundaryReason, at: number): Promise<BoundaryRun> {
    const meta = this.hooked.meta(this.options.window);
    const boundary = await runBoundary(this.host, this.hooked.content(), { reason, meta });
    const place = { at: this.path[at] ?? null, idempotent: null, bytes: 0 };
    if (isFatal(boundary)) return { ...boundary, ...place };
    if (reason === 'ephemeral') {
      const { uncached } = boundary.after.messages;
      return { ...boundary, ...place, bytes: uncached.length === 0 ? 0 : lineBytes(ephemeralBody(uncached)) };
    }
    this.hooked.add(boundary.transforms);
    const bytes = boundary.transforms.reduce((sum, transform) => sum + lineBytes(transformBody(transform)), 0);
    return { ...boundary, ...place, idempotent: await this.isIdempotent(boundary, meta), bytes };
  }

  private async isIdempotent(boundary: HookBoundary, meta: JsonObject): Promise<boolean | null> {
    const { reason, transforms, after } = boundary;
    if (transforms.length === 0 || this.unsteady.has(reason)) return null;
    const host = await this.options.again();
    const again = host && (await runBoundary(host, after, { reason, meta }));
    if (again === null || isFatal(again)) return null;
    const isSame = again.transforms.length === 0 || canonicalJson(again.after) === canonicalJson(after);
    if (!isSame) this.unsteady.add(reason);
    return isSame;
  }

  /** Goes on to a place; messages become complete on the way. */
  private async walk(place: number): Promise<readonly MessageRun[]> {
    const runs: MessageRun[] = [];
    const isAsked = this.options.reasons.has('message') && messageHandlers(this.host).length > 0;
    await this.hooked.walkTo(place, async (head, message) => {
      if (!isAsked) return null;
      const run = await this.finish(head, message);
      runs.push(run);
      return run;
    });
    return runs;
  }

  private async finish(head: Head, message: JsonObject): Promise<MessageRun> {
    const change = await runMessage(this.host, message);
    if (change.kind !== 'replaced' || change.after === null || this.unsteady.has('message'))
      return { ...change, head, idempotent: null };
    const host = await this.options.again();
    if (!host) return { ...change, head, idempotent: null };
    const idempotent = (await runMessage(host, change.after)).kind === 'none';
    if (!idempotent) this.unsteady.add('message');
    return { ...change, head, idempotent };
  }

  /** Of one request alone, the provider has what it would have been without hooks; of many, the one before. */
  private reuse(
    { sent, without }: { readonly sent: EnvelopeContent; readonly without: EnvelopeContent },
    { answer, isOfMany }: { readonly answer: number | null; readonly isOfMany: boolean },
  ): HookRequest['cache'] {
    const target = this.hooked.target(answer);
    const now = { sent: this.prompts.sent.of(sent, target), without: this.prompts.without.of(without, target) };
    const before = isOfMany ? this.before : { sent: now.without, without: now.without };
    this.before = now;
    return {
      ...reuseOf(before?.sent ?? null, now.sent),
      withoutHooks: reuseOf(before?.without ?? null, now.without),
    };
  }
}

/** Why a provider would refuse what hooks have made of a request, a sentence each. What was wrong without them does not count. */
function refusalsOf(without: EnvelopeContent, sent: EnvelopeContent): readonly string[] {
  const [before, after] = [messagesGiven(without.messages), messagesGiven(sent.messages)];
  if (before.length > 0 && after.length === 0) return ['the request has no messages'];
  return partedIds(before, after).map((id) => `the tool call ${quotedId(id)} is separated from its result`);
}
