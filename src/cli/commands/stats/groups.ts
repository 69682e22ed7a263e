import type { StatsGroup } from '#analysis/stats/groups.js';
import type { SessionCounts } from '#analysis/stats/session-stats.js';
import { tokensUsed } from '#analysis/stats/usage-sums.js';
import { count, shortCount } from '#base/words.js';
import { type Doc, flexible, heading, left, right, type Span, span } from '#ui/doc/doc.js';
import { bar } from '#ui/parts/sparkline.js';
import { listedNote, usageCost } from './usage-cost.js';

interface Grouped {
  readonly by: string;
  readonly rows: readonly StatsGroup[];
}

const CELLS = { least: 4, enough: 8, most: 24 };
/** What the name of a session or project may take of a line at least. */
const KEY_CELLS = 16;
const COLUMN_GAP = 2;

/** The groups of `--by`. A bar stands behind the number that it draws. */
export function groupsTable(
  grouped: Grouped,
  { usage, isCostRecorded }: Pick<SessionCounts, 'usage' | 'isCostRecorded'>,
  columns: number,
): Doc {
  const { by, rows } = grouped;
  const { titles, value, drawn, texts: textsBy } = by === 'tool' ? TOOLS : PROVIDERS;
  // Names of files and folders are long, and differ at their ends, so they stand last.
  const isLong = by === 'session' || by === 'project';
  const names = isLong ? KEY_CELLS : widest([by, ...rows.map(({ key }) => key)]);
  const textsOf = (say: Say): Texts => rows.map((group) => textsBy(group, isCostRecorded, say));
  const roomFor = (texts: Texts): number => columns - names - 2 * COLUMN_GAP - widthOf(titles, texts);
  const exact = textsOf(count);
  const texts = roomFor(exact) >= CELLS.enough ? exact : textsOf(shortCount);
  const cells = Math.max(CELLS.least, Math.min(CELLS.most, roomFor(texts)));
  const longest = rows.reduce((most, group) => Math.max(most, value(group)), 0);
  const table = rows.map((group, at): readonly Span[] => {
    const numbers = (texts[at] ?? []).map((text) => span(text));
    const row = numbers.toSpliced(drawn, 0, span(bar(value(group), longest, cells), 'messages'));
    return isLong ? [...row, keySpan(group.key)] : [keySpan(group.key), ...row];
  });
  const numbers = titles.map(right).toSpliced(drawn, 0, left(''));
  return [
    heading(2, by === 'tool' ? 'Tools' : `Recorded by providers, by ${by}`),
    {
      kind: 'table',
      hasTitles: true,
      columns: isLong ? [...numbers, flexible(by)] : [left(by), ...numbers],
      rows: table,
    },
    ...(by === 'tool' ? [] : listedNote(usage)),
  ];
}

type Say = (value: number) => string;
type Texts = readonly (readonly string[])[];

interface Numbers {
  readonly titles: readonly string[];
  /** The number that is drawn, and the place of its bar. */
  value(group: StatsGroup): number;
  readonly drawn: number;
  texts(group: StatsGroup, isCostRecorded: boolean, say: Say): readonly string[];
}

const PROVIDERS: Numbers = {
  titles: ['calls', 'input', 'cache', 'output', 'total', 'cost'],
  value: ({ usage }) => tokensUsed(usage),
  drawn: 5,
  texts({ usage }, isCostRecorded, say) {
    const { calls, input, cacheRead, cacheWrite, output } = usage;
    const tokens = [input, cacheRead + cacheWrite, output, tokensUsed(usage)];
    return [count(calls), ...tokens.map(say), usageCost(usage, isCostRecorded)];
  },
};

const TOOLS: Numbers = {
  titles: ['calls', 'errors', 'est. result tokens'],
  value: ({ tokens }) => tokens ?? 0,
  drawn: 3,
  texts: ({ toolCalls, toolErrors, tokens }) => [toolCalls ?? 0, toolErrors ?? 0, tokens ?? 0].map(count),
};

/** What the numbers take of a line, about. */
function widthOf(titles: readonly string[], texts: Texts): number {
  return titles.reduce((sum, title, at) => sum + COLUMN_GAP + widest([title, ...texts.map((row) => row[at] ?? '')]), 0);
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}

function keySpan(key: string): Span {
  return key === '' ? span('unknown', 'faint') : span(key, 'strong');
}
