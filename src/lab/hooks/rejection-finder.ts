import { listRejectingRules, RequestFaultFinder } from '#analysis/check/request-faults.js';
import { findSeparatedIds } from '#change/plan/separated-pairs.js';
import type { LlmMessage } from '#context/replay/content.js';
import { quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { BothRequests } from './hook-request.js';
import { listEventMessages } from './messages-patch.js';

/**
 * Finds the reasons why a provider would reject requests after the hooks. Requests that follow one another share work.
 */
export class RejectionFinder {
  private readonly sent: RequestFaultFinder;
  private readonly without: RequestFaultFinder;

  constructor(session: Pick<Session, 'agent'>) {
    const rules = listRejectingRules(session).filter(({ name }) => name !== 'result-without-call');
    this.sent = new RequestFaultFinder(rules);
    this.without = new RequestFaultFinder(rules);
  }

  /** The reasons, a sentence each. Faults that the request has without hooks do not count. */
  next({ without, sent }: BothRequests): readonly string[] {
    const before = listEventMessages(without.messages);
    const after = listEventMessages(sent.messages);
    if (before.length > 0 && after.length === 0) return ['the request has no messages'];
    const parted = findSeparatedIds(before, after).map(
      (id) => `the tool call ${quoteId(id)} is separated from its result`,
    );
    const faults = this.listFaults(this.sent, after);
    if (faults.length === 0) return parted;
    const earlierFaults = new Set(this.listFaults(this.without, before));
    return [...parted, ...faults.filter((fault) => !earlierFaults.has(fault))];
  }

  private listFaults(finder: RequestFaultFinder, messages: readonly LlmMessage[]): readonly string[] {
    const faults = finder.find(
      messages,
      messages.map(() => null),
    );
    return [...new Set(faults.map(({ rule, message }) => `${message} (${rule})`))];
  }
}
