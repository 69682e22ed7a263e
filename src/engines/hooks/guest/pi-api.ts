import type { NotRun } from './not-run.js';
import type { SessionView } from './session-view.js';
import { withFallback } from './stand-in.js';

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
