import { countCommon } from '#base/lists.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { SentMessage } from '#context/replay/message-list.js';
import { formatId } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { type Session } from '#session/session.js';
import { appliesTo } from './active-rules.js';
import { type Hit, isEmptyList, type RequestWatch, type RuleLookingAt } from './define.js';
import { rules as providerRules } from './provider/index.js';
import { listMessageFaults } from './schema/misfits.js';

/** The reason why a provider rejects a request. */
export interface RequestFault {
  /** The rule of `ctx check` that the request breaks; `empty-request` if it has no message that is sent. */
  readonly rule: string;
  readonly message: string;
  /** The source entry of the message; null if there is none, or for the whole request. */
  readonly entryId: string | null;
}

type RequestRule = RuleLookingAt<'request'>;

/** The rules of `ctx check` that the provider of a session enforces, for requests that are built and not recorded. */
export function listRejectingRules(session: Pick<Session, 'agent'> = {}): readonly RequestRule[] {
  return providerRules.filter(
    (rule): rule is RequestRule => rule.looksAt === 'request' && rule.severity === 'error' && appliesTo(rule, session),
  );
}

/**
 * Finds the faults of consecutive requests, each given as the whole list of its messages. A request that continues the
 * previous one costs its new messages only. So does one that drops messages of the user from a request without faults.
 */
export class RequestFaultFinder {
  private watches: readonly RequestWatch[];
  private messages: readonly LlmMessage[] = [];
  private faults: readonly RequestFault[] = [];
  /** Whether the rules have also seen messages of earlier requests that this one does not have. */
  private hasSeenMore = false;

  /** `hasNewMessages`: the messages may be made by an extension, so their content is validated too. */
  constructor(
    private readonly rules: readonly RequestRule[],
    private readonly hasNewMessages = false,
  ) {
    this.watches = startWatches(rules);
  }

  /** All faults of a request; none if a provider accepts it. `sources`: the entry of each message. */
  find(messages: readonly LlmMessage[], sources: readonly (string | null)[]): readonly RequestFault[] {
    if (!messages.some((message) => !isFailedAnswer(message))) return EMPTY_REQUEST;
    const same = countCommon(messages, this.messages);
    const left = this.messages.slice(same);
    // A message of the user never hides a fault of others: only after a fault does it matter that the rules have seen
    // it.
    const isOther =
      same === 0 || (left.length > 0 && this.faults.length > 0) || !left.every(({ role }) => role === 'user');
    if (isOther) this.restart();
    else if (left.length > 0) this.hasSeenMore = true;
    this.messages = messages;
    let found = [...this.look(messages, sources, isOther ? 0 : same)];
    if (found.length > 0 && this.hasSeenMore) {
      this.restart();
      found = [...this.look(messages, sources, 0)];
    }
    if (found.length > 0) this.faults = [...this.faults, ...found];
    return this.faults;
  }

  private restart(): void {
    this.watches = startWatches(this.rules);
    this.faults = [];
    this.hasSeenMore = false;
  }

  private *look(
    messages: readonly LlmMessage[],
    sources: readonly (string | null)[],
    start: number,
  ): Generator<RequestFault> {
    const sent = messages.slice(start).map((message, at): SentMessage => {
      const entryId = sources[start + at] ?? null;
      return { message, from: { entryId, line: 0, origin: 'entry' } };
    });
    for (const { message, from } of this.hasNewMessages ? sent : []) {
      for (const fault of listShapeFaults(message)) yield { ...fault, entryId: formatId(from.entryId) };
    }
    for (const [at, { see, end }] of this.watches.entries()) {
      const rule = this.rules[at]?.name ?? '';
      for (const each of sent) {
        const hits = see(each);
        if (!isEmptyList(hits)) yield* toFaults(rule, hits);
      }
      if (end) yield* toFaults(rule, end());
    }
  }
}

/** The faults of a message by itself. Messages of built requests do not change, and each is looked at once. */
const listShapeFaults = memoizeByObject((message: LlmMessage): readonly Pick<RequestFault, 'rule' | 'message'>[] =>
  isFailedAnswer(message) ? [] : listMessageFaults(message, false),
);

const EMPTY_REQUEST: readonly RequestFault[] = [
  { rule: 'empty-request', message: 'the request has no message', entryId: null },
];

/** An empty session for rules that look up entries: a built request has no recorded entries. */
const HEADER = '{"type":"session","version":3,"id":"built"}\n';

const NO_ENTRIES: Session = readSession(toByteSource(new TextEncoder().encode(HEADER)), '');

function startWatches(rules: readonly RequestRule[]): readonly RequestWatch[] {
  // Rules that start together share their data about a session.
  const session = { ...NO_ENTRIES };
  return rules.map((rule) => rule.watch(rule.options?.parse({}), session));
}

function* toFaults(rule: string, hits: Iterable<Hit>): Generator<RequestFault> {
  for (const { message, at } of hits) yield { rule, message, entryId: formatId(at?.id) };
}
