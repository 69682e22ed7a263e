import type { PathLoss } from '#analysis/loss/document.js';
import { HOLLOW_TEXTS } from '#analysis/loss/hollow.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { type Block, cell, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';
import { MOST_ROWS } from './listed-losses.js';
import { type LossViewOptions, renderClasses, renderList, renderLossRow, renderMissingFacts } from './view-parts.js';

type PathCompaction = PathLoss['compactions'][number];

/** The earlier compactions, and their facts, that are shown beside those of the newest one. */
const MOST_EARLIER = 5;

/** The losses of earlier compactions, and those without a compaction, below the losses of the newest one. */
export function renderPathLoss(path: PathLoss, options: LossViewOptions): Doc {
  const before = path.compactions.slice(0, -1);
  return [
    ...(before.length === 0 ? [] : renderCompactions(path, before, options)),
    ...renderChanges(path, options),
    ...renderUnproven(path),
  ];
}

function renderCompactions(path: PathLoss, before: readonly PathCompaction[], options: LossViewOptions): Doc {
  const hasDetails = path.compactions.some(({ left }) => left !== undefined);
  if (hasDetails) return [...renderWholePath(path, options), ...before.flatMap((each) => renderDetails(each, options))];
  return options.isFull ? renderWholePath(path, options) : renderEarlier(path, before, options);
}

/**
 * A line for each earlier compaction, with the command that shows it, and what the newest summary lacks of all of them.
 */
function renderEarlier(path: PathLoss, before: readonly PathCompaction[], options: LossViewOptions): Doc {
  const { name, isEncrypted } = options;
  const shown = before.slice(-MOST_EARLIER);
  const rows = shown.map((each) => {
    const what = `line ${each.line}, ${describeCompaction(each)}`;
    return each.entryId === null
      ? line(what)
      : renderSuggestedCommand(`ctx loss ${name} ${toShellWord(each.entryId)}`, what);
  });
  const removed = sumBy(path.classes, (counted) => counted.left);
  const missing = sumBy(path.classes, (counted) => counted.missing);
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

function renderCompactionRow(compaction: PathCompaction): Block {
  return renderLossRow(compaction, cell(`line ${compaction.line}`, 10, 'faint'), describeCompaction(compaction));
}

function describeCompaction({ removed, missing, hollow }: PathCompaction): string {
  const parts = `removed ${pluralize(removed, 'entry', 'entries')}, ${pluralize(missing, 'fact')} missing`;
  return hollow ? `${parts}, ${HOLLOW_TEXTS[hollow]}` : parts;
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
export function renderChanges({ changes, edited }: PathLoss, options: LossViewOptions): Doc {
  const rows = (options.isFull ? changes : changes.slice(0, MOST_ROWS)).map((each) => {
    const { before, after } = each.characters;
    const size =
      each.change === 'removed'
        ? `removed, ${formatCount(before)} characters`
        : `${formatCount(before)} → ${formatCount(after)} characters`;
    return renderLossRow(each, cell(each.role ?? '', 10), `${size}: ${options.previewOf(each)}`);
  });
  const listed = renderList('Content that was replaced or removed without a summary', rows, changes.length);
  const others = edited - changes.filter(({ change }) => change === 'removed').length;
  if (others <= 0) return listed;
  return [
    ...listed,
    gap,
    line(`${pluralize(others, 'entry', 'entries')} removed by transforms that are no compaction`),
  ];
}

export function renderUnproven({ unproven }: PathLoss): Doc {
  return unproven === null ? [] : [gap, line(span(`More may have been lost: ${unproven}`, 'warning'))];
}
