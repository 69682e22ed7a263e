import type { RequestFault, RequestFaultFinder } from '#analysis/check/request-faults.js';
import { countCommon } from '#base/lists.js';
import { findSeparatedIds } from '#change/plan/separated-pairs.js';
import type { LlmMessage } from '#context/replay/content.js';
import { quoteId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import type { RequestMessages } from '../sent-messages.js';
import type { Breach } from './clauses.js';

/** The reasons why providers reject an engine's requests, and whether the engine caused them. */
export class RequestChecks {
  private constructor(
    private readonly ofEngine: RequestFaultFinder,
    private readonly ofTranscript: RequestFaultFinder,
  ) {}

  static async load(session: Pick<Session, 'agent'>): Promise<RequestChecks> {
    const faults = await import('#analysis/check/request-faults.js');
    const rules = faults.listRejectingRules(session);
    return new RequestChecks(new faults.RequestFaultFinder(rules, true), new faults.RequestFaultFinder(rules, true));
  }

  /** `transcript`: the request that sends everything. The engine did not cause a fault that this has, too. */
  check(
    request: RequestMessages,
    transcript: () => RequestMessages,
  ): { readonly faults: readonly RequestFault[]; readonly breach: Breach | null } {
    const faults = this.ofEngine.find(request.messages, request.sources);
    const { messages, sources } = transcript();
    if (faults.length === 0) return { faults, breach: findMissingResult(request.messages, messages) };
    const transcriptFaults = new Set(this.ofTranscript.find(messages, sources).map(toFaultKey));
    const own = faults.find((fault) => !transcriptFaults.has(toFaultKey(fault)));
    return { faults, breach: own ? toBreach(own) : null };
  }
}

/** A call that the transcript answers, and the request does not. */
function findMissingResult(messages: readonly LlmMessage[], all: readonly LlmMessage[]): Breach | null {
  const same = countCommon(messages, all);
  if (same === messages.length && same === all.length) return null;
  const [first] = findSeparatedIds(all, messages);
  if (first === undefined) return null;
  const message = `the call ${quoteId(first)} is shown without its result`;
  return { clause: 'results-kept', method: 'assemble', message };
}

function toFaultKey({ rule, message, entryId }: RequestFault): string {
  return JSON.stringify([rule, message, entryId]);
}

function toBreach({ rule, message }: RequestFault): Breach {
  if (rule === 'empty-request') return { clause: 'empty-request', method: 'assemble', message };
  return { clause: 'sendable', method: 'assemble', message: `${message} (${rule})` };
}
