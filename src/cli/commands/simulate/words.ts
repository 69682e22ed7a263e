import { count, dollars, plural, shortCount } from '#base/words.js';
import type { EngineSummary, Validation } from '#engines/simulate/document.js';

/** How well the model predicts the recorded run; the first item is enough for a short view. */
export function validationWords({ requests, reportsCache, ...of }: Validation): readonly string[] {
  if (requests === 0) return ['impossible, as no request records what was read from a cache'];
  const { predictedCachedTokens: predicted, recordedCachedTokens: recorded } = of;
  if (!reportsCache) return [`no provider reports cached tokens; the model predicts ${count(predicted)}`];
  const whole = recorded === 0 ? '' : ` (${signedPercent((predicted - recorded) / recorded)})`;
  return [
    `predicted ${shortCount(predicted)} cached tokens, recorded ${shortCount(recorded)}${whole}`,
    `exactly ${count(predicted)} and ${count(recorded)}`,
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
  return [`predicted input ${dollars(predictedCost)}, billed ${dollars(recordedCost)} (${share})`];
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
