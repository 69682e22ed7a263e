import type { JsonObject } from '#base/json.js';
import type { Plugin, RecreatedArgument } from '#platform/plugin.js';
import { PluginFailure } from '../plugin-process/failure.js';
import type { Handler, PiView } from './hook-host.js';
import type { HandlerAnswer, HookAnswer, HookMethods, LoadedHook, PiState } from './plugin/hook-methods.js';
import { SIGNAL_PATH } from './run-boundary.js';

/** The options of the calls to a module. */
export interface HandlerOptions {
  /** The time limit in milliseconds, for loading and for each call. */
  readonly timeLimit: number;
  /** Receives the place in a module where it threw, for debugging. */
  onStack?(file: string, stack: string): unknown;
  /** Hears that a module changed what it was given, which changes nothing. */
  onChangedInput?(file: string): void;
}

interface ModuleOptions extends HandlerOptions {
  /** Hears what a module has called so far that has no effect. */
  onIgnored(names: readonly string[]): void;
}

/** The handlers of a module, which are called in the process of the module. */
export function listModuleHandlers(hook: string, plugin: Plugin, options: ModuleOptions): readonly Handler[] {
  const module = new ModuleProcess(hook, plugin, options);
  return (plugin.loaded as LoadedHook).events.map((event, at) => new ModuleHandler(module, event, at));
}

/** The process of a module, as its handlers call it. */
class ModuleProcess {
  /** The number of entries of the branch that the module has. */
  private sent = 0;

  constructor(
    readonly hook: string,
    private readonly plugin: Plugin,
    readonly options: ModuleOptions,
  ) {}

  /** The session with the part of the branch that the module does not have yet. */
  nextState({ branch, ...state }: PiView): PiState {
    const added = branch.slice(this.sent);
    this.sent = branch.length;
    return { ...state, added };
  }

  async call<Name extends keyof HookMethods>(
    method: Name,
    args: Parameters<HookMethods[Name]>,
    places: readonly RecreatedArgument[],
  ): Promise<HookAnswer<Name>> {
    const { timeLimit } = this.options;
    try {
      const answer = await this.plugin.call(method, args, { timeLimit, places });
      return answer as HookAnswer<Name>;
    } catch (error) {
      if (!(error instanceof PluginFailure)) throw error;
      this.noteStack(error.pluginStack);
      // An answer to `emit` holds what the handler returned.
      throw new PluginFailure(error.kind, error.message.replace('the answer.value', 'the answer'), error.pluginStack);
    }
  }

  noteStack(stack: string | null): void {
    if (stack !== null) this.options.onStack?.(this.hook, stack);
  }
}

/** A handler in the process of its module. */
class ModuleHandler implements Handler {
  readonly hook: string;
  private knownDialect: 'stock' | 'proposal' | null = null;
  /** The answer of the call that showed that the handler is one of stock Pi. */
  private kept: { readonly messages: string; readonly answer: HandlerAnswer } | null = null;

  /** `at`: its number among the handlers of the module. */
  constructor(
    private readonly module: ModuleProcess,
    readonly event: string,
    private readonly at: number,
  ) {
    this.hook = module.hook;
  }

  dialect(): 'stock' | 'proposal' | null {
    return this.knownDialect;
  }

  call(event: JsonObject): Promise<unknown> {
    const places = this.event === 'context' ? [ENVELOPE_SIGNAL] : [];
    return this.module.call('handle', [this.at, event], places);
  }

  async emit(event: JsonObject, view: PiView): Promise<HandlerAnswer> {
    const { module, kept } = this;
    const messages = JSON.stringify(event.messages);
    this.kept = null;
    if (kept !== null && kept.messages === messages) return kept.answer;
    const answer = await module.call('emit', [this.at, event, module.nextState(view)], listRecreated(event));
    module.options.onIgnored(answer.ignored);
    if (this.event === 'context') this.noteDialect(answer, messages);
    const { thrown } = answer;
    if (thrown === undefined) return answer;
    module.noteStack(thrown.stack);
    throw new PluginFailure('threw', thrown.message, thrown.stack);
  }

  private noteDialect(answer: HandlerAnswer, messages: string): void {
    const { module } = this;
    if (this.knownDialect === null && !answer.usesProposal && !answer.thrown) this.kept = { messages, answer };
    this.knownDialect ??= answer.usesProposal ? 'proposal' : 'stock';
    if (this.knownDialect === 'proposal' && answer.event !== undefined) module.options.onChangedInput?.(module.hook);
  }
}

const ENVELOPE_SIGNAL: RecreatedArgument = { at: [1, ...SIGNAL_PATH], kind: 'signal' };

const FILE_SETS = ['read', 'written', 'edited'] as const;

/** The parts of an event that are not JSON: its signals, and the sets of a preparation. */
function listRecreated(event: JsonObject): readonly RecreatedArgument[] {
  const recreated: RecreatedArgument[] = [];
  if ('state' in event) recreated.push(ENVELOPE_SIGNAL);
  if ('signal' in event) recreated.push({ at: [1, 'signal'], kind: 'signal' });
  if ('preparation' in event) {
    for (const name of FILE_SETS) recreated.push({ at: [1, 'preparation', 'fileOps', name], kind: 'set' });
  }
  return recreated;
}
