import { asText, isObject, type JsonObject } from '#base/json.js';
import { describeThrown } from '../../plugin-process/child/describe-thrown.js';
import type { ServedModule } from '../../plugin-process/child/served-module.js';
import { buildPiObject, UnsupportedCalls } from './pi-stand-in.js';
import { type PiState, SessionView } from './session-view.js';

type Handler = (event: unknown, context: unknown) => unknown;
type RenderTransform = (transform: unknown, options: unknown) => unknown;

/** The registrations of a hook module: event names in the order of their handlers. */
export interface LoadedHook {
  readonly events: readonly string[];
  readonly renderers: readonly string[];
  /** The registrations that have no effect here. */
  readonly ignored: readonly string[];
}

/** The result of a handler for an event of stock Pi. */
export interface HandlerAnswer {
  /** Its return value; left out for undefined. */
  readonly value?: unknown;
  /** Its error; left out if it threw none. */
  readonly thrown?: { readonly message: string; readonly stack: string | null };
  /** The data of the event, if the handler changed it in place. */
  readonly event?: JsonObject;
  /** Whether it read what only events of the proposal have. */
  readonly usesProposal: boolean;
  /** Entries of `pi.appendEntry`. */
  readonly appended: readonly JsonObject[];
  /** All names so far. */
  readonly ignored: readonly string[];
}

/** Lets a hook module register its handlers. Throws if it is not a hook. */
export async function serveHook(exported: unknown, notRun = new UnsupportedCalls()): Promise<ServedModule> {
  if (typeof exported !== 'function') throw new Error('it exports no hook: write export default function (pi) { … }');
  const hook = new ServedHook(notRun);
  await notRun.explainErrorsOf(exported as (pi: unknown) => unknown)(hook.api());
  notRun.endLoading();
  return { loaded: hook.loaded(), method: (name) => hook.method(name) };
}

/** The handlers and renderers that a hook module has registered. */
class ServedHook {
  private readonly handlers: { readonly event: string; readonly handler: Handler }[] = [];
  private readonly renderers = new Map<string, RenderTransform>();
  private readonly view: SessionView;

  constructor(private readonly notRun: UnsupportedCalls) {
    this.view = new SessionView(notRun);
  }

  /** The `pi` of the module. */
  api(): unknown {
    const on = (event: unknown, handler: unknown): (() => void) => {
      if (typeof event !== 'string' || typeof handler !== 'function')
        throw new Error('pi.on needs an event name and a function');
      this.handlers.push({ event, handler: this.notRun.explainErrorsOf(handler as Handler) });
      return () => {};
    };
    const registerContextTransformRenderer = (id: unknown, render: unknown): void => {
      if (typeof id !== 'string' || typeof render !== 'function')
        throw new Error('pi.registerContextTransformRenderer needs an id and a function');
      this.renderers.set(id, render as RenderTransform);
    };
    return piApi({ on, registerContextTransformRenderer }, this.view, this.notRun);
  }

  loaded(): LoadedHook {
    const events = this.handlers.map(({ event }) => event);
    return { events, renderers: [...this.renderers.keys()], ignored: this.notRun.list() };
  }

  method(name: string): ReturnType<ServedModule['method']> {
    const { handlers, renderers, view, notRun } = this;
    if (name === 'handle') return (at, event) => handlers[Number(at)]?.handler(event, piContext(view, notRun));
    if (name === 'emit')
      return (at, event, state) => this.emit(handlers[Number(at)]?.handler, event as JsonObject, state);
    if (name === 'render')
      return (id, transform) => renderMarkdown(renderers.get(String(id))?.(transform, { expanded: true }));
    return undefined;
  }

  private async emit(handler: Handler | undefined, event: JsonObject, state: unknown): Promise<HandlerAnswer> {
    const { view, notRun } = this;
    view.update(state as PiState);
    const watched = watchEvent(event);
    const before = toData(event);
    const answer = await toHandlerAnswer(async () =>
      handler?.(watched.event, piContext(view, notRun, event.signal)),
    );
    const { appended, ignored } = { appended: view.takeAppended(), ignored: notRun.list() };
    const usesProposal = watched.isRead() || (isObject(answer.value) && 'patch' in answer.value);
    const after = toData(event);
    const changed = after === before ? {} : { event: JSON.parse(after) as JsonObject };
    return { ...answer, ...changed, usesProposal, appended, ignored };
  }
}

