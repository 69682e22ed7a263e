import { asText } from '#base/json.js';
import type { NotRun } from './not-run.js';
import type { SessionView } from './session-view.js';
import { withFallback } from './stand-in.js';

/** The context that Pi passes to a handler with the event, as in print mode: without a screen or a user. */
export function piContext(view: SessionView, notRun: NotRun, signal?: unknown): unknown {
  const { state } = view;
  const { contextWindow, tokens, model } = state;
  const percent = contextWindow === null ? null : (tokens / contextWindow) * 100;
  const members = {
    ui: screen(notRun),
    mode: 'print',
    hasUI: false,
    cwd: process.cwd(),
    sessionManager: view.manager(),
    modelRegistry: registry(notRun),
    model: model === null ? undefined : { ...model, name: model.id, contextWindow },
    scopedModels: [],
    thinkingLevel: state.thinkingLevel,
    signal,
    isIdle: () => false,
    isProjectTrusted: () => false,
    hasPendingMessages: () => false,
    getContextUsage: () => (contextWindow === null ? undefined : { tokens, contextWindow, percent }),
    getSystemPrompt: () => state.systemPrompt,
  };
  return withFallback(members, (name) => notRun.add(`ctx.${name}`));
}

const painted = (...args: readonly unknown[]): string => asText(args.at(-1));
const THEME: unknown = new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : painted) });

function screen(notRun: NotRun): unknown {
  const members = {
    theme: THEME,
    notify: (text: unknown): void => void process.stderr.write(`${String(text)}\n`),
    confirm: (): boolean => false,
  };
  return withFallback(members, (name) => notRun.add(`ctx.ui.${name}`));
}

/** No model is there: an extension that asks for one takes its way without. */
function registry(notRun: NotRun): unknown {
  const note = (name: string): void => notRun.add(`ctx.modelRegistry.${name}`);
  const refuse = (name: string) => (): Promise<never> => {
    note(name);
    return Promise.reject(new Error('no model is called offline'));
  };
  const members = {
    getAvailable: () => [],
    getAll: () => [],
    complete: refuse('complete'),
    completeSimple: refuse('completeSimple'),
  };
  return withFallback(members, note);
}
