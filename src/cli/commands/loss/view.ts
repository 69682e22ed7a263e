import type { LossDocument, LostEntry } from '#analysis/loss/document.js';
import { REASONS } from '#analysis/loss/ledger.js';
import { count, plural } from '#base/words.js';
import {
  type Block,
  cell,
  type Cell,
  type Doc,
  gap,
  heading,
  left,
  line,
  proseRow,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import { FACT_COLUMNS, REASON_TEXTS } from '#ui/parts/loss-words.js';

export interface LossViewOptions {
  readonly isFull: boolean;
  /** The text of the entry on a line of the file, cut to a line. */
  previewOf(place: number): string;
}

/** The losses of a compaction: the totals, the parts that the summary still mentions, and the entries to look at. */
export function lossDoc(loss: LossDocument, options: LossViewOptions): Doc {
  const { boundary, counts, classes, left: entries, facts, session } = loss;
  if (!boundary) return [line(`${session.file} has no compaction on this path, so nothing was lost`)];
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const shown = options.isFull ? missing : missing.filter(({ class: of }) => WORTH_A_LINE.has(of)).slice(0, MOST_ROWS);
  return [
    boundaryLine(boundary, counts),
    ...balance(counts),
    ...classTable(classes),
    ...REASONS.flatMap((reason) => {
      const own = entries.filter((entry) => entry.reason === reason);
      const rows = (options.isFull ? own : own.slice(0, MOST_ROWS)).map((entry) => entryRow(entry, options));
      return listed(`In no summary: ${REASON_TEXTS[reason]}`, rows, own.length);
    }),
    ...listed(
      'Missing from the summary',
      shown.map((fact) => lossRow(fact, cell(ONE[fact.class] ?? fact.class, 11, 'faint'), fact.text)),
      missing.length,
    ),
  ];
}

/** Files that were only read, other results, images and thoughts are not expected in a summary: only `--full` lists them. */
export const WORTH_A_LINE: ReadonlySet<string> = new Set([
  'instructions',
  'corrections',
  'decisions',
  'errors',
  'edits',
]);

type Counts = LossDocument['counts'];

function boundaryLine(boundary: NonNullable<LossDocument['boundary']>, { total }: Counts): Block {
  return line(
    span(boundary.type === 'compaction' ? 'compaction ' : 'transform ', 'strong'),
    span(boundary.entryId ?? '', 'id'),
    span(` on line ${boundary.line}, ${plural(total, 'entry', 'entries')} in the context before it`, 'faint'),
  );
}

function balance(counts: Counts): readonly Block[] {
  return [
    line(label('kept'), count(counts.kept)),
    line(label('summarised'), count(counts.summarised)),
    line(label('edited out'), count(counts.edited)),
    line(label('in no summary'), span(count(counts.unaccounted), counts.unaccounted > 0 ? 'error' : 'plain')),
  ];
}

function label(name: string): Span {
  return span(name.padEnd(15), 'faint');
}

function classTable(classes: LossDocument['classes']): readonly Block[] {
  if (classes.length === 0) return [];
  const rows = classes.map((of): readonly Span[] => [
    span(of.class),
    ...FACT_COLUMNS.map((column) =>
      span(count(column.of(of)), column.title === 'missing' && of.missing > 0 ? 'warning' : 'plain'),
    ),
  ]);
  const columns = [left('facts'), ...FACT_COLUMNS.map(({ title }) => right(title))];
  return [gap, table(columns, rows)];
}

/** A heading with the number of items where the rows are not all of them. */
function listed(title: string, rows: readonly Block[], all: number): Doc {
  if (all === 0) return [];
  const more = all - rows.length;
  if (more === 0) return [gap, heading(2, title), ...rows];
  const shown = `${title} (${count(rows.length)} of ${count(all)})`;
  return [gap, heading(2, shown), ...rows, line(span(`  … ${count(more)} more, --full lists all`, 'faint'))];
}

const MOST_ROWS = 12;

function entryRow(entry: LostEntry, { previewOf }: LossViewOptions): Block {
  return lossRow(entry, cell(entry.role ?? entry.type ?? '', 10), previewOf(entry.line));
}

/** A line for an entry, or for a fact in it. */
export function lossRow(
  { entryId, line: place }: Pick<LostEntry, 'entryId' | 'line'>,
  kind: Cell,
  text: string,
): Block {
  return proseRow([cell('', 1), cell(entryId ?? `line ${place}`, 8, 'id'), kind, cell(text)]);
}

const ONE: Readonly<Record<string, string>> = {
  instructions: 'instruction',
  corrections: 'correction',
  decisions: 'decision',
  errors: 'error',
  edits: 'edit',
  reads: 'read',
  results: 'result',
  images: 'image',
};
