import { divergenceOf, preambleOf, type Prompt } from '#analysis/cache/prompt.js';
import { partedIds } from '#change/plan/draft.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import { type Target, WireMessages } from '#context/request/wire-messages.js';
import type { Session } from '#session/session.js';
import { type Head, quotedId } from '#session/table/head.js';
import { activePath, answersRequest, pathTo, startsTurn } from '#session/tree/tree.js';
import { messagesGiven } from './boundary-rules.js';

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
export function pathThrough({ tree }: Session, at: Head | null): readonly Head[] {
  const active = activePath(tree);
  if (at === null) return active;
  return active.some(({ index }) => index === at.index) ? active : pathTo(tree, at);
}

/** Every request that a path records, and at its end the one that it waits for, where something is not answered yet. */
export function requestsOf(path: readonly Head[]): readonly PlacedRequest[] {
  const recorded = recordedRequests(path);
  const end = recorded.at(-1)?.end ?? -1;
  const isWaiting = path.slice(end + 1).some(startsTurn) || path[end]?.role === 'toolResult';
  return isWaiting ? [...recorded, requestAt(path, path.length - 1)] : recorded;
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
export function requestAt(path: readonly Head[], at: number): PlacedRequest {
  const number = path.slice(0, at + 1).filter(answersRequest).length + 1;
  const next = path[at + 1];
  if (!next || !answersRequest(next)) return { number, at, answer: null, end: null };
  return { number, at, answer: at + 1, end: endOfTurn(path, at + 1) };
}

/** The nearest message at a place or above it; -1: there is none. */
export function messageAt(path: readonly Head[], at: number): number {
  return path.slice(0, at + 1).findLastIndex(isMessage);
}

/** Messages that become complete while an agent runs. */
export function isMessage({ type, role }: Head): boolean {
  return type === 'custom_message' || (type === 'message' && role !== 'system');
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

/** Estimated tokens of a request, and of what it begins with of another one. */
export interface Reuse {
  readonly promptTokens: number;
  readonly prefixTokens: number;
  /** The tokens after the prefix, which are uncached. */
  readonly newTokens: number;
}

/** The origin of a message does not matter here. */
const FROM: Provenance = { entryId: null, line: 0, origin: 'entry' };

/** The prompts of envelopes as they are sent. Messages that are known already are not converted again. */
class PromptsSent {
  private list = WireMessages.to({ provider: null, api: null, model: null });

  of({ system, tools, messages }: EnvelopeContent, target: Target): Prompt {
    this.list = this.list.again(target);
    this.list.append([...messages.cached, ...messages.uncached].map((message) => ({ message, from: FROM })));
    const preamble = preambleOf({ system, tools });
    const { messages: sent } = this.list;
    const made = this.list.syntheticResults();
    let { tokens } = preamble;
    for (const message of sent) tokens += message.tokens;
    for (const message of made) tokens += message.tokens;
    return { preamble, messages: sent, length: sent.length, made, tokens, images: 0, firstImage: null };
  }
}

/** The part of a prompt that is cached after another whole prompt was; null if none is. */
function reuseOf(before: Prompt | null, now: Prompt): Reuse {
  const prefixTokens =
    before === null ? 0 : Math.min(now.tokens, divergenceOf(before, now)?.prefixTokensEstimated ?? before.tokens);
  return { promptTokens: now.tokens, prefixTokens, newTokens: now.tokens - prefixTokens };
}

/** A request with and without hooks. */
interface BothRequests {
  readonly sent: EnvelopeContent;
  readonly without: EnvelopeContent;
}

/** The part of each request that a provider has cached of the one before. */
export class CacheRun {
  private readonly prompts = { sent: new PromptsSent(), without: new PromptsSent() };
  private before: { readonly sent: Prompt; readonly without: Prompt } | null = null;

  /** Of one request alone, the provider has what it would have been without hooks; of many, the one before. */
  next(
    { sent, without }: BothRequests,
    { target, isOfMany }: { readonly target: Target; readonly isOfMany: boolean },
  ): Reuse & { readonly withoutHooks: Reuse } {
    const now = { sent: this.prompts.sent.of(sent, target), without: this.prompts.without.of(without, target) };
    const before = isOfMany ? this.before : { sent: now.without, without: now.without };
    this.before = now;
    return {
      ...reuseOf(before?.sent ?? null, now.sent),
      withoutHooks: reuseOf(before?.without ?? null, now.without),
    };
  }
}

/** The reasons why a provider would reject a request after the hooks, a sentence each. Faults that it had before do not count. */
export function refusalsOf({ without, sent }: BothRequests): readonly string[] {
  const [before, after] = [messagesGiven(without.messages), messagesGiven(sent.messages)];
  if (before.length > 0 && after.length === 0) return ['the request has no messages'];
  return partedIds(before, after).map((id) => `the tool call ${quotedId(id)} is separated from its result`);
}
