import { basename, dirname, join } from 'node:path';
import { CtxError } from '#base/errors.js';
import { describeIssue } from '#base/explain.js';
import { asString, isObject, parseJson } from '#base/json.js';
import { baseName } from '#base/paths.js';
import { didYouMean } from '#base/suggestion.js';
import { loadAssembly } from '#cli/config/assembly.js';
import { readCompactionSettings } from '#cli/config/compaction-settings.js';
import { type OpenSession, openSession } from '#context/open.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { createThreePhaseEngine, type ThreePhaseEngine } from '#lab/builtin/three-phase.js';
import type { CallToolParams, CallToolResult, ContextEngine } from '#lab/contract.js';
import {
  createPastFileIn,
  type DriveOptions,
  type HostValues,
  hostValues,
  type MakeEngine,
} from '#lab/drive/driven.js';
import { EngineDriver } from '#lab/drive/engine-driver.js';
import { EngineFailure } from '#lab/drive/failure.js';
import { findAnswerFault } from '#lab/drive/results.js';
import { readSpawn } from '#lab/drive/subagents.js';
import { engines, isEngineFile } from '#lab/index.js';
import { describeLoadHint } from '#lab/plugin-process/protocol.js';
import type { EngineStart, FollowedEngine } from '#live/define.js';
import type { Files, Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { peekSession } from '#session/scan/peek.js';
import { type Doc, heading, verbatim } from '#ui/doc/doc.js';
import { type ReadConfig, readConfig } from '../../config/read-config.js';
import { createSummary } from '../compact/create-summary.js';
import { textsFlag } from '../flags.js';
import { readActivePolicy } from '../prune/policy.js';
import { createModuleLog } from '../shared-flags.js';

/** An engine that the command line names, ready to be created. */
export interface NamedEngine {
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
export async function engineNamed(name: string, options: EngineOptions): Promise<NamedEngine> {
  const named = await engineOf(name, options);
  let made: ContextEngine | null = null;
  return {
    ...named,
    make: async (setup) => (made = await named.make(setup)),
    callTool: (params) => answerOf(made, params),
  };
}

async function engineOf(
  name: string,
  { io, config, timeLimit, signal, onChangedInput }: EngineOptions,
): Promise<Omit<NamedEngine, 'callTool'>> {
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
  return { name, make: () => startPluginEngine(start), createPast: createPastFileIn(io.files), telling: () => null };
}

/** A failure of an engine as an error of the command; everything else as it is. */
export function explained(error: unknown, name: string): unknown {
  if (!(error instanceof EngineFailure)) return error;
  // An injector or a summarizer that fails says so itself.
  if (error.cause instanceof CtxError) return error.cause;
  // Of one that is built in, that is the data's fault.
  const isBuiltIn = engines.some((engine) => engine.name === name);
  if (isBuiltIn && /call stack/.test(error.message)) return new RangeError(error.message);
  const during = error.method === 'create' ? 'cannot be started' : `failed at ${error.method}`;
  const hint = describeLoadHint(error, 'correct the engine; nothing was written');
  const told = new CtxError('input', `the engine ${during}: ${error.message}`, { where: name, hint });
  // With CTX_DEBUG, the stack in the engine is more useful than that of ctx.
  if (error.engineStack !== null) told.stack = error.engineStack;
  return told;
}

/** A call of a tool as the model would make it. */
export type EngineToolCall = Pick<CallToolParams, 'toolName' | 'input'>;

/** Reads a tool and its arguments: `read_result {"entry":"3f12b25a"}`. Throws a CtxError (usage) for another text. */
export function toolCallIn(raw: string): EngineToolCall {
  const [, toolName = '', json = ''] = /^\s*(\S+)\s*([\s\S]*)$/.exec(raw) ?? [];
  const input = json === '' ? {} : parseJson(json);
  if (toolName !== '' && isObject(input)) return { toolName, input };
  throw new CtxError('usage', `"${raw}" is not a tool call`, {
    hint: 'write the tool and its arguments: \'read_result {"entry":"ID"}\'',
  });
}

/** The answer of an engine to a call of one of its tools. Throws a CtxError if it has none. */
async function answerOf(engine: ContextEngine | null, params: CallToolParams): Promise<CallToolResult> {
  if (!engine?.callTool)
    throw new CtxError('usage', 'the engine answers no tool calls', { hint: 'give it a method callTool' });
  const answer: unknown = await engine.callTool(params);
  const why = findAnswerFault('callTool', answer);
  if (why === null) return answer as CallToolResult;
  throw new CtxError('input', `the engine failed at callTool: ${why}`, { hint: 'correct the engine' });
}

/** The call and its answer, in full. */
export function callDoc({ toolName, input, content }: NonNullable<AssemblyDocument['call']>): Doc {
  return [heading(3, `${toolName} ${JSON.stringify(input)}`), ...content.map((block) => verbatim(textOf(block)))];
}

function textOf(block: Readonly<Record<string, unknown>>): string {
  return asString(block['text']) ?? `[${String(block['type'])}]`;
}

/**
 * Puts an engine in charge of a running agent, as `ctx engine run` does of a recorded session: with the policy, the
 * assembly and the baseline of the configuration. Throws a CtxError if it cannot be created.
 */
export async function followEngine(io: Io, start: EngineStart): Promise<FollowedEngine> {
  const { name, set, session, path, timeLimit } = start;
  const world = inPlace(io, start);
  const { policy, baseline, window } = await readActivePolicy(world, {});
  // Only JSON of the user or of a trusted project is read, whose engines and hooks run too.
  const config = { ...(await readConfig(world, {})), isTrusted: true };
  const host = hostValuesOf({ set });
  const named = await engineNamed(name, { io: world, config, timeLimit });
  const settings = await readCompactionSettings(world, session, path, {});
  const children = childrenIn(io.files, { session, path, host });
  const tokenBudget = window.configuredLimit ?? start.limit;
  const options = { path, tokenBudget, settings, policy, baseline, host, children };
  return EngineDriver.start(session, named.make, options).catch((error: unknown) => {
    throw explained(error, name);
  });
}

/** Only JSON is read of a project, and nothing unless the user trusts it. */
function inPlace(io: Io, { cwd, isTrusted }: EngineStart): Io {
  const find = (folder: string): ReturnType<Io['configs']['find']> =>
    isTrusted ? io.configs.findPlain(folder) : Promise.resolve(null);
  return { ...io, cwd, configs: { ...io.configs, find } };
}

/** The flags of the commands that run engines, for what sessions do not record. */
export const hostFlags = {
  set: textsFlag(
    'KEY=VALUE',
    `a value of the host for the engine: ${Object.keys(hostValues.shape).join(', ')}; repeatable`,
  ),
};

/** The values of `--set`. Throws a CtxError (usage) for a key or a value that the contract does not have. */
export function hostValuesOf({ set = [] }: { readonly set?: readonly string[] | undefined }): HostValues {
  const values: Record<string, string> = {};
  for (const each of set) {
    const at = each.indexOf('=');
    const key = at === -1 ? each : each.slice(0, at);
    if (at === -1 || !Object.hasOwn(hostValues.shape, key)) throw unknownValue(each, key, at !== -1);
    values[key] = each.slice(at + 1);
  }
  const parsed = hostValues.safeParse(values);
  if (parsed.success) return parsed.data;
  const key = String(parsed.error.issues[0]?.path[0]);
  throw new CtxError('usage', describeIssue(parsed.error), { where: '--set', hint: `write ${key}=${VALUES[key]}` });
}

/** How the values are written. */
const VALUES: Readonly<Record<string, string>> = {
  sessionKey: 'KEY',
  customInstructions: 'TEXT',
  ttlMs: 'MILLISECONDS',
  isHeartbeat: 'true, false or a regular expression for prompts',
  citationsMode: 'auto, on or off',
  allowDeferredCompactionExecution: 'true or false',
  cleanup: 'keep or delete',
} satisfies Record<keyof HostValues, string>;

function unknownValue(text: string, key: string, hasValue: boolean): CtxError {
  const keys = Object.keys(hostValues.shape);
  const what = hasValue ? `the host has no value "${key}"` : `"${text}" is not KEY=VALUE`;
  const isKnown = keys.includes(key);
  const hint = isKnown ? `write ${key}=${VALUES[key]}` : didYouMean(key, keys, `keys are ${keys.join(', ')}`);
  return new CtxError('usage', what, { where: '--set', hint });
}

const BEGINNING_BYTES = 65_536;

/** Loads the sessions in the folder of a session that name it as their parent, as subagents that it started. */
export function childrenIn(
  files: Files,
  {
    session,
    path: heads,
    host,
  }: { readonly session: OpenSession; readonly path: readonly Head[]; readonly host: HostValues },
): DriveOptions['children'] {
  if (session.file === '-') return undefined;
  return async () => {
    const children = await Promise.all(childFiles(files, session).map(async (file) => openSession(file, files)));
    return children.map((child) => readSpawn({ session, path: heads }, child, host));
  };
}

function childFiles(files: Files, { file }: OpenSession): readonly string[] {
  const folder = dirname(file);
  // Sessions are moved and copied, but keep the names of their files.
  const isChild = (name: string): boolean => {
    const header = name.endsWith('.jsonl')
      ? peekSession(files.beginning(join(folder, name), BEGINNING_BYTES), false)
      : null;
    return header !== null && header !== 'no-session' && baseName(header.parentSession ?? '') === basename(file);
  };
  return files
    .list(folder)
    .filter(isChild)
    .toSorted()
    .map((name) => join(folder, name));
}
