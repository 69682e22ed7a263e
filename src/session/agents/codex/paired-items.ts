import { asString, type JsonObject } from '#base/json.js';
import { callIdOf, itemPartOf } from './items.js';

/** The types of calls for which Codex itself makes a result if they have none, and those of these results. */
const RESULT_TYPES: ReadonlyMap<string | null, string> = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
  ['local_shell_call', 'function_call_output'],
]);

/** Whether Codex makes a result for an item of this type: a call without one. */
export function isAbortable(type: string | null): boolean {
  return RESULT_TYPES.has(type);
}

/** The result that Codex sends for a call without one. */
export function buildAbortedResult(call: JsonObject): JsonObject {
  const type = RESULT_TYPES.get(asString(call['type'])) ?? 'function_call_output';
  return { type, call_id: call['call_id'], output: 'aborted' };
}

/** The items that follow a recorded history. */
export interface LaterItems {
  /** Whether one of them is the result of a call. */
  answers(call: string): boolean;
  /** Whether the user, the client or the model goes on: until then, a call may still run. */
  goOn(): boolean;
}

/**
 * The items of a recorded history as Codex sends them: each call has a result after its answer, and no result lacks its
 * call.
 */
export function pairItems(items: readonly JsonObject[], later: LaterItems): readonly JsonObject[] {
  const answered = new Set(items.flatMap((item) => (itemPartOf(item) === 'result' ? (callIdOf(item) ?? []) : [])));
  const goesOn = later.goOn();
  const last = items.findLastIndex((item) => ['answer', 'input'].includes(itemPartOf(item)));
  const paired: JsonObject[] = [];
  const made = new Set<string>();
  let open: JsonObject[] = [];
  const endAnswer = (): void => {
    paired.push(...open.map(buildAbortedResult));
    open = [];
  };
  for (const [at, item] of items.entries()) {
    const part = itemPartOf(item);
    const call = callIdOf(item);
    if (part === 'answer' && call !== null) {
      made.add(call);
      const isOpen = !answered.has(call) && !later.answers(call);
      if (isOpen && isAbortable(asString(item['type']))) open.push(item);
    } else if (part === 'result' || part === 'input') {
      if (goesOn || at <= last) endAnswer();
      if (part === 'result' && call !== null && !made.has(call)) continue;
    }
    paired.push(item);
  }
  if (goesOn) endAnswer();
  return paired;
}
