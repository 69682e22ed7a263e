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
  /** The created engine, if it is the one that can name the injector of each message and section; else null. */
  threePhase(): ThreePhaseEngine | null;
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
  const engine = await findEngine(name, options);
  let made: ContextEngine | null = null;
  return {
    ...engine,
    make: async (setup) => (made = await engine.make(setup)),
    callTool: (params) => answerEngineToolCall(made, params),
  };
}

type FoundEngine = Omit<OpenEngine, 'callTool'>;

async function findEngine(name: string, options: EngineOptions): Promise<FoundEngine> {
  if (name === 'three-phase') return openThreePhase(name, options);
  const builtIn = engines.find((engine) => engine.name === name);
  if (builtIn) return { name, make: (setup) => builtIn.create(setup), threePhase: () => null };
  if (!options.io.files.exists(name)) throw buildUnknownEngineError(name);
  return openModule(name, options);
}

async function openThreePhase(name: string, { io, config, timeLimit }: EngineOptions): Promise<FoundEngine> {
  const assembly = await loadAssembly(io, config, {
    startPlugin: io.startPlugin,
    timeLimit,
    onLog: createModuleLog(io),
    summarize: async (task, flags) => (await createSummary(io, task, flags)).text,
  });
  let made: ThreePhaseEngine | null = null;
  return { name, make: (setup) => (made = createThreePhaseEngine(setup, assembly)), threePhase: () => made };
}

function buildUnknownEngineError(name: string): CtxError {
  const names = engines.map((engine) => engine.name);
  const builtInNames = `built in are ${names.join(', ')}`;
  if (isEngineFile(name))
    return new CtxError('usage', 'no such engine file', { where: name, hint: `check the path; ${builtInNames}` });
  const hint = didYouMean(name, names, `${builtInNames}; a module is named by its path, such as ./engine.ts`);
  return new CtxError('usage', `there is no engine "${name}"`, { hint });
}

async function openModule(file: string, options: EngineOptions): Promise<FoundEngine> {
  const { io, timeLimit, signal, onChangedInput } = options;
  const { startPluginEngine } = await import('#lab/drive/plugin-engine.js');
  const { startPlugin } = io;
  const onLog = (line: string): void => createModuleLog(io)(file, line);
  const make = (): Promise<ContextEngine> =>
    startPluginEngine({ file, startPlugin, timeLimit, onLog, signal, onChangedInput });
  return { name: file, make, createPast: preparePastFile(io.files), threePhase: () => null };
}
