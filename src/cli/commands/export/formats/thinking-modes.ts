import { findModelInfo, type ModelInfo } from '#context/models/registry.js';
import type { Recipient } from './recipient.js';

/** The facts about a model's thinking that a request depends on. */
export type ThinkingModes = Pick<ModelInfo, 'thinks' | 'thinksByEffort' | 'efforts'>;

/**
 * How the recipient of a request thinks. An unlisted model counts as a thinking model if the session uses a thinking level, by a number
 * of tokens, and takes every level that Pi has.
 */
export function findThinkingModes({ provider, model, thinking }: Recipient): ThinkingModes {
  const { thinks, thinksByEffort, efforts } = findModelInfo({ provider, modelId: model }) ?? {
    thinks: thinking !== null && thinking !== 'off',
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
export function findEffortForOff({ efforts }: ThinkingModes): string | null {
  return efforts.has('off') ? (efforts.get('off') ?? null) : 'none';
}

/** The effort for a thinking level, or for the nearest level that the model accepts; null to turn thinking off. */
export function chooseEffort(thinking: ThinkingModes, level: string): string | null {
  const nearest = findNearestLevel(thinking, level);
  return nearest === 'off' ? null : (thinking.efforts.get(nearest) ?? nearest);
}

/** Anthropic's name of a thinking level, for models that accept one. */
export function chooseClaudeEffort({ efforts }: ThinkingModes, level: string): string {
  const effort = efforts.get(level);
  if (typeof effort === 'string') return effort;
  if (level === 'minimal' || level === 'low') return 'low';
  return level === 'medium' ? 'medium' : 'high';
}

/** The level that a model takes instead of one that it refuses: the next higher one, else the next lower one. */
function findNearestLevel({ thinks, efforts }: ThinkingModes, level: string): string {
  if (!thinks) return 'off';
  const isAccepted = (each: string): boolean =>
    efforts.get(each) !== null && (efforts.has(each) || (each !== 'xhigh' && each !== 'max'));
  const at = LEVELS.indexOf(level);
  if (at === -1) return LEVELS.find(isAccepted) ?? 'off';
  return LEVELS.slice(at).find(isAccepted) ?? LEVELS.slice(0, at).findLast(isAccepted) ?? 'off';
}

/** The levels from the least to the most. */
const LEVELS = ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Tokens for thinking, by level: Pi's usual ones, or what an answer leaves of the limit; null for a limit that allows
 * none.
 */
export function chooseThinkingBudget(level: string, maxTokens: number): number | null {
  if (maxTokens <= LEAST_THINKING) return null;
  return Math.min(BUDGETS.get(level) ?? MOST_THINKING, Math.max(LEAST_THINKING, maxTokens - LEFT_FOR_ANSWER));
}

const LEFT_FOR_ANSWER = 1024;
/** The API refuses fewer, and a limit that is not higher. */
const LEAST_THINKING = 1024;
const MOST_THINKING = 16_384;
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', LEAST_THINKING],
  ['low', 2048],
  ['medium', 8192],
]);
