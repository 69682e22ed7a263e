import type { JsonObject } from '#base/json.js';
import { PluginFailure } from '../plugin-process/failure.js';
import type { HookFailure } from './hook-failure.js';
import type { Handler } from './hook-host.js';

export type HandlerOutcome<Answer = unknown> = { readonly answer: Answer } | { readonly failure: HookFailure };

/** Calls a handler. Returns its result or its failure. */
export function handleEvent(handler: Handler, event: JsonObject): Promise<HandlerOutcome> {
  return callHandler(handler.hook, () => handler.call(event));
}

/** Calls a handler of a module, which may fail. */
export async function callHandler<Answer>(hook: string, call: () => Promise<Answer>): Promise<HandlerOutcome<Answer>> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return { failure: { hook, kind: error.kind, message: error.message } };
  }
}
