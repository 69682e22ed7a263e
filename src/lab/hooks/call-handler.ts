import { PluginFailure } from '../plugin-process/failure.js';
import type { HookFailure } from './document.js';

/** The answer of a handler, or the reason why it gave none. */
export type HandlerReply<Answer = unknown> = { readonly answer: Answer } | { readonly failure: HookFailure };

/** Calls a handler or a renderer of a module, which may fail. */
export async function callHandler<Answer>(hook: string, call: () => Promise<Answer>): Promise<HandlerReply<Answer>> {
  try {
    return { answer: await call() };
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    return { failure: { hook, kind: error.kind, message: error.message } };
  }
}
