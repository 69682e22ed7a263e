import type { BreakEven } from '#analysis/cache/break-even.js';
import { describeLifetime } from '#analysis/cache/lifetime.js';
import { countClasses } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import { formatDuration } from '#base/duration.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type Block, cell, type Doc, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { LISTED_CLASSES } from '../loss/listed-losses.js';
import { renderLossRow } from '../loss/view-parts.js';

/** The next request, in tokens of the context: the size of the file says nothing about it. */
export function describeShrinking(before: ContextEnvelope, after: ContextEnvelope): string {
  const from = before.meta.size.tokens;
  const to = after.meta.size.tokens;
  return `the next request ${describeChange(from, to)}: ~${formatCount(from)} → ~${formatCount(to)}`;
}

function describeChange(from: number, to: number): string {
  if (from === to) return 'stays as large';
  const verb = to < from ? 'shrinks' : 'grows';
  const change = Math.abs(from - to);
  return `${verb} by ~${formatCount(change)} tokens (${formatPercent(change, from)})`;
}

/** Renders up to three lines: the tokens that are uncached once, the requests until that pays off, and the lifetime. */
export function renderCacheEffect(cache: BreakEven): readonly Block[] {
  const { rebilledTokens: rebilled, savedTokensPerRequest: saved } = cache;
  if (rebilled === 0 && saved === 0) return [];
  const each = saved < 0 ? `${formatCount(-saved)} more` : `${formatCount(saved)} fewer`;
  return [
    line(span('cache     ', 'faint'), `~${pluralize(rebilled, 'token')} uncached once, then ~${each} per request`),
    // A change that makes requests longer, such as a revert, is made for another reason.
    ...(saved < 0 ? [] : [line(span('pays off  ', 'faint'), describePayback(cache))]),
    ...renderLifetime(cache),
  ];
}

function describePayback(cache: BreakEven): string {
  const { requests, isCold, basis, savedTokensPerRequest } = cache;
  if (savedTokensPerRequest <= 0) return 'never: requests do not get shorter';
  if (isCold) return `at once: ${describeColdCache(cache)}`;
  if (requests === 0) return 'at once: nothing after the change stays in the context';

  const when = requests === null ? 'never' : `after ${pluralize(requests, 'request')}`;
  const prices = basis === 'recorded' ? 'at the prices recorded' : 'assumed: cached tokens cost 0.1, new ones 1.25';
  return `${when} (${prices})`;
}

function describeColdCache({ coldBecause, idleSeconds, retentionMinutes }: BreakEven): string {
  if (coldBecause === 'other model') return 'the model that is asked next has nothing in its cache';
  if (coldBecause === 'no request' || idleSeconds === null) return 'nothing is in the cache';
  const ago = Math.max(0, idleSeconds - (retentionMinutes ?? 0) * 60);
  return `the cache expired ${formatDuration(ago)} ago`;
}

/** The lifetime of the cache, for which a change that is not urgent can wait. */
function renderLifetime({
  retentionMinutes: minutes,
  retentionBasis: basis,
  idleSeconds,
  coldBecause,
}: BreakEven): Doc {
  if (minutes === null || coldBecause === 'other model') return [];
  const used = idleSeconds === null ? '' : `; used ${formatDuration(idleSeconds)} ago`;
  return [line(span('lifetime  ', 'faint'), `${describeLifetime(minutes, basis)}${used}`)];
}

/** The facts that are named one by one below the table of losses. */
const MOST_FACTS = 5;

/** The share of the removed entries and facts that the summary mentions, and the first ones that it does not. */
export function renderLosses({ boundary, left: entries, facts }: LossDocument): Doc {
  const removed = entries.filter(({ by }) => by === boundary?.entryId);
  const lines = new Set(removed.map((entry) => entry.line));
  const leaving = facts.filter((fact) => lines.has(fact.line));
  const counts = countClasses(leaving);
  if (counts.length === 0) return [];

  const columns = [left('facts'), right('removed'), right('in the summary'), right('missing')];
  const rows = counts.map((counted): readonly Span[] => [
    span(counted.class),
    span(formatCount(counted.left)),
    span(formatCount(counted.left - counted.missing)),
    span(formatCount(counted.missing), counted.missing > 0 ? 'warning' : 'plain'),
  ]);
  return [table(columns, rows), ...renderMissing(leaving)];
}

function renderMissing(leaving: LossDocument['facts']): Doc {
  const missing = leaving.filter((fact) => fact.mention === 'missing' && LISTED_CLASSES.has(fact.class));
  if (missing.length === 0) return [];
  const more = missing.length - MOST_FACTS;
  return [
    line('missing from the summary:'),
    ...missing.slice(0, MOST_FACTS).map((fact) => renderLossRow(fact, cell(fact.class, 12, 'faint'), fact.text)),
    ...(more > 0 ? [line(span(`  … and ${formatCount(more)} more`, 'faint'))] : []),
  ];
}
