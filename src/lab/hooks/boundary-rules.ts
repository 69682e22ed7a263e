import { isObject, type JsonObject } from '#base/json.js';
import { describeUnknownKey, findNearest } from '#base/suggestion.js';
import { truncate } from '#base/text.js';
import { readOps } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { BrokenOp, PatchOp } from '#context/replay/patch-op.js';
import { type ContentFault, findOpFault } from './content-rules.js';
import type { Transform, Violation } from './document.js';
import type { BoundaryReason } from './events.js';
import { buildMessagesPatch } from './messages-patch.js';

type ValidOp = Extract<PatchOp, { readonly ok: true }>;

/** A result that keeps all rules, or the rules that it breaks. `nothing`: it asks for no change. */
export type HandlerResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly violations: Violation[] }
  | { readonly kind: 'transform'; readonly transform: Transform; readonly steps: readonly ValidOp[] };

interface HandlerCall {
  /** The module, as the user named it. */
  readonly hook: string;
  readonly reason: BoundaryReason;
  /** The envelope that the handler was given. */
  readonly sent: EnvelopeContent;
}

/**
 * Reads a handler's result for a context event. Persisted ops may only concern cached messages; ops on cached messages give a
 * reason, whatever the event's own reason; only ephemeral ones may add to the uncached tail.
 */
export function readHandlerResult(result: unknown, call: HandlerCall): HandlerResult {
  if (result === undefined || result === null) return { kind: 'nothing' };
  const { hook, reason, sent } = call;
  const transform = readTransform(result, call);
  if ('rule' in transform) {
    const { rule, message } = transform;
    return { kind: 'broken', violations: [{ hook, rule, op: null, message }] };
  }
  if (transform.patch.length === 0) return { kind: 'nothing' };
  const steps: ValidOp[] = [];
  const violations: Violation[] = [];
  for (const [op, step] of readOps(transform.patch, reason === 'ephemeral' ? null : 'cached').entries()) {
    const fault = step.ok ? findOpFault(step.json, sent) : describeBrokenRule(step, reason);
    if (fault !== null) violations.push({ hook, op, rule: fault.rule, message: fault.message });
    if (step.ok) steps.push(step);
  }
  return violations.length > 0 ? { kind: 'broken', violations } : { kind: 'transform', transform, steps };
}

/** Reads a result as a transform, whose ops are not checked, or finds the fault in its form. */
function readTransform(result: unknown, { hook, reason, sent }: HandlerCall): Transform | ContentFault {
  if (!isObject(result))
    return toResultFault(`a context hook must return an object or nothing, not ${formatValue(result)}`);
  const unknown = findUnknownKey(result);
  if (unknown !== undefined) return toResultFault(`the result has the ${describeUnknownKey(unknown, RESULT_KEYS)}`);
  const { patch = readPatchResult(result, reason, sent), transformerName = hook, display = null } = result;
  if (typeof patch === 'string') return toResultFault(patch);
  if (!Array.isArray(patch)) return toResultFault(`patch must be a list of ops, not ${formatValue(patch)}`);
  if (typeof transformerName !== 'string' || transformerName.trim() === '')
    return toResultFault(`transformerName must be a string, not ${formatValue(transformerName)}`);
  const displayFault = display === null ? null : findDisplayFault(display);
  if (displayFault !== null) return { rule: 'display', message: displayFault };
  return {
    hook,
    transformerName,
    patch: patch as Transform['patch'],
    display: display as Transform['display'],
    rendered: null,
  };
}

function toResultFault(message: string): ContentFault {
  return { rule: 'result', message };
}

/** The keys of a result: `messages` is that of stock Pi. */
const RESULT_KEYS = ['patch', 'messages', 'transformerName', 'display'];

/**
 * A key that Pi would ignore: the only content of a result, or a mistyped one. A result with a patch may have others.
 */
function findUnknownKey(result: JsonObject): string | undefined {
  const isEmpty = !('patch' in result) && !('messages' in result);
  return Object.keys(result).find(
    (key) => !RESULT_KEYS.includes(key) && (isEmpty || findNearest(key, RESULT_KEYS) !== null),
  );
}

/** A handler of stock Pi returns messages, which Pi sends once: at every other boundary they are not asked for. */
function readPatchResult(
  { messages }: JsonObject,
  reason: BoundaryReason,
  sent: EnvelopeContent,
): readonly JsonObject[] | string {
  return messages === undefined || reason !== 'ephemeral' ? [] : buildMessagesPatch(messages, sent.messages);
}

function findDisplayFault(display: unknown): string | null {
  if (!isObject(display)) return `display must be an object, not ${formatValue(display)}`;
  if (typeof display.title !== 'string') return 'display must have a title';
  const wrong = ['summary', 'markdown', 'rendererId'].find(
    (name) => display[name] !== undefined && typeof display[name] !== 'string',
  );
  return wrong === undefined ? null : `display.${wrong} must be a string, not ${formatValue(display[wrong])}`;
}

function describeBrokenRule({ rule, message }: BrokenOp, reason: BoundaryReason): ContentFault {
  const isPersisted = rule === 'scope' && reason !== 'ephemeral';
  return { rule, message: isPersisted ? `${message}, and ${reason} is persisted` : message };
}

/** The longest value in a message. */
export const LONGEST_VALUE = 40;

export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return truncate(text, LONGEST_VALUE);
}
