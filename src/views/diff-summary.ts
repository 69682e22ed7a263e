import type { ContextEnvelope } from '../context/envelope.js';
import { type PrefixEnd } from '../diff/common-prefix.js';
import type { DetailedChange, DiffReport } from '../diff/report.js';
import { type Block, type Doc, left, line, right, type Span, span } from '../render/doc.js';
import { count, plural } from './format.js';
import type { Compared } from './diff-view.js';

/** What is compared, how big both are, and how much of the one is left in the other: a few lines. */
export function summaryOfDiff({ before, after, report }: Compared): Doc {
  return [placesLine(before, after), ...tokenTable(before, after), ...factLines(report, after)];
}

function placesLine(before: ContextEnvelope, after: ContextEnvelope): Block {
  const isOneFile = before.session.file === after.session.file;
  const place = ({ at, session }: ContextEnvelope): readonly Span[] => [
    span(at.entryId ?? 'the beginning', 'id'),
    span(`${at.line === null ? '' : ` line ${at.line}`}${isOneFile ? '' : ` of ${session.file}`}`, 'faint'),
  ];
  const file = isOneFile ? span(`, ${after.session.file}`, 'faint') : '';
  return line(...place(before), ' → ', ...place(after), file);
}

const CATEGORIES = [
  ['system', 'system'],
  ['tools', 'tools'],
  ['cached', 'messages'],
  ['uncached', 'messages'],
  ['total', 'strong'],
] as const;

function tokenTable({ meta: before }: ContextEnvelope, { meta: after }: ContextEnvelope): readonly Block[] {
  const rows = CATEGORIES.filter(([name]) => name !== 'uncached' || before.tokens[name] + after.tokens[name] > 0).map(
    ([name, tone]): readonly Span[] => {
      const [was, is] = [before.tokens[name], after.tokens[name]];
      const isKnown = [before, after].map(
        ({ sources }) => (name === 'system' || name === 'tools' ? sources[name] : '') !== 'unknown',
      );
      const change = was === is || isKnown.includes(false) ? '' : `${is > was ? '+' : '-'}${count(Math.abs(is - was))}`;
      return [
        span(name === 'cached' ? 'messages' : name, tone),
        span(isKnown[0] || was > 0 ? count(was) : '?'),
        span('→', 'faint'),
        span(isKnown[1] || is > 0 ? count(is) : '?'),
        span(change, is > was ? 'warning' : 'good'),
        span(name === 'total' ? `estimated (${after.tokens.method})` : '', 'faint'),
      ];
    },
  );
  const columns = [left('category'), right('before'), left(''), right('after'), right('change'), left('')];
  return [{ kind: 'table', hasTitles: false, columns, rows }];
}

/** Counts of what changed in a list, in words. */
function countsOf(changes: readonly { readonly kind: DetailedChange<unknown>['kind'] }[], keptOf: number): string {
  const number = (kind: string): number => changes.filter((change) => change.kind === kind).length;
  const kept = keptOf - changes.filter(({ kind }) => kind !== 'added').length;
  const said = (['added', 'removed', 'changed', 'moved'] as const).flatMap((kind) =>
    number(kind) === 0 ? [] : [`${count(number(kind))} ${kind}`],
  );
  return [`${count(kept)} kept`, ...said].join(', ');
}

function factLines(report: DiffReport, after: ContextEnvelope): readonly Block[] {
  const messages = [...report.cached, ...report.uncached];
  const removed = messages.filter(({ kind }) => kind === 'removed').length;
  const added = messages.filter(({ kind }) => kind === 'added').length;
  const { cached, uncached } = after.messages;
  const before = cached.length + uncached.length - added + removed;
  const { tokens, end } = report.prefix;
  const ends = end === null ? 'all of the earlier one' : `the same up to ${placeOf(end)}`;
  return [
    line(span('messages  ', 'faint'), countsOf(messages, before)),
    line(span('prefix    ', 'faint'), `~${plural(tokens, 'token')}: ${ends}`),
  ];
}

/** Where two requests part, in words. */
function placeOf({ section, index, name }: PrefixEnd): string {
  const what = section === 'system' ? 'system part' : section === 'tools' ? 'tool' : 'message';
  const called = name === null ? 'which is gone' : section === 'messages' ? name : JSON.stringify(name);
  return `${what} ${index + 1} (${called})`;
}

/** What changed by its name, one a line: `system rules`, `tools bash`, `messages 3`. */
export function namesOfChanges(report: DiffReport): readonly string[] {
  return [
    ...report.settings.map(({ name }) => `settings ${name}`),
    ...report.parts.map((change) => `system ${itemOf(change).name}`),
    ...report.tools.map((change) => `tools ${itemOf(change).name}`),
    ...report.options.map(({ name }) => `options ${name}`),
    ...report.cached.map((change) => `messages ${numberOf(change)}`),
    ...report.uncached.map((change) => `uncached ${numberOf(change)}`),
  ];
}

/** Of what was removed, with a minus: the place that it had. */
function numberOf(change: DetailedChange<unknown>): string {
  return change.kind === 'removed' ? `-${change.from + 1}` : String(change.to + 1);
}

function itemOf<Item>(change: DetailedChange<Item>): Item {
  if (change.kind === 'moved') return change.item;
  return change.kind === 'removed' ? change.before : change.after;
}
