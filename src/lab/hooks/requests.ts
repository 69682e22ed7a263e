import { findDivergence } from '#analysis/cache/divergence.js';
import type { Prompt } from '#analysis/cache/prompt.js';
import { SentPrompts } from '#analysis/cache/sent-prompts.js';
import { BuiltRequests, listRejectingRules } from '#analysis/check/built-requests.js';
import type { JsonObject } from '#base/json.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import { findSeparatedIds } from '#change/plan/separated-pairs.js';
import type { Baseline, EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, readSummaryMessage } from '#context/replay/convert.js';
import { MESSAGE_TYPES } from '#context/replay/entry-kinds.js';
import type { RequestTarget } from '#context/request/wire-messages.js';
import type { WindowOptions } from '#context/size/window.js';
import type { StoredMessage } from '#session/entry.js';
import { type Head, quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import { listEventMessages } from './boundary-rules.js';
import type { HookedMessage } from './chain.js';
import type { HookBoundary, HookHost, HookReason } from './define.js';
import type { Reuse } from './document.js';
import type { EventRun, HookCompactionCheck, RequestChange } from './request-parts.js';

/** A request and what came of it, as places on a path. */
export interface PlacedRequest {
  /** Counted from 1 along the path. */
  readonly number: number;
  /** The entry at which it is built; -1: before the first one. */
  readonly at: number;
  /** The message that answers it; null where none is recorded. */
  readonly answer: number | null;
  /** Its last tool result, or the answer where it calls no tool: there its turn ends. */
  readonly end: number | null;
}

/** The path to an entry, and on to the leaf if the entry is above it: the answers are there. */
export function extendToLeaf({ tree }: Session, at: Head | null): readonly Head[] {
  const active = activePath(tree);
  if (at === null) return active;
  return active.some(({ index }) => index === at.index) ? active : pathTo(tree, at);
}

/** Every request that a path records, and at its end the one that it waits for, where something is not answered yet. */
export function listPathRequests(path: readonly Head[]): readonly PlacedRequest[] {
  const recorded = recordedRequests(path);
  const end = recorded.at(-1)?.end ?? -1;
  const isWaiting = path.slice(end + 1).some(startsTurn) || path[end]?.role === 'toolResult';
  return isWaiting ? [...recorded, findRequestAt(path, path.length - 1)] : recorded;
}

function recordedRequests(path: readonly Head[]): readonly PlacedRequest[] {
  const requests: PlacedRequest[] = [];
  for (const [answer, head] of path.entries()) {
    if (!answersRequest(head)) continue;
    requests.push({ number: requests.length + 1, at: answer - 1, answer, end: endOfTurn(path, answer) });
  }
  return requests;
}

/** The request at a place of a path, recorded or not. */
export function findRequestAt(path: readonly Head[], at: number): PlacedRequest {
  const number = path.slice(0, at + 1).filter(answersRequest).length + 1;
  const next = path[at + 1];
  if (!next || !answersRequest(next)) return { number, at, answer: null, end: null };
  return { number, at, answer: at + 1, end: endOfTurn(path, at + 1) };
}

/** The nearest message at a place or above it; -1: there is none. */
export function findMessageBefore(path: readonly Head[], at: number): number {
  return path.slice(0, at + 1).findLastIndex(isVisibleToHooks);
}

/** Whether message hooks see the message of an entry: all that are sent, also the summaries that Pi adds. */
export function isVisibleToHooks({ type, role }: Head): boolean {
  return type === 'message' ? role !== 'system' : type === 'compaction' || MESSAGE_TYPES.has(type);
}

/** The message of such an entry, in the agent's own form. */
export function readHookMessage(entry: JsonObject): StoredMessage | null {
  if (entry['type'] !== 'compaction') return readEntryMessage(entry);
  return typeof entry['summary'] === 'string' ? readSummaryMessage(entry) : null;
}

function endOfTurn(path: readonly Head[], answer: number): number {
  let end = answer;
  for (let place = answer + 1; place < path.length; place += 1) {
    const head = path[place];
    if (!head || answersRequest(head) || startsTurn(head)) break;
    if (head.role === 'toolResult') end = place;
  }
  return end;
}

/** The part of a prompt that is cached after another whole prompt was; null if none is. */
function reuseOf(before: Prompt | null, now: Prompt): Reuse {
  const prefixTokens =
    before === null ? 0 : Math.min(now.tokens, findDivergence(before, now)?.prefixTokensEstimated ?? before.tokens);
  return { promptTokens: now.tokens, prefixTokens, newTokens: now.tokens - prefixTokens };
}

/** A request with and without hooks. */
interface BothRequests {
  readonly sent: EnvelopeContent;
  readonly without: EnvelopeContent;
}

/** The part of each request that a provider has cached of the one before. */
export class CachedPrefixes {
  private readonly prompts = { sent: new SentPrompts(), without: new SentPrompts() };
  private before: { readonly sent: Prompt; readonly without: Prompt } | null = null;

  /** Of one request alone, the provider has what it would have been without hooks; of many, the one before. */
  next(
    { sent, without }: BothRequests,
    { target, isOfMany }: { readonly target: RequestTarget; readonly isOfMany: boolean },
  ): Reuse & { readonly withoutHooks: Reuse } {
    const now = {
      sent: this.prompts.sent.next(asSent(sent), target),
      without: this.prompts.without.next(asSent(without), target),
    };
    const before = isOfMany ? this.before : { sent: now.without, without: now.without };
    this.before = now;
    return {
      ...reuseOf(before?.sent ?? null, now.sent),
      withoutHooks: reuseOf(before?.without ?? null, now.without),
    };
  }
}

/** Finds the reasons why a provider would reject requests after the hooks. Requests that follow one another share work. */
export class RejectionFinder {
  private readonly sent: BuiltRequests;
  private readonly without: BuiltRequests;

  constructor(session: Pick<Session, 'agent'>) {
    const rules = listRejectingRules(session).filter(({ name }) => name !== 'result-without-call');
    [this.sent, this.without] = [new BuiltRequests(rules), new BuiltRequests(rules)];
  }

  /** The reasons, a sentence each. Faults that the request has without hooks do not count. */
  next({ without, sent }: BothRequests): readonly string[] {
    const before = listEventMessages(without.messages);
    const after = listEventMessages(sent.messages);
    if (before.length > 0 && after.length === 0) return ['the request has no messages'];
    const parted = findSeparatedIds(before, after).map(
      (id) => `the tool call ${quoteId(id)} is separated from its result`,
    );
    const faults = this.faultsOf(this.sent, after);
    if (faults.length === 0) return parted;
    const known = new Set(this.faultsOf(this.without, before));
    return [...parted, ...faults.filter((fault) => !known.has(fault))];
  }

  private faultsOf(requests: BuiltRequests, messages: readonly LlmMessage[]): readonly string[] {
    const faults = requests.next(
      messages,
      messages.map(() => null),
    );
    return [...new Set(faults.map(({ rule, message }) => `${message} (${rule})`))];
  }
}

function asSent({ system, tools, messages }: EnvelopeContent): Parameters<SentPrompts['next']>[0] {
  return { system, tools, messages: listEventMessages(messages) };
}

export interface HookRunOptions {
  readonly reasons: ReadonlySet<HookReason>;
  readonly baseline: Baseline;
  readonly window: WindowOptions;
  /** Skip patch ops of the session that break a rule. */
  readonly lenient: boolean;
  readonly settings: CompactionSettings;
  /** Whether to check at each request if Pi would compact; extensions that handle compactions need it too. */
  readonly checksCompaction: boolean;
  /** Loads the modules a second time, as after a restart of Pi: they are asked again about their own results. null: that does not work. */
  again(): Promise<HookHost | null>;
}

/** A boundary, and what it would come to. */
export interface BoundaryRun extends HookBoundary {
  /** The entry before it. */
  readonly at: Head | null;
  /** Whether the hooks, reloaded, leave their own result unchanged; null if that was not requested. */
  readonly idempotent: boolean | null;
  /** Of the lines that it would add to the file. */
  readonly bytes: number;
}

/** A complete message, and the result of the hooks. */
export interface MessageRun extends HookedMessage {
  readonly head: Head;
  readonly idempotent: boolean | null;
}

export interface HookRequest {
  readonly number: number;
  readonly at: Head | null;
  readonly answer: Head | null;
  /** Messages in the context that replay gives, and their estimated tokens. */
  readonly replayed: { readonly messages: number; readonly tokens: number };
  readonly messages: readonly MessageRun[];
  readonly boundaries: readonly BoundaryRun[];
  /** The reasons why a provider would reject it after the hooks. */
  readonly refusals: readonly string[];
  /** null where the request is not sent, since a hook failed, or where only messages are looked at. */
  readonly cache: (Reuse & { readonly withoutHooks: Reuse }) | null;
  /** The context window in tokens; null where it is unknown. */
  readonly limit: number | null;
  /** The calls of handlers of stock Pi, in order. */
  readonly events: readonly EventRun[];
  /** The messages in which the request differs because of them. */
  readonly changes: readonly RequestChange[];
  /** Before the request, and after its turn; null where that was not checked. */
  readonly compaction: {
    readonly preflight: HookCompactionCheck | null;
    readonly evaluation: HookCompactionCheck | null;
  };
  /** Drafts of entries that handlers of stock Pi appended. */
  readonly drafts: readonly JsonObject[];
}
