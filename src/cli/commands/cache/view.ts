import { formatBreakClass } from '#analysis/cache/break-classes.js';
import { describeProviderReason } from '#analysis/cache/describe-break.js';
import { describeRemovals } from '#analysis/cache/describe-removals.js';
import type { CacheSummary } from '#analysis/cache/document.js';
import { describeLifetime } from '#analysis/cache/lifetime.js';
import { describeRebilledCost, describeRebilledSum, isCostListed } from '#analysis/cache/rebilled.js';
import { LISTED_PRICES_NOTE } from '#base/dollars.js';
import { formatCount, formatPercent, pluralize } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import {
  type Block,
  type Doc,
  fileSpan,
  gap,
  hangingLine,
  heading,
  left,
  line,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import { renderCauseNotes } from './cause-notes.js';

/** Half a screen: the cached share of the prompts, and the causes of cache breaks with their counts. */
export function renderCacheSummary(summary: CacheSummary): Doc {
  const { requests, breaks, session } = summary;
  const file = fileSpan(session.file, session.file, 'faint');
  return [
    line(span(pluralize(requests, 'request'), 'strong'), `, ${pluralize(breaks, 'break')}, `, file),
    ...renderRecorded(summary),
    ...renderCauses(summary),
    ...renderNeedless(summary),
    ...renderVolatile(summary),
  ];
}

function renderNeedless({ declaredForNothing }: CacheSummary): Doc {
  if (declaredForNothing.length === 0) return [];
  return [
    gap,
    heading(2, 'Declared, but nothing that was sent changed'),
    ...declaredForNothing.map(({ entryId, line: at, reasons }) =>
      line('  ', span(entryId ?? `line ${at}`, 'id'), `  ${shorten(reasons.join('; '))}`),
    ),
  ];
}

function renderVolatile({ volatile }: CacheSummary): Doc {
  if (volatile.length === 0) return [];
  const more = volatile.length - MOST_VOLATILE;
  return [
    gap,
    heading(2, 'What changes by itself, at the beginning of every request'),
    ...volatile.slice(0, MOST_VOLATILE).map(({ section, name, kind, text }) => {
      const what = span(section === 'tools' ? 'tool' : 'system part', section);
      return line('  ', what, ` ${name}: ${kind} `, span(shorten(text), 'strong'));
    }),
    ...(more > 0 ? [line(span(`  … ${more} more, --json lists all`, 'faint'))] : []),
  ];
}

const MOST_VOLATILE = 8;

function renderRecorded(summary: CacheSummary): Doc {
  const { requestsRecorded, promptTokens, cacheRead, requests, undeclared } = summary;
  if (requestsRecorded === 0)
    return [renderLabelled('recorded', 'nothing: no provider reported what it read from a cache')];
  const share = `${formatPercent(cacheRead, promptTokens)} of ${formatCount(promptTokens)} prompt tokens`;
  const some = requestsRecorded === requests ? '' : span(` in ${pluralize(requestsRecorded, 'request')}`, 'faint');
  return [
    renderLabelled('cached', share, some),
    ...renderWritten(summary),
    renderLabelled('re-billed', describeRebilledSum(summary)),
    ...renderMissesOfPi(summary),
    ...renderProviderReasons(summary),
    ...describeRemovals(summary).map(({ verb, text }) => renderLabelled(verb, text)),
    ...(undeclared === 0 ? [] : [renderLabelled('reasons', describeUndeclared(undeclared))]),
  ];
}

/** The misses that Pi shows in a session of its own, where it counts other ones than ctx. */
function renderMissesOfPi({ piMisses, breaks, session }: CacheSummary): Doc {
  if (piMisses.requests === breaks || session.agent !== undefined) return [];
  const misses = pluralize(piMisses.requests, 'miss', 'misses');
  return [renderLabelled('Pi shows', `${misses}, without small ones and those after a compaction`)];
}

/** The line of the tokens that were written to the cache, by the lifetime that was recorded for them. */
function renderWritten({ cacheWrite, cacheWrite5m, cacheWrite1h, options }: CacheSummary): Doc {
  if (cacheWrite === 0) return [];
  const rest = cacheWrite - cacheWrite5m - cacheWrite1h;
  const parts = [
    ...(cacheWrite5m > 0 ? [`${formatCount(cacheWrite5m)} tokens for 5 minutes`] : []),
    ...(cacheWrite1h > 0 ? [`${formatCount(cacheWrite1h)} tokens for 1 hour`] : []),
    ...(rest > 0 ? [`${formatCount(rest)} tokens without a recorded lifetime`] : []),
  ];
  const { retentionMinutes: minutes, retentionBasis: basis } = options;
  const used = basis === 'recorded' ? '' : span(`; ${describeLifetime(minutes, basis)}`, 'faint');
  return [renderLabelled('wrote', parts.join(', '), used)];
}

/** The misses that the provider itself reports, each of them if there are few. */
function renderProviderReasons({ providerReasons: reasons }: CacheSummary): Doc {
  if (!reasons) return [];
  const { misses } = reasons;
  const listed = misses.slice(0, MOST_REPORTED).map((miss) => {
    const found = miss.class === null ? 'its numbers show no break' : formatBreakClass(miss.class);
    return renderLabelled('', span(`#${miss.request}`), ` ${describeProviderReason(miss)}: `, span(found, 'faint'));
  });
  const more = misses.length - MOST_REPORTED;
  return [
    renderLabelled('provider', describeAgreement(reasons)),
    ...listed,
    ...(more > 0 ? [renderLabelled('', span(`… ${more} more: --json lists all`, 'faint'))] : []),
  ];
}

const MOST_REPORTED = 5;

function describeAgreement({ reported, compared, agreed }: NonNullable<CacheSummary['providerReasons']>): string {
  const all = `reports ${pluralize(reported, 'miss', 'misses')}`;
  if (compared === 0) return `${all}, and names no cause`;
  const rest = reported - compared;
  const unnamed = rest === 0 ? '' : `; ${pluralize(rest, 'more report names', 'more reports name')} no cause`;
  return `${all}; the session shows the same cause for ${formatCount(agreed)} of ${formatCount(compared)}${unnamed}`;
}

function renderCauses({ byClass }: CacheSummary): Doc {
  if (byClass.length === 0) return [];
  const columns = [left('cause'), right('breaks'), right('re-billed'), right('cost')];
  const note = byClass.some(isCostListed) ? [line(span(`  ${LISTED_PRICES_NOTE}`, 'faint'))] : [];
  const causes = byClass.map((one) => one.class);
  const next = 'for a bug report with these breaks: --report';
  return [gap, table(columns, byClass.map(buildCauseRow)), ...note, ...renderCauseNotes(causes, next)];
}

function buildCauseRow(cause: CacheSummary['byClass'][number]): readonly Span[] {
  const isRecorded = cause.rebilledTokens > 0 || cause.rebilledTokensEstimated === 0;
  const tokens = isRecorded ? cause.rebilledTokens : cause.rebilledTokensEstimated;
  return [
    span(formatBreakClass(cause.class), 'warning'),
    span(formatCount(cause.breaks)),
    span(formatRebilled(tokens, isRecorded)),
    span(isRecorded ? describeRebilledCost(cause) : '', 'faint'),
  ];
}

const LABEL = 11;

function renderLabelled(name: string, ...what: readonly (Span | string)[]): Block {
  return hangingLine(LABEL, span(name.padEnd(LABEL), 'faint'), ...what);
}

function describeUndeclared(breaks: number): string {
  if (breaks === 1) return '1 break was caused by an entry that declares no reason for it';
  return `${formatCount(breaks)} breaks were caused by an entry that declares no reason for them`;
}

/** Tokens that were re-billed; estimated numbers have a mark. */
export function formatRebilled(tokens: number, isRecorded: boolean): string {
  return `${isRecorded ? '' : '~'}${formatCount(tokens)}`;
}
