import { BY_CHARACTERS, type TokenMethod } from './tokens.js';

/**
 * Provider tokens per token of `chars/4`, measured on recorded sessions (docs/lab/sizes.md). A family that docs/studies
 * measures in fewer than ten sessions keeps its older factor.
 */
const RATES: readonly (readonly [family: RegExp, rate: number])[] = [
  [/kimi/, 1.1],
  [/deepseek/, 0.98],
  [/glm/, 1.4],
  [/claude-opus-4[-.]5/, 1.3],
  [/claude-opus-4[-.]6/, 1.53],
  [/claude-sonnet-4[-.]5/, 1.5],
  [/claude-sonnet-4[-.]6/, 1.48],
  [/claude-opus-4[-.]8/, 2.04],
];

const MEDIAN_RATE = 1.4;

interface TokenRate {
  readonly rate: number;
  /** false: no session of the model's family was measured, and the rate is the median of all. */
  readonly isOfFamily: boolean;
}

/** The rate of a model, by its name; `null` for an unknown one. */
export function findTokenRate(model: string | null): TokenRate {
  const name = model?.toLowerCase() ?? '';
  const found = RATES.find(([family]) => family.test(name));
  return { rate: found?.[1] ?? MEDIAN_RATE, isOfFamily: found !== undefined };
}

/** The rate of a model for a method of counting: 1 for a tokenizer. */
export function findMethodRate(model: string, { name }: TokenMethod): number {
  return name === BY_CHARACTERS.name ? findTokenRate(model).rate : 1;
}

/** More tokens than any text has for each estimated one: providers counted 0.9 to 2.1. */
export const LARGEST_FACTOR = 8;

/**
 * A smaller factor is noise, like one above the largest: providers counted 0.9 to 2.1 tokens for each estimated one.
 */
export const LEAST_FACTOR = 0.25;

/** Counted tokens per estimated one; null if they are noise. */
export function toPlausibleFactor(factor: number): number | null {
  return factor >= LEAST_FACTOR && factor <= LARGEST_FACTOR ? factor : null;
}
