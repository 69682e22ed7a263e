import { isObject, type JsonObject } from '#base/json.js';
import { describeUnknownKey } from '#base/suggestion.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { PluginFailure } from '#lab/plugin-process/protocol.js';
import { listEventMessages, readHandlerResult } from './boundary-rules.js';
import { findMessageFault } from './content-rules.js';
import type { BoundaryReason, Handler, HookBoundary, HookHost, PiView } from './define.js';
import type { MessageDocument, Transform, Violation } from './document.js';
import type { HookFailure } from './request-parts.js';

export interface BoundaryOptions {
  readonly reason: BoundaryReason;
  /** Of the envelope, what is not sent. */
  readonly meta: JsonObject;
  view(): PiView;
}

/**
 * Lets the handlers of a context event change an envelope, one after another: each is given a copy with all that the
 * earlier ones made of it. The first that fails, or breaks a rule, ends it, and nothing of it is applied: what is sent is
 * never patched by half.
 */
export async function runBoundary(
  host: HookHost,
  before: EnvelopeContent,
  { reason, meta, view }: BoundaryOptions,
): Promise<HookBoundary> {
  const transforms: Transform[] = [];
  let after = before;
  const ended = (why: Partial<Pick<HookBoundary, 'failures' | 'violations'>>): HookBoundary => {
    return { reason, transforms, failures: [], violations: [], ...why, before, after: before };
  };
  for (const handler of host.handlers) {
    if (handler.event !== 'context' || handler.dialect?.() === 'stock') continue;
    const { hook } = handler;
    const event = eventOf(after, reason, meta);
    const asked = handler.dialect?.() === null ? await askFirst(handler, event, view()) : await ask(handler, event);
    if (asked === null) continue;
    if ('failure' in asked) return ended(asFailureOrViolation(asked.failure));
    const read = readHandlerResult(asked.answer, { hook, reason, sent: after });
    if (read.kind === 'nothing') continue;
    if (read.kind === 'broken') return ended({ violations: read.violations });
    for (const step of read.steps) after = step.apply(after);
    transforms.push(await rendered(host, read.transform));
  }
  return { reason, transforms, failures: [], violations: [], before, after };
}

/** The path of the signal in an event. */
export const SIGNAL_PATH = ['state', 'envelope', 'meta', 'signal'] as const;

function eventOf(
  { system, tools, messages, options }: EnvelopeContent,
  reason: BoundaryReason,
  meta: JsonObject,
): JsonObject {
  const envelope = { system, tools, messages, options, meta: { ...meta, signal: null } };
  return { type: 'context', reason, state: { envelope }, messages: listEventMessages(messages) };
}

type Asked<Answer = unknown> = { readonly answer: Answer } | { readonly failure: HookFailure };

/**
 * Calls a handler that may be written for stock Pi or for the proposal, with an event that serves both. null: it is for
 * stock Pi, which calls it at another place, where this answer counts.
 */
async function askFirst(handler: Handler, event: JsonObject, view: PiView): Promise<Asked | null> {
  const messages = view.projection.flatMap((part) => part.messages.filter(({ role }) => role !== 'system'));
  const asked = await callHandler(
    handler.hook,
    async () => (await handler.emit?.({ ...event, messages }, view))?.value,
  );
  return handler.dialect?.() === 'stock' ? null : asked;
}

/** Calls a handler. Returns its result or its failure. */
function ask(handler: Handler, event: JsonObject): Promise<Asked> {
  return callHandler(handler.hook, () => handler.call(event));
}

/** Calls a handler of a module, which may fail. */
export async function callHandler<Answer>(hook: string, call: () => Promise<Answer>): Promise<Asked<Answer>> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return { failure: { hook, kind: error.kind, message: error.message } };
  }
}

/** Counts a result that cannot be written to a session as a violation, not as a failure. */
function asFailureOrViolation(failure: HookFailure): Partial<Pick<HookBoundary, 'failures' | 'violations'>> {
  if (failure.kind !== 'not-json') return { failures: [failure] };
  const { hook, message } = failure;
  const violation: Violation = { hook, rule: 'serialisable', op: null, message };
  return { violations: [violation] };
}

/** A renderer that fails only leaves the transform without what it would have shown. */
async function rendered(host: HookHost, transform: Transform): Promise<Transform> {
  const { hook, transformerName, display, patch } = transform;
  const { rendererId: id, title, summary = null, markdown = null, rendererProps = null }: JsonObject = display ?? {};
  if (typeof id !== 'string') return transform;
  const shown = { transformerName, rendererId: id, rendererProps, title, summary, markdown, patch };
  const asked = await callHandler(hook, () => host.render(hook, id, shown));
  if ('failure' in asked) return { ...transform, rendered: `*The renderer ${id} failed: ${asked.failure.message}*` };
  return { ...transform, rendered: asked.answer };
}

/** The result of the message handlers for one message. */
export interface HookedMessage extends Pick<MessageDocument, 'kind' | 'by' | 'failures' | 'violations'> {
  readonly before: JsonObject;
  /** null: it is left out. */
  readonly after: JsonObject | null;
}

const EVENTS: ReadonlySet<string> = new Set(['message', 'message_end']);

/** A session without these makes no sense to a provider: calls and results belong together. */
const OF_THE_LOOP: ReadonlySet<unknown> = new Set(['assistant', 'toolResult']);

/** Runs the handlers of a complete message, one after another, each on a copy of the previous result. */
export async function runMessageHandlers(host: HookHost, before: JsonObject): Promise<HookedMessage> {
  const failures: HookFailure[] = [];
  const violations: Violation[] = [];
  const by: string[] = [];
  let after: JsonObject | null = before;
  for (const handler of listMessageHandlers(host)) {
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

export function listMessageHandlers({ handlers }: HookHost): readonly Handler[] {
  return handlers.filter(({ event }) => EVENTS.has(event));
}

type ReadMessage = { readonly message: JsonObject | null } | { readonly rule: string; readonly message: string };

const MESSAGE_RESULT = 'a message hook must return a message with a role, null or nothing';

/** Answers of the model and results of tools stay, and stay what they are; whatever else may become anything. */
function readMessage(answer: unknown, before: JsonObject): ReadMessage {
  const role = before['role'];
  if (answer === undefined) return { message: before };
  const given = isObject(answer) && !('role' in answer) ? answer['message'] : answer;
  if (isObject(answer) && given === undefined) {
    const [unknown] = Object.keys(answer);
    if (unknown === undefined) return { message: before };
    return {
      rule: 'result',
      message: `${MESSAGE_RESULT}; the result has the ${describeUnknownKey(unknown, ['message'])}`,
    };
  }
  if (given === null)
    return OF_THE_LOOP.has(role)
      ? { rule: 'dropped', message: `a message with role ${String(role)} cannot be dropped` }
      : { message: null };
  if (!isObject(given) || typeof given['role'] !== 'string') return { rule: 'result', message: MESSAGE_RESULT };
  if (given['role'] !== role && OF_THE_LOOP.has(role))
    return { rule: 'role', message: `a message with role ${String(role)} cannot change its role to ${given['role']}` };
  return findMessageFault(given, before) ?? { message: given };
}

function isSame(one: JsonObject | null, other: JsonObject): boolean {
  return one !== null && JSON.stringify(one) === JSON.stringify(other);
}
