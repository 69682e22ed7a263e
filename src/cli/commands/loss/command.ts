import { auditLoss, auditPath, buildEmptyLoss } from '#analysis/loss/audit.js';
import {
  type LossDocument,
  type LostEntry,
  type LostFact,
  type PathLoss,
  UNSUMMARISED_REASONS,
} from '#analysis/loss/document.js';
import { FACT_CLASSES } from '#analysis/loss/fact-classes.js';
import { type Hollow, HOLLOW_TEXTS, isEncryptedSummary } from '#analysis/loss/hollow.js';
import type { InputRule } from '#analysis/loss/input-rule.js';
import { readSentMessage } from '#analysis/loss/lost-facts.js';
import { readSummaryAt } from '#analysis/loss/replacement.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { asString } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { findCompactionInForce } from '#change/plan/undo.js';
import type { OpenSession } from '#context/open.js';
import { previewMessage } from '#context/words/message-text.js';
import type { Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { resolvePath, resolveRevision } from '#session/tree/revision.js';
import { type Block, cell, type Doc, gap, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { FACT_COLUMNS, REASON_TEXTS } from '#ui/parts/loss-words.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';
import { defineCommand, toOutcome } from '../define.js';
import { type Flag, textFlag, toggleFlag } from '../flags.js';
import { openNamedSession, sessionArgument } from '../session.js';
import { LISTED_LOSSES, renderLossRow } from './row.js';

const NO_SUMMARY = 'no-summary';
const FAILURES: readonly string[] = [NO_SUMMARY, ...FACT_CLASSES];

const FLAGS = {
  'fail-on': failOnFlag(),
  pi: textFlag('VERSION', 'the version of Pi that compacted (default: from the date of the compaction)'),
  all: toggleFlag('list what each compaction of the path removed'),
  full: toggleFlag('list every entry in no summary, and every missing fact'),
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
    'ctx loss session.jsonl --all',
    'ctx loss latest --fail-on no-summary,edits',
  ],
  async run(input) {
    const { args, flags } = input;
    const [file, revision] = args;
    const session = await openNamedSession(input, file);
    const at = revision === undefined ? findCompactionInForce(session) : resolveRevision(session, revision);
    if (!at && revision !== undefined)
      throw new CtxError('usage', 'the session is empty', { where: session.file, hint: 'name another one' });
    const rule = flags.pi === undefined ? undefined : readInputRule(flags.pi);
    const audit = { session, rule };
    const isAll = flags.all ?? false;
    const along = revision === undefined || isAll ? auditPath(audit, readPath(session, revision), isAll) : null;
    const loss = { ...(at ? auditLoss(audit, at) : buildEmptyLoss(session)), ...(along && { path: along }) };
    const previewOf = (entry: Place): string => previewEntry(session, entry);
    const isFailed = (flags['fail-on'] ?? []).some((name) => isLost(loss, name));
    const name = toShellWord(file ?? 'latest');
    const doc = (): Doc => renderLoss(loss, { isFull: flags.full ?? false, previewOf, name });
    const problems = [...session.problems, ...listEncryptedProblems(session, loss)];
    const exitCode = isFailed ? 1 : 0;
    // Only problems of the file have details elsewhere.
    if (session.problems.length === 0) return { kind: 'single', item: { data: loss, doc }, problems, exitCode };
    return toOutcome({ data: loss, doc }, { ...session, problems }, exitCode);
  },
});

function listEncryptedProblems(session: OpenSession, { boundary }: LossDocument): readonly Problem[] {
  const head = session.agent && boundary ? findHeadAtLine(session, boundary.line) : null;
  if (!head || !isEncryptedSummary(readSummaryAt(session, head))) return [];
  return [buildWarning('encrypted-summary', 'the summary is encrypted: what it contains is listed as missing')];
}

function readPath(session: OpenSession, revision: string | undefined): readonly Head[] {
  return resolvePath(session, revision).path;
}

function isLost({ counts, facts, path }: LossDocument, name: string): boolean {
  if (name === NO_SUMMARY) return counts.unaccounted > 0;
  return [...facts, ...(path?.facts ?? [])].some(
    ({ class: factClass, mention }) => factClass === name && mention === 'missing',
  );
}

