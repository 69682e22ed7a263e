import { BuiltRequests, refusingRules, type RequestFault } from '../checks/built-requests.js';
import type { LlmMessage } from '../context/content.js';
import type { Breach } from './clauses.js';

/** Messages of a request, each with its entry; null: it has none. */
export interface RequestMessages {
  readonly messages: readonly LlmMessage[];
  readonly sources: readonly (string | null)[];
}

/** Why providers refuse the requests of an engine, and whether that is its own fault. */
export class RequestChecks {
  private constructor(
    private readonly built: BuiltRequests,
    private readonly plain: BuiltRequests,
  ) {}

  static async load(): Promise<RequestChecks> {
    const rules = await refusingRules();
    return new RequestChecks(new BuiltRequests(rules), new BuiltRequests(rules));
  }

  /** `transcript`: the request that sends everything. What a provider refuses in that too is not the engine's fault. */
  next(request: RequestMessages, transcript: () => RequestMessages): Checked {
    const faults = this.built.next(request.messages, request.sources);
    if (faults.length === 0) return { faults, breach: null };
    const { messages, sources } = transcript();
    const known = new Set(this.plain.next(messages, sources).map(keyOf));
    const own = faults.find((fault) => !known.has(keyOf(fault)));
    return { faults, breach: own ? breachOf(own) : null };
  }
}

interface Checked {
  readonly faults: readonly RequestFault[];
  readonly breach: Breach | null;
}

function keyOf({ rule, message, entryId }: RequestFault): string {
  return JSON.stringify([rule, message, entryId]);
}

function breachOf({ rule, message }: RequestFault): Breach {
  if (rule === 'empty-request') return { clause: 'empty-request', method: 'assemble', message };
  return { clause: 'sendable', method: 'assemble', message: `${message} (${rule})` };
}
