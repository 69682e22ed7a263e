import type { CacheRequest } from '#analysis/cache/request.js';
import { shortCount } from '#base/words.js';
import { type Doc, gap, heading, line, span } from '#ui/doc/doc.js';

const READ = '█';
const NEW = '▒';
const REBILLED = '░';
const MOST_ROWS = 24;
const LABELS = 34;

/** The size of prompts one below another, with the shares that were read from a cache, are new, and were read anew. */
export function cacheChart(requests: readonly CacheRequest[], columns: number): Doc {
  const bars = barsOf(requests);
  if (bars.length === 0) return [];
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - LABELS));
  const biggest = Math.max(...bars.map(({ prompt }) => prompt), 1);
  const scale = (tokens: number): number => Math.round((tokens / biggest) * cells);
  return [
    gap,
    heading(2, 'Prompt size'),
    line(
      span(READ, 'good'),
      ' read from the cache  ',
      span(NEW, 'messages'),
      ' new  ',
      span(REBILLED, 'error'),
      ' sent before, billed again',
    ),
    ...bars.map(({ prompt, read, rebilled, label, note }) => {
      const all = Math.max(1, scale(prompt));
      const [readCells, rebilledCells] = [scale(read), rebilled === 0 ? 0 : Math.max(1, scale(rebilled))];
      const again = Math.min(rebilledCells, all - Math.min(readCells, all));
      const kept = Math.min(readCells, all - again);
      return line(
        span(label, 'faint'),
        `  ${shortCount(Math.round(prompt)).padStart(5)}  `,
        span(READ.repeat(kept), 'good'),
        span(REBILLED.repeat(again), 'error'),
        span(NEW.repeat(all - kept - again), 'messages'),
        span(note === '' ? '' : `  ${note}`, 'warning'),
      );
    }),
  ];
}

interface Bar {
  readonly prompt: number;
  readonly read: number;
  readonly rebilled: number;
  readonly label: string;
  readonly note: string;
}

/** A bar for each request; where there are too many, for the one of a group that was billed most again, else the last. */
function barsOf(requests: readonly CacheRequest[]): readonly Bar[] {
  const recorded = requests.filter(({ usage }) => usage !== null);
  const shown = recorded.length > 0 ? recorded : requests;
  const size = Math.ceil(shown.length / MOST_ROWS);
  const width = `#${shown.at(-1)?.number ?? 0}`.length;
  const bars: Bar[] = [];
  for (let start = 0; start < shown.length; start += size) {
    const group = shown.slice(start, start + size);
    const worst = group.reduce((most, request) => (rebilledOf(request) >= rebilledOf(most) ? request : most));
    bars.push({
      prompt: worst.usage?.prompt ?? worst.prompt,
      read: worst.usage?.cacheRead ?? 0,
      rebilled: rebilledOf(worst),
      label: `#${worst.number}`.padStart(width),
      note: worst.broken?.class ?? '',
    });
  }
  return bars;
}

function rebilledOf({ broken }: CacheRequest): number {
  return broken?.rebilled.tokens ?? 0;
}
