import { count, plural } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import type { Simulation, SummedEngine } from '#engines/simulate/document.js';
import type { View } from '#ui/doc/define.js';
import { type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { paragraphs } from '#ui/doc/paragraphs.js';
import { sparkline } from '#ui/parts/sparkline.js';
import { labelOf } from './verdict.js';

/** Requests that providers reject, violations of the contract, and failures of engines. */
export function failureLines(engines: readonly SummedEngine[], view: View): Doc {
  return engines.flatMap((engine) => [...refusals(engine, view), ...breaches(engine, view), ...failure(engine, view)]);
}

function refusals({ name, refused }: SummedEngine, view: View): Doc {
  return refused.flatMap(({ rule, requests, first, message }) => {
    const which = `providers reject ${plural(requests, 'request')}, first request ${count(first)}`;
    return paragraphs(`${name}: ${which}: ${message} (${rule})`, view);
  });
}

function breaches({ name, breaches: all }: SummedEngine, view: View): Doc {
  return all.flatMap(({ clause, sentence, message }) =>
    paragraphs(`${name} breaks the contract (${clause}): ${sentence} Here: ${shortened(message)}`, view),
  );
}

function failure({ name, failure: why }: SummedEngine, view: View): Doc {
  if (why === null) return [];
  const where = why.request === null ? 'behind the last request' : `at request ${count(why.request)}`;
  return paragraphs(`${name} failed ${where}: ${why.method}: ${shortened(why.message)}`, view);
}

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
