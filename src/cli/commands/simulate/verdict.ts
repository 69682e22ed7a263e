import { formatCount, pluralize } from '#base/numbers.js';
import type { EngineSummary, SummedEngine } from '#lab/simulate/document.js';
import { chooseMoney, formatSignedPercent, type Money } from './formats.js';

/** The figures that the verdict compares, of one session or of several. */
export type EngineFigures = Pick<
  SummedEngine,
  'name' | 'totalCost' | 'billedTokens' | 'overflows' | 'reread' | 'unsendable'
> & {
  readonly lost?: SummedEngine['lost'];
  readonly lostTexts?: SummedEngine['lostTexts'];
  readonly refused: SummedEngine['refused'] | EngineSummary['refused'];
  readonly breaches: SummedEngine['breaches'] | EngineSummary['breaches'];
} & ({ readonly failure: unknown } | { readonly failed: number });

/** Facts about costs: the models with listed prices, and dollars as billed, if they are known. */
interface Costs {
  readonly listedPrices?: readonly string[];
  readonly billed?: number | null;
}

/** The result of a simulation in a few sentences. The recorded run comes first. */
export function describeVerdict(
  engines: readonly EngineFigures[],
  { listedPrices = [], billed = null }: Costs = {},
): string {
  const predicted = engines[0]?.totalCost ?? null;
  const money = chooseMoney(listedPrices);
  const isFar = billed !== null && predicted !== null && Math.abs(predicted - billed) > billed * WORTH_SAYING;
  const bill = isFar ? [`These costs are predicted; as billed, the run cost ${money(billed)}.`] : [];
  const note = listedPrices.length === 0 ? [] : [`Costs assume the listed prices of ${joinNames(listedPrices)}.`];
  return [describeResult(engines, money), ...bill, ...note].join(' ');
}

function describeResult(engines: readonly EngineFigures[], money: Money): string {
  const [recorded, ...others] = engines;
  if (!recorded || recorded.billedTokens === 0) return 'Nothing was asked, so there is nothing to compare.';
  const done = others.filter((engine) => !hasFailed(engine));
  if (done.length === 0) return others.length === 0 ? 'No other engine was asked for.' : 'No engine came to the end.';
  const fit = done.filter((engine) => isFit(engine, recorded));
  const unfit = done.filter((engine) => !fit.includes(engine)).map((engine) => describeUnfit(engine, recorded));
  return [fit.length === 0 ? 'No engine can be used.' : describeWinner(fit, recorded, money), ...unfit].join(' ');
}

/** The engines in the order of the verdict: those that cannot be used come last. */
export function rankEngines<Engine extends EngineFigures>(engines: readonly Engine[]): readonly Engine[] {
  const [recorded] = engines;
  if (!recorded) return engines;
  return [true, false].flatMap((fit) =>
    engines.filter((engine) => (engine === recorded || isFit(engine, recorded)) === fit),
  );
}

/**
 * A request that providers reject saves nothing; those that the recorded run had rejected too are not held against it.
 */
function isFit({ unsendable, breaches }: EngineFigures, recorded: EngineFigures): boolean {
  return breaches.length === 0 && unsendable <= recorded.unsendable;
}

function hasFailed(engine: EngineFigures): boolean {
  return 'failed' in engine ? engine.failed > 0 : engine.failure !== null;
}

function describeUnfit({ name, unsendable, refused, breaches }: EngineFigures, recorded: EngineFigures): string {
  const [rule] = refused;
  const [breach] = breaches;
  if (rule && unsendable > recorded.unsendable) {
    const first = 'first' in rule ? `, first at request ${formatCount(rule.first)}` : '';
    return `${name} is last: providers reject ${pluralize(unsendable, 'request')} (${rule.rule}${first}).`;
  }
  const often = breach && breach.times > 1 ? `, ${formatCount(breach.times)} times` : '';
  return `${name} is last: it breaks the contract (${breach?.clause ?? ''}${often}).`;
}

/** Less than one in a hundred is no difference: no model is that good. */
const WORTH_SAYING = 0.01;

