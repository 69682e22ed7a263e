import * as z from 'zod/mini';
import { formatRecordedCost } from '#base/dollars.js';
import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import { COST_PARTS, type CostPart, type CostParts, sumDollars } from './cost-parts.js';

/** The largest part of a session's cost. */
const mainPart = z.object({
  part: z.enum(COST_PARTS),
  /** The dollars of all calls of the session, as `ctx stats` computes them. */
  dollars: z.number(),
  /** Its share of the cost, from 0 to 1. */
  share: z.number(),
  tokens: z.number(),
  calls: z.int(),
});

/** The reasons why no cheaper way is named. */
const REASONS = ['small', 'unpriced', 'model unfit', 'dearer'] as const;

/** The answer to the question what would have been cheaper, as simulated. */
export const cheaper = z.object({
  mainPart: z.nullable(mainPart),
  /** The session under compactions like those of Pi, one for each size. */
  compactions: z.array(
    z.object({
      /** Tokens. */
      at: z.int(),
      compactions: z.int(),
      /** Dollars less than the recorded run by the same model; negative if it costs more. */
      saves: z.number(),
      /** The share of the recorded run's cost that it saves. */
      savesShare: z.number(),
      /** Later calls that repeated one whose result was compacted away. */
      repeatedCalls: z.int(),
    }),
  ),
  /** The size of the cheapest one; null where none is cheaper. */
  best: z.nullable(z.int()),
  /** The reason if none is named. */
  reason: z.nullable(z.enum(REASONS)),
  /** The largest prompt, in tokens. */
  largestPrompt: z.number(),
  /** All of it in one sentence. */
  sentence: z.string(),
});

export type Cheaper = z.infer<typeof cheaper>;

/** The largest part of a cost; null for one of nothing. */
export function findMainPart(parts: CostParts, calls: number): Cheaper['mainPart'] {
  const whole = sumDollars(parts);
  if (whole <= 0) return null;
  const part = COST_PARTS.reduce((most, one) => (parts.dollars[one] > parts.dollars[most] ? one : most));
  const dollars = parts.dollars[part];
  return { part, dollars, share: dollars / whole, tokens: parts.tokens[part], calls };
}

/** Chooses the compaction that saves most, and says so. `isListed`: costs are at listed prices. */
export function concludeCheaper(
  found: Omit<Cheaper, 'best' | 'sentence' | 'reason'>,
  reason: Cheaper['reason'],
): Cheaper {
  const [most] = found.compactions.toSorted((a, b) => b.saves - a.saves);
  const best = reason === null && most && most.savesShare >= WORTH_NAMING ? most : null;
  const why = best ? null : (reason ?? 'dearer');
  const words = [describeMainPart(found.mainPart), describeResult(found, best, why)].filter(Boolean).join('; ');
  const sentence = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`;
  return { ...found, best: best && best.at, reason: why, sentence };
}

/** The model is no better than that. */
const WORTH_NAMING = 0.01;

const WORDS: Readonly<Record<CostPart, string>> = {
  cacheRead: 'reading',
  cacheWrite: 'writing to the cache',
  cacheWrite5m: 'writing to the cache for 5 minutes',
  cacheWrite1h: 'writing to the cache for an hour',
  input: 'uncached input',
  output: 'output',
  other: 'searches and sums without parts',
};

/** `62% is reading ~100k × 152 requests`: tokens of a call in the mean. */
export function describeMainPart(main: Cheaper['mainPart']): string {
  if (main === null) return '';
  const { part, tokens, calls, share } = main;
  const each = calls === 0 || tokens === 0 ? '' : ` ~${formatShortCount(Math.round(tokens / calls))}`;
  const what =
    each === ''
      ? WORDS[part]
      : `${WORDS[part]}${part === 'cacheRead' ? '' : ','}${each} × ${pluralize(calls, 'request')}`;
  return `${formatPercent(share, 1)} of the cost is ${what}`;
}

type Compaction = Cheaper['compactions'][number];

function describeResult(
  { compactions, largestPrompt }: Pick<Cheaper, 'compactions' | 'largestPrompt'>,
  best: Compaction | null,
  reason: Cheaper['reason'],
): string {
  if (best) {
    const repeated =
      best.repeatedCalls === 0 ? '' : `, and ${pluralize(best.repeatedCalls, 'call')} repeated a lost result`;
    const saved = `${formatSaving(best.saves)} (${formatPercent(best.savesShare, 1)})`;
    return `compacting at ${formatShortCount(best.at)} would have saved ${saved}, with ${pluralize(best.compactions, 'compaction')}${repeated}`;
  }
  const nothing = 'nothing cheaper was found';
  switch (reason) {
    case 'small':
      return `${nothing}: the largest prompt has ${formatCount(largestPrompt)} tokens, too few to compact`;
    case 'unpriced':
      return `${nothing}: the prices of the calls are unknown`;
    case 'model unfit':
      return `${nothing}: the cache of the provider behaved in another way than the simulated one`;
    default:
      return `${nothing}: ${describeDearer(compactions)}`;
  }
}

function describeDearer(compactions: readonly Compaction[]): string {
  const sizes = compactions.map(({ at }) => formatShortCount(at));
  const more = compactions.map(({ saves }) => Math.max(0, -saves)).toSorted((a, b) => a - b);
  const least = more.at(0) ?? 0;
  const most = more.at(-1) ?? 0;
  const cost = least === most ? formatSaving(least) : `${formatSaving(least)} to ${formatSaving(most)}`;
  const list = sizes.length < 2 ? sizes.join('') : `${sizes.slice(0, -1).join(', ')} or ${sizes.at(-1)}`;
  return `compacting at ${list} would have cost ${cost} more`;
}

/** All of it is simulated. */
function formatSaving(dollars: number): string {
  return formatRecordedCost(null, dollars);
}
