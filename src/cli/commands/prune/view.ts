import { sumBy } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { PruneDocument } from '#change/prune/document.js';
import { type Block, cell, type Doc, gap, left, line, listingRow, proseRow, right, span, table } from '#ui/doc/doc.js';

/** The rows of a list that is shown in short, and those that need no totals. */
const MOST_ROWS = 12;
/** The lines of a packet that is shown whole. */
const MOST_PACKET_LINES = 24;

/**
 * The decisions of a prune, message by message: the strategy, the message, the reason and the tokens saved. The rows,
 * without the packet, add up to the difference of the two context sizes, as the plan shows it.
 */
export function renderPrune(about: PruneDocument): Doc {
  const { zone, strategies, decisions, refusals, packet, saved, tokensSaved, packetTokens } = about;
  const factor = tokensSaved / saved;
  const by = `${zone === null ? '' : `zone ${zone}: `}${strategies.join(', ')}`;
  return [
    line(span('prune     ', 'faint'), by),
    ...renderRuns(decisions, factor),
    ...(packet === null ? [] : renderPacket(packet, packetTokens)),
    ...renderRefusals(refusals),
  ];
}

/** The runs of decisions. Totals of each strategy come first if there are many. */
function renderRuns(decisions: PruneDocument['decisions'], factor: number): Doc {
  const runs = groupRuns(decisions);
  const width = Math.max('message'.length, ...runs.map((run) => nameMessages(run).length));
  const rows = runs.flatMap((run) => renderRun(run, { factor, width }));
  const totals = rows.length > MOST_ROWS ? [gap, renderTotals(decisions)] : [];
  return [...totals, gap, renderRunTitles(width), ...shortenRows(rows)];
}

function renderTotals(decisions: PruneDocument['decisions']): Block {
  const strategies = [...new Set(decisions.map(({ strategy }) => strategy))];
  const rows = strategies.map((name) => {
    const own = decisions.filter(({ strategy }) => strategy === name);
    const dropped = own.filter(({ action }) => action === 'drop').length;
    const saved = sumBy(own, ({ tokensSaved }) => tokensSaved);
    const counts = [dropped, own.length - dropped].map((times) => span(times === 0 ? '' : formatCount(times)));
    return [span(name, 'strong'), ...counts, span(`~${formatCount(saved)}`)];
  });
  const columns = [left('strategy'), right('dropped'), right('shortened'), right('tokens saved')];
  return table(columns, rows);
}

/** `12 messages left out, 3 shortened`. */
export function describeActions(actions: readonly Decision['action'][]): string {
  const dropped = actions.filter((action) => action === 'drop').length;
  const shortened = actions.length - dropped;
  const leftOut = `${pluralize(dropped, 'message')} left out`;
  if (shortened === 0) return dropped === 0 ? '' : leftOut;
  return dropped === 0
    ? `${pluralize(shortened, 'message')} shortened`
    : `${leftOut}, ${formatCount(shortened)} shortened`;
}

function shortenRows(rows: readonly Block[], most = MOST_ROWS): readonly Block[] {
  const more = rows.length - most;
  return more > 0
    ? [...rows.slice(0, most), line(span(`  … ${formatCount(more)} more, --json lists all`, 'faint'))]
    : rows;
}

type Decision = PruneDocument['decisions'][number];

/** Groups adjacent decisions of one strategy with one reason into a row. */
function groupRuns(decisions: readonly Decision[]): readonly (readonly Decision[])[] {
  const runs: Decision[][] = [];
  for (const decision of decisions) {
    const last = runs.at(-1);
    if (last?.[0] && isAlike(last[0], decision)) last.push(decision);
    else runs.push([decision]);
  }
  return runs;
}

function isAlike(one: Decision, other: Decision): boolean {
  return (
    one.action === 'drop' &&
    other.action === 'drop' &&
    one.strategy === other.strategy &&
    one.reason === other.reason &&
    one.turnsAgo === other.turnsAgo
  );
}

/** The tokens are what the context becomes smaller by, and not what it holds now: `ctx show` prints that. */
function renderRunTitles(width: number): Block {
  return listingRow([
    cell('', 1),
    cell('strategy', 9, 'faint'),
    cell('entry', 8, 'faint'),
    cell('message', width, 'faint'),
    cell('saves', -7, 'faint'),
    cell('', 8),
    cell('why', 0, 'faint'),
  ]);
}

/** The kind of the message of a run, or the number of its messages. */
function nameMessages(run: readonly Decision[]): string {
  return run.length === 1 ? (run[0]?.kind ?? '') : pluralize(run.length, 'message');
}

interface RunLayout {
  /** The tokens of the context to each token of the estimate. */
  readonly factor: number;
  /** The cells of the column of messages. */
  readonly width: number;
}

function renderRun(run: readonly Decision[], { factor, width }: RunLayout): readonly Block[] {
  const [first] = run;
  if (!first) return [];
  const isDrop = first.action === 'drop';
  const rest = formatCount(Math.round(factor * first.tokens.after));
  const cells = [
    cell('', 1),
    cell(first.strategy, 9, 'strong'),
    cell(first.entryId ?? '', 8, 'id'),
    cell(nameMessages(run), width),
    cell(formatCount(sumBy(run, ({ tokensSaved }) => tokensSaved)), -7),
    cell(isDrop ? 'dropped' : `to ${rest}`, 8, isDrop ? 'warning' : 'plain'),
    cell(`${first.reason}${describeMentions(run)}`),
  ];
  return [proseRow(cells)];
}

/** Names the remaining messages that mention a dropped file. */
function describeMentions(run: readonly Decision[]): string {
  const by = [...new Set(run.flatMap(({ mentionedBy }) => mentionedBy ?? []))];
  if (by.length === 0) return '';
  return by.length === 1 ? `; ${by[0]} still speaks of it` : `; ${by[0]} and ${by.length - 1} more still speak of it`;
}

/** `added`: its tokens beyond those of the packet before it. */
function renderPacket(packet: string, added: number): Doc {
  const rows = packet.split('\n').map((text) => line(span(`  ${text}`, 'faint')));
  return [gap, line(`replaced by ~${pluralize(added, 'token')}:`), ...shortenRows(rows, MOST_PACKET_LINES)];
}

/** The refusals, counted by strategy and reason. */
function renderRefusals(refusals: PruneDocument['refusals']): Doc {
  const counts = new Map<string, number>();
  for (const { because } of refusals) incrementCount(counts, because);
  if (counts.size === 0) return [];
  const rows = [...counts].map(([because, times]) => line(span(`  ${formatCount(times)} × ${because}`, 'faint')));
  return [gap, line('refused:'), ...shortenRows(rows)];
}
