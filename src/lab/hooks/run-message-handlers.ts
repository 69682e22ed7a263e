import { isObject, type JsonObject } from '#base/json.js';
import { describeUnknownKey } from '#base/suggestion.js';
import { callHandler } from './call-handler.js';
import { type ContentFault, findMessageFault } from './content-rules.js';
import type { HookFailure, MessageDocument, Violation } from './document.js';
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
    const { hook, event } = handler;
    const message: JsonObject = after;
    const reply = await callHandler(hook, () => handler.call({ type: event, message }));
    if ('failure' in reply) {
      failures.push(reply.failure);
      continue;
    }
    const result = readMessageAnswer(reply.answer, message);
    if ('fault' in result) {
      violations.push({ hook, op: null, ...result.fault });
    } else if (!isSame(result.after, message)) {
      by.push(hook);
      after = result.after;
    }
  }
  const result = { by, before, after, failures, violations };
  if (after === null) return { kind: 'dropped', ...result };
  return { kind: isSame(after, before) ? 'none' : 'replaced', ...result };
}

export function listMessageHandlers({ handlers }: HookHost): readonly Handler[] {
  return handlers.filter(({ event }) => EVENTS.has(event));
}

/** The message that an answer comes to, null for none, or the rule that it breaks. */
type MessageResult = { readonly after: JsonObject | null } | { readonly fault: ContentFault };

const EXPECTED_RESULT = 'a message hook must return a message with a role, null or nothing';

/** Answers of the model and results of tools stay, and stay what they are; whatever else may become anything. */
function readMessageAnswer(answer: unknown, before: JsonObject): MessageResult {
  if (answer === undefined) return { after: before };
  const given = isObject(answer) && !('role' in answer) ? answer.message : answer;
  if (isObject(answer) && given === undefined) {
    const [unknown] = Object.keys(answer);
    if (unknown === undefined) return { after: before };
    const message = `${EXPECTED_RESULT}; the result has the ${describeUnknownKey(unknown, ['message'])}`;
    return { fault: { rule: 'result', message } };
  }
  if (given !== null && (!isObject(given) || typeof given.role !== 'string'))
    return { fault: { rule: 'result', message: EXPECTED_RESULT } };
  const fault = findRoleFault(given, before) ?? (given && findMessageFault(given, before));
  return fault === null ? { after: given } : { fault };
}

function findRoleFault(given: JsonObject | null, { role }: JsonObject): ContentFault | null {
  if (!LOOP_ROLES.has(role)) return null;
  const message = `a message with role ${String(role)} cannot`;
  if (given === null) return { rule: 'dropped', message: `${message} be dropped` };
  return given.role === role ? null : { rule: 'role', message: `${message} change its role to ${String(given.role)}` };
}

function isSame(one: JsonObject | null, other: JsonObject): boolean {
  return one !== null && JSON.stringify(one) === JSON.stringify(other);
}
