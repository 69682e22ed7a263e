import type { EngineSummary, SummedEngine, Validation } from '../simulation/document.js';
import { count, dollars, plural, shortCount } from './format.js';

type Judged = Pick<SummedEngine, 'name' | 'cost' | 'billedTokens' | 'overflows' | 'reread'>;

/** What a simulation comes to, in a sentence or two. The recorded run comes first. */
export function verdictOf(engines: readonly (Judged & ({ failure: unknown } | { failed: number }))[]): string {
  const [recorded, ...others] = engines;
  if (!recorded || recorded.billedTokens === 0) return 'Nothing was asked, so there is nothing to compare.';
  const done = others.filter((engine) => !hasFailed(engine));
  if (done.length === 0) return others.length === 0 ? 'No other engine was asked for.' : 'No engine came to the end.';
  const known = [recorded, ...done];
  const isMoney = known.every(({ cost }) => cost !== null) && (recorded.cost ?? 0) > 0;
  const amount = (engine: Judged): number => (isMoney ? (engine.cost ?? 0) : engine.billedTokens);
  const [best] = done.toSorted((a, b) => a.overflows - b.overflows || amount(a) - amount(b));
  if (!best) return '';
  const from = amount(recorded);
  const share = (amount(best) - from) / from;
  const numbers = isMoney
    ? `${dollars(amount(best))} for input, the recorded run ${dollars(from)}`
    : `${count(amount(best))} tokens billed in full, the recorded run ${count(from)}`;
  const isLess = share <= -WORTH_SAYING;
  const better = isLess
    ? `${best.name} is ${isMoney ? 'the cheapest' : 'the one that bills least'}: ${numbers} (${signedPercent(share)})`
    : `No engine ${isMoney ? 'is cheaper' : 'bills less'} than the recorded run; next is ${best.name}: ${numbers} (${signedPercent(share)})`;
  return `${better}. ${priceOf(best)}`;
}

/** Less than one in a hundred is no difference: no model is that good. */
const WORTH_SAYING = 0.01;

function hasFailed(engine: { failure: unknown } | { failed: number }): boolean {
  return 'failed' in engine ? engine.failed > 0 : engine.failure !== null;
}

/** What it takes to have it. */
function priceOf({ reread, overflows }: Judged): string {
  const calls = reread.calls === 0 ? 'Nothing that it left out was asked for again' : askedAgain(reread.calls);
  const over = overflows === 0 ? 'no request was over the budget' : `${overOf(overflows)} over the budget`;
  return `${calls}, and ${over}.`;
}

function askedAgain(calls: number): string {
  return `${plural(calls, 'call')} asked again for what it had left out`;
}

function overOf(overflows: number): string {
  return `${plural(overflows, 'request')} ${overflows === 1 ? 'was' : 'were'}`;
}

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
