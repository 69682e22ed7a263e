import { BuiltRequests, refusingRules, type RequestFault } from '#analysis/check/built-requests.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { AgentMessage } from '../contract.js';
import type { SentMessages } from '../drive/sent.js';
import type { Transcript } from '../drive/transcript.js';
import type { Breach } from './clauses.js';

/** Messages of a request, each with its entry; null: it has none. */
export interface RequestMessages {
  readonly messages: readonly LlmMessage[];
  readonly sources: readonly (string | null)[];
}

/** Messages of the agent as a request sends them, with their estimated tokens. */
export function asRequest(
  all: readonly AgentMessage[],
  sent: SentMessages,
  transcript: Transcript,
): RequestMessages & { readonly tokens: number } {
  const messages: LlmMessage[] = [];
  const sources: (string | null)[] = [];
  let tokens = 0;
  for (const each of all) {
    const { message, tokens: own } = sent.of(each);
    if (message === null) continue;
    messages.push(message);
    sources.push(transcript.sourceOf(each));
    tokens += own;
  }
  return { messages, sources, tokens };
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
