import { sumBy } from '#base/lists.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import type { ActiveInjector } from './define.js';
import { injectors } from './index.js';

/** Which injectors take part in an assembly, and how. */
export interface Assembly {
  readonly injectors: readonly ActiveInjector[];
  /** The seed of how the tail is written; null: always in the same way. */
  readonly variation: number | null;
  /** The place of the tail: a message of its own, or the end of the newest message if that is the user's. */
  readonly tail: TailPlace;
  /** Options of `compress` for results that enter; null: only those of more than 3,000 tokens are shortened. */
  readonly results: Readonly<Record<string, unknown>> | null;
  /** Whether the engine adds the tool `read_result`, which opens shortened messages again. */
  readonly readResult: boolean;
  /** Writes the summary of old turns; null: fixed rules do. */
  readonly summarize: ((task: SummaryTask) => Promise<string>) | null;
  /** Ends what the injectors have started. */
  close(): Promise<void>;
}

export const TAIL_PLACES = ['message', 'newest-message'] as const;
export type TailPlace = (typeof TAIL_PLACES)[number];

/** All injectors that are built in, as they are. Those that need files have none. */
export function buildDefaultAssembly(): Assembly {
  const activeInjectors = injectors.map((injector) => {
    const { phase, cache, priority, maxTokens, top } = injector;
    return { injector, placement: { phase, cache, priority, maxTokens }, settings: { texts: [], top: top ?? 0 } };
  });
  return { injectors: activeInjectors, ...PLAIN };
}

/** An assembly without settings of the user. */
const PLAIN: Omit<Assembly, 'injectors'> = {
  variation: null,
  tail: 'message',
  results: null,
  readResult: false,
  summarize: null,
  close: () => Promise.resolve(),
};

/** The share of the model's context window that all injectors together may take. */
const MAX_BUDGET_SHARE = 0.5;

/**
 * Injectors whose budgets leave room for the conversation: where they would not, each gets its share of half the
 * window.
 */
export function fitBudgets(
  activeInjectors: readonly ActiveInjector[],
  tokenBudget: number | null,
): readonly ActiveInjector[] {
  const all = sumBy(activeInjectors, ({ placement }) => placement.maxTokens);
  const share = tokenBudget === null || all === 0 ? 1 : Math.min(1, (tokenBudget * MAX_BUDGET_SHARE) / all);
  if (share === 1) return activeInjectors;
  return activeInjectors.map((active) => ({
    ...active,
    placement: { ...active.placement, maxTokens: Math.floor(active.placement.maxTokens * share) },
  }));
}
