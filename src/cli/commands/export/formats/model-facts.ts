import { type ModelFacts, modelFacts } from '#context/models/registry.js';
import type { Recipient } from './recipient.js';

/** How a model thinks, as far as a request depends on it. */
export type Thinking = Pick<ModelFacts, 'thinks' | 'thinksByEffort' | 'efforts'>;

/**
 * How the recipient of a request thinks. A model that no list has is one that thinks if the session has it think, by a number
 * of tokens, and takes every level that Pi has.
 */
export function thinkingOf({ provider, model, thinking }: Recipient): Thinking {
  const { thinks, thinksByEffort, efforts } = modelFacts({ provider, modelId: model }) ?? {
    thinks: thinking !== 'off',
    thinksByEffort: false,
    efforts: ANY_LEVEL,
  };
  return { thinks, thinksByEffort, efforts };
}

const ANY_LEVEL: ReadonlyMap<string, string | null> = new Map([
  ['off', null],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
]);

/** The word of the provider for not thinking; null for a model that cannot be told so. */
export function offEffort({ efforts }: Thinking): string | null {
  return efforts.has('off') ? (efforts.get('off') ?? null) : 'none';
}

/** The effort for a level, or for the nearest one that the model takes; null where that is not to think. */
export function effortFor(thinking: Thinking, level: string): string | null {
  const nearest = nearestLevel(thinking, level);
  return nearest === 'off' ? null : (thinking.efforts.get(nearest) ?? nearest);
}

/** What Anthropic calls a level of thinking, for models that take one. */
export function claudeEffort({ efforts }: Thinking, level: string): string {
  const effort = efforts.get(level);
  if (typeof effort === 'string') return effort;
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}

/** The level that a model takes instead of one that it refuses: the next higher one, else the next lower one. */
function nearestLevel({ thinks, efforts }: Thinking, level: string): string {
  if (!thinks) return 'off';
  const takes = (each: string): boolean =>
    efforts.get(each) !== null && (efforts.has(each) || (each !== 'xhigh' && each !== 'max'));
  const at = LEVELS.indexOf(level);
  if (at === -1) return LEVELS.find(takes) ?? 'off';
  return LEVELS.slice(at).find(takes) ?? LEVELS.slice(0, at).findLast(takes) ?? 'off';
}

/** From the least to the most. */
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Tokens for thinking, by level: Pi's usual ones. */
export function thinkingBudget(level: string): number {
  return BUDGETS.get(level) ?? MOST_THINKING;
}

const MOST_THINKING = 16_384;
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
]);
