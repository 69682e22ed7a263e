import { formatCount, pluralize } from '#base/numbers.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';

/** A sentence about when Pi compacts by itself. `now`: the tokens of the context. */
export function describePi(
  { enabled, reserve, threshold, reason, answerCutOff, outputReserve, tokens }: NonNullable<StatusDocument['pi']>,
  now: number,
): string {
  if (!enabled) return 'does not compact by itself: its settings turn that off';
  if (threshold !== null && threshold <= 0)
    return `compacts before every prompt: it keeps ${pluralize(reserve, 'token')} free`;
  if (reason === 'overflow' && answerCutOff)
    return 'will compact before the next prompt: the last answer was cut off, for lack of room';
  if (reason === 'overflow' && outputReserve) {
    const { input, output, window } = outputReserve;
    const sizes = `${formatCount(input)} tokens and ${formatCount(output)} reserved for the answer exceed ${formatCount(window)}`;
    return `will compact before the next prompt: ${sizes}`;
  }
  if (reason === 'overflow') return 'will compact before the next prompt: the last request was too long';
  if (threshold === null) return `will compact when fewer than ${pluralize(reserve, 'token')} are free`;
  const above = `above ${pluralize(threshold, 'token')}`;
  if (reason === 'threshold') return `will compact before the next prompt: the context is ${above}`;
  if (tokens === null) return `will compact ${above}; it counts them with the next answer`;
  if (now > threshold) return `will compact after the next answer: the context is ${above}`;
  // Pi estimates what no provider has counted, each message by its characters.
  const own = tokens === now ? '' : `; it counts ${formatCount(tokens)}`;
  return `will compact in ${pluralize(threshold - tokens, 'token')}, ${above}${own}`;
}