function failOnFlag(): Flag<readonly string[]> {
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
function readInputRule(version: string): InputRule {
  const [, major, minor, patch] = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(version) ?? [];
  if (major === undefined) {
    throw new CtxError('usage', `"${version}" is not a version`, { hint: 'write it as 0.58.3 or 1.5' });
  }
  const number = Number(major) * 1e12 + Number(minor) * 1e6 + Number(patch ?? 0);
  return number < 63e6 + 1 ? 'after-compaction' : 'kept-boundary';
}

type Place = Pick<LostEntry, 'line' | 'entryId'>;

function previewEntry(session: OpenSession, { line: place, entryId }: Place): string {
  const head = findHeadAtLine(session, place, entryId);
  if (!head) return '';
  const message = readSentMessage(session, head);
  return message ? previewMessage(message) : (asString(session.entry(head)['summary']) ?? head.type ?? '');
}

interface LossViewOptions {
  readonly isFull: boolean;
  /** The text of an entry, cut to a line. */
  previewOf(entry: Place): string;
  /** The session, as a word of a command. */
  readonly name: string;
}

/** The losses of a compaction: the totals, the parts that the summary still mentions, and the entries to look at. */
function renderLoss(loss: LossDocument, options: LossViewOptions): Doc {
  const { boundary, counts, classes, left: entries, facts, path } = loss;
  if (!boundary) return renderWithoutCompaction(loss, options);
  return [
    renderBoundary(boundary, counts),
    ...(path ? renderHollow(path.compactions.at(-1)?.hollow ?? null) : []),
    ...renderBalance(counts),
    ...renderClasses(classes),
    ...UNSUMMARISED_REASONS.flatMap((reason) => {
      const own = entries.filter((entry) => entry.reason === reason);
      const rows = (options.isFull ? own : own.slice(0, MOST_ROWS)).map((entry) => renderEntryRow(entry, options));
      return renderList(`In no summary: ${REASON_TEXTS[reason]}`, rows, own.length);
    }),
    ...renderMissingFacts('Missing from the summary', facts, options),
    ...(path ? renderPathLoss(path, options) : []),
    ...renderNextCommands([...facts, ...(path?.facts ?? [])], options),
  ];
}

/** States that nothing was lost only where the file records every change of the context. */
function renderWithoutCompaction({ session: { file }, path }: LossDocument, options: LossViewOptions): Doc {
  const isChanged = path && (path.changes.length > 0 || path.edited > 0);
  if (!path || !(isChanged || path.unproven !== null))
    return [line(`${file} has no compaction on this path, so nothing was lost`)];
  const [first] = path.changes;
  return [
    line(`${file} has no compaction on this path`),
    ...renderUnproven(path),
    ...renderChanges(path, options),
    ...(first
      ? [
          gap,
          renderSuggestedCommand(
            `ctx cat ${options.name} ${toShellWord(first.entryId ?? '')}`,
            'prints an entry whole',
          ),
        ]
      : []),
  ];
}

/** Lists the losses along the whole path, beside those of the newest compaction. */
function renderPathLoss(path: PathLoss, options: LossViewOptions): Doc {
  const { compactions, classes, facts } = path;
  const isAll = compactions.some(({ left: removed }) => removed !== undefined);
  const before = compactions.slice(0, -1);
  const rows = options.isFull ? compactions : compactions.slice(-MOST_ROWS);
  return [
    ...(before.length === 0
      ? []
      : [
          ...renderList(
            `All ${formatCount(compactions.length)} compactions of this path`,
            rows.map(renderCompactionRow),
            compactions.length,
          ),
          ...renderClasses(classes, 'in the newest summary'),
          ...renderMissingFacts('Removed by earlier compactions, and missing from the newest summary', facts, options),
        ]),
    ...(isAll ? before.flatMap((each) => renderDetails(each, options)) : []),
    ...renderChanges(path, options),
    ...renderUnproven(path),
  ];
}

function renderHollow(hollow: Hollow | null): Doc {
  return hollow ? [line(span(HOLLOW_TEXTS[hollow], 'warning'))] : [];
}

function renderUnproven({ unproven }: PathLoss): Doc {
  return unproven === null ? [] : [gap, line(span(`More may have been lost: ${unproven}`, 'warning'))];
}

type PathCompaction = PathLoss['compactions'][number];

function renderCompactionRow(compaction: PathCompaction): Block {
  const { removed, missing, hollow } = compaction;
  const parts = [`removed ${pluralize(removed, 'entry', 'entries')}`, `${pluralize(missing, 'fact')} missing`];
  const what = [...parts, ...(hollow ? [HOLLOW_TEXTS[hollow]] : [])].join(', ');
  return renderLossRow(compaction, cell(`line ${compaction.line}`, 10, 'faint'), what);
}

/** Lists the losses of one of several compactions. */
function renderDetails(
  { entryId, line: place, classes = [], facts = [] }: PathCompaction,
  options: LossViewOptions,
): Doc {
  const name = entryId ?? `line ${place}`;
  return [
    gap,
    heading(2, `Compaction ${name} on line ${place}`),
    ...(facts.length === 0 ? [line(span('no facts removed', 'faint'))] : renderClasses(classes).slice(1)),
    ...renderMissingFacts(`Missing from the summary of ${name}`, facts, options),
  ];
}

/** Results that were cleared, masked or pruned, and other messages that an edit changed. */
function renderChanges({ changes, edited }: PathLoss, options: LossViewOptions): Doc {
  const removed = changes.filter(({ change }) => change === 'removed').length;
  const rows = (options.isFull ? changes : changes.slice(0, MOST_ROWS)).map((each) => {
    const { before, after } = each.characters;
    const size =
      each.change === 'removed'
        ? `removed, ${formatCount(before)} characters`
        : `${formatCount(before)} → ${formatCount(after)} characters`;
    return renderLossRow(each, cell(each.role ?? '', 10), `${size}: ${options.previewOf(each)}`);
  });
  const others = Math.max(0, edited - removed);
  return [
    ...renderList('Content that was replaced or removed without a summary', rows, changes.length),
    ...(others === 0
      ? []
      : [gap, line(`${pluralize(others, 'entry', 'entries')} removed by transforms that are no compaction`)]),
  ];
}

function renderMissingFacts(title: string, facts: readonly LostFact[], { isFull }: LossViewOptions): Doc {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const shown = isFull ? missing : missing.filter(({ class: of }) => LISTED_LOSSES.has(of)).slice(0, MOST_ROWS);
  const rows = shown.map((fact) => renderLossRow(fact, cell(ONE[fact.class] ?? fact.class, 11, 'faint'), fact.text));
  return renderList(title, rows, missing.length);
}

/** The commands that show what was lost: the entry of the first missing fact, and the text that compactions hide. */
function renderNextCommands(facts: readonly LostFact[], { name }: LossViewOptions): Doc {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const first = missing.find(({ class: of }) => LISTED_LOSSES.has(of)) ?? missing[0];
  if (!first) return [];
  const words = first.text.match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
  const word = words.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  return [
    gap,
    ...(first.entryId === null
      ? []
      : [renderSuggestedCommand(`ctx cat ${name} ${toShellWord(first.entryId)}`, 'prints an entry whole')]),
    ...(word === ''
      ? []
      : [
          renderSuggestedCommand(
            `ctx grep ${toShellWord(word)} ${name} --where hidden`,
            'searches what left the context',
          ),
        ]),
  ];
}

type Counts = LossDocument['counts'];

function renderBoundary(boundary: NonNullable<LossDocument['boundary']>, { total }: Counts): Block {
  return line(
    span(boundary.type === 'compaction' ? 'compaction ' : 'transform ', 'strong'),
    span(boundary.entryId ?? '', 'id'),
    span(` on line ${boundary.line}, ${pluralize(total, 'entry', 'entries')} with messages before it`, 'faint'),
  );
}

function renderBalance(counts: Counts): readonly Block[] {
  return [
    line(renderLabel('kept'), formatCount(counts.kept)),
    line(renderLabel('summarised'), formatCount(counts.summarised)),
    line(renderLabel('edited out'), formatCount(counts.edited)),
    line(
      renderLabel('in no summary'),
      span(formatCount(counts.unaccounted), counts.unaccounted > 0 ? 'error' : 'plain'),
    ),
  ];
}

function renderLabel(name: string): Span {
  return span(name.padEnd(15), 'faint');
}

function renderClasses(classes: LossDocument['classes'], where = ''): readonly Block[] {
  if (classes.length === 0) return [];
  const rows = classes.map((of): readonly Span[] => [
    span(of.class),
    ...FACT_COLUMNS.map((column) =>
      span(formatCount(column.of(of)), column.title === 'missing' && of.missing > 0 ? 'warning' : 'plain'),
    ),
  ]);
  const columns = [left('facts'), ...FACT_COLUMNS.map(({ title }) => right(title))];
  const of = where === '' ? '' : ` (${where})`;
  const legend = `quoted: word for word; mentioned: by all of its names; in part: by some${of}`;
  return [gap, table(columns, rows), line(span(legend, 'faint'))];
}

/** A heading with the number of items where the rows are not all of them. */
function renderList(title: string, rows: readonly Block[], all: number): Doc {
  if (all === 0) return [];
  const more = all - rows.length;
  if (more === 0) return [gap, heading(2, title), ...rows];
  if (rows.length === 0) return [gap, heading(2, `${title}: ${formatCount(all)}, --full lists all`)];
  const shown = `${title} (${formatCount(rows.length)} of ${formatCount(all)})`;
  return [gap, heading(2, shown), ...rows, line(span(`  … ${formatCount(more)} more, --full lists all`, 'faint'))];
}

const MOST_ROWS = 12;

function renderEntryRow(entry: LostEntry, { previewOf }: LossViewOptions): Block {
  return renderLossRow(entry, cell(entry.role ?? entry.type ?? '', 10), previewOf(entry));
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
