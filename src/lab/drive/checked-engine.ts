import { isObject } from '#base/json.js';
import { describeIssue } from '#base/schema-issue.js';
import type { ContextEngine, ContextEngineInfo, SubagentSpawnPreparation } from '../contract.js';
import { findAnswerFault, resultSchemas } from './engine-answers.js';
import { type EngineMethod, type MethodAnswer, type MethodParams, REQUIRED_METHODS } from './engine-methods.js';
import { EngineFailure, toEngineFailure } from './failure.js';

/** An engine whose answers are looked at: a method gives what the contract allows, or rejects with an EngineFailure. */
export class CheckedEngine {
  readonly info: ContextEngineInfo;

  /** Throws an EngineFailure for what is no engine. */
  private constructor(
    private readonly engine: ContextEngine,
    /** Aborts the check. */
    private readonly signal: AbortSignal | undefined,
    private readonly onCall: (event: string) => void = () => {},
  ) {
    const info = resultSchemas.info.safeParse(engine.info);
    if (!info.success) throw new EngineFailure('result', 'create', `info: ${describeIssue(info.error)}`);
    this.info = info.data as ContextEngineInfo;
    const missing = REQUIRED_METHODS.find((method) => typeof engine[method] !== 'function');
    if (missing !== undefined) throw new EngineFailure('result', 'create', `the engine has no method ${missing}`);
  }

  /** Creates an engine. Throws an EngineFailure if that fails. */
  static async create(
    create: () => unknown,
    { signal, onCall }: { readonly signal?: AbortSignal; readonly onCall?: (event: string) => void },
  ): Promise<CheckedEngine> {
    const engine = await createEngine(create);
    try {
      return new CheckedEngine(engine, signal, onCall);
    } catch (error) {
      // Even an invalid engine may hold a process. Only the first fault is reported.
      await (async () => engine.dispose?.())().catch(() => {});
      throw error;
    }
  }

  has(method: EngineMethod): boolean {
    return typeof this.engine[method] === 'function';
  }

  /** `about` follows the method's name in messages. An engine without the method is not called. */
  async call<Name extends EngineMethod>(
    name: Name,
    params: MethodParams<Name>,
    about = '',
  ): Promise<MethodAnswer<Name> | undefined> {
    if (!this.has(name)) return undefined;
    this.onCall(about === '' ? name : `${name}(${about})`);
    const method = this.engine[name] as (given: unknown) => unknown;
    const answer = await this.runUnlessAborted(name, async () => method.call(this.engine, params));
    const why = findAnswerFault(name, answer);
    if (why !== null) throw new EngineFailure('result', name, why);
    // The validated value itself, not the schema's copy: messages that the engine passes on stay the same objects.
    return answer as MethodAnswer<Name>;
  }

  /** Ends it; an engine that has none of that is done. Not even an interrupt keeps it from that. */
  async dispose(): Promise<void> {
    if (!this.engine.dispose) return;
    this.onCall('dispose');
    await awaitMethod('dispose', (async () => this.engine.dispose?.())());
  }

  /** Undoes what was prepared for a subagent. */
  async rollback({ rollback }: SubagentSpawnPreparation): Promise<void> {
    this.onCall('rollback');
    if (typeof rollback !== 'function')
      throw new EngineFailure('result', 'prepareSubagentSpawn', 'rollback must be a function');
    await this.runUnlessAborted('rollback', async () => rollback());
  }

  private async runUnlessAborted<Value>(method: string, work: () => Promise<Value>): Promise<Value> {
    const { signal } = this;
    if (signal?.aborted) throw buildInterruptedFailure(method);
    if (!signal) return awaitMethod(method, work());
    let stop = NO_LISTENER;
    const aborted = new Promise<never>((_, reject) => {
      stop = () => reject(buildInterruptedFailure(method));
      signal.addEventListener('abort', stop);
    });
    try {
      return await awaitMethod(method, Promise.race([work(), aborted]));
    } finally {
      // A signal for the listener would create an error with a stack at each call.
      signal.removeEventListener('abort', stop);
    }
  }
}

const NO_LISTENER = (): void => {};

async function awaitMethod<Value>(method: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw toEngineFailure(method, error);
  }
}

async function createEngine(create: () => unknown): Promise<ContextEngine> {
  const engine = await awaitMethod('create', (async () => create())());
  if (isObject(engine)) return engine as unknown as ContextEngine;
  throw new EngineFailure('result', 'create', 'not an object');
}

function buildInterruptedFailure(method: string): EngineFailure {
  return new EngineFailure('cancelled', method, 'the check was interrupted');
}
