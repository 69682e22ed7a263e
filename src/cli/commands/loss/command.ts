import { auditLoss, isEncrypted, noLoss, sentBy, summaryAt } from '#analysis/loss/audit.js';
import type { LossDocument, LostEntry } from '#analysis/loss/document.js';
import { CLASSES } from '#analysis/loss/facts.js';
import { type InputRule, REASONS } from '#analysis/loss/ledger.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { asString } from '#base/json.js';
import { count, plural } from '#base/words.js';
import { newestCompaction } from '#change/plan/undo.js';
import type { OpenSession } from '#context/open.js';
import { preview } from '#context/words/message-text.js';
import { resolveRevision } from '#session/tree/revision.js';
import { headAtLine } from '#session/tree/tree.js';
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
import { FACT_COLUMNS, REASON_TEXTS } from '#ui/look.js';
import { defineCommand, reported } from '../define.js';
import { type Flag, text, toggle } from '../flags.js';
import { openNamed, sessionArgument } from '../session.js';

const NO_SUMMARY = 'no-summary';
const FAILURES: readonly string[] = [NO_SUMMARY, ...CLASSES];

const FLAGS = {
  'fail-on': failures(),
  pi: text('VERSION', 'the version of Pi that compacted (default: from the date of the compaction)'),
  full: toggle('list every entry in no summary, and every missing fact'),
};

export default defineCommand({
  name: 'loss',
  summary: 'Show what a compaction lost',
  description:
    'Accounts for every message before a compaction made by Pi or by ctx: kept, summarised, edited out, or in no ' +
    'summary. Then searches the summary for the instructions, decisions, errors, files and results in the removed messages, ' +
    'by their words, names and paths. Changes nothing.',
  args: [
    sessionArgument,
    {
      name: 'rev',
      help: 'the compaction, or an entry after it (default: the newest one that was not undone)',
      isRevision: true,
    },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx loss session.jsonl',
    "ctx loss session.jsonl '@{compaction}' --full",
    'ctx loss latest --fail-on no-summary,edits',
  ],
  async run(input) {
    const { args, flags } = input;
    const [file, revision] = args;
    const session = await openNamed(input, file);
    const at = revision === undefined ? newestCompaction(session) : resolveRevision(session, revision);
    if (!at && revision !== undefined)
      throw new CtxError('usage', 'the session is empty', { where: session.file, hint: 'name another one' });
    const rule = flags.pi === undefined ? undefined : ruleOfVersion(flags.pi);
    const { readPatch } = session;
    const loss = at ? auditLoss({ session, readPatch, rule }, at) : noLoss(session);
    const previewOf = (place: number): string => previewAt(session, place);
    const isFailed = (flags['fail-on'] ?? []).some((name) => fails(loss, name));
    const doc = (): Doc => lossDoc(loss, { isFull: flags.full ?? false, previewOf });
    const problems = [...session.problems, ...encryptedIn(session, loss)];
    const exitCode = isFailed ? 1 : 0;
    // Only problems of the file have details elsewhere.
    if (session.problems.length === 0) return { kind: 'report', report: { data: loss, doc }, problems, exitCode };
    return reported({ data: loss, doc }, { ...session, problems }, exitCode);
  },
});

function encryptedIn(session: OpenSession, { boundary }: LossDocument): readonly Problem[] {
  const head = session.foreign && boundary ? headAtLine(session, boundary.line) : null;
  if (!head || !isEncrypted(summaryAt(session, head, session.readPatch))) return [];
  return [warning('encrypted-summary', 'the summary is encrypted: what it contains is listed as missing')];
}

function fails({ counts, facts }: LossDocument, name: string): boolean {
  if (name === NO_SUMMARY) return counts.unaccounted > 0;
  return facts.some(({ class: factClass, mention }) => factClass === name && mention === 'missing');
}

function failures(): Flag<readonly string[]> {
  return {
    placeholder: 'WHAT',
    list: FAILURES,
    help: `exit with 1 if some of it is lost, separated by commas: ${FAILURES.join(', ')}`,
    parse(raw) {
      const names = raw.split(',').map((name) => name.trim());
      const unknown = names.find((name) => !FAILURES.includes(name));
      if (unknown === undefined) return names;
      throw new CtxError('usage', `"${unknown}" is nothing to fail on`, { hint: `choose from ${FAILURES.join(', ')}` });
    },
  };
}

/** Since 0.63.1, Pi includes the retained tail of the previous compaction in the summary. */
function ruleOfVersion(version: string): InputRule {
  const [, major, minor, patch] = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(version) ?? [];
  if (major === undefined) {
    throw new CtxError('usage', `"${version}" is not a version`, { hint: 'write it as 0.58.3 or 1.5' });
  }
  const number = Number(major) * 1e12 + Number(minor) * 1e6 + Number(patch ?? 0);
  return number < 63e6 + 1 ? 'after-compaction' : 'kept-boundary';
}

function previewAt(session: OpenSession, place: number): string {
  const head = headAtLine(session, place);
  if (!head) return '';
  const message = sentBy(session, head);
  return message ? preview(message) : (asString(session.entry(head)['summary']) ?? head.type ?? '');
}

interface LossViewOptions {
  readonly isFull: boolean;
  /** The text of the entry on a line of the file, cut to a line. */
  previewOf(place: number): string;
}

/** The losses of a compaction: the totals, the parts that the summary still mentions, and the entries to look at. */
function lossDoc(loss: LossDocument, options: LossViewOptions): Doc {
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
    span(` on line ${boundary.line}, ${plural(total, 'entry', 'entries')} with messages before it`, 'faint'),
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
  if (rows.length === 0) return [gap, heading(2, `${title}: ${count(all)}, --full lists all`)];
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
  what: string,
): Block {
  return proseRow([cell('', 1), cell(entryId ?? `line ${place}`, 8, 'id'), kind, cell(what)]);
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
