import { timeText } from '#base/time.js';
import type { Session } from '#session/session.js';
import type { CacheRequestLine, CacheSummary } from './document.js';
import type { Divergence } from './prompt.js';
import { type CacheReport, isUndeclared } from './report.js';
import type { CacheBreak, CacheOptions, CacheRequest } from './request.js';

export function lineOf(request: CacheRequest): CacheRequestLine {
  const { usage, broken, piMiss } = request;
  return {
    schema: 'ctx/cache-request',
    schemaVersion: 1,
    entryId: request.entryId,
    line: request.line,
    request: request.number,
    time: timeText(request.time),
    model: request.model,
    unbilled: request.isUnbilled,
    promptTokensEstimated: request.prompt,
    prefixTokensEstimated: request.prefix,
    expectedCacheReadEstimated: request.expectedRead,
    recorded: usage && {
      promptTokens: usage.prompt,
      input: usage.input,
      cacheRead: usage.cacheRead,
      cacheWrite: usage.cacheWrite,
    },
    piMiss: piMiss === null ? null : { tokens: piMiss, cost: request.piMissCost },
    naiveMiss: request.isNaiveMiss,
    idleMilliseconds: Number.isFinite(request.idle) ? request.idle : null,
    break: broken && breakLine(broken),
  };
}

export function summaryLine(session: Session, report: CacheReport, options: CacheOptions): CacheSummary {
  const { totals } = report;
  return {
    schema: 'ctx/cache-summary',
    schemaVersion: 1,
    session: { id: session.header.id, file: session.file },
    options: { block: options.block, minimum: options.minimum, retentionMinutes: options.retention },
    requests: totals.requests,
    requestsRecorded: totals.recorded,
    promptTokens: totals.prompt,
    cacheRead: totals.cacheRead,
    cacheWrite: totals.cacheWrite,
    breaks: totals.breaks,
    undeclared: totals.undeclared,
    ...sums(totals.rebilled),
    byClass: totals.byClass.map((of) => ({ class: of.class, breaks: of.breaks, ...sums(of) })),
    piMisses: { requests: totals.piMisses, tokens: totals.piMissedTokens },
    naiveMisses: totals.naiveMisses,
    declaredForNothing: report.declaredForNothing.map((idle) => ({ ...idle, reasons: [...idle.reasons] })),
    volatile: [...report.volatile],
  };
}

function sums({ tokens, cost, estimated }: CacheReport['totals']['rebilled']): {
  rebilledTokens: number;
  rebilledTokensEstimated: number;
  rebilledCost: number | null;
} {
  return { rebilledTokens: tokens, rebilledTokensEstimated: estimated, rebilledCost: cost };
}

function breakLine(broken: CacheBreak): NonNullable<CacheRequestLine['break']> {
  const { rebilled, divergence } = broken;
  return {
    class: broken.class,
    entryId: broken.entryId,
    line: broken.line,
    also: [...broken.also],
    declaredReasons: [...broken.declared],
    undeclared: isUndeclared(broken),
    divergence: divergence && placeLine(divergence),
    volatile: broken.volatile,
    recordedMiss: broken.isRecorded,
    rebilledTokens: rebilled.isRecorded ? rebilled.tokens : null,
    rebilledTokensEstimated: rebilled.isRecorded ? null : rebilled.tokens,
    rebilledCost: rebilled.cost,
  };
}

function placeLine({ section, index, name, entryId, block, offset, tokens }: Divergence): {
  section: Divergence['section'];
  index: number;
  name: string;
  entryId: string | null;
  block: number | null;
  offset: number;
  prefixTokensEstimated: number;
} {
  return { section, index, name, entryId, block, offset, prefixTokensEstimated: tokens };
}
