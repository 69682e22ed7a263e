import type { LossDocument, LostEntry, LostFact } from '#analysis/loss/document.js';
import { formatCount } from '#base/numbers.js';
import { shorten } from '#context/words/message-text.js';
import {
  type Block,
  type Cell,
  cell,
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
import { FACT_COLUMNS } from '#ui/parts/loss-words.js';
import { listFacts, MOST_ROWS } from './listed-losses.js';

/** The session, the flags and the words for its compaction, which all parts of the view share. */
/** The summary of a branch that the conversation left. `fromId`: the last entry of the branch, if that is recorded. */
export interface BranchSummary {
  readonly entryId: string | null;
  readonly fromId: string | null;
}

export interface LossViewOptions {
  readonly isFull: boolean;
  /** The text of an entry, cut to a line. */
  previewOf(entry: Pick<LostEntry, 'line' | 'entryId'>): string;
  /** The session, as a word of a command. */
  readonly name: string;
  /** The compaction that `ctx revert` takes back; null if it cannot. */
  readonly undoable: string | null;
  /** The word for the compaction. */
  readonly boundaryName: string;
  /** The losses for which the exit code is 1, as `--fail-on` names them. */
  readonly failed: readonly string[];
  /** The newest summary cannot be read, so that what it has is unknown. */
  readonly isEncrypted: boolean;
  /** Those of the path. */
  readonly branchSummaries: readonly BranchSummary[];
}

/** The characters of a text in a list: two lines of a narrow terminal. */
export const LISTED_CHARACTERS = 100;

/** A line for an entry, or for a fact in it. */
export function renderLossRow(
  { entryId, line: place }: Pick<LostEntry, 'entryId' | 'line'>,
  kind: Cell,
  what: string,
): Block {
  return proseRow([cell('', 1), cell(entryId ?? `line ${place}`, 8, 'id'), kind, cell(what)]);
}

/** A heading with the number of items where the rows are not all of them. */
export function renderList(title: string, rows: readonly Block[], all: number): Doc {
  if (all === 0) return [];
  const more = all - rows.length;
  if (more === 0) return [gap, heading(2, title), ...rows];
  if (rows.length === 0) return [gap, heading(2, `${title}: ${formatCount(all)}, --full lists all`)];
  const shown = `${title} (${formatCount(rows.length)} of ${formatCount(all)})`;
  return [gap, heading(2, shown), ...rows, line(span(`  … ${formatCount(more)} more, --full lists all`, 'faint'))];
}

/** The facts that the summary lacks: all of them, or the first `most` that a person looks for. */
export function renderMissingFacts(
  title: string,
  facts: readonly LostFact[],
  { isFull }: Pick<LossViewOptions, 'isFull'>,
  most = MOST_ROWS,
): Doc {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const shown = isFull ? missing : listFacts(facts).slice(0, most);
  const rows = shown.map((fact) => {
    const what = isFull ? fact.text : shorten(fact.text, LISTED_CHARACTERS);
    return renderLossRow(fact, cell(SINGULARS[fact.class] ?? fact.class, 11, 'faint'), what);
  });
  return renderList(title, rows, missing.length);
}

/** The classes of facts, as one fact is called. */
const SINGULARS: Readonly<Record<string, string>> = {
  instructions: 'instruction',
  corrections: 'correction',
  decisions: 'decision',
  errors: 'error',
  edits: 'edit',
  reads: 'read',
  results: 'result',
  images: 'image',
};

interface ClassesView {
  /** The summary that is searched, in words; left out where only one is shown. */
  readonly where?: string;
  readonly isEncrypted?: boolean;
}

/** The facts of each class, by their mention in the summary. */
export function renderClasses(
  classes: LossDocument['classes'],
  { where = '', isEncrypted = false }: ClassesView = {},
): Doc {
  if (classes.length === 0) return [];
  const columns = [
    left('facts'),
    ...FACT_COLUMNS.map(({ title }) => right(isEncrypted && title === 'missing' ? 'unknown' : title)),
  ];
  const place = where === '' ? '' : ` (${where})`;
  const legend = `quoted: word for word; mentioned: by all of its names; in part: by some${place}`;
  return [gap, table(columns, classes.map(renderClassRow)), line(span(legend, 'faint'))];
}

function renderClassRow(counts: LossDocument['classes'][number]): readonly Span[] {
  const numbers = FACT_COLUMNS.map((column) => {
    const isLost = column.title === 'missing' && counts.missing > 0;
    return span(formatCount(column.countOf(counts)), isLost ? 'warning' : 'plain');
  });
  return [span(counts.class), ...numbers];
}
