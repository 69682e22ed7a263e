import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { listEventMessages, readHandlerResult } from './boundary-rules.js';
import { callHandler, handleEvent, type HandlerOutcome } from './call-handler.js';
import type { Transform, Violation } from './document.js';
import type { BoundaryReason } from './events.js';
import type { HookBoundary } from './hook-boundary.js';
import type { HookFailure } from './hook-failure.js';
import type { Handler, HookHost, PiView } from './hook-host.js';

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
    const event = buildEvent(after, reason, meta);
    const asked =
      handler.dialect?.() === null ? await askFirst(handler, event, view()) : await handleEvent(handler, event);
    if (asked === null) continue;
    if ('failure' in asked) return ended(toFailureOrViolation(asked.failure));
    const read = readHandlerResult(asked.answer, { hook, reason, sent: after });
    if (read.kind === 'nothing') continue;
    if (read.kind === 'broken') return ended({ violations: read.violations });
    for (const step of read.steps) after = step.apply(after);
    transforms.push(await renderTransform(host, read.transform));
  }
  return { reason, transforms, failures: [], violations: [], before, after };
}

/** The path of the signal in an event. */
export const SIGNAL_PATH = ['state', 'envelope', 'meta', 'signal'] as const;

function buildEvent(
  { system, tools, messages, options }: EnvelopeContent,
  reason: BoundaryReason,
  meta: JsonObject,
): JsonObject {
  const envelope = { system, tools, messages, options, meta: { ...meta, signal: null } };
  return { type: 'context', reason, state: { envelope }, messages: listEventMessages(messages) };
}

/**
 * Calls a handler that may be written for stock Pi or for the proposal, with an event that serves both. null: it is for
 * stock Pi, which calls it at another place, where this answer counts.
 */
async function askFirst(handler: Handler, event: JsonObject, view: PiView): Promise<HandlerOutcome | null> {
  const messages = view.projection.flatMap((part) => part.messages.filter(({ role }) => role !== 'system'));
  const asked = await callHandler(
    handler.hook,
    async () => (await handler.emit?.({ ...event, messages }, view))?.value,
  );
  return handler.dialect?.() === 'stock' ? null : asked;
}

/** Counts a result that cannot be written to a session as a violation, not as a failure. */
function toFailureOrViolation(failure: HookFailure): Partial<Pick<HookBoundary, 'failures' | 'violations'>> {
  if (failure.kind !== 'not-json') return { failures: [failure] };
  const { hook, message } = failure;
  const violation: Violation = { hook, rule: 'serialisable', op: null, message };
  return { violations: [violation] };
}

/** A renderer that fails only leaves the transform without what it would have shown. */
async function renderTransform(host: HookHost, transform: Transform): Promise<Transform> {
  const { hook, transformerName, display, patch } = transform;
  const { rendererId: id, title, summary = null, markdown = null, rendererProps = null }: JsonObject = display ?? {};
  if (typeof id !== 'string') return transform;
  const shown = { transformerName, rendererId: id, rendererProps, title, summary, markdown, patch };
  const asked = await callHandler(hook, () => host.render(hook, id, shown));
  if ('failure' in asked) return { ...transform, rendered: `*The renderer ${id} failed: ${asked.failure.message}*` };
  return { ...transform, rendered: asked.answer };
}
