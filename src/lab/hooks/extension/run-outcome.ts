import type { JsonObject } from '#base/json.js';

/** Pi's outcome of an answer. */
export function readRunOutcome({ stopReason }: JsonObject): 'completed' | 'aborted' | 'error' {
  return stopReason === 'aborted' || stopReason === 'error' ? stopReason : 'completed';
}
