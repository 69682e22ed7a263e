import { describeLifetime } from '#analysis/cache/lifetime.js';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { describeAssumedWindow } from '#context/size/window.js';
import type { SimulationOptions, Validation } from '#lab/simulate/document.js';
import { type Doc, line, type Span, span } from '#ui/doc/doc.js';
import { renderParagraphs } from '#ui/doc/paragraphs.js';
import type { View } from '#ui/doc/renderer.js';
import { formatSignedPercent, type Money } from './formats.js';

/** The budget, and the lifetime of the cache. `noBudget` is printed for a missing budget. */
export function renderOptions(options: SimulationOptions, noBudget: Span): Doc {
  const { budget, recordedMisses, retentionMinutes: minutes, retentionBasis: basis } = options;
  const lifetime = minutes === null ? 'as long as each request wrote it for' : describeLifetime(minutes, basis);
  const misses = recordedMisses ? ', with the recorded misses' : '';
  return [
    line(budget === null ? noBudget : span(describeBudget(budget, options))),
    line(span(`cache kept ${lifetime}${misses}`, 'faint')),
  ];
}

function describeBudget(budget: number, { budgetModel, reserveTokens }: SimulationOptions): string {
  const assumed = budgetModel === null ? '' : describeAssumedWindow({ source: 'assumed', model: budgetModel });
  return `budget ${formatCount(budget)} tokens${assumed}, ${formatCount(reserveTokens)} in reserve`;
}

/** The check of the cache model against the recorded run, in one line or, with `isFull`, whole. */
export function renderValidation(validation: Validation, money: Money, isFull: boolean, view: View): Doc {
  const words = describeValidation(validation, money);
  const text = `Cache model check: ${(isFull ? words : words.slice(0, 1)).join('; ')}.`;
  const isBad = validation.reportsCache && (validation.medianError ?? 0) > BAD_ERROR;
  const check = renderParagraphs(text, view);
  if (!isBad) return check;
  return [
    ...check,
    line(span('The model does not fit: what is cached, and costs, are no more than a hint.', 'warning')),
  ];
}

/** Half of the requests are off by more than this share of their prompt. */
const BAD_ERROR = 0.05;

/** The differences between the model and the recorded run; the first item is enough for a short view. */
function describeValidation(validation: Validation, money: Money): readonly string[] {
  const { requests, reportsCache, medianError, p90Error, off } = validation;
  const { predictedCachedTokens: predicted, recordedCachedTokens: recorded } = validation;
  if (requests === 0) return ['impossible, as no request records what was read from a cache'];
  if (!reportsCache) return [`no provider reports cached tokens; the model predicts ${formatCount(predicted)}`];
  const whole = recorded === 0 ? '' : ` (${formatSignedPercent((predicted - recorded) / recorded)})`;
  return [
    `predicted ${formatShortCount(predicted)} cached tokens, recorded ${formatShortCount(recorded)}${whole}`,
    `exactly ${formatCount(predicted)} and ${formatCount(recorded)}`,
    `off by ${formatExactPercent(medianError)} of the prompt in the median, ${formatExactPercent(p90Error)} at p90; ` +
      `by more than 1,024 tokens in ${formatCount(off)} of ${pluralize(requests, 'request')}`,
    ...describeCost(validation, money),
  ];
}

function describeCost(
  { predictedCost, recordedCost }: Pick<Validation, 'predictedCost' | 'recordedCost'>,
  money: Money,
): readonly string[] {
  if (predictedCost === null || recordedCost === null || recordedCost === 0) return [];
  const share = formatSignedPercent((predictedCost - recordedCost) / recordedCost);
  return [`predicted input ${money(predictedCost)}, billed ${money(recordedCost)} (${share})`];
}

function formatExactPercent(value: number | null): string {
  return value === null ? '?' : `${(value * 100).toFixed(2)}%`;
}
