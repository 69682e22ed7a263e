import { count } from '#base/words.js';
import { shortened } from '#context/words/message-text.js';
import type { SimulatedEngine } from '#engines/simulate/document.js';
import { type Doc, flexible, gap, heading, left, line, right, span, table } from '#ui/doc/doc.js';

const MOST_DEEDS = 20;

/** The compactions, prunes and re-reads of an engine, the first twenty of each kind. */
export function deedsDoc({ name, shrinks, rereads }: SimulatedEngine): Doc {
  if (shrinks.length === 0 && rereads.length === 0) return [];
  return [
    gap,
    heading(2, name),
    ...(shrinks.length === 0 ? [] : [shrinksTable(shrinks)]),
    ...more(shrinks.length),
    ...(rereads.length === 0 ? [] : [rereadsTable(rereads)]),
    ...more(rereads.length),
  ];
}

function shrinksTable(shrinks: SimulatedEngine['shrinks']): Doc[number] {
  return table(
    [right('request'), left('what'), right('before'), right('after'), flexible('why')],
    shrinks
      .slice(0, MOST_DEEDS)
      .map(({ request, kind, reason, tokensBefore, tokensAfter }) => [
        span(request === null ? 'end' : `#${request}`),
        span(kind),
        span(tokensBefore === null ? '?' : count(tokensBefore)),
        span(tokensAfter === null ? '?' : count(tokensAfter)),
        span(shortened(reason)),
      ]),
  );
}

function rereadsTable(rereads: SimulatedEngine['rereads']): Doc[number] {
  return table(
    [right('request'), left('tool'), right('lost at'), right('tokens'), flexible('repeated call')],
    rereads
      .slice(0, MOST_DEEDS)
      .map(({ request, tool, what, lostAt, tokensEstimated }) => [
        span(`#${request}`),
        span(tool),
        span(`#${lostAt}`),
        span(`~${count(tokensEstimated)}`),
        span(shortened(what)),
      ]),
  );
}

function more(length: number): Doc {
  const rest = length - MOST_DEEDS;
  return rest > 0 ? [line(span(`  … ${count(rest)} more, --json lists all`, 'faint'))] : [];
}
