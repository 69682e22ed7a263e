import { isObject, type JsonObject } from '#base/json.js';
import { describeUnknownKey, didYouMean, findNearest } from '#base/suggestion.js';
import { truncate } from '#base/text.js';
import { listUnknownFields, readOps } from '#context/ops/read-patch.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { PatchOp } from '#context/replay/patch-op.js';
import { findOpFault } from './content-rules.js';
import type { Transform, Violation } from './document.js';
import type { BoundaryReason } from './events.js';

/** A result that keeps all rules, or the rules that it breaks. null: it asks for nothing. */
export type HandlerResult =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'broken'; readonly violations: Violation[] }
  | {
      readonly kind: 'transform';
      readonly transform: Transform;
      readonly steps: readonly Extract<PatchOp, { readonly ok: true }>[];
    };

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
export function readHandlerResult(result: unknown, { hook, reason, sent }: HandlerCall): HandlerResult {
  const broken = (rule: string, message: string): HandlerResult => {
    return { kind: 'broken', violations: [{ hook, rule, op: null, message }] };
  };
  if (result === undefined || result === null) return { kind: 'nothing' };
  if (!isObject(result))
    return broken('result', `a context hook must return an object or nothing, not ${formatValue(result)}`);
  const unknown = findUnknownKey(result);
  if (unknown !== undefined) return broken('result', `the result has the ${describeUnknownKey(unknown, RESULT_KEYS)}`);
  const { patch = readPatchResult(result, reason, sent), transformerName = hook, display = null } = result;
  if (typeof patch === 'string') return broken('result', patch);
  if (!Array.isArray(patch)) return broken('result', `patch must be a list of ops, not ${formatValue(patch)}`);
  if (typeof transformerName !== 'string' || transformerName.trim() === '')
    return broken('result', `transformerName must be a string, not ${formatValue(transformerName)}`);
  const wrong = display === null ? null : findDisplayFault(display);
  if (wrong !== null) return broken('display', wrong);
  if (patch.length === 0) return { kind: 'nothing' };
  const steps = readOps(patch, reason === 'ephemeral' ? null : 'cached');
  const violations = steps.flatMap((step, op): Violation[] => {
    const fault = step.ok ? findOpFault(step.json, sent) : { rule: step.rule, message: describeValue(step, reason) };
    return fault ? [{ hook, op, rule: fault.rule, message: fault.message }] : [];
  });
  if (violations.length > 0) return { kind: 'broken', violations };
  const transform: Transform = {
    hook,
    transformerName,
    patch: patch as Transform['patch'],
    display: display as Transform['display'],
    rendered: null,
  };
  return { kind: 'transform', transform, steps: steps.flatMap((step) => (step.ok ? [step] : [])) };
}

/** The keys of a result: `messages` is that of stock Pi. */
const RESULT_KEYS = ['patch', 'messages', 'transformerName', 'display'];

/** A key that Pi would ignore: the only content of a result, or a mistyped one. A result with a patch may have others. */
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

/** Notes on the parts of patches that have no effect. */
export function* listOpNotes(transforms: readonly Transform[], before: EnvelopeContent): Generator<string> {
  let content = before;
  for (const { hook, patch } of transforms) {
    for (const step of readOps(patch, null)) {
      if (!step.ok) continue;
      for (const field of listUnknownFields(step.json)) yield `${hook}: ${step.name} ignores the ${field}`;
      for (const name of listMissing(content, step.json)) yield `${hook}: ${step.name} names ${name}`;
      content = step.apply(content);
    }
  }
}

/** The tools or the system part that an op removes and that are not there. */
function listMissing({ system, tools }: EnvelopeContent, { toolNames, partName, op }: JsonObject): readonly string[] {
  switch (op) {
    case 'system_part_remove':
      return describeMissing([partName], system.parts);
    case 'tools_remove':
      return describeMissing(toolNames as readonly unknown[], tools);
    default:
      return [];
  }
}

function describeMissing(named: readonly unknown[], items: readonly { readonly name: string }[]): readonly string[] {
  const there = items.map(({ name }) => name);
  return named
    .map(String)
    .filter((name) => there.length > 0 && !there.includes(name))
    .map((name) => {
      return `${formatValue(name)}, which is not in the request: ${didYouMean(name, there, `it has ${truncate(there.join(', '), LONGEST)}`)}`;
    });
}

function findDisplayFault(display: unknown): string | null {
  if (!isObject(display)) return `display must be an object, not ${formatValue(display)}`;
  if (typeof display.title !== 'string') return 'display must have a title';
  const wrong = ['summary', 'markdown', 'rendererId'].find(
    (name) => display[name] !== undefined && typeof display[name] !== 'string',
  );
  return wrong === undefined ? null : `display.${wrong} must be a string, not ${formatValue(display[wrong])}`;
}

function describeValue({ rule, message }: Extract<PatchOp, { readonly ok: false }>, reason: BoundaryReason): string {
  return rule === 'scope' && reason !== 'ephemeral' ? `${message}, and ${reason} is persisted` : message;
}

const LONGEST = 40;

function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return truncate(text, LONGEST);
}

type Messages = EnvelopeContent['messages'];

/** The `event.messages` of a handler of stock Pi: all that is sent, in order. */
export function listEventMessages({ cached, uncached }: Messages): readonly LlmMessage[] {
  return [...cached, ...uncached];
}

/**
 * The patch that does what a handler of stock Pi asks for with `{ messages }`: the list replaces what is sent, for one
 * request, or the reason why no patch can, as a text.
 */
function buildMessagesPatch(answer: unknown, { cached, uncached }: Messages): readonly JsonObject[] | string {
  if (!Array.isArray(answer) || !answer.every(isObject)) return 'messages must be a list of messages';
  const messages = answer.flatMap((message) => toLlmMessage(message) ?? []);
  const start = messages.length - uncached.length;
  if (start < 0 || !isSame(messages.slice(start), uncached))
    return 'messages must end with the uncached messages that earlier hooks added';
  const replaced = messages.slice(0, start);
  if (isSame(replaced, cached)) return [];
  const invalidateCacheReason = 'context handler of stock Pi';
  return [{ op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason, messages: replaced }];
}

function isSame(some: readonly LlmMessage[], others: readonly LlmMessage[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
