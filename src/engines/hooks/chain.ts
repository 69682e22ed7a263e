import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { GuestFailure } from '#platform/guest/failure.js';
import { readResult } from './boundary-rules.js';
import type { Boundary, ContextReason, Handler, HookFailure, HookHost, Transform, Violation } from './define.js';
import { messagesGiven } from './stock-messages.js';

/** Of the envelope, what is not sent. */
export type HookMeta = JsonObject;

/**
 * Lets the handlers of a context event change an envelope, one after another: each is given a copy with all that the
 * earlier ones made of it. The first that fails, or breaks a rule, ends it, and nothing of it is applied: what is sent is
 * never patched by half.
 */
export async function runBoundary(
  host: HookHost,
  before: EnvelopeContent,
  { reason, meta }: { readonly reason: ContextReason; readonly meta: HookMeta },
): Promise<Boundary> {
  const transforms: Transform[] = [];
  let after = before;
  const ended = (why: Partial<Pick<Boundary, 'failures' | 'violations'>>): Boundary => {
    return { reason, transforms, failures: [], violations: [], ...why, before, after: before };
  };
  for (const handler of host.handlers) {
    if (handler.event !== 'context') continue;
    const { hook } = handler;
    const asked = await ask(handler, eventOf(after, reason, meta));
    if ('failure' in asked) return ended(asFailureOrViolation(asked.failure));
    const read = readResult(asked.answer, { hook, reason, sent: after });
    if (read.kind === 'nothing') continue;
    if (read.kind === 'broken') return ended({ violations: read.violations });
    for (const step of read.steps) after = step.apply(after);
    transforms.push(await rendered(host, read.transform));
  }
  return { reason, transforms, failures: [], violations: [], before, after };
}

/** Where the signal of an event stands. */
export const SIGNAL = ['state', 'envelope', 'meta', 'signal'] as const;

function eventOf(
  { system, tools, messages, options }: EnvelopeContent,
  reason: ContextReason,
  meta: HookMeta,
): JsonObject {
  const envelope = { system, tools, messages, options, meta: { ...meta, signal: null } };
  return { type: 'context', reason, state: { envelope }, messages: messagesGiven(messages) };
}

/** What a handler returns, or why it does not. */
export async function ask(
  { hook, call }: Handler,
  event: JsonObject,
): Promise<{ readonly answer: unknown } | { readonly failure: HookFailure }> {
  try {
    return { answer: await call(event) };
  } catch (error) {
    if (!(error instanceof GuestFailure)) throw error;
    return { failure: { hook, kind: error.kind, message: error.message } };
  }
}

/** What cannot be written to a session breaks a rule, and is no accident. */
function asFailureOrViolation(failure: HookFailure): Partial<Pick<Boundary, 'failures' | 'violations'>> {
  if (failure.kind !== 'not-json') return { failures: [failure] };
  const { hook, message } = failure;
  const violation: Violation = { hook, rule: 'serialisable', op: null, message };
  return { violations: [violation] };
}

/** A renderer that fails only leaves the transform without what it would have shown. */
async function rendered(host: HookHost, transform: Transform): Promise<Transform> {
  const { hook, transformerName, display, patch } = transform;
  const id = display?.['rendererId'];
  if (typeof id !== 'string') return transform;
  const { title, summary = null, markdown = null, rendererProps = null } = display ?? {};
  const shown = { transformerName, rendererId: id, rendererProps, title, summary, markdown, patch };
  try {
    return { ...transform, rendered: await host.render(hook, id, shown) };
  } catch (error) {
    if (!(error instanceof GuestFailure)) throw error;
    return { ...transform, rendered: `*The renderer ${id} failed: ${error.message}*` };
  }
}
