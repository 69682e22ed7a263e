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
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { findCompactionInForce } from '#change/revert/changes-in-force.js';
import type { OpenSession } from '#context/open.js';
import { previewMessage, shorten } from '#context/words/message-text.js';
import { findCopier } from '#session/agents/index.js';
import type { Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { resolvePath, resolveRevision } from '#session/tree/revision.js';
import {
  type Block,
  cell,
  type Doc,
  fileSpan,
  gap,
  heading,
  left,
  line,
  right,
  type Span,
  span,
  table,
} from '#ui/doc/doc.js';
import { FACT_COLUMNS, REASON_TEXTS } from '#ui/parts/loss-words.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';
import { defineCommand, toOutcome } from '../define.js';
import { type Flag, textFlag, toggleFlag } from '../flags.js';
import { openNamedSession, sessionArgument } from '../session.js';
import { listFacts, listLosses, MOST_ROWS } from './listed-losses.js';
import { askQuestions, questionFlags, renderQuestions } from './questions.js';
import { LISTED_LOSSES, renderLossRow } from './row.js';

const NO_SUMMARY = 'no-summary';
const FAILURES: readonly string[] = [NO_SUMMARY, ...FACT_CLASSES];

const FLAGS = {
  full: toggleFlag('list every entry in no summary, and every missing fact; in JSON, all entries and facts'),
  all: toggleFlag('list what each compaction of the path removed'),
  'fail-on': failOnFlag(),
  pi: textFlag('VERSION', 'the version of Pi that compacted (default: from the date of the compaction)'),
  ...questionFlags,
};

export default defineCommand({
  name: 'loss',
  summary: 'Show what a compaction lost',
  description:
    'Accounts for every message before a compaction made by Pi or by ctx: kept, summarised, edited out, or in no ' +
    'summary. Then searches the summary for the instructions, decisions, errors, files and results in the removed messages, ' +
    'by their words, names and paths. Changes no session. With --questions it asks what the summary answers.',
  args: [
    sessionArgument,
    {
      name: 'rev',
      help: 'the compaction, or an entry after it (default: the newest one that was not undone)',
      isRevision: true,
    },
  ],
  flags: FLAGS,
  takesRedact: { excludes: ['questions'] },
  examples: [
    'ctx loss session.jsonl',
    "ctx loss session.jsonl '@{compaction}' --full",
    'ctx loss session.jsonl --all',
    'ctx loss latest --fail-on no-summary,edits',
    "ctx loss session.jsonl --questions questions.jsonl --model-command 'llm -m gpt-5-mini'",
  ],
  async run(input) {
    const { args, flags } = input;
    const [file, revision] = args;
    const session = await openNamedSession(input, file);
    const at = revision === undefined ? findCompactionInForce(session) : resolveRevision(session, revision);
    if (!at && revision !== undefined)
      throw new CtxError('usage', 'the session is empty', { where: session.file, hint: 'name another one' });
    if (flags.questions !== undefined) {
      const found = await askQuestions(input.io, session, at, { ...flags, questions: flags.questions });
      const boundaryName = nameBoundary(session, found.boundary);
      const doc = (): Doc => renderQuestions(found, { isFull: flags.full ?? false, boundaryName });
      return toOutcome({ data: found, doc }, session, found.failed > 0 ? 1 : 0);
    }
    const rule = flags.pi === undefined ? undefined : readInputRule(flags.pi);
    const audit = { session, rule };
    const isAll = flags.all ?? false;
    const wholePath = revision === undefined || isAll ? auditPath(audit, readPath(session, revision), isAll) : null;
    const loss = { ...(at ? auditLoss(audit, at) : buildEmptyLoss(session)), ...(wholePath && { path: wholePath }) };
    const previewOf = (entry: Place): string => previewEntry(session, entry);
    const listed = flags.full ? loss : listLosses(loss);
    const failed = (flags['fail-on'] ?? []).filter((name) => isLost(loss, name));
    const isEncrypted = hasEncryptedSummary(session, loss);
    const name = toShellWord(file ?? 'latest');
    const undoable = isUndoable(session) ? (loss.boundary?.entryId ?? null) : null;
    const boundaryName = loss.boundary === null ? '' : nameBoundary(session, loss.boundary);
    const view = { isFull: flags.full ?? false, previewOf, name, failed, isEncrypted, undoable, boundaryName };
    const doc = (): Doc => renderLoss(loss, view);
    const problems = [...session.problems, ...(isEncrypted ? [ENCRYPTED] : [])];
    const exitCode = failed.length > 0 ? 1 : 0;
    // Only problems of the file have details elsewhere.
    if (session.problems.length === 0) return { kind: 'single', item: { data: listed, doc }, problems, exitCode };
    return toOutcome({ data: listed, doc }, { ...session, problems }, exitCode);
  },
});

/** `context_transform` is a word of Pi's format, by which other agents have compactions. */
function nameBoundary({ agent }: OpenSession, { type }: { readonly type: string | null }): string {
  return agent || type === 'compaction' ? 'compaction' : 'transform';
}

/** Whether `ctx revert` takes back a compaction: in a session of Pi, or in a copy that the agent resumes. */
function isUndoable(session: OpenSession): boolean {
  return !session.agent || (!session.agent.isSubagent && findCopier(session) !== null);
}

const ENCRYPTED: Problem = buildWarning(
  'encrypted-summary',
  'the summary is encrypted: whether it has the facts is unknown, and JSON has them as missing',
);

function hasEncryptedSummary(session: OpenSession, { boundary }: LossDocument): boolean {
  const head = session.agent && boundary ? findHeadAtLine(session, boundary.line) : null;
  return head ? isEncryptedSummary(readSummaryAt(session, head)) : false;
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
  return message ? previewMessage(message) : (asString(session.entry(head).summary) ?? head.type ?? '');
}

interface LossViewOptions {
  readonly isFull: boolean;
  /** The text of an entry, cut to a line. */
  previewOf(entry: Place): string;
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
}

/** The losses of a compaction: the totals, the parts that the summary still mentions, and the entries to look at. */
function renderLoss(loss: LossDocument, options: LossViewOptions): Doc {
  const { boundary, counts, classes, left: entries, facts, path } = loss;
  if (!boundary) return renderWithoutCompaction(loss, options);
  return [
    renderVerdict(loss, options),
    renderBoundary(boundary, counts, options.boundaryName),
    ...(path ? renderHollow(path.compactions.at(-1)?.hollow ?? null) : []),
    ...renderClasses(classes, { isEncrypted: options.isEncrypted }),
    ...UNSUMMARISED_REASONS.flatMap((reason) => {
      const own = entries.filter((entry) => entry.reason === reason);
      const rows = (options.isFull ? own : own.slice(0, MOST_ENTRIES)).map((entry) => renderEntryRow(entry, options));
      return renderList(`In no summary: ${REASON_TEXTS[reason]}`, rows, own.length);
    }),
    ...renderMissingFacts(
      options.isEncrypted ? 'Unknown, since the summary is encrypted' : 'Missing from the summary',
      facts,
      options,
    ),
    ...(path ? renderPathLoss(path, options) : []),
    ...renderNextCommands([...facts, ...(path?.facts ?? [])], options),
    ...renderFailure(options),
  ];
}

/** Says why the exit code is 1. */
function renderFailure({ failed, isEncrypted }: LossViewOptions): Doc {
  if (failed.length === 0) return [];
  const why = isEncrypted && failed.some((name) => name !== NO_SUMMARY) ? ', which an encrypted summary may have' : '';
  return [gap, line(span(`exit code 1, since --fail-on found: ${failed.join(', ')}${why}`, 'warning'))];
}

/** States that nothing was lost only where the file records every change of the context. */
function renderWithoutCompaction({ session: { file }, path }: LossDocument, options: LossViewOptions): Doc {
  const isChanged = path && (path.changes.length > 0 || path.edited > 0);
  if (!path || !(isChanged || path.unproven !== null))
    return [line(fileSpan(file, file), ' has no compaction on this path, so nothing was lost')];
  const [first] = path.changes;
  return [
    line(fileSpan(file, file), ' has no compaction on this path'),
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

/** The losses of earlier compactions, and those without a compaction, below the losses of the newest one. */
function renderPathLoss(path: PathLoss, options: LossViewOptions): Doc {
  const before = path.compactions.slice(0, -1);
  const isAll = path.compactions.some(({ left: removed }) => removed !== undefined);
  const renderBefore = (): Doc =>
    options.isFull || isAll ? renderWholePath(path, options) : renderEarlier(path, before, options);
  return [
    ...(before.length === 0 ? [] : renderBefore()),
    ...(isAll ? before.flatMap((each) => renderDetails(each, options)) : []),
    ...renderChanges(path, options),
    ...renderUnproven(path),
  ];
}

/** A line for each earlier compaction, with the command that shows it, and what the newest summary lacks of all of them. */
function renderEarlier(path: PathLoss, before: readonly PathCompaction[], options: LossViewOptions): Doc {
  const { name, isEncrypted } = options;
  const shown = before.slice(-MOST_EARLIER);
  const rows = shown.map((each) => {
    const what = `line ${each.line}, ${describeCompaction(each)}`;
    return each.entryId === null
      ? line(what)
      : renderSuggestedCommand(`ctx loss ${name} ${toShellWord(each.entryId)}`, what);
  });
  const removed = sumBy(path.classes, (of) => of.left);
  const missing = sumBy(path.classes, (of) => of.missing);
  const facts = `all ${pluralize(removed, 'fact')} of this path`;
  const newest = isEncrypted
    ? `the newest summary is encrypted, and may have ${facts}`
    : `the newest summary lacks ${formatCount(missing)} of ${facts}`;
  return [
    ...renderList(pluralize(before.length, 'earlier compaction'), rows, before.length),
    line(span(`${newest}; --full lists them`, 'faint')),
  ];
}

/** Every compaction of the path, and all of their facts that the newest summary lacks. */
function renderWholePath({ compactions, classes, facts }: PathLoss, options: LossViewOptions): Doc {
  const { isEncrypted, isFull } = options;
  const rows = isFull ? compactions : compactions.slice(-MOST_ROWS);
  return [
    ...renderList(
      `All ${formatCount(compactions.length)} compactions of this path`,
      rows.map(renderCompactionRow),
      compactions.length,
    ),
    ...renderClasses(classes, { where: 'in the newest summary', isEncrypted }),
    ...renderMissingFacts(
      isEncrypted
        ? 'Removed by earlier compactions; unknown, since the newest summary is encrypted'
        : 'Removed by earlier compactions, and missing from the newest summary',
      facts,
      options,
      MOST_EARLIER,
    ),
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
  return renderLossRow(compaction, cell(`line ${compaction.line}`, 10, 'faint'), describeCompaction(compaction));
}

function describeCompaction({ removed, missing, hollow }: PathCompaction): string {
  const parts = [`removed ${pluralize(removed, 'entry', 'entries')}`, `${pluralize(missing, 'fact')} missing`];
  return [...parts, ...(hollow ? [HOLLOW_TEXTS[hollow]] : [])].join(', ');
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

/** The earlier compactions, and their facts, that are shown beside those of the newest one. */
const MOST_EARLIER = 5;
/** The characters of a text in a list: two lines of a narrow terminal. */
const LISTED_CHARACTERS = 100;
/** The entries in no summary that are shown before the missing facts, for each reason. */
const MOST_ENTRIES = 5;

function renderMissingFacts(
  title: string,
  facts: readonly LostFact[],
  { isFull }: LossViewOptions,
  most = MOST_ROWS,
): Doc {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const shown = isFull ? missing : listFacts(facts).slice(0, most);
  const rows = shown.map((fact) => {
    const what = isFull ? fact.text : shorten(fact.text, LISTED_CHARACTERS);
    return renderLossRow(fact, cell(ONE[fact.class] ?? fact.class, 11, 'faint'), what);
  });
  return renderList(title, rows, missing.length);
}

/** The commands that show what was lost, and give it back. */
function renderNextCommands(facts: readonly LostFact[], { name, undoable }: LossViewOptions): Doc {
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
    ...(undoable === null
      ? []
      : [
          renderSuggestedCommand(
            `ctx revert ${name} ${toShellWord(undoable)} --dry-run`,
            'shows the context without that compaction',
          ),
        ]),
  ];
}

type Counts = LossDocument['counts'];

/** The answer in one line: how many of the facts in the removed messages the summary lacks. */
function renderVerdict({ classes, counts }: LossDocument, { isEncrypted, boundaryName }: LossViewOptions): Block {
  const removed = sumBy(classes, (of) => of.left);
  const missing = sumBy(classes, (of) => of.missing);
  const summary = boundaryName === 'compaction' ? 'the summary' : 'the transform';
  const facts = pluralize(removed, 'fact');
  if (counts.unaccounted > 0 && missing === 0)
    return line(span(`${pluralize(counts.unaccounted, 'entry', 'entries')} left the context in no summary`, 'error'));
  if (removed === 0) return line(span('the removed messages have no facts', 'good'));
  if (isEncrypted) return line(span(`unknown: ${summary} is encrypted, and ${facts} were removed`, 'warning'));
  if (missing === 0) return line(span(`nothing was lost: ${summary} has all of ${facts}`, 'good'));
  return line(span(`${summary} lacks ${formatCount(missing)} of ${facts}`, 'warning'));
}

/** The compaction, and what became of the entries before it. */
function renderBoundary(boundary: NonNullable<LossDocument['boundary']>, counts: Counts, name: string): Block {
  const parts = [
    `${pluralize(counts.summarised, 'entry', 'entries')} summarised`,
    ...(counts.kept > 0 ? [`${formatCount(counts.kept)} kept`] : []),
    ...(counts.edited > 0 ? [`${formatCount(counts.edited)} edited out`] : []),
  ];
  return line(
    span(`${name} `, 'strong'),
    span(boundary.entryId ?? '', 'id'),
    span(` on line ${boundary.line}: ${parts.join(', ')}`, 'faint'),
    ...(counts.unaccounted > 0 ? [span(`, ${formatCount(counts.unaccounted)} in no summary`, 'error')] : []),
  );
}

interface ClassesView {
  /** The summary, in words. */
  readonly where?: string;
  readonly isEncrypted?: boolean;
}

function renderClasses(
  classes: LossDocument['classes'],
  { where = '', isEncrypted = false }: ClassesView = {},
): readonly Block[] {
  if (classes.length === 0) return [];
  const rows = classes.map((of): readonly Span[] => [
    span(of.class),
    ...FACT_COLUMNS.map((column) =>
      span(formatCount(column.of(of)), column.title === 'missing' && of.missing > 0 ? 'warning' : 'plain'),
    ),
  ]);
  const columns = [
    left('facts'),
    ...FACT_COLUMNS.map(({ title }) => right(isEncrypted && title === 'missing' ? 'unknown' : title)),
  ];
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

function renderEntryRow(entry: LostEntry, { previewOf, isFull }: LossViewOptions): Block {
  const text = previewOf(entry);
  return renderLossRow(
    entry,
    cell(entry.role ?? entry.type ?? '', 10),
    isFull ? text : shorten(text, LISTED_CHARACTERS),
  );
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