async function toHandlerAnswer(call: () => Promise<unknown>): Promise<Pick<HandlerAnswer, 'value' | 'thrown'>> {
  try {
    const value = await call();
    return value === undefined ? {} : { value };
  } catch (error) {
    return { thrown: { message: describeThrown(error), stack: error instanceof Error ? (error.stack ?? null) : null } };
  }
}

/** Fields that only events of the proposal have. */
const OF_PROPOSAL = ['reason', 'state'] as const;

/** An event of `context` that records whether its handler reads fields that only the proposal has. Other events stay as they are. */
function watchEvent(event: JsonObject): { readonly event: object; isRead(): boolean } {
  if (event.type !== 'context' || !('state' in event)) return { event, isRead: () => false };
  let isRead = false;
  const { reason: _, state: __, ...shown } = event;
  // Enumerating the event, to log it, reads neither.
  for (const name of OF_PROPOSAL) {
    const get = (): unknown => {
      isRead = true;
      return event[name];
    };
    Object.defineProperty(shown, name, { get, enumerable: false });
  }
  return { event: shown, isRead: () => isRead };
}

/** The part of an event that a handler may change in place, as JSON. */
function toData({ messages, systemPromptOptions, state }: JsonObject): string {
  return JSON.stringify({ messages, systemPromptOptions, state });
}

const WIDTH = 100;

/** Converts the result of a renderer: Markdown, or a component for a terminal, which returns lines. */
function renderMarkdown(rendered: unknown): string | undefined {
  if (typeof rendered === 'string') return rendered;
  if (typeof rendered !== 'object' || rendered === null) return undefined;
  const { markdown, render } = rendered as { markdown?: unknown; render?: unknown };
  if (typeof markdown === 'string') return markdown;
  if (typeof render !== 'function') return undefined;
  const lines: unknown = render.call(rendered, WIDTH);
  return Array.isArray(lines) ? lines.map(String).join('\n') : undefined;
}

type Listener = (data: unknown) => void;

/** Functions of Pi that a module may call besides `on`. What they change has no effect without an agent, and is named. */
function piApi(own: object, view: SessionView, notRun: UnsupportedCalls): unknown {
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
  return buildPiObject('pi', members, notRun);
}

/** The bus on which extensions of one process talk. Like Pi's, it reports the error of a listener, and goes on. */
function eventBus(): {
  emit(channel: string, data: unknown): void;
  on(channel: string, listener: Listener): () => void;
} {
  const listeners = new Map<string, Set<Listener>>();
  return {
    emit: (channel, data) => [...(listeners.get(channel) ?? [])].forEach((listener) => listener(data)),
    on(channel, listener) {
      const heard = listeners.get(channel) ?? new Set();
      const safe = (data: unknown): void => void toReported(channel, async () => listener(data));
      listeners.set(channel, heard.add(safe));
      return () => void heard.delete(safe);
    },
  };
}

async function toReported(channel: string, call: () => Promise<unknown>): Promise<void> {
  const { thrown } = await toHandlerAnswer(call);
  if (thrown) process.stderr.write(`Event handler error (${channel}): ${thrown.message}\n`);
}

/** The context that Pi passes to a handler with the event, as in print mode: without a screen or a user. */
function piContext(view: SessionView, notRun: UnsupportedCalls, signal?: unknown): unknown {
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
  return buildPiObject('ctx', members, notRun);
}

const painted = (...args: readonly unknown[]): string => asText(args.at(-1));
const THEME: unknown = new Proxy({}, { get: (_, key) => (key === 'then' ? undefined : painted) });

function screen(notRun: UnsupportedCalls): unknown {
  const members = {
    theme: THEME,
    notify: (text: unknown): void => void process.stderr.write(`${String(text)}\n`),
    confirm: (): boolean => false,
  };
  return buildPiObject('ctx.ui', members, notRun);
}

/** No model is there: an extension that asks for one takes its way without. */
function registry(notRun: UnsupportedCalls): unknown {
  const complete = (): Promise<never> => {
    notRun.add('ctx.modelRegistry.complete');
    return Promise.reject(new Error('no model is called offline'));
  };
  return buildPiObject('ctx.modelRegistry', { getAvailable: () => [], getAll: () => [], complete }, notRun);
}
