import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { readHandlerResult } from './boundary-rules.js';
import { callHandler, type HandlerReply } from './call-handler.js';
import type { BoundaryDocument, HookFailure, Transform, Violation } from './document.js';
import type { BoundaryReason } from './events.js';
import type { Handler, HookHost, PiView } from './hook-host.js';
import { listEventMessages } from './messages-patch.js';

/** The failures of handlers, and the rules that their results break. */
export type HookTroubles = Pick<BoundaryDocument, 'failures' | 'violations'>;

/** The result of all handlers of a context event. */
export interface HookBoundary extends HookTroubles {
  readonly reason: BoundaryReason;
  readonly transforms: Transform[];
  readonly before: EnvelopeContent;
  /** Equal to `before` where something failed: then none of it is applied. */
  readonly after: EnvelopeContent;
}

export function isFatal({ failures, violations }: HookTroubles): boolean {
  return failures.length + violations.length > 0;
}

/** Whether a boundary failed that lies before the request: it is not sent then. A turn ends when it was answered. */
export function preventsRequest(boundary: Pick<HookBoundary, 'reason' | 'failures' | 'violations'>): boolean {
  return boundary.reason !== 'turn_end' && isFatal(boundary);
}

export interface BoundaryOptions {
  readonly reason: BoundaryReason;
  /** The parts of the envelope that are not sent. */
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
  for (const handler of host.handlers) {
    if (handler.event !== 'context') continue;
    const { hook } = handler;
    const reply = await askContextHandler(handler, buildContextEvent(after, reason, meta), view);
    if (reply === null) continue;
    if ('failure' in reply) return { reason, transforms, ...toTroubles(reply.failure), before, after: before };
    const result = readHandlerResult(reply.answer, { hook, reason, sent: after });
    if (result.kind === 'nothing') continue;
    if (result.kind === 'broken')
      return { reason, transforms, failures: [], violations: result.violations, before, after: before };
    for (const step of result.steps) after = step.apply(after);
    transforms.push(await renderTransform(host, result.transform));
  }
  return { reason, transforms, failures: [], violations: [], before, after };
}

/** The path of the signal in an event. */
export const SIGNAL_PATH = ['state', 'envelope', 'meta', 'signal'] as const;

function buildContextEvent(
  { system, tools, messages, options }: EnvelopeContent,
  reason: BoundaryReason,
  meta: JsonObject,
): JsonObject {
  const envelope = { system, tools, messages, options, meta: { ...meta, signal: null } };
  return { type: 'context', reason, state: { envelope }, messages: listEventMessages(messages) };
}

/** Calls a handler of the proposal. null: it is written for stock Pi. */
async function askContextHandler(
  handler: Handler,
  event: JsonObject,
  view: () => PiView,
): Promise<HandlerReply | null> {
  switch (handler.dialect?.()) {
    case 'stock':
      return null;
    case null:
      return askFirst(handler, event, view());
    default:
      return callHandler(handler.hook, () => handler.call(event));
  }
}

/**
 * Calls a handler that may be written for stock Pi or for the proposal, with an event that serves both. null: it is for
 * stock Pi, which calls it at another place, where this answer counts.
 */
async function askFirst(handler: Handler, event: JsonObject, view: PiView): Promise<HandlerReply | null> {
  const messages = view.projection.flatMap((part) => part.messages.filter(({ role }) => role !== 'system'));
  const reply = await callHandler(
    handler.hook,
    async () => (await handler.emit?.({ ...event, messages }, view))?.value,
  );
  return handler.dialect?.() === 'stock' ? null : reply;
}

/** Counts a result that cannot be written to a session as a violation, not as a failure. */
function toTroubles(failure: HookFailure): HookTroubles {
  if (failure.kind !== 'not-json') return { failures: [failure], violations: [] };
  const { hook, message } = failure;
  const violation: Violation = { hook, rule: 'serialisable', op: null, message };
  return { failures: [], violations: [violation] };
}

/** A renderer that fails only leaves the transform without what it would have shown. */
async function renderTransform(host: HookHost, transform: Transform): Promise<Transform> {
  const { hook, transformerName, display, patch } = transform;
  const { rendererId: id, title, summary = null, markdown = null, rendererProps = null }: JsonObject = display ?? {};
  if (typeof id !== 'string') return transform;
  const shown = { transformerName, rendererId: id, rendererProps, title, summary, markdown, patch };
  const reply = await callHandler(hook, () => host.render(hook, id, shown));
  if ('failure' in reply) return { ...transform, rendered: `*The renderer ${id} failed: ${reply.failure.message}*` };
  return { ...transform, rendered: reply.answer };
}
