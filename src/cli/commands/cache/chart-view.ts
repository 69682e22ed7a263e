import { formatBreakClass } from '#analysis/cache/break-classes.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { rebilledTokensOf } from '#analysis/cache/rebilled.js';
import { formatShortCount } from '#base/numbers.js';
import { type Block, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { PROMPT_PARTS } from '#ui/palette.js';

const LEGEND = [PROMPT_PARTS.cached, PROMPT_PARTS.fresh, PROMPT_PARTS.again];
/** The bars that fit on a screen. */
const MOST_ROWS = 24;
/** The cells beside a bar. */
const LABEL_CELLS = 34;

/** One bar for each prompt, as long as its size: the shares that were cached, new, and re-sent uncached. */
export function renderCacheChart(requests: readonly CacheRequest[], columns: number): Doc {
  const bars = buildBars(requests);
  if (bars.length === 0) return [];
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - LABEL_CELLS));
  const biggest = Math.max(...bars.map(({ prompt }) => prompt), 1);
  const scale = (tokens: number): number => Math.round((tokens / biggest) * cells);
  return [
    gap,
    heading(2, 'Prompt size'),
    line(...LEGEND.flatMap(({ sign, tone, title }, at) => [at === 0 ? '' : '  ', span(sign, tone), ` ${title}`])),
    ...bars.map((bar) => renderBar(bar, scale)),
  ];
}

function renderBar({ prompt, read, rebilled, label, note }: Bar, scale: (tokens: number) => number): Block {
  const all = Math.max(1, scale(prompt));
  const readCells = scale(read);
  const rebilledCells = rebilled === 0 ? 0 : Math.max(1, scale(rebilled));
  const again = Math.min(rebilledCells, all - Math.min(readCells, all));
  const kept = Math.min(readCells, all - again);
  return line(
    span(label, 'faint'),
    `  ${formatShortCount(Math.round(prompt)).padStart(5)}  `,
    span(PROMPT_PARTS.cached.sign.repeat(kept), PROMPT_PARTS.cached.tone),
    span(PROMPT_PARTS.again.sign.repeat(again), PROMPT_PARTS.again.tone),
    span(PROMPT_PARTS.fresh.sign.repeat(all - kept - again), PROMPT_PARTS.fresh.tone),
    span(note === '' ? '' : `  ${note}`, 'warning'),
  );
}

/** A bar of the chart. The numbers are tokens. */
interface Bar {
  readonly prompt: number;
  /** Those of the prompt that were read from the cache, and those that were billed again. */
  readonly read: number;
  readonly rebilled: number;
  readonly label: string;
  readonly note: string;
}

/**
 * A bar for each request. Too many requests are grouped; a group shows the one with the most re-billed tokens, else its
 * last.
 */
function buildBars(requests: readonly CacheRequest[]): readonly Bar[] {
  const recorded = requests.filter((request) => request.recorded !== null);
  const shown = recorded.length > 0 ? recorded : requests;
  const groupSize = Math.ceil(shown.length / MOST_ROWS);
  const width = `#${shown.at(-1)?.request ?? 0}`.length;
  const bars: Bar[] = [];
  for (let start = 0; start < shown.length; start += groupSize) {
    const group = shown.slice(start, start + groupSize);
    const worst = group.reduce((most, request) =>
      sumRebilledTokens(request) >= sumRebilledTokens(most) ? request : most,
    );
    bars.push({
      prompt: worst.recorded?.promptTokens ?? worst.promptTokensEstimated,
      read: worst.recorded?.cacheRead ?? 0,
      rebilled: sumRebilledTokens(worst),
      label: `#${worst.request}`.padStart(width),
      note: worst.break ? formatBreakClass(worst.break.class) : '',
    });
  }
  return bars;
}

function sumRebilledTokens({ break: broken }: CacheRequest): number {
  return broken ? rebilledTokensOf(broken) : 0;
}
