import { isObject, type JsonObject } from '#base/json.js';
import { describeUnknownKey } from '#base/suggestion.js';
import { handleEvent } from './call-handler.js';
import { findMessageFault } from './content-rules.js';
import type { MessageDocument, Violation } from './document.js';
import type { HookFailure } from './hook-failure.js';
import type { Handler, HookHost } from './hook-host.js';

/** The result of the message handlers for one message. */
export interface HookedMessage extends Pick<MessageDocument, 'kind' | 'by' | 'failures' | 'violations'> {
  readonly before: JsonObject;
  /** null: it is left out. */
  readonly after: JsonObject | null;
}

const EVENTS: ReadonlySet<string> = new Set(['message', 'message_end']);

/** A session without these makes no sense to a provider: calls and results belong together. */
const LOOP_ROLES: ReadonlySet<unknown> = new Set(['assistant', 'toolResult']);

/** Runs the handlers of a complete message, one after another, each on a copy of the previous result. */
export async function runMessageHandlers(host: HookHost, before: JsonObject): Promise<HookedMessage> {
  const failures: HookFailure[] = [];
  const violations: Violation[] = [];
  const by: string[] = [];
  let after: JsonObject | null = before;
  for (const handler of listMessageHandlers(host)) {
    if (after === null) break;
    const asked = await handleEvent(handler, { type: handler.event, message: after });
    if ('failure' in asked) {
      failures.push(asked.failure);
      continue;
    }
    const read = readMessageAnswer(asked.answer, after);
    if ('rule' in read) {
      violations.push({ hook: handler.hook, op: null, ...read });
      continue;
    }
    if (isSame(read.message, after)) continue;
    by.push(handler.hook);
    after = read.message;
  }
  const outcome = { by, before, after, failures, violations };
  if (after === null) return { kind: 'dropped', ...outcome };
  return { kind: isSame(after, before) ? 'none' : 'replaced', ...outcome };
}

export function listMessageHandlers({ handlers }: HookHost): readonly Handler[] {
  return handlers.filter(({ event }) => EVENTS.has(event));
}

type ReadMessage = { readonly message: JsonObject | null } | { readonly rule: string; readonly message: string };

const MESSAGE_RESULT = 'a message hook must return a message with a role, null or nothing';

/** Answers of the model and results of tools stay, and stay what they are; whatever else may become anything. */
function readMessageAnswer(answer: unknown, before: JsonObject): ReadMessage {
  const role = before.role;
  if (answer === undefined) return { message: before };
  const given = isObject(answer) && !('role' in answer) ? answer.message : answer;
  if (isObject(answer) && given === undefined) {
    const [unknown] = Object.keys(answer);
    if (unknown === undefined) return { message: before };
    return {
      rule: 'result',
      message: `${MESSAGE_RESULT}; the result has the ${describeUnknownKey(unknown, ['message'])}`,
    };
  }
  if (given === null)
    return LOOP_ROLES.has(role)
      ? { rule: 'dropped', message: `a message with role ${String(role)} cannot be dropped` }
      : { message: null };
  if (!isObject(given) || typeof given.role !== 'string') return { rule: 'result', message: MESSAGE_RESULT };
  if (given.role !== role && LOOP_ROLES.has(role))
    return { rule: 'role', message: `a message with role ${String(role)} cannot change its role to ${given.role}` };
  return findMessageFault(given, before) ?? { message: given };
}

function isSame(one: JsonObject | null, other: JsonObject): boolean {
  return one !== null && JSON.stringify(one) === JSON.stringify(other);
}
