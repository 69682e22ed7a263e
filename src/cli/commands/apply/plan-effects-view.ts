import type { BreakEven } from '#analysis/cache/break-even.js';
import { DEFAULTS } from '#analysis/cache/recorded.js';
import { classCounts } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import { count, lengthOf, plural } from '#base/words.js';
import { type Block, cell, type Doc, left, line, right, type Span, span } from '#ui/doc/doc.js';
import { lossRow, WORTH_A_LINE } from '../loss/view.js';

/** The effects of a plan: its cost in the prompt cache and its losses. */
export interface PlanEffects {
  readonly cache: BreakEven;
  /** null for a plan that compacts nothing. */
  readonly loss: LossDocument | null;
}

/** Two lines: the tokens that are billed uncached once, and the number of requests until that pays off. */
export function cacheLines(cache: BreakEven): readonly Block[] {
  const { rebilledTokens: rebilled, savedTokensPerRequest: saved } = cache;
  if (rebilled === 0 && saved === 0) return [];
  const each = saved < 0 ? `${count(-saved)} more` : `${count(saved)} fewer`;
  return [
    line(span('cache     ', 'faint'), `~${plural(rebilled, 'token')} uncached once, then ~${each} per request`),
    line(span('pays off  ', 'faint'), whenPaidBack(cache)),
  ];
}

function whenPaidBack({ requests, isCold, idleSeconds, basis, savedTokensPerRequest }: BreakEven): string {
  if (savedTokensPerRequest <= 0) return 'never: requests do not get shorter';
  if (isCold) return `at once: ${whyCold(idleSeconds)}`;
  if (requests === 0) return 'at once: nothing after the change stays in the context';
  const prices = basis === 'recorded' ? 'at the prices recorded' : 'assumed: cached tokens cost 0.1, new ones 1.25';
  return `${requests === null ? 'never' : `after ${plural(requests, 'request')}`} (${prices})`;
}

function whyCold(idle: number | null): string {
  if (idle === null) return 'nothing is in the cache';
  if (idle < DEFAULTS.retention * 60) return 'the model that is asked next has nothing in its cache';
  return `the cache expired ${lengthOf(idle)} ago`;
}

const MOST_ROWS = 5;

/** The share of the removed entries and facts that the summary mentions, and the first ones that it does not. */
export function lossLines({ boundary, left: entries, facts }: LossDocument): Doc {
  const lines = new Set(entries.flatMap(({ by, line: place }) => (by === boundary?.entryId ? [place] : [])));
  const leaving = facts.filter(({ line: place }) => lines.has(place));
  const counts = classCounts(leaving);
  if (counts.length === 0) return [];
  const missing = leaving.filter(({ mention, class: of }) => mention === 'missing' && WORTH_A_LINE.has(of));
  const rows = counts.map((of): readonly Span[] => [
    span(of.class),
    span(count(of.left)),
    span(count(of.left - of.missing)),
    span(count(of.missing), of.missing > 0 ? 'warning' : 'plain'),
  ]);
  const columns = [left('facts'), right('removed'), right('in the summary'), right('missing')];
  const more = missing.length - MOST_ROWS;
  return [
    { kind: 'table', hasTitles: true, columns, rows },
    ...(missing.length === 0 ? [] : [line('missing from the summary:')]),
    ...missing.slice(0, MOST_ROWS).map((fact) => lossRow(fact, cell(fact.class, 12, 'faint'), fact.text)),
    ...(more > 0 ? [line(span(`  … and ${count(more)} more`, 'faint'))] : []),
  ];
}
