/** Tokens that a provider counts for each one of `chars/4`, measured on recorded sessions (docs/status.md). */
const RATES: readonly (readonly [family: RegExp, rate: number])[] = [
  [/kimi/, 1.1],
  [/deepseek/, 0.98],
  [/glm/, 1.4],
  [/claude-opus-4[-.]5/, 1.3],
  [/claude-sonnet-4[-.]5/, 1.5],
  [/claude-sonnet-4[-.]6/, 1.48],
  [/claude-opus-4[-.]8/, 2.04],
];

/** The median of those rates. */
const MEDIAN_RATE = 1.4;

export interface TokenRate {
  readonly rate: number;
  /** false: no session of the model's family was measured, and the rate is the median of all. */
  readonly isOfFamily: boolean;
}

/** The rate of a model, by its name; `null` for an unknown one. */
export function tokenRateOf(model: string | null): TokenRate {
  const name = model?.toLowerCase() ?? '';
  const found = RATES.find(([family]) => family.test(name));
  return { rate: found?.[1] ?? MEDIAN_RATE, isOfFamily: found !== undefined };
}
