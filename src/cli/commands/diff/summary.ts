import type { DiffDocument, DiffSide } from '#analysis/diff/document.js';
import { itemOf } from '#analysis/diff/list-diff.js';
import type { DetailedChange, DiffReport, PrefixEnd } from '#analysis/diff/report-diff.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { measureSizeUpTo } from '#context/size/split-size.js';
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
  return [renderSides(before, after), ...renderTokenTable(before, after), ...renderFacts(compared)];
}

function renderSides(before: ContextEnvelope, after: ContextEnvelope): Block {
  const isOneFile = before.session.file === after.session.file;
  const describeSide = (side: ContextEnvelope): readonly Span[] => [
    span(side.at.entryId ?? 'the beginning', 'id'),
    span(`${side.at.line === null ? '' : ` line ${side.at.line}`}${isOneFile ? '' : ' of '}`, 'faint'),
    ...(isOneFile ? [] : [renderFile(side)]),
  ];
  const file = isOneFile ? [span(', ', 'faint'), renderFile(after)] : [];
  return line(...describeSide(before), ' → ', ...describeSide(after), ...file);
}

function renderFile({ session: { file } }: ContextEnvelope): Span {
  return fileSpan(file, file, 'faint');
}

const CATEGORIES = [
  ['system', 'prompt', 'system'],
  ['tools', 'tools', 'tools'],
  ['cached', 'messages', 'messages'],
  ['uncached', 'uncached', 'messages'],
  ['notItemised', 'not recorded', 'faint'],
] as const;

function renderTokenTable({ meta: before }: ContextEnvelope, { meta: after }: ContextEnvelope): readonly Block[] {
  const was = toSizeShares(before);
  const is = toSizeShares(after);
  const rows = CATEGORIES.flatMap(([name, title, tone]) => {
    const isShown = (was[name] ?? 0) + (is[name] ?? 0) > 0;
    return isShown ? [buildTokenRow(span(title, tone), was[name], is[name])] : [];
  });
  const { tokens: old } = before.size;
  const change = formatChange(old, after.size.tokens);
  const total = [span('total', 'strong'), span(formatSize(before.size)), ARROW, span(formatSize(after.size)), change];
  const columns = [left('category'), right('before'), left(''), right('after'), right('change')];
  return [table(columns, [...rows, total], { hasTitles: false })];
}

const ARROW = span('→', 'faint');

function buildTokenRow(title: Span, was: number | null, is: number | null): readonly Span[] {
  const change = was === null || is === null ? span('') : formatChange(was, is);
  return [title, span(was === null ? '?' : formatCount(was)), ARROW, span(is === null ? '?' : formatCount(is)), change];
}

function formatChange(was: number, is: number): Span {
  const sign = is > was ? '+' : '-';
  return span(was === is ? '' : `${sign}${formatCount(Math.abs(is - was))}`, is > was ? 'warning' : 'good');
}

function describeCounts(
  changes: readonly { readonly kind: DetailedChange<unknown>['kind'] }[],
  keptOf: number,
): string {
  const countKind = (kind: string): number => changes.filter((change) => change.kind === kind).length;
  const kept = keptOf - changes.filter(({ kind }) => kind !== 'added').length;
  const counts = (['added', 'removed', 'changed', 'moved'] as const).flatMap((kind) =>
    countKind(kind) === 0 ? [] : [`${formatCount(countKind(kind))} ${kind}`],
  );
  return [`${formatCount(kept)} kept`, ...counts].join(', ');
}

/** The numbers of messages that stay, and that do not: `55 kept, 1 added, 391 removed`. */
function describeMessages({ after, report }: EnvelopeComparison): string {
  const messages = [...report.cached, ...report.uncached];
  const removed = messages.filter(({ kind }) => kind === 'removed').length;
  const added = messages.filter(({ kind }) => kind === 'added').length;
  const { cached, uncached } = after.messages;
  return describeCounts(messages, cached.length + uncached.length - added + removed);
}

/** The difference in one line: the sizes, and the numbers of messages. */
export function renderDiffLine(compared: EnvelopeComparison): Block {
  const was = compared.before.meta.size;
  const is = compared.after.meta.size;
  const change = formatChange(was.tokens, is.tokens);
  return line(
    span('in short  ', 'faint'),
    span(`${formatSize(was)} → ${formatSize(is)} tokens`, 'strong'),
    ...(change.text === '' ? [] : [' (', change, ')']),
    `; messages: ${describeMessages(compared)}`,
  );
}

function renderFacts(compared: EnvelopeComparison): readonly Block[] {
  const { before: earlier, after, report } = compared;
  const { end } = report.prefix;
  const ends = end === null ? 'all of the earlier one' : `differs from ${describePrefixEnd(end)} on`;
  const { size, model, tokens: estimate } = after.meta;
  return [
    line(span('size      ', 'faint'), describeSizeSource(size, { model, method: estimate.method })),
    line(span('messages  ', 'faint'), describeMessages(compared)),
    line(span('prefix    ', 'faint'), `~${pluralize(measurePrefix(report, earlier), 'token')}: ${ends}`),
  ];
}

/** The tokens of the common prefix, counted as the size of the earlier context is. */
function measurePrefix({ prefix: { tokens, end } }: DiffReport, { meta }: ContextEnvelope): number {
  const { system, tools, cached, uncached } = meta.tokens;
  if (end === null) return meta.size.tokens;
  return measureSizeUpTo(tokens, meta.size, { declared: system + tools, messages: cached + uncached });
}

/** The point where two requests diverge, in words. */
function describePrefixEnd({ section, index, name }: PrefixEnd): string {
  return `${PARTS[section]} ${index + 1} (${describePart(section, name)})`;
}

const PARTS = { system: 'system part', tools: 'tool', messages: 'message' } as const;

function describePart(section: PrefixEnd['section'], name: string | null): string {
  if (name === null) return 'which is gone';
  return section === 'messages' ? name : JSON.stringify(name);
}

/** The names of the changed parts: `system rules`, `tools bash`, `messages 3`. */
export function listChangedParts(report: DiffReport): readonly string[] {
  return [
    ...report.settings.map(({ name }) => `settings ${name}`),
    ...report.parts.map((change) => `system ${itemOf(change).name}`),
    ...report.tools.map((change) => `tools ${itemOf(change).name}`),
    ...report.options.map(({ name }) => `options ${name}`),
    ...report.cached.map((change) => `messages ${formatPosition(change)}`),
    ...report.uncached.map((change) => `uncached ${formatPosition(change)}`),
  ];
}

/** The index of a change; for a removed item, its old index with a minus. */
function formatPosition(change: DetailedChange<unknown>): string {
  return change.kind === 'removed' ? `-${change.from + 1}` : String(change.to + 1);
}

/** The difference as `ctx diff --json` prints it. */
export function buildDiffDocument({ before, after, report }: EnvelopeComparison): DiffDocument {
  return { schema: 'ctx/diff', schemaVersion: 1, before: toDiffSide(before), after: toDiffSide(after), ...report };
}

function toDiffSide({ session, at, meta }: ContextEnvelope): DiffSide {
  const { tokens, size } = meta;
  return { file: session.file, sessionId: session.id, entryId: at.entryId, line: at.line, tokens, size };
}
