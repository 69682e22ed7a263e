import { isObject, type JsonObject } from '#base/json.js';
import { describeThrown } from '../../plugin-process/child/describe-thrown.js';
import type { ServedModule } from '../../plugin-process/child/served-module.js';
import type { HandlerAnswer, HookMethods, LoadedHook, PiState } from './hook-methods.js';
import { buildPiApi, buildPiContext } from './pi-api.js';
import { SessionView } from './session-view.js';
import { UnsupportedCalls } from './unsupported-calls.js';

type Handler = (event: unknown, context: unknown) => unknown;
type RenderTransform = (transform: unknown, options: unknown) => unknown;

/** Lets a hook module register its handlers. Throws if it is not a hook. */
export async function serveHook(exported: unknown, notRun = new UnsupportedCalls()): Promise<ServedModule> {
  if (typeof exported !== 'function') throw new Error('it exports no hook: write export default function (pi) { … }');
  const hook = new ServedHook(notRun);
  await notRun.explainErrorsOf(exported as (pi: unknown) => unknown)(hook.api());
  notRun.endLoading();
  const methods = hook.methods();
  return {
    loaded: hook.loaded(),
    method: (name) =>
      Object.hasOwn(methods, name)
        ? (methods[name as keyof HookMethods] as (...args: readonly unknown[]) => unknown)
        : undefined,
  };
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
    return buildPiApi({ on, registerContextTransformRenderer }, this.view, this.notRun);
  }

  loaded(): LoadedHook {
    const events = this.handlers.map(({ event }) => event);
    return { events, renderers: [...this.renderers.keys()], ignored: this.notRun.list() };
  }

  methods(): HookMethods {
    const { handlers, renderers, view, notRun } = this;
    return {
      handle: (at, event) => handlers[at]?.handler(event, buildPiContext(view, notRun)),
      emit: (at, event, state) => this.emit(handlers[at]?.handler, event, state),
      render: (id, transform) => toMarkdown(renderers.get(id)?.(transform, { expanded: true })),
    };
  }

  private async emit(handler: Handler | undefined, event: JsonObject, state: PiState): Promise<HandlerAnswer> {
    const { view, notRun } = this;
    view.update(state);
    const watched = watchEvent(event);
    const before = formatEventData(event);
    const result = await catchThrown(async () => handler?.(watched.event, buildPiContext(view, notRun, event.signal)));
    const usesProposal = watched.isRead() || (isObject(result.value) && 'patch' in result.value);
    const answer = { ...result, usesProposal, appended: view.takeAppended(), ignored: notRun.list() };
    const after = formatEventData(event);
    return after === before ? answer : { ...answer, event: JSON.parse(after) as JsonObject };
  }
}

async function catchThrown(call: () => Promise<unknown>): Promise<Pick<HandlerAnswer, 'value' | 'thrown'>> {
  try {
    const value = await call();
    return value === undefined ? {} : { value };
  } catch (error) {
    return { thrown: { message: describeThrown(error), stack: error instanceof Error ? (error.stack ?? null) : null } };
  }
}

/** Fields that only events of the proposal have. */
const PROPOSAL_FIELDS = ['reason', 'state'] as const;

/**
 * An event of `context` that records whether its handler reads fields that only the proposal has. Other events stay as
 * they are.
 */
function watchEvent(event: JsonObject): { readonly event: object; isRead(): boolean } {
  if (event.type !== 'context' || !('state' in event)) return { event, isRead: () => false };
  let isRead = false;
  const { reason: _, state: __, ...shown } = event;
  // Enumerating the event, to log it, reads neither.
  for (const name of PROPOSAL_FIELDS) {
    const get = (): unknown => {
      isRead = true;
      return event[name];
    };
    Object.defineProperty(shown, name, { get, enumerable: false });
  }
  return { event: shown, isRead: () => isRead };
}

/** The part of an event that a handler may change in place, as JSON. */
function formatEventData({ messages, systemPromptOptions, state }: JsonObject): string {
  return JSON.stringify({ messages, systemPromptOptions, state });
}

const WIDTH = 100;

/** Converts the result of a renderer: Markdown, or a component for a terminal, which returns lines. */
function toMarkdown(rendered: unknown): string | undefined {
  if (typeof rendered === 'string') return rendered;
  if (typeof rendered !== 'object' || rendered === null) return undefined;
  const { markdown, render } = rendered as { markdown?: unknown; render?: unknown };
  if (typeof markdown === 'string') return markdown;
  if (typeof render !== 'function') return undefined;
  const lines: unknown = render.call(rendered, WIDTH);
  return Array.isArray(lines) ? lines.map(String).join('\n') : undefined;
}
