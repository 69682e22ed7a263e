import { CtxError } from '#base/errors.js';
import { EngineFailure } from '#lab/drive/failure.js';
import { engines } from '#lab/index.js';
import { describeLoadHint } from '#lab/plugin-process/failure.js';

/** A failure of an engine as an error of the command; everything else as it is. */
export function toEngineError(error: unknown, name: string): unknown {
  if (!(error instanceof EngineFailure)) return error;
  // An injector or a summarizer that fails says so itself.
  if (error.cause instanceof CtxError) return error.cause;
  // A built-in engine fails so only by data that is nested too deeply.
  const isBuiltIn = engines.some((engine) => engine.name === name);
  if (isBuiltIn && /call stack/.test(error.message)) return new RangeError(error.message);
  const during = error.method === 'create' ? 'cannot be started' : `failed at ${error.method}`;
  const hint = describeLoadHint(error, 'correct the engine; nothing was written');
  const failure = new CtxError('input', `the engine ${during}: ${error.message}`, { where: name, hint });
  // The stack in the engine is more useful with CTX_DEBUG than that of ctx.
  if (error.engineStack !== null) failure.stack = error.engineStack;
  return failure;
}
