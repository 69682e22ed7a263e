import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import { createThreePhaseEngine, type ThreePhaseEngine } from '#lab/builtin/three-phase.js';
import type { CallToolParams, CallToolResult, ContextEngine } from '#lab/contract.js';
import type { DriveOptions, MakeEngine } from '#lab/drive/drive-options.js';
import { preparePastFile } from '#lab/drive/past-file.js';
import { engines, isEngineFile } from '#lab/index.js';
import type { Io } from '#platform/io.js';
import { loadAssembly } from '../../config/assembly.js';
import type { ReadConfig } from '../../config/read-config.js';
import { createSummary } from '../compact/create-summary.js';
import { createModuleLog } from '../shared-flags.js';
import { answerEngineToolCall } from './tool-call.js';

/** An engine that the command line names, ready to be created. */
export interface OpenEngine {
  readonly name: string;
  readonly make: MakeEngine;
  /** Makes the session file of an engine that could read the recorded one. */
  readonly createPast?: DriveOptions['createPast'];
  /** Answers a call of a tool of the engine while it runs. Throws a CtxError for an engine without tools. */
  callTool(params: CallToolParams): Promise<CallToolResult>;
  /** The created engine, if it can name the injector of each message and section; else null. */
  telling(): ThreePhaseEngine | null;
}

interface EngineOptions {
  readonly io: Io;
  readonly config: ReadConfig;
  /** Milliseconds that each call of an engine of the user may take. */
  readonly timeLimit: number;
  readonly signal?: AbortSignal;
  /** Called with each method of a user's engine that changes its input. */
  readonly onChangedInput?: (method: string) => void;
}

/**
 * A built-in engine, by its name, or a user's engine, by its file. Built-in engines use the settings of the
 * configuration. Throws a CtxError (usage) for an unknown one.
 */
export async function openEngine(name: string, options: EngineOptions): Promise<OpenEngine> {
  const named = await findEngine(name, options);
  let made: ContextEngine | null = null;
  return {
    ...named,
    make: async (setup) => (made = await named.make(setup)),
    callTool: (params) => answerEngineToolCall(made, params),
  };
}

async function findEngine(
  name: string,
  { io, config, timeLimit, signal, onChangedInput }: EngineOptions,
): Promise<Omit<OpenEngine, 'callTool'>> {
  if (name === 'three-phase') {
    const assembly = await loadAssembly(io, config, {
      startPlugin: io.startPlugin,
      timeLimit,
      onLog: createModuleLog(io),
      summarize: async (task, flags) => (await createSummary(io, task, flags)).text,
    });
    let made: ThreePhaseEngine | null = null;
    return { name, make: (setup) => (made = createThreePhaseEngine(setup, assembly)), telling: () => made };
  }
  const builtIn = engines.find((engine) => engine.name === name);
  if (builtIn) return { name, make: (setup) => builtIn.create(setup), telling: () => null };
  if (!io.files.exists(name)) {
    const names = engines.map((engine) => engine.name);
    const builtInNames = `built in are ${names.join(', ')}`;
    if (isEngineFile(name))
      throw new CtxError('usage', 'no such engine file', { where: name, hint: `check the path; ${builtInNames}` });
    const hint = didYouMean(name, names, `${builtInNames}; a module is named by its path, such as ./engine.ts`);
    throw new CtxError('usage', `there is no engine "${name}"`, { hint });
  }
  const { startPluginEngine } = await import('#lab/drive/plugin-engine.js');
  const start = {
    file: name,
    startPlugin: io.startPlugin,
    timeLimit,
    onLog: (line: string) => createModuleLog(io)(name, line),
    ...(signal ? { signal } : {}),
    ...(onChangedInput ? { onChangedInput } : {}),
  };
  return { name, make: () => startPluginEngine(start), createPast: preparePastFile(io.files), telling: () => null };
}
