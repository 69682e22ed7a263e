import { isObject } from '#base/json.js';
import type { ContextEngine } from '../contract.js';
import type { Breach } from '../drive/breaches/clauses.js';
import type { MethodParams } from '../drive/engine-methods.js';

/** Milliseconds that a request may wait for its engine, on average. */
const MAX_MEAN_MILLISECONDS = 500;

/** Fewer calls say nothing: the first one loads code. */
const MIN_CALLS = 3;

/** Measures the calls of `assemble`, for which the agent waits. */
export class AssembleTimes {
  private readonly times: number[] = [];

  async measure<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const begun = performance.now();
    try {
      return await call();
    } finally {
      this.times.push(performance.now() - begun);
    }
  }

  findBreach(): Breach | null {
    const [, ...times] = this.times;
    if (times.length < MIN_CALLS) return null;
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    if (mean <= MAX_MEAN_MILLISECONDS) return null;
    return {
      clause: 'quick',
      method: 'assemble',
      message: `a request waits ${(mean / 1000).toFixed(1)} s for it on average`,
    };
  }
}

/** An engine whose `assemble` is measured. */
export function measureAssemble(engine: ContextEngine, times: AssembleTimes): ContextEngine {
  const { assemble } = isObject(engine) ? engine : {};
  if (typeof assemble !== 'function') return engine;
  return Object.assign(Object.create(engine) as ContextEngine, {
    assemble: (params: MethodParams<'assemble'>) => times.measure(async () => assemble.call(engine, params)),
  });
}