function describeWinner(fit: readonly EngineFigures[], recorded: EngineFigures, money: Money): string {
  const measure = chooseMeasure(fit, recorded, money);
  const level = findBest(fit, measure);
  const [best] = level;
  if (!best) return '';
  const before = measure.amountOf(recorded);
  const change = (measure.amountOf(best) - before) / before;
  const title = titleLevel(level, change <= -WORTH_SAYING, measure.isMoney);
  const amounts = joinAmounts(level.map(measure.format));
  const ofRecorded = `${measure.format(recorded)} (${formatSignedPercent(change)})`;
  return `${title}: ${amounts}, the recorded run ${ofRecorded}. ${describePrice(level)}`;
}

/** The amount by which engines are compared. */
interface Measure {
  readonly isMoney: boolean;
  amountOf(engine: EngineFigures): number;
  format(engine: EngineFigures): string;
}

/** Chooses dollars where all costs are known and the recorded run had any, else the tokens that are billed in full. */
function chooseMeasure(engines: readonly EngineFigures[], recorded: EngineFigures, money: Money): Measure {
  const isMoney = (recorded.totalCost ?? 0) > 0 && engines.every(({ totalCost }) => totalCost !== null);
  if (isMoney) {
    return {
      isMoney,
      amountOf: ({ totalCost }) => totalCost ?? 0,
      format: ({ totalCost }) => money(totalCost),
    };
  }
  return {
    isMoney,
    amountOf: ({ billedTokens }) => billedTokens,
    format: ({ billedTokens }) => `${formatCount(billedTokens)} tokens billed in full`,
  };
}

/** The best engine, and those as good: the fewest requests over the budget, then the least amount. */
function findBest(engines: readonly EngineFigures[], { amountOf }: Measure): readonly EngineFigures[] {
  const sorted = engines.toSorted((a, b) => a.overflows - b.overflows || amountOf(a) - amountOf(b));
  const [best] = sorted;
  if (!best) return [];
  const most = amountOf(best) * (1 + WORTH_SAYING);
  return sorted.filter((engine) => engine.overflows === best.overflows && amountOf(engine) <= most);
}

function titleLevel(level: readonly EngineFigures[], isLess: boolean, isMoney: boolean): string {
  const names = joinNames(level.map(({ name }) => name));
  const are = level.length === 1 ? 'is' : 'are';
  if (!isLess) return `No engine ${isMoney ? 'is cheaper' : 'bills less'} than the recorded run; next ${are} ${names}`;
  if (isMoney) return `${names} ${are} the cheapest`;
  return level.length === 1 ? `${names} bills least` : `${names} bill least`;
}

function joinAmounts(texts: readonly string[]): string {
  const [first = ''] = texts;
  if (texts.length === 1) return first;
  if (texts.every((text) => text === first)) return `${first} each`;
  return `${joinNames(texts)}, less than ${100 * WORTH_SAYING}% apart`;
}

/** The price of the best engines: requests over the budget, re-read files and requests that cannot be sent. */
function describePrice(level: readonly EngineFigures[]): string {
  const [best] = level;
  const overflows = best?.overflows ?? 0;
  const over = overflows === 0 ? 'no request was' : pluralize(overflows, 'request was', 'requests were');
  const asked = level.filter(({ reread }) => reread.calls > 0);
  const isOne = level.length === 1;
  const nothing = `No call repeated a result that ${isOne ? 'it' : 'they'} had dropped`;
  const calls = asked.map(({ name, reread }) => {
    return `${pluralize(reread.calls, 'call')} repeated a result that ${isOne ? 'it' : name} had dropped`;
  });
  const losses = level.flatMap((engine) => describeLosses(engine, isOne));
  return [`${calls.length === 0 ? nothing : calls.join(', ')}, and ${over} over the budget.`, ...losses].join(' ');
}

/** The losses of an engine, in a sentence. A summary of its own may repeat them in other words. */
function describeLosses({ name, lost, lostTexts }: EngineFigures, isOne: boolean): readonly string[] {
  const { instructions = 0, answers = 0 } = lostTexts ?? {};
  const results = lost?.results ?? 0;
  const parts: string[] = [];
  if (instructions > 0) parts.push(pluralize(instructions, 'message of the user', 'messages of the user'));
  if (answers > 0) parts.push(pluralize(answers, 'answer'));
  if (results > 0) parts.push(pluralize(results, 'result'));
  return parts.length === 0 ? [] : [`${isOne ? 'It' : name} left out or shortened ${joinNames(parts)}.`];
}

function joinNames(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
