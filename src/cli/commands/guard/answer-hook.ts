import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { toVisibleLine } from '#base/visible.js';
import type { Io } from '#platform/io.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { Outcome } from '../define.js';
import { type HookInput, readHookInput } from './hook-input.js';

/**
 * Answers an agent that runs a hook. What cannot be read is reported on standard error and answered with nothing, so that
 * the agent goes on. `answer`: the JSON for the agent, null for none.
 */
export async function answerHook(
  io: Io,
  name: string,
  answer: (input: HookInput) => Promise<JsonObject | null>,
): Promise<Outcome> {
  try {
    const given = await answer(await readHookInput(io));
    const text = given === null ? '' : formatJsonLine(given);
    return { kind: 'bytes', bytes: text === '' ? [] : [new TextEncoder().encode(text)], problems: [] };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const where = error instanceof CtxError && error.where !== null ? `${error.where}: ` : '';
    const note = toVisibleLine(`${name}: ${where}${what}; the agent goes on`);
    return { kind: 'bytes', bytes: [], problems: [], notes: [note] };
  }
}
