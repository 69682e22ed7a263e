import { asText } from '#base/json.js';
import { describeThrown } from '../../plugin-process/child/describe-thrown.js';
import { buildPiObject } from './pi-object.js';
import type { SessionView } from './session-view.js';
import type { UnsupportedCalls } from './unsupported-calls.js';

/**
 * The `pi` of a module, with `registrations` such as `on`. What its other functions change has no effect without an
 * agent, and is named.
 */
export function buildPiApi(registrations: object, view: SessionView, notRun: UnsupportedCalls): unknown {
  const flags = new Map<unknown, unknown>();
  const members = {
    ...registrations,
    registerFlag(name: unknown, options: { readonly default?: unknown } | undefined) {
      notRun.add('pi.registerFlag');
      flags.set(name, options?.default);
    },
    getFlag: (name: unknown) => flags.get(name),
    appendEntry: (customType: unknown, data: unknown) => view.append(customType, data),
    exec() {
      notRun.add('pi.exec');
      return Promise.resolve({ stdout: '', stderr: 'pi.exec runs no program offline', code: 1, killed: false });
    },
    setModel() {
      notRun.add('pi.setModel');
      return Promise.resolve(false);
    },
    getActiveTools: () => view.state.tools.map(({ name }) => name),
    getAllTools: () => [...view.state.tools],
    getCommands: () => [],
    getMcpServers: () => [],
    getSettings: () => ({}),
    getSessionName: () => view.state.name ?? undefined,
    getThinkingLevel: () => view.state.thinkingLevel,
    events: createEventBus(),
  };
  return buildPiObject('pi', members, notRun);
}

type Listener = (data: unknown) => unknown;

/** The bus on which extensions of one process talk. Like Pi's, it reports the error of a listener, and goes on. */
function createEventBus(): {
  emit(channel: string, data: unknown): void;
  on(channel: string, listener: Listener): () => void;
} {
  const listeners = new Map<string, Set<Listener>>();
  return {
    emit(channel, data) {
      // A listener may add others, which hear the next event.
      const heard = [...(listeners.get(channel) ?? [])];
      for (const listener of heard) listener(data);
    },
    on(channel, listener) {
      const heard = listeners.get(channel) ?? new Set();
      const safe = (data: unknown): void => void callListener(channel, listener, data);
      listeners.set(channel, heard.add(safe));
      return () => void heard.delete(safe);
    },
  };
}

async function callListener(channel: string, listener: Listener, data: unknown): Promise<void> {
  try {
    await listener(data);
  } catch (error) {
    process.stderr.write(`Event handler error (${channel}): ${describeThrown(error)}\n`);
  }
}

/** The context that Pi passes to a handler with the event, as in print mode: without a screen or a user. */
export function buildPiContext(view: SessionView, notRun: UnsupportedCalls, signal?: unknown): unknown {
  const { state } = view;
  const { contextWindow, tokens, model } = state;
  const percent = contextWindow === null ? null : (tokens / contextWindow) * 100;
  const members = {
    ui: buildScreen(notRun),
    mode: 'print',
    hasUI: false,
    cwd: process.cwd(),
    sessionManager: view.buildManager(),
    modelRegistry: buildModelRegistry(notRun),
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
  return buildPiObject('ctx', members, notRun);
}

function buildScreen(notRun: UnsupportedCalls): unknown {
  const members = {
    theme: PLAIN_THEME,
    notify: (text: unknown): void => void process.stderr.write(`${String(text)}\n`),
    confirm: (): boolean => false,
  };
  return buildPiObject('ctx.ui', members, notRun);
}

function returnText(...args: readonly unknown[]): string {
  return asText(args.at(-1));
}

/** A theme whose functions return their text without colours. */
const PLAIN_THEME: unknown = new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : returnText) });

/** No model is there: an extension that asks for one takes its way without. */
function buildModelRegistry(notRun: UnsupportedCalls): unknown {
  const members = {
    getAvailable: () => [],
    getAll: () => [],
    complete(): Promise<never> {
      notRun.add('ctx.modelRegistry.complete');
      return Promise.reject(new Error('no model is called offline'));
    },
  };
  return buildPiObject('ctx.modelRegistry', members, notRun);
}
