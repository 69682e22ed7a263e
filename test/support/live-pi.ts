import type { Pi, PiCommand, PiContext, PiEntry, PiMessage } from '#live/pi.js';

type Handler = (event: unknown, ctx: PiContext) => unknown;

/** A Pi in memory, with a session that the test writes. */
export interface LivePi {
  readonly pi: Pi;
  readonly ctx: PiContext;
  /** The entries of the branch; a test may push to it, or replace it. */
  branch: PiEntry[];
  /** The notices that were shown, each as `level: text`. */
  readonly notices: string[];
  /** The names of commands with their handlers. */
  readonly commands: Map<string, PiCommand>;
  /** The status line by key. */
  readonly shown: Map<string, unknown>;
  isAborted: boolean;
  /** The provider of the model. */
  provider: object | undefined;
  /** Runs the handlers of an event as Pi does: in order, and returns their results without undefined. */
  emit(type: string, event?: object): Promise<readonly unknown[]>;
  /** The messages after all handlers of `context_with_system`. */
  send(messages: readonly PiMessage[]): Promise<readonly PiMessage[]>;
}

/** A Pi in memory with a branch, which is a session in the folder /home/ada/weather. */
export function livePi(entries: readonly PiEntry[] = [], of: Partial<PiContext> = {}): LivePi {
  const handlers = new Map<string, Handler[]>();
  const result: LivePi = {
    pi: piOf(handlers, () => result),
    ctx: { ...contextOf(() => result), ...of },
    branch: [...entries],
    notices: [],
    commands: new Map(),
    shown: new Map(),
    isAborted: false,
    provider: undefined,
    async emit(type, event = {}) {
      const results: unknown[] = [];
      for (const handler of handlers.get(type) ?? []) {
        const value = await handler(Object.assign(event, { type }), result.ctx);
        if (value !== undefined) results.push(value);
      }
      return results;
    },
    async send(messages) {
      let sent = [...messages];
      for (const handler of handlers.get('context_with_system') ?? []) {
        const value = await handler({ type: 'context_with_system', messages: sent }, result.ctx);
        sent = (value as { readonly messages?: PiMessage[] } | undefined)?.messages ?? sent;
      }
      return sent;
    },
  };
  return result;
}

function piOf(handlers: Map<string, Handler[]>, now: () => LivePi): Pi {
  return {
    on: (type: string, handler: Handler) => void handlers.set(type, [...(handlers.get(type) ?? []), handler]),
    registerCommand: (name: string, options: PiCommand) => void now().commands.set(name, options),
    appendEntry(customType: string, data: unknown) {
      const { branch } = now();
      const id = `e${branch.length}`;
      const entry = { type: 'custom', id, parentId: branch.at(-1)?.id ?? null, timestamp: new Date(0).toISOString() };
      branch.push({ ...entry, customType, data } as PiEntry);
    },
    getThinkingLevel: () => 'off',
    getSettings: () => ({}),
  } as Pi;
}

function contextOf(now: () => LivePi): PiContext {
  return {
    mode: 'tui',
    hasUI: true,
    cwd: '/home/ada/weather',
    model: { id: 'faux-1', provider: 'faux', contextWindow: 200_000 },
    ui: {
      notify: (text, level = 'info') => void now().notices.push(`${level}: ${text}`),
      confirm: () => Promise.resolve(true),
      setStatus: (key, text) => void now().shown.set(key, text),
      custom: () => Promise.reject(new Error('no terminal')),
    },
    sessionManager: {
      getSessionFile: () => '/home/ada/session.jsonl',
      getSessionId: () => 'live',
      getLeafId: () => now().branch.at(-1)?.id ?? null,
      getHeader: () => ({
        type: 'session',
        version: 3,
        id: 'live',
        timestamp: '2026-01-01T00:00:00.000Z',
        cwd: '/home/ada/weather',
      }),
      getBranch: () => [...now().branch],
      getEntries: () => [...now().branch],
      buildSessionProjection: () => ({ messages: [] }),
    },
    modelRegistry: { getProvider: () => now().provider },
    signal: undefined,
    isProjectTrusted: () => true,
    isIdle: () => true,
    abort: () => void (now().isAborted = true),
    getContextUsage: () => undefined,
  };
}
