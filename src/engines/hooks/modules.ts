import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { HookLoaded } from '#platform/plugin-process/child/serve-hook.js';
import type { Guest, StartGuest } from '#platform/plugin-process/guest.js';
import { GuestFailure } from '#platform/plugin-process/protocol.js';
import { SIGNAL } from './chain.js';
import type { Handler, HookHost } from './define.js';

export interface ModulesStart {
  /** As the user named them. */
  readonly files: readonly string[];
  readonly startGuest: StartGuest;
  /** In milliseconds, for each call. */
  readonly timeLimit: number;
  readonly signal: AbortSignal;
  /** Takes a line that a module printed. */
  onLog(file: string, line: string): void;
  /** Hears where in a module something was thrown, for those who look for a mistake. */
  onStack?(file: string, stack: string): unknown;
  /** Hears that a module changed what it was given, which changes nothing. */
  onChangedInput?(file: string): void;
}

/** A module of hooks and what it registered. */
export interface HookModule extends HookLoaded {
  readonly file: string;
}

/** Modules that are loaded, each in a process of its own. */
export interface HookModules extends HookHost {
  readonly modules: readonly HookModule[];
  /** One of them has ended, so that nothing more can be asked. */
  isOver(): boolean;
  close(): Promise<void>;
}

/** Loads modules of hooks. Throws a CtxError (input) where that does not work. */
export async function startModules(start: ModulesStart): Promise<HookModules> {
  const guests: (readonly [file: string, guest: Guest])[] = [];
  const close = async (): Promise<void> => void (await Promise.all(guests.map(([, guest]) => guest.close())));
  try {
    for (const file of start.files) guests.push([file, await load(file, start)]);
  } catch (error) {
    await close();
    throw error;
  }
  const modules = guests.map(([file, guest]) => ({ file, ...(guest.loaded as HookLoaded) }));
  return {
    modules,
    handlers: guests.flatMap(([file, guest]) => handlersOf(file, guest, start)),
    async render(file, id, transform) {
      const guest = guests.find(([name]) => name === file)?.[1];
      const isKnown = modules.some((module) => module.file === file && module.renderers.includes(id));
      if (!guest || !isKnown) return null;
      const rendered = await guest.call('render', [id, transform], { timeLimit: start.timeLimit });
      return typeof rendered === 'string' ? rendered : null;
    },
    isOver: () => guests.some(([, guest]) => guest.isOver()),
    close,
  };
}

async function load(file: string, { startGuest, signal, onLog, onChangedInput }: ModulesStart): Promise<Guest> {
  try {
    return await startGuest({
      file,
      kind: 'hook',
      signal,
      onLog: (line) => onLog(file, line),
      ...(onChangedInput ? { onChangedInput: () => onChangedInput(file) } : {}),
    });
  } catch (error) {
    if (!(error instanceof GuestFailure)) throw error;
    throw new CtxError('input', `the hook cannot be loaded: ${error.message}`, {
      where: file,
      hint: 'fix the module; no hook was run and nothing was written',
    });
  }
}

function handlersOf(hook: string, guest: Guest, { timeLimit, onStack }: ModulesStart): readonly Handler[] {
  return (guest.loaded as HookLoaded).events.map((event, at) => ({
    hook,
    event,
    async call(given: JsonObject) {
      const places = event === 'context' ? ([{ at: [1, ...SIGNAL], kind: 'signal' }] as const) : [];
      try {
        return await guest.call('handle', [at, given], { timeLimit, places });
      } catch (error) {
        if (error instanceof GuestFailure && error.guestStack !== null) onStack?.(hook, error.guestStack);
        throw error;
      }
    },
  }));
}
