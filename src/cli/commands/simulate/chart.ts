import { count, plural } from '#base/words.js';
import type { Simulation } from '#engines/simulate/document.js';
import { type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { sparkline } from '#ui/parts/sparkline.js';
import { labelOf } from './label.js';

/** The context from request to request, all engines on the same scale. */
export function simulationChart({ requests, engines }: Simulation, columns: number): Doc {
  if (requests.length < 2) return [];
  const top = engines.reduce((most, { peakTokens }) => Math.max(most, peakTokens), 0);
  const width = engines.reduce((most, { name }) => Math.max(most, labelOf(name).length), 0);
  const cells = Math.max(10, Math.min(60, (columns === Infinity ? 80 : columns) - width - 2));
  const size = Math.ceil(requests.length / cells);
  const each = size === 1 ? 'a mark for each request' : `a mark for ${plural(size, 'request')}`;
  return [
    gap,
    heading(2, 'Context over time'),
    line(span(`${each}, the tallest is ${count(top)} tokens`, 'faint')),
    ...engines.map(({ name, series }) =>
      line(
        span(labelOf(name).padEnd(width), 'strong'),
        '  ',
        span(sparkline(series.tokens, cells, { top, size }), 'messages'),
      ),
    ),
  ];
}
