import type { Served } from './calls.js';

type Handler = (event: unknown, context: unknown) => unknown;
type RenderTransform = (transform: unknown, options: unknown) => unknown;

/** The registrations of a hook module: event names in the order of their handlers. */
export interface HookLoaded {
  readonly events: readonly string[];
  readonly renderers: readonly string[];
  /** The called methods of Pi that have no effect here. */
  readonly ignored: readonly string[];
}

/** Functions that Pi's hooks can call besides `on`; they have no effect without an agent. */
const OF_THE_AGENT: readonly string[] =
  'sendMessage sendUserMessage appendEntry registerMessageRenderer registerEntryRenderer registerCommand registerTool registerShortcut registerFlag registerProvider setActiveTools setModel setThinkingLevel setSessionName setLabel'.split(
    ' ',
  );

/** Lets a hook module register its handlers. Throws if it is not a hook. */
export async function serveHook(exported: unknown): Promise<Served> {
  if (typeof exported !== 'function') throw new Error('it exports no hook: write export default function (pi) { … }');
  const handlers: { readonly event: string; readonly handler: Handler }[] = [];
  const renderers = new Map<string, RenderTransform>();
  const ignored = new Set<string>();
  const ignoring = OF_THE_AGENT.map((name) => [name, () => void ignored.add(`pi.${name}`)] as const);
  const api = {
    ...Object.fromEntries(ignoring),
    on(event: unknown, handler: unknown) {
      if (typeof event !== 'string' || typeof handler !== 'function')
        throw new Error('pi.on needs an event name and a function');
      handlers.push({ event, handler: handler as Handler });
    },
    registerContextTransformRenderer(id: unknown, render: unknown) {
      if (typeof id !== 'string' || typeof render !== 'function')
        throw new Error('pi.registerContextTransformRenderer needs an id and a function');
      renderers.set(id, render as RenderTransform);
    },
  };
  await (exported as (pi: unknown) => unknown)(api);
  const loaded: HookLoaded = {
    events: handlers.map(({ event }) => event),
    renderers: [...renderers.keys()],
    ignored: [...ignored],
  };
  return { loaded, method };

  function method(name: string): ReturnType<Served['method']> {
    if (name === 'handle') return (at, event) => handlers[Number(at)]?.handler(event, hookContext());
    if (name === 'render')
      return (id, transform) => markdownOf(renderers.get(String(id))?.(transform, { expanded: true }));
    return undefined;
  }
}

/** The context that Pi passes to a handler with the event, without a screen or a user. */
function hookContext(): unknown {
  return { cwd: process.cwd(), hasUI: false, ui: UI };
}

const noUser = (): undefined => undefined;

const UI = {
  notify: (text: unknown): void => void process.stderr.write(`${String(text)}\n`),
  confirm: (): boolean => false,
  select: noUser,
  input: noUser,
  editor: noUser,
  custom: noUser,
  setStatus: noUser,
  setWidget: noUser,
};

const WIDTH = 100;

/** Converts the result of a renderer: Markdown, or a component for a terminal, which returns lines. */
function markdownOf(rendered: unknown): string | undefined {
  if (typeof rendered === 'string') return rendered;
  if (typeof rendered !== 'object' || rendered === null) return undefined;
  const { markdown, render } = rendered as { markdown?: unknown; render?: unknown };
  if (typeof markdown === 'string') return markdown;
  if (typeof render !== 'function') return undefined;
  const lines: unknown = render.call(rendered, WIDTH);
  return Array.isArray(lines) ? lines.map(String).join('\n') : undefined;
}
