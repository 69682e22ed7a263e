import type { LossAudit, LostFact } from '#analysis/loss/audit.js';
import { classCounts } from '#analysis/loss/document.js';
import { type Account, type LossReason, REASONS } from '#analysis/loss/ledger.js';
import { count, plural } from '#base/words.js';
import { idText } from '#session/table/head.js';
import { cell, type Block, type Doc, gap, heading, left, line, right, type Span, span } from '#ui/doc/doc.js';

export interface LossViewOptions {
  readonly isFull: boolean;
  /** What an entry says, in a line. */
  previewOf(account: Account): string;
}

/** What a compaction took away: the balance, what the summary mentions of it, and the entries to look at. */
export function lossDoc(audit: LossAudit, options: LossViewOptions): Doc {
  const unaccounted = audit.left.filter(({ fate }) => fate === 'unaccounted');
  const missing = audit.facts.filter(({ mention, class: of }) => mention === 'missing' && WORTH_A_LINE.has(of));
  return [
    boundaryLine(audit),
    ...balance(audit),
    ...classTable(audit),
    ...REASONS.flatMap((reason) => {
      const own = unaccounted.filter((account) => account.reason === reason);
      return listed(`In no summary: ${BECAUSE[reason]}`, own, options, (account) => entryRow(account, options));
    }),
    ...listed('Not mentioned', missing, options, factRow),
  ];
}

const BECAUSE: Readonly<Record<LossReason, string>> = {
  'kept-before': 'kept by the compaction before, and not summarised since',
  'kept-from-elsewhere': 'what the compaction keeps from is not above it',
  'summary-forgotten': 'Pi forgot that there was one',
};

/** Nobody expects files that were only read, other results, images and thoughts in a summary: the table counts them. */
export const WORTH_A_LINE: ReadonlySet<string> = new Set([
  'instructions',
  'corrections',
  'decisions',
  'errors',
  'edits',
]);

function boundaryLine({ boundary, accounts }: LossAudit): Block {
  return line(
    span(boundary.type === 'compaction' ? 'compaction ' : 'transform ', 'strong'),
    span(idText(boundary.id) ?? '', 'id'),
    span(` on line ${boundary.line}, ${plural(accounts.length, 'entry', 'entries')} of the context above it`, 'faint'),
  );
}

function balance({ counts }: LossAudit): readonly Block[] {
  return [
    line(label('kept'), count(counts.kept)),
    line(label('summarised'), count(counts.summarised)),
    line(label('edited away'), count(counts.edited)),
    line(label('unaccounted'), span(count(counts.unaccounted), counts.unaccounted > 0 ? 'error' : 'plain')),
  ];
}

function label(name: string): Span {
  return span(name.padEnd(13), 'faint');
}

function classTable(audit: LossAudit): readonly Block[] {
  const counts = classCounts(audit);
  if (counts.length === 0) return [];
  const rows = counts.map((of): readonly Span[] => [
    span(of.class),
    span(count(of.left)),
    span(count(of.quoted)),
    span(count(of.named)),
    span(count(of.partly)),
    span(count(of.missing), of.missing > 0 ? 'warning' : 'plain'),
  ]);
  const columns = [left('class'), right('left'), right('quoted'), right('named'), right('partly'), right('missing')];
  return [gap, { kind: 'table', hasTitles: true, columns, rows }];
}

function listed<Item>(
  title: string,
  items: readonly Item[],
  { isFull }: LossViewOptions,
  rowOf: (item: Item) => Block,
): Doc {
  if (items.length === 0) return [];
  const shown = isFull ? items : items.slice(0, MOST_ROWS);
  const more = items.length - shown.length;
  return [
    gap,
    heading(2, title),
    ...shown.map(rowOf),
    ...(more > 0 ? [line(span(`  … ${count(more)} more, --full lists all`, 'faint'))] : []),
  ];
}

const MOST_ROWS = 12;

function entryRow(account: Account, { previewOf }: LossViewOptions): Block {
  const { head } = account;
  const cells = [
    cell('', 1),
    cell(idText(head.id) ?? `line ${head.line}`, 8, 'id'),
    cell(head.role ?? head.type ?? '', 10),
  ];
  return { kind: 'row', cells: [...cells, cell(previewOf(account))] };
}

function factRow({ class: of, text, account: { head } }: LostFact): Block {
  const cells = [cell('', 1), cell(idText(head.id) ?? `line ${head.line}`, 8, 'id'), cell(ONE[of] ?? of, 11, 'faint')];
  return { kind: 'row', cells: [...cells, cell(text)] };
}

const ONE: Readonly<Record<string, string>> = {
  instructions: 'instruction',
  corrections: 'correction',
  decisions: 'decision',
  errors: 'error',
  edits: 'edit',
};
