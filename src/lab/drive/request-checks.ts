import { createHash } from 'node:crypto';
import type { BuiltRequests, RequestFault } from '#analysis/check/built-requests.js';
import { deepFreeze, isFrozen } from '#base/freeze.js';
import { GrowingFold } from '#base/growing-fold.js';
import { countCommon } from '#base/lists.js';
import { memoizeLast } from '#base/memoize.js';
import { findSeparatedIds } from '#change/plan/separated-pairs.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { toMessage } from '#session/entry.js';
import { type Head, quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import type { AgentMessage } from '../contract.js';
import { type Breach, EngineFailure } from './failure.js';
import type { Transcript } from './transcript.js';

/** Messages of a request, each with its entry; null: it has none. */
export interface RequestMessages {
  readonly messages: readonly LlmMessage[];
  readonly sources: readonly (string | null)[];
}

/** The messages of a request up to one of them. */
interface RequestStart {
  readonly sent: number;
  /** Estimated. */
  readonly tokens: number;
  /** The place in the transcript of the newest message that has one; null after a message that is out of order. */
  readonly place: number | null;
}

const EMPTY: RequestStart = { sent: 0, tokens: 0, place: -1 };

/** Builds the requests of an engine. A message is looked at again only if one before it has changed. */
export class RequestBuilder {
  private readonly messages: LlmMessage[] = [];
  private readonly sources: (string | null)[] = [];
  /** Other places of the transcript's messages come with other entries. */
  private readonly starts = memoizeLast(
    (places: Transcript['places']) =>
      new GrowingFold<AgentMessage, RequestStart>((before = EMPTY, each) => this.startAfter(before, each, places)),
  );

  constructor(
    private readonly sent: SentHistory,
    private readonly transcript: Transcript,
  ) {}

  /** Messages of the agent as a request sends them, with their estimated tokens. */
  build(all: readonly AgentMessage[]): RequestMessages & { readonly tokens: number; readonly isInOrder: boolean } {
    const { sent, tokens, place } = this.starts(this.transcript.places).of(all) ?? EMPTY;
    const [messages, sources] = [this.messages.slice(0, sent), this.sources.slice(0, sent)];
    return { messages, sources, tokens, isInOrder: place !== null };
  }

  private startAfter(before: RequestStart, each: AgentMessage, places: Transcript['places']): RequestStart {
    const { message, tokens } = this.sent.of(each);
    const own = places.get(each);
    const isNext = before.place !== null && (own === undefined || own > before.place);
    const place = isNext ? (own ?? before.place) : null;
    if (message === null) return { ...before, place };
    this.messages[before.sent] = message;
    this.sources[before.sent] = this.transcript.sourceOf(each);
    return { sent: before.sent + 1, tokens: before.tokens + tokens, place };
  }
}

/** The reasons why providers reject an engine's requests, and whether the engine caused them. */
export class RequestChecks {
  private constructor(
    private readonly built: BuiltRequests,
    private readonly plain: BuiltRequests,
  ) {}

  static async load(session: Pick<Session, 'agent'>): Promise<RequestChecks> {
    const built = await import('#analysis/check/built-requests.js');
    const rules = built.listRejectingRules(session);
    return new RequestChecks(new built.BuiltRequests(rules, true), new built.BuiltRequests(rules, true));
  }

  /** `transcript`: the request that sends everything. The engine did not cause a fault that this has, too. */
  next(
    request: RequestMessages,
    transcript: () => RequestMessages,
  ): { readonly faults: readonly RequestFault[]; readonly breach: Breach | null } {
    const faults = this.built.next(request.messages, request.sources);
    const { messages, sources } = transcript();
    if (faults.length === 0) return { faults, breach: withoutResult(request.messages, messages) };
    const known = new Set(this.plain.next(messages, sources).map(keyOf));
    const own = faults.find((fault) => !known.has(keyOf(fault)));
    return { faults, breach: own ? breachOf(own) : null };
  }
}

/** A call that the transcript answers, and the request does not. */
function withoutResult(messages: readonly LlmMessage[], all: readonly LlmMessage[]): Breach | null {
  const same = countCommon(messages, all);
  if (same === messages.length && same === all.length) return null;
  const [first] = findSeparatedIds(all, messages);
  if (first === undefined) return null;
  const message = `the call ${quoteId(first)} is shown without its result`;
  return { clause: 'results-kept', method: 'assemble', message };
}

function keyOf({ rule, message, entryId }: RequestFault): string {
  return JSON.stringify([rule, message, entryId]);
}

function breachOf({ rule, message }: RequestFault): Breach {
  if (rule === 'empty-request') return { clause: 'empty-request', method: 'assemble', message };
  return { clause: 'sendable', method: 'assemble', message: `${message} (${rule})` };
}

/** The place after the turn that ends nearest to the middle of a path; null if only the last turn ends. */
export function findMiddleTurnEnd(path: readonly Head[]): number | null {
  const inner = [...findTurnEnds(path)].slice(0, -1).map((end) => end + 1);
  const distance = (place: number): number => Math.abs(place - path.length / 2);
  return inner.toSorted((a, b) => distance(a) - distance(b))[0] ?? null;
}

/**
 * The places of the last messages of turns in which the model has answered. `followed`: without the last turn, which may
 * go on.
 */
export function findTurnEnds(path: readonly Head[], which: 'all' | 'followed' = 'all'): ReadonlySet<number> {
  const ends = new Set<number>();
  let last = -1;
  for (const [at, head] of path.entries()) {
    if (answersRequest(head) || head.role === 'toolResult') last = at;
    if (!startsTurn(head) || last === -1) continue;
    ends.add(last);
    last = -1;
  }
  return last === -1 || which === 'followed' ? ends : ends.add(last);
}

interface Sent {
  /** null: it is not sent. */
  readonly message: LlmMessage | null;
  /** Estimated. */
  readonly tokens: number;
}

/** Messages as they are sent, each looked at once. */
export class SentHistory {
  private readonly known = new WeakMap<AgentMessage, Sent>();
  /** By what they say, so that a copy of a message counts as that message. */
  private readonly bySaying = new Map<string, AgentMessage>();
  private readonly indexed = new WeakSet<AgentMessage>();
  /** The transcript that was indexed last. */
  private listed: readonly AgentMessage[] = [];
  /** The messages that the engine gave last. */
  private last: readonly AgentMessage[] = [];
  private readonly sums = new GrowingFold<AgentMessage, number>((sum = 0, message) => sum + this.of(message).tokens);

  of(message: AgentMessage): Sent {
    const found = this.known.get(message);
    if (found) return found;
    const llm = toLlmMessage(toMessage(message));
    const sent = { message: llm && deepFreeze(llm), tokens: llm === null ? 0 : countMessageTokens(llm) };
    this.known.set(message, sent);
    return sent;
  }

  tokens(messages: readonly AgentMessage[]): number {
    return this.sums.of(messages) ?? 0;
  }

  /**
   * Freezes the messages of an engine, and replaces copies of known messages by the originals. Skips the prefix that
   * they share with the previous request, which is usually all of it.
   */
  taken(given: readonly AgentMessage[], known: () => readonly AgentMessage[]): readonly AgentMessage[] {
    const same = countCommon(given, this.last);
    const rest = given.slice(same);
    if (rest.every(isFrozen)) this.last = given.slice();
    else {
      this.index(known());
      this.last = given
        .slice(0, same)
        .concat(rest.map((message) => (isFrozen(message) ? message : this.take(message))));
    }
    return this.last;
  }

  /** A transcript mostly grows, so its beginning is usually known. */
  private index(messages: readonly AgentMessage[]): void {
    for (const message of messages.slice(countCommon(messages, this.listed))) {
      if (this.indexed.has(message)) continue;
      this.indexed.add(message);
      this.bySaying.set(digest(JSON.stringify(message)), message);
    }
    this.listed = messages;
  }

  private take(message: AgentMessage): AgentMessage {
    const text = written(message);
    const key = digest(text);
    const found = this.bySaying.get(key);
    if (found) return found;
    const copy = deepFreeze(JSON.parse(text) as AgentMessage);
    this.bySaying.set(key, copy);
    return copy;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function written(message: AgentMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    throw new EngineFailure('not-json', 'assemble', 'a message is not JSON');
  }
}
