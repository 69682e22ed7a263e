import { DEFAULT_CACHE_OPTIONS } from '#analysis/cache/options.js';
import { compactionSettings } from '#change/compact/settings.js';
import { readPolicy } from '#change/prune/policy.js';
import type { AgentMessage, ContextEngine } from '#lab/contract.js';
import { engines } from '#lab/index.js';
import type { SimulateOptions, SimulationEngine } from '#lab/simulate/simulate.js';

/** Engines that are built in, by name. */
export function named(...names: readonly string[]): readonly SimulationEngine[] {
  return engines.flatMap(({ name, create }) => (names.includes(name) ? [{ name, make: create }] : []));
}

/** An engine that shows what a function makes of the transcript. */
export function showing(
  name: string,
  show: (messages: readonly AgentMessage[], request: number) => readonly AgentMessage[],
  more: Partial<ContextEngine> = {},
): SimulationEngine {
  let request = 0;
  return {
    name,
    make: () => ({
      info: { id: name, name, ownsCompaction: true },
      ingest: () => Promise.resolve({ ingested: true }),
      assemble({ messages }) {
        request += 1;
        return Promise.resolve({ messages: show(messages, request), estimatedTokens: 0 });
      },
      compact: () => Promise.resolve({ ok: true, compacted: false }),
      ...more,
    }),
  };
}

export function options(
  given: Partial<SimulateOptions['drive']> = {},
  more: Partial<SimulateOptions> = {},
): SimulateOptions {
  return {
    drive: { tokenBudget: null, settings: compactionSettings([], null), policy: readPolicy({}, ''), ...given },
    cache: DEFAULT_CACHE_OPTIONS,
    recordedMisses: false,
    ...more,
  };
}

/** Usage with prices: a dollar for a thousand tokens that are billed in full, a tenth of it for those that are read. */
export function usage(input: number, cacheRead: number): Record<string, unknown> {
  const cost = { input: input / 1000, output: 0, cacheRead: cacheRead / 10_000, cacheWrite: 0, total: 0 };
  return { input, output: 0, cacheRead, cacheWrite: 0, totalTokens: input + cacheRead, cost };
}
