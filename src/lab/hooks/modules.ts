import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import type { Plugin, RecreatedArgument, StartPlugin } from '#platform/plugin.js';
import { describeLoadHint, PluginFailure } from '../plugin-process/protocol.js';
import { SIGNAL_PATH } from './chain.js';
import type { Handler, HookHost, PiView } from './define.js';
import type { HandlerAnswer, LoadedHook } from './plugin/serve-hook.js';
import type { PiState } from './plugin/session-view.js';

export interface ModulesStart {
  /** As the user named them. */
  readonly files: readonly string[];
  readonly startPlugin: StartPlugin;
  /** In milliseconds, for loading and for each call. */
  readonly timeLimit: number;
  readonly signal: AbortSignal;
  /** Takes a line that a module printed. */
  onLog(file: string, line: string): void;
  /** Receives the place in a module where it threw, for debugging. */
  onStack?(file: string, stack: string): unknown;
  /** Hears that a module changed what it was given, which changes nothing. */
  onChangedInput?(file: string): void;
}

/** A module of hooks and what it registered. */
export interface HookModule extends LoadedHook {
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
  const plugins: (readonly [file: string, plugin: Plugin])[] = [];
  const close = async (): Promise<void> => void (await Promise.all(plugins.map(([, plugin]) => plugin.close())));
  try {
    for (const file of start.files) plugins.push([file, await load(file, start)]);
  } catch (error) {
    await close();
    throw error;
  }
  const modules = plugins.map(([file, plugin]) => ({ file, ...(plugin.loaded as LoadedHook) }));
  return {
    modules,
    handlers: plugins.flatMap(([file, plugin], at) =>
      handlersOf(file, plugin, {
        ...start,
        onIgnored: (ignored) => void (modules[at] &&= { ...modules[at], ignored }),
      }),
    ),
    async render(file, id, transform) {
      const plugin = plugins.find(([name]) => name === file)?.[1];
      const isKnown = modules.some((module) => module.file === file && module.renderers.includes(id));
      if (!plugin || !isKnown) return null;
      const rendered = await plugin.call('render', [id, transform], { timeLimit: start.timeLimit });
      return typeof rendered === 'string' ? rendered : null;
    },
    isOver: () => plugins.some(([, plugin]) => plugin.isOver()),
    close,
  };
}

async function load(
  file: string,
  { startPlugin, timeLimit, signal, onLog, onChangedInput }: ModulesStart,
): Promise<Plugin> {
  try {
    return await startPlugin({
      file,
      kind: 'hook',
      timeLimit,
      signal,
      onLog: (line) => onLog(file, line),
      // Stock Pi lets a handler change its event in place.
      ...(onChangedInput ? { onChangedInput: (method) => method === 'handle' && onChangedInput(file) } : {}),
    });
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    throw hookLoadError(file, error);
  }
}

/** The error for a module of hooks that cannot be loaded. */
export function hookLoadError(file: string, error: Pick<Error, 'message'>): CtxError {
  return new CtxError('input', `the hook cannot be loaded: ${error.message}`, {
    where: file,
    hint: describeLoadHint(error, 'fix the module; no hook was run and nothing was written'),
  });
}

/** `onIgnored` hears what a module has called so far that has no effect. */
type HandlersStart = ModulesStart & { onIgnored(names: readonly string[]): void };

function handlersOf(hook: string, plugin: Plugin, start: HandlersStart): readonly Handler[] {
  const feed = new BranchFeed();
  return (plugin.loaded as LoadedHook).events.map(
    (event, at) => new ModuleHandler(hook, event, at, { plugin, start, feed }),
  );
}

/** The part of the branch that a module does not have yet. */
class BranchFeed {
  private sent = 0;

  next({ branch, ...state }: PiView): PiState {
    const added = branch.slice(this.sent);
    this.sent = branch.length;
    return { ...state, added };
  }
}

class ModuleHandler implements Handler {
  private known: 'stock' | 'proposal' | null = null;
  /** The answer of the call that told which one it is. */
  private kept: { readonly messages: string; readonly emitted: HandlerAnswer } | null = null;

  /** `at`: its number among the handlers of the module. */
  constructor(
    readonly hook: string,
    readonly event: string,
    private readonly at: number,
    private readonly given: { readonly plugin: Plugin; readonly start: HandlersStart; readonly feed: BranchFeed },
  ) {}

  dialect(): 'stock' | 'proposal' | null {
    return this.known;
  }

  call(event: JsonObject): Promise<unknown> {
    const places = this.event === 'context' ? [OF_ENVELOPE] : [];
    return this.ask('handle', [this.at, event], places);
  }

  async emit(event: JsonObject, view: PiView): Promise<HandlerAnswer> {
    const messages = JSON.stringify(event['messages']);
    const { kept } = this;
    this.kept = null;
    if (kept !== null && kept.messages === messages) return kept.emitted;
    const emitted = (await this.ask(
      'emit',
      [this.at, event, this.given.feed.next(view)],
      placesIn(event),
    )) as HandlerAnswer;
    this.given.start.onIgnored(emitted.ignored);
    if (this.event === 'context') this.tell(emitted, messages);
    if (emitted.thrown) throw this.thrown(emitted.thrown);
    return emitted;
  }

  private tell(emitted: HandlerAnswer, messages: string): void {
    if (this.known === null && !emitted.usesProposal && !emitted.thrown) this.kept = { messages, emitted };
    this.known ??= emitted.usesProposal ? 'proposal' : 'stock';
    if (this.known === 'proposal' && emitted.event !== undefined) this.given.start.onChangedInput?.(this.hook);
  }

  private thrown({ message, stack }: NonNullable<HandlerAnswer['thrown']>): PluginFailure {
    if (stack !== null) this.given.start.onStack?.(this.hook, stack);
    return new PluginFailure('threw', message, stack);
  }

  private async ask(method: string, args: readonly unknown[], places: readonly RecreatedArgument[]): Promise<unknown> {
    const {
      plugin,
      start: { timeLimit, onStack },
    } = this.given;
    try {
      return await plugin.call(method, args, { timeLimit, places });
    } catch (error) {
      if (!(error instanceof PluginFailure)) throw error;
      if (error.pluginStack !== null) onStack?.(this.hook, error.pluginStack);
      // An answer to `emit` holds what the handler returned.
      throw new PluginFailure(error.kind, error.message.replace('the answer.value', 'the answer'), error.pluginStack);
    }
  }
}

const OF_ENVELOPE: RecreatedArgument = { at: [1, ...SIGNAL_PATH], kind: 'signal' };
const FILE_SETS = ['read', 'written', 'edited'] as const;

/** The arguments of an event that are not JSON: its signal, and the sets of a preparation. */
function placesIn(event: JsonObject): readonly RecreatedArgument[] {
  return [
    ...('state' in event ? [OF_ENVELOPE] : []),
    ...('signal' in event ? [{ at: [1, 'signal'], kind: 'signal' } as const] : []),
    ...('preparation' in event
      ? FILE_SETS.map((name) => ({ at: [1, 'preparation', 'fileOps', name], kind: 'set' }) as const)
      : []),
  ];
}
