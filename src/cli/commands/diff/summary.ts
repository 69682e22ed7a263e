import type { DiffDocument, DiffSide } from '#analysis/diff/document.js';
import { itemOf } from '#analysis/diff/list-diff.js';
import type { DetailedChange, DiffReport, PrefixEnd } from '#analysis/diff/report-diff.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { measureSizeUpTo } from '#context/size/preamble-price.js';
import { type Block, type Doc, fileSpan, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { describeSizeSource, formatSize, toSizeShares } from '#ui/parts/size-words.js';

/** Two envelopes and how they differ. */
export interface EnvelopeComparison {
  readonly before: ContextEnvelope;
  readonly after: ContextEnvelope;
  readonly report: DiffReport;
}

/** A few lines: the two sides, their sizes, and the share of the first that remains in the second. */
export function renderDiffSummary(compared: EnvelopeComparison): Doc {
  const { before, after } = compared;
  return [placesLine(before, after), ...tokenTable(before, after), ...factLines(compared)];
}

function placesLine(before: ContextEnvelope, after: ContextEnvelope): Block {
  const isOneFile = before.session.file === after.session.file;
  const place = (side: ContextEnvelope): readonly Span[] => [
    span(side.at.entryId ?? 'the beginning', 'id'),
    span(`${side.at.line === null ? '' : ` line ${side.at.line}`}${isOneFile ? '' : ' of '}`, 'faint'),
    ...(isOneFile ? [] : [fileOf(side)]),
  ];
  const file = isOneFile ? [span(', ', 'faint'), fileOf(after)] : [];
  return line(...place(before), ' → ', ...place(after), ...file);
}

function fileOf({ session: { file } }: ContextEnvelope): Span {
  return fileSpan(file, file, 'faint');
}

const CATEGORIES = [
  ['system', 'system', 'system'],
  ['tools', 'tools', 'tools'],
  ['cached', 'messages', 'messages'],
  ['uncached', 'uncached', 'messages'],
  ['notItemised', 'not itemised', 'faint'],
] as const;

function tokenTable({ meta: before }: ContextEnvelope, { meta: after }: ContextEnvelope): readonly Block[] {
  const [was, is] = [toSizeShares(before), toSizeShares(after)];
  const rows = CATEGORIES.flatMap(([name, title, tone]) => {
    const isShown = name === 'system' || name === 'tools' || (was[name] ?? 0) + (is[name] ?? 0) > 0;
    return isShown ? [tokenRow(span(title, tone), was[name], is[name])] : [];
  });
  const { tokens: old } = before.size;
  const change = changeSpan(old, after.size.tokens);
  const total = [span('total', 'strong'), span(formatSize(before.size)), ARROW, span(formatSize(after.size)), change];
  const columns = [left('category'), right('before'), left(''), right('after'), right('change')];
  return [table(columns, [...rows, total], { hasTitles: false })];
}

const ARROW = span('→', 'faint');

function tokenRow(title: Span, was: number | null, is: number | null): readonly Span[] {
  const change = was === null || is === null ? span('') : changeSpan(was, is);
  return [title, span(was === null ? '?' : formatCount(was)), ARROW, span(is === null ? '?' : formatCount(is)), change];
}

function changeSpan(was: number, is: number): Span {
  const sign = is > was ? '+' : '-';
  return span(was === is ? '' : `${sign}${formatCount(Math.abs(is - was))}`, is > was ? 'warning' : 'good');
}

function countsOf(changes: readonly { readonly kind: DetailedChange<unknown>['kind'] }[], keptOf: number): string {
  const number = (kind: string): number => changes.filter((change) => change.kind === kind).length;
  const kept = keptOf - changes.filter(({ kind }) => kind !== 'added').length;
  const said = (['added', 'removed', 'changed', 'moved'] as const).flatMap((kind) =>
    number(kind) === 0 ? [] : [`${formatCount(number(kind))} ${kind}`],
  );
  return [`${formatCount(kept)} kept`, ...said].join(', ');
}

function factLines({ before: earlier, after, report }: EnvelopeComparison): readonly Block[] {
  const messages = [...report.cached, ...report.uncached];
  const removed = messages.filter(({ kind }) => kind === 'removed').length;
  const added = messages.filter(({ kind }) => kind === 'added').length;
  const { cached, uncached } = after.messages;
  const before = cached.length + uncached.length - added + removed;
  const { end } = report.prefix;
  const ends = end === null ? 'all of the earlier one' : `differs from ${placeOf(end)} on`;
  const { size, model, tokens: estimate } = after.meta;
  return [
    line(span('size      ', 'faint'), describeSizeSource(size, { model, method: estimate.method })),
    line(span('messages  ', 'faint'), countsOf(messages, before)),
    line(span('prefix    ', 'faint'), `~${pluralize(prefixTokens(report, earlier), 'token')}: ${ends}`),
  ];
}

/** The tokens of the common prefix, counted as the size of the earlier context is. */
function prefixTokens({ prefix: { tokens, end } }: DiffReport, { meta }: ContextEnvelope): number {
  const { system, tools, cached, uncached } = meta.tokens;
  if (end === null) return meta.size.tokens;
  return measureSizeUpTo(tokens, meta.size, { declared: system + tools, messages: cached + uncached });
}

/** The point where two requests diverge, in words. */
function placeOf({ section, index, name }: PrefixEnd): string {
  const what = section === 'system' ? 'system part' : section === 'tools' ? 'tool' : 'message';
  const called = name === null ? 'which is gone' : section === 'messages' ? name : JSON.stringify(name);
  return `${what} ${index + 1} (${called})`;
}

/** The names of the changed parts: `system rules`, `tools bash`, `messages 3`. */
export function listChangedParts(report: DiffReport): readonly string[] {
  return [
    ...report.settings.map(({ name }) => `settings ${name}`),
    ...report.parts.map((change) => `system ${itemOf(change).name}`),
    ...report.tools.map((change) => `tools ${itemOf(change).name}`),
    ...report.options.map(({ name }) => `options ${name}`),
    ...report.cached.map((change) => `messages ${numberOf(change)}`),
    ...report.uncached.map((change) => `uncached ${numberOf(change)}`),
  ];
}

/** The index of a change; for a removed item, its old index with a minus. */
function numberOf(change: DetailedChange<unknown>): string {
  return change.kind === 'removed' ? `-${change.from + 1}` : String(change.to + 1);
}

/** The difference as `ctx diff --json` prints it. */
export function buildDiffDocument({ before, after, report }: EnvelopeComparison): DiffDocument {
  return { schema: 'ctx/diff', schemaVersion: 1, before: sideIn(before), after: sideIn(after), ...report };
}

function sideIn({ session, at, meta }: ContextEnvelope): DiffSide {
  const { tokens, size } = meta;
  return { file: session.file, sessionId: session.id, entryId: at.entryId, line: at.line, tokens, size };
}
