import { rebilledBy } from '#analysis/cache/breaks.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { shortCount } from '#base/words.js';
import { type Block, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { PROMPT } from '#ui/look.js';

const LEGEND = [PROMPT.cached, PROMPT.fresh, PROMPT.again];
const MOST_ROWS = 24;
const LABELS = 34;

/** One bar for each prompt, as long as its size: the shares that were cached, new, and re-sent uncached. */
export function cacheChart(requests: readonly CacheRequest[], columns: number): Doc {
  const bars = barsOf(requests);
  if (bars.length === 0) return [];
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - LABELS));
  const biggest = Math.max(...bars.map(({ prompt }) => prompt), 1);
  const scale = (tokens: number): number => Math.round((tokens / biggest) * cells);
  return [
    gap,
    heading(2, 'Prompt size'),
    line(...LEGEND.flatMap(({ sign, tone, title }, at) => [span(sign, tone), ` ${title}${at === 2 ? '' : '  '}`])),
    ...bars.map((bar) => barLine(bar, scale)),
  ];
}

function barLine({ prompt, read, rebilled, label, note }: Bar, scale: (tokens: number) => number): Block {
  const all = Math.max(1, scale(prompt));
  const [readCells, rebilledCells] = [scale(read), rebilled === 0 ? 0 : Math.max(1, scale(rebilled))];
  const again = Math.min(rebilledCells, all - Math.min(readCells, all));
  const kept = Math.min(readCells, all - again);
  return line(
    span(label, 'faint'),
    `  ${shortCount(Math.round(prompt)).padStart(5)}  `,
    span(PROMPT.cached.sign.repeat(kept), PROMPT.cached.tone),
    span(PROMPT.again.sign.repeat(again), PROMPT.again.tone),
    span(PROMPT.fresh.sign.repeat(all - kept - again), PROMPT.fresh.tone),
    span(note === '' ? '' : `  ${note}`, 'warning'),
  );
}

interface Bar {
  readonly prompt: number;
  readonly read: number;
  readonly rebilled: number;
  readonly label: string;
  readonly note: string;
}

/** A bar for each request. Too many requests are grouped; a group shows the one with the most re-billed tokens, else its last. */
function barsOf(requests: readonly CacheRequest[]): readonly Bar[] {
  const recorded = requests.filter((request) => request.recorded !== null);
  const shown = recorded.length > 0 ? recorded : requests;
  const size = Math.ceil(shown.length / MOST_ROWS);
  const width = `#${shown.at(-1)?.request ?? 0}`.length;
  const bars: Bar[] = [];
  for (let start = 0; start < shown.length; start += size) {
    const group = shown.slice(start, start + size);
    const worst = group.reduce((most, request) => (rebilledOf(request) >= rebilledOf(most) ? request : most));
    bars.push({
      prompt: worst.recorded?.promptTokens ?? worst.promptTokensEstimated,
      read: worst.recorded?.cacheRead ?? 0,
      rebilled: rebilledOf(worst),
      label: `#${worst.request}`.padStart(width),
      note: worst.break?.class ?? '',
    });
  }
  return bars;
}

function rebilledOf({ break: broken }: CacheRequest): number {
  return broken ? rebilledBy(broken) : 0;
}
