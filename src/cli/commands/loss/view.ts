import { type LossDocument, type LostEntry, type LostFact, UNSUMMARISED_REASONS } from '#analysis/loss/document.js';
import { type Hollow, HOLLOW_TEXTS } from '#analysis/loss/hollow.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { shorten } from '#context/words/message-text.js';
import { type Block, cell, type Doc, fileSpan, gap, line, span } from '#ui/doc/doc.js';
import { REASON_TEXTS } from '#ui/parts/loss-words.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';
import { NO_SUMMARY } from './fail-on.js';
import { LISTED_CLASSES } from './listed-losses.js';
import { renderChanges, renderPathLoss, renderUnproven } from './path-view.js';
import {
  type BranchSummary,
  LISTED_CHARACTERS,
  type LossViewOptions,
  renderClasses,
  renderList,
  renderLossRow,
  renderMissingFacts,
} from './view-parts.js';

/** The entries in no summary that are shown before the missing facts, for each reason. */
const MOST_ENTRIES = 5;

/** The losses of a compaction: the totals, the parts that the summary still mentions, and the entries to look at. */
export function renderLoss(loss: LossDocument, options: LossViewOptions): Doc {
  const { boundary, counts, classes, facts, path } = loss;
  const { isEncrypted } = options;
  if (!boundary) return renderWithoutCompaction(loss, options);
  const missing = isEncrypted ? 'Unknown, since the summary is encrypted' : 'Missing from the summary';
  return [
    renderVerdict(loss, options),
    renderBoundary(boundary, counts, options.boundaryName),
    ...renderHollow(path?.compactions.at(-1)?.hollow ?? null),
    ...renderClasses(classes, { isEncrypted }),
    ...renderUnsummarised(loss.left, options),
    ...renderMissingFacts(missing, facts, options),
    ...(path ? renderPathLoss(path, options) : []),
    ...renderNextCommands([...facts, ...(path?.facts ?? [])], options),
    ...renderFailure(options),
  ];
}

/**
 * States that nothing was lost only where the file records every change of the context, and no summary of a branch that
 * the conversation left.
 */
function renderWithoutCompaction({ session: { file }, path }: LossDocument, options: LossViewOptions): Doc {
  const { branchSummaries } = options;
  const isChanged = path && (path.changes.length > 0 || path.edited > 0 || branchSummaries.length > 0);
  if (!path || !(isChanged || path.unproven !== null))
    return [line(fileSpan(file, file), ' has no compaction on this path, so nothing was lost')];
  const found = [
    line(fileSpan(file, file), ' has no compaction on this path'),
    ...branchSummaries.map(renderBranchSummary),
    ...renderUnproven(path),
    ...renderChanges(path, options),
  ];
  const [first] = path.changes;
  if (first) {
    const command = `ctx cat ${options.name} ${toShellWord(first.entryId ?? '')}`;
    return [...found, gap, renderSuggestedCommand(command, 'prints an entry whole')];
  }
  const left = branchSummaries.at(-1)?.fromId ?? null;
  if (left === null) return found;
  const command = `ctx show ${options.name} ${toShellWord(left)} --conversation`;
  return [...found, gap, renderSuggestedCommand(command, 'prints what it sums up')];
}

function renderBranchSummary({ entryId, fromId }: BranchSummary): Block {
  const end = fromId === null ? [] : [span(', up to '), span(fromId, 'id')];
  return line(span(entryId ?? '', 'id'), span(' sums up messages that the conversation left'), ...end);
}

/** The answer in one line: how many of the facts in the removed messages the summary lacks. */
function renderVerdict({ classes, counts }: LossDocument, { isEncrypted, boundaryName }: LossViewOptions): Block {
  const removed = sumBy(classes, (counted) => counted.left);
  const missing = sumBy(classes, (counted) => counted.missing);
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
function renderBoundary(
  boundary: NonNullable<LossDocument['boundary']>,
  { summarised, kept, edited, unaccounted }: LossDocument['counts'],
  name: string,
): Block {
  const parts = [`${pluralize(summarised, 'entry', 'entries')} summarised`];
  if (kept > 0) parts.push(`${formatCount(kept)} kept`);
  if (edited > 0) parts.push(`${formatCount(edited)} edited out`);
  const spans = [
    span(`${name} `, 'strong'),
    span(boundary.entryId ?? '', 'id'),
    span(` on line ${boundary.line}: ${parts.join(', ')}`, 'faint'),
  ];
  if (unaccounted > 0) spans.push(span(`, ${formatCount(unaccounted)} in no summary`, 'error'));
  return line(...spans);
}

function renderHollow(hollow: Hollow | null): Doc {
  return hollow ? [line(span(HOLLOW_TEXTS[hollow], 'warning'))] : [];
}

/** The entries in no summary, in a list for each reason. */
function renderUnsummarised(entries: readonly LostEntry[], options: LossViewOptions): Doc {
  return UNSUMMARISED_REASONS.flatMap((reason) => {
    const own = entries.filter((entry) => entry.reason === reason);
    const rows = (options.isFull ? own : own.slice(0, MOST_ENTRIES)).map((entry) => renderEntryRow(entry, options));
    return renderList(`In no summary: ${REASON_TEXTS[reason]}`, rows, own.length);
  });
}

function renderEntryRow(entry: LostEntry, { previewOf, isFull }: LossViewOptions): Block {
  const text = previewOf(entry);
  const kind = cell(entry.role ?? entry.type ?? '', 10);
  return renderLossRow(entry, kind, isFull ? text : shorten(text, LISTED_CHARACTERS));
}

/** The commands that show what was lost, and give it back. */
function renderNextCommands(facts: readonly LostFact[], { name, undoable }: LossViewOptions): Doc {
  const missing = facts.filter(({ mention }) => mention === 'missing');
  const first = missing.find((fact) => LISTED_CLASSES.has(fact.class)) ?? missing[0];
  if (!first) return [];
  const commands: Block[] = [];
  const suggest = (command: string, what: string): void => void commands.push(renderSuggestedCommand(command, what));
  if (first.entryId !== null) suggest(`ctx cat ${name} ${toShellWord(first.entryId)}`, 'prints an entry whole');
  const word = findLongestWord(first.text);
  if (word !== '') suggest(`ctx grep ${toShellWord(word)} ${name} --where hidden`, 'searches what left the context');
  if (undoable !== null)
    suggest(`ctx revert ${name} ${toShellWord(undoable)} --dry-run`, 'shows the context without that compaction');
  return [gap, ...commands];
}

/** The longest word of a text, which is worth a search; empty if all are short. */
function findLongestWord(text: string): string {
  const words = text.match(/[\p{L}\p{N}_]{4,}/gu) ?? [];
  return words.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
}

/** Says why the exit code is 1. */
function renderFailure({ failed, isEncrypted }: LossViewOptions): Doc {
  if (failed.length === 0) return [];
  const why = isEncrypted && failed.some((name) => name !== NO_SUMMARY) ? ', which an encrypted summary may have' : '';
  return [gap, line(span(`exit code 1, since --fail-on found: ${failed.join(', ')}${why}`, 'warning'))];
}
