import type { JsonObject } from '#base/json.js';
import type { Plugin, RecreatedArgument } from '#platform/plugin.js';
import { PluginFailure } from '../plugin-process/failure.js';
import type { Handler, PiView } from './hook-host.js';
import type { HandlerAnswer, LoadedHook } from './plugin/serve-hook.js';
import type { PiState } from './plugin/session-view.js';
import { SIGNAL_PATH } from './run-boundary.js';

/** The options of the calls to a module. */
export interface HandlerOptions {
  /** In milliseconds, for loading and for each call. */
  readonly timeLimit: number;
  /** Receives the place in a module where it threw, for debugging. */
  onStack?(file: string, stack: string): unknown;
  /** Hears that a module changed what it was given, which changes nothing. */
  onChangedInput?(file: string): void;
}

interface HandlerCalls extends HandlerOptions {
  /** Hears what a module has called so far that has no effect. */
  onIgnored(names: readonly string[]): void;
}

/** The handlers of a module, each of which is called in the process of the module. */
export function listModuleHandlers(hook: string, plugin: Plugin, start: HandlerCalls): readonly Handler[] {
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
  private knownDialect: 'stock' | 'proposal' | null = null;
  /** The answer of the call that told which one it is. */
  private kept: { readonly messages: string; readonly emitted: HandlerAnswer } | null = null;

  /** `at`: its number among the handlers of the module. */
  constructor(
    readonly hook: string,
    readonly event: string,
    private readonly at: number,
    private readonly given: { readonly plugin: Plugin; readonly start: HandlerCalls; readonly feed: BranchFeed },
  ) {}

  dialect(): 'stock' | 'proposal' | null {
    return this.knownDialect;
  }

  call(event: JsonObject): Promise<unknown> {
    const places = this.event === 'context' ? [ENVELOPE_SIGNAL] : [];
    return this.ask('handle', [this.at, event], places);
  }

  async emit(event: JsonObject, view: PiView): Promise<HandlerAnswer> {
    const messages = JSON.stringify(event.messages);
    const { kept } = this;
    this.kept = null;
    if (kept !== null && kept.messages === messages) return kept.emitted;
    const emitted = (await this.ask(
      'emit',
      [this.at, event, this.given.feed.next(view)],
      listPlaces(event),
    )) as HandlerAnswer;
    this.given.start.onIgnored(emitted.ignored);
    if (this.event === 'context') this.noteDialect(emitted, messages);
    if (emitted.thrown) throw this.toFailure(emitted.thrown);
    return emitted;
  }

  private noteDialect(emitted: HandlerAnswer, messages: string): void {
    if (this.knownDialect === null && !emitted.usesProposal && !emitted.thrown) this.kept = { messages, emitted };
    this.knownDialect ??= emitted.usesProposal ? 'proposal' : 'stock';
    if (this.knownDialect === 'proposal' && emitted.event !== undefined) this.given.start.onChangedInput?.(this.hook);
  }

  private toFailure({ message, stack }: NonNullable<HandlerAnswer['thrown']>): PluginFailure {
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

const ENVELOPE_SIGNAL: RecreatedArgument = { at: [1, ...SIGNAL_PATH], kind: 'signal' };

const FILE_SETS = ['read', 'written', 'edited'] as const;

/** The arguments of an event that are not JSON: its signal, and the sets of a preparation. */
function listPlaces(event: JsonObject): readonly RecreatedArgument[] {
  return [
    ...('state' in event ? [ENVELOPE_SIGNAL] : []),
    ...('signal' in event ? [{ at: [1, 'signal'], kind: 'signal' } as const] : []),
    ...('preparation' in event
      ? FILE_SETS.map((name) => ({ at: [1, 'preparation', 'fileOps', name], kind: 'set' }) as const)
      : []),
  ];
}
