import { asText } from '#base/json.js';
import type { SessionView } from './session-view.js';
import { type NotRun, withFallback } from './stand-in.js';

type Listener = (data: unknown) => void;

/** Functions of Pi that a module may call besides `on`. What they change has no effect without an agent, and is named. */
export function piApi(own: object, view: SessionView, notRun: NotRun): unknown {
  const flags = new Map<unknown, unknown>();
  const note = (name: string): void => notRun.add(`pi.${name}`);
  const members = {
    ...own,
    registerFlag(name: unknown, options: { readonly default?: unknown } | undefined) {
      note('registerFlag');
      flags.set(name, options?.default);
    },
    getFlag: (name: unknown) => flags.get(name),
    appendEntry: (customType: unknown, data: unknown) => view.append(customType, data),
    exec: () => {
      note('exec');
      return Promise.resolve({ stdout: '', stderr: 'pi.exec runs no program offline', code: 1, killed: false });
    },
    setModel: () => {
      note('setModel');
      return Promise.resolve(false);
    },
    getActiveTools: () => view.state.tools.map(({ name }) => name),
    getAllTools: () => [...view.state.tools],
    getCommands: () => [],
    getMcpServers: () => [],
    getSettings: () => ({}),
    getSessionName: () => view.state.name ?? undefined,
    getThinkingLevel: () => view.state.thinkingLevel,
    events: eventBus(),
  };
  return withFallback(members, note);
}

/** The bus on which extensions of one process talk. */
function eventBus(): {
  emit(channel: string, data: unknown): void;
  on(channel: string, listener: Listener): () => void;
} {
  const listeners = new Map<string, Set<Listener>>();
  return {
    emit: (channel, data) => listeners.get(channel)?.forEach((listener) => listener(data)),
    on(channel, listener) {
      const heard = listeners.get(channel) ?? new Set();
      listeners.set(channel, heard.add(listener));
      return () => void heard.delete(listener);
    },
  };
}

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
