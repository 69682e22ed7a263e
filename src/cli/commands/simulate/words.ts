import { count, dollars, plural, shortCount } from '#base/words.js';
import type { EngineSummary, Validation } from '#engines/simulate/document.js';

/** How good the model is at the recorded run. */
export function validationWords({ requests, reportsCache, ...of }: Validation): readonly string[] {
  if (requests === 0) return ['no request records what was read from a cache: the model cannot be checked'];
  const { predictedCachedTokens: predicted, recordedCachedTokens: recorded } = of;
  if (!reportsCache)
    return [
      `no provider reports that anything was read from a cache; by the model it could be ${count(predicted)} tokens`,
    ];
  const whole = recorded === 0 ? '' : ` (${signedPercent((predicted - recorded) / recorded)})`;
  return [
    `${count(predicted)} tokens from the cache predicted, ${count(recorded)} recorded${whole}`,
    `off by ${exactPercent(of.medianError)} of the prompt in the median, ${exactPercent(of.p90Error)} at p90; ` +
      `by more than 1,024 tokens in ${count(of.off)} of ${plural(requests, 'request')}`,
    ...costWords(of),
  ];
}

function costWords({
  predictedCost,
  recordedCost,
}: Pick<Validation, 'predictedCost' | 'recordedCost'>): readonly string[] {
  if (predictedCost === null || recordedCost === null || recordedCost === 0) return [];
  const share = signedPercent((predictedCost - recordedCost) / recordedCost);
  return [`${dollars(predictedCost)} for input by the model, ${dollars(recordedCost)} billed (${share})`];
}

function exactPercent(value: number | null): string {
  return value === null ? '?' : `${(value * 100).toFixed(2)}%`;
}

export function signedPercent(share: number): string {
  const value = share * 100;
  const text = Math.abs(value) < 10 ? value.toFixed(1) : value.toFixed(0);
  return `${value > 0 ? '+' : ''}${/^-0(?:\.0)?$/.test(text) ? text.slice(1) : text}%`;
}

export function signedCount(value: number): string {
  const size = shortCount(Math.abs(Math.round(value)));
  return value > 0 ? `+${size}` : value < 0 ? `-${size}` : '0';
}

/** A spread of shares: the middle, and where eight of ten lie. */
export function spreadWords(spread: EngineSummary['spread']['costChange'], text: (value: number) => string): string {
  return spread === null ? '?' : `${text(spread.median)} (${text(spread.p10)}..${text(spread.p90)})`;
}
