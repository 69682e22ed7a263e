import { isObject, type JsonObject } from '#base/json.js';
import { ask } from './chain.js';
import type { Handler, HookFailure, HookHost, Violation } from './define.js';

/** What the message handlers made of one message. */
export interface MessageChange {
  readonly kind: 'none' | 'replaced' | 'dropped';
  /** The modules that changed it. */
  readonly by: readonly string[];
  readonly before: JsonObject;
  /** null: it is left out. */
  readonly after: JsonObject | null;
  /** Handlers that failed, or broke a rule: the message went on as if they were not there. */
  readonly failures: readonly HookFailure[];
  readonly violations: readonly Violation[];
}

const EVENTS: ReadonlySet<string> = new Set(['message', 'message_end']);

/** A session without these makes no sense to a provider: calls and results belong together. */
const OF_THE_LOOP: ReadonlySet<unknown> = new Set(['assistant', 'toolResult']);

/** Lets the handlers of a message that is complete change it, one after another, each from a copy of what the one before made of it. */
export async function runMessage(host: HookHost, before: JsonObject): Promise<MessageChange> {
  const failures: HookFailure[] = [];
  const violations: Violation[] = [];
  const by: string[] = [];
  let after: JsonObject | null = before;
  for (const handler of messageHandlers(host)) {
    if (after === null) break;
    const asked = await ask(handler, { type: handler.event, message: after });
    if ('failure' in asked) {
      failures.push(asked.failure);
      continue;
    }
    const read = readMessage(asked.answer, after);
    if ('rule' in read) {
      violations.push({ hook: handler.hook, op: null, ...read });
      continue;
    }
    if (isSame(read.message, after)) continue;
    by.push(handler.hook);
    after = read.message;
  }
  const kind = after === null ? 'dropped' : isSame(after, before) ? 'none' : 'replaced';
  return { kind, by, before, after, failures, violations };
}

export function messageHandlers({ handlers }: HookHost): readonly Handler[] {
  return handlers.filter(({ event }) => EVENTS.has(event));
}

type ReadMessage =
  | { readonly message: JsonObject | null }
  | { readonly rule: 'result' | 'dropped' | 'role'; readonly message: string };

/** Answers of the model and results of tools stay, and stay what they are; whatever else may become anything. */
function readMessage(answer: unknown, before: JsonObject): ReadMessage {
  const role = before['role'];
  if (answer === undefined) return { message: before };
  const given = isObject(answer) && !('role' in answer) ? answer['message'] : answer;
  if (isObject(answer) && given === undefined) return { message: before };
  if (given === null)
    return OF_THE_LOOP.has(role)
      ? { rule: 'dropped', message: `a message of role ${String(role)} cannot be left out` }
      : { message: null };
  if (!isObject(given) || typeof given['role'] !== 'string')
    return { rule: 'result', message: 'a message hook returns a message with a role, null or nothing' };
  if (given['role'] !== role && OF_THE_LOOP.has(role))
    return { rule: 'role', message: `a message of role ${String(role)} cannot become one of role ${given['role']}` };
  return { message: given };
}

function isSame(one: JsonObject | null, other: JsonObject): boolean {
  return one !== null && JSON.stringify(one) === JSON.stringify(other);
}
