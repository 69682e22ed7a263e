import type { Finding } from '#analysis/check/finding.js';
import type { Severity } from '#base/errors.js';
import { formatCount } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { type Block, type Cell, cell, line, span, type Span } from '#ui/doc/doc.js';
import { loadRuler, type Ruler } from '#ui/doc/ruler.js';
import type { Tone } from '#ui/doc/tone.js';
import { describeFinding } from './define.js';

/** Lines that are shown together or not at all, and the number of their findings. */
export interface FindingRows {
  readonly blocks: readonly Block[];
  readonly findings: number;
}

/** The place of the findings of a file. */
interface Page {
  /** All findings of the file by rule, those included that are not listed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly columns: number;
  /** Whether a frequent rule shows only its first findings. */
  readonly isCut: boolean;
}

/** A page with the widths of its columns, in cells. */
interface Layout extends Page {
  readonly ruler: Ruler;
  readonly lineCells: number;
  readonly entryCells: number;
  readonly ruleCells: number;
  /** Every message fits beside its rule. */
  readonly isOneLine: boolean;
}

/** A rule with more findings than this has them below its name. */
const MOST_SINGLE = 3;
const MOST_OF_GROUP = 5;
const WIDEST_ENTRY = 16;
const WIDEST_ENTRY_OF_ENDLESS_LINE = 40;
const INDENT = 2;
const GAP = 2;

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };
const TONE: Readonly<Record<Severity, Tone>> = { error: 'error', warning: 'warning', note: 'faint' };

/** The rows of the findings of a file, the worst first and each severity in the order of the file. */
export async function renderFindings(findings: readonly Finding[], page: Page): Promise<readonly FindingRows[]> {
  const sorted = findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
  const isGrouped = ({ rule }: Finding): boolean => (page.counts[rule] ?? 0) > MOST_SINGLE;
  const singles = sorted.filter((finding) => !isGrouped(finding));
  const ruler = await loadRuler(listTexts(sorted).map(toVisibleLine), page.columns !== Infinity);
  const layout = measureLayout(sorted, singles, { ...page, ruler });

  const groups = groupBy(sorted.filter(isGrouped), ({ rule }) => rule);
  const rows: FindingRows[] = [];
  for (const [at, finding] of sorted.entries()) {
    const group = groups.get(finding.rule);
    if (group === undefined) {
      const next = sorted[at + 1];
      const isFixBelow = next?.rule === finding.rule && next.fix === finding.fix;
      rows.push({ blocks: renderSingle(finding, isFixBelow, layout), findings: 1 });
    } else if (group[0] === finding) {
      for (const part of renderGroup(group, layout)) rows.push(part);
    }
  }
  return rows;
}

/** All that is measured of the findings. */
function listTexts(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap((finding) => [finding.entryId ?? '', describeFinding(finding), finding.fix ?? '']);
}

/** Findings that belong together; at least one. */
type FindingGroup = readonly [Finding, ...Finding[]];

function groupBy(findings: readonly Finding[], toKey: (finding: Finding) => string): ReadonlyMap<string, FindingGroup> {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = toKey(finding);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  }
  return groups;
}

function measureLayout(
  all: readonly Finding[],
  singles: readonly Finding[],
  page: Page & Pick<Layout, 'ruler'>,
): Layout {
  const { ruler, columns } = page;
  const lineCells = findMaximum(all.map(({ line: at }) => formatLine(at).length));
  const widest = columns === Infinity ? WIDEST_ENTRY_OF_ENDLESS_LINE : WIDEST_ENTRY;
  const entries = all.map(({ entryId }) => ruler.widthOf(toVisibleLine(entryId ?? '')));
  const entryCells = Math.min(widest, findMaximum(entries));
  const ruleCells = findMaximum(singles.map(({ rule }) => rule.length));
  const before = INDENT + lineCells + entryCells + SEVERITY_CELLS + ruleCells + 4 * GAP;
  const longest = findMaximum(singles.map((finding) => ruler.widthOf(toVisibleLine(describeFinding(finding)))));
  return { ...page, lineCells, entryCells, ruleCells, isOneLine: before + longest <= columns };
}

const SEVERITY_CELLS = 'warning'.length;

function findMaximum(cells: readonly number[]): number {
  return cells.reduce((one, other) => Math.max(one, other), 0);
}

/** `isFixBelow`: the next finding has the same fix, which is shown once below both. */
function renderSingle(finding: Finding, isFixBelow: boolean, layout: Layout): readonly Block[] {
  const { rule, severity } = finding;
  const { lineCells, ruleCells, isOneLine } = layout;
  const indent = INDENT + lineCells + GAP;
  const message = describeFinding(finding);
  const fix = isFixBelow ? [] : renderFix(finding, indent, layout);
  const cells = [
    ...buildPlaceCells(finding, layout),
    cell(severity, SEVERITY_CELLS, TONE[severity]),
    cell(rule, ruleCells, 'strong'),
  ];
  if (isOneLine) return [{ kind: 'row', cells: [...cells, cell(message)] }, ...fix];
  return [{ kind: 'row', cells }, ...renderIndented(span(message), indent, layout), ...fix];
}

/** The rule, then its findings: one by one, or a message once with the places of all that have it. */
function* renderGroup(group: FindingGroup, layout: Layout): Generator<FindingRows> {
  const [first] = group;
  const indent = INDENT + layout.lineCells + GAP;
  const hasOneFix = group.every(({ fix }) => fix === first.fix);
  const title = renderGroupTitle(first, layout.counts[first.rule] ?? 0);
  let head = [title, ...(hasOneFix ? renderFix(first, indent, layout) : [])];
  for (const same of groupByMessage(layout.isCut ? group.slice(0, MOST_OF_GROUP) : group)) {
    const rows = same.length === 1 ? renderPlaced(same[0], layout) : renderRepeated(same, layout);
    const fix = hasOneFix ? [] : renderFix(same[0], indent, layout);
    yield { blocks: [...head, ...rows, ...fix], findings: same.length };
    head = [];
  }
}

function renderGroupTitle({ rule, severity }: Finding, times: number): Block {
  const spans = [
    span(' '.repeat(INDENT)),
    span(rule, 'strong'),
    span('  '),
    span(severity, TONE[severity]),
    span(`  ${formatCount(times)} times`, 'faint'),
  ];
  return { kind: 'line', isCut: true, spans };
}

/** Findings with the same message and fix together, in the order of the first of each. */
function groupByMessage(findings: readonly Finding[]): readonly FindingGroup[] {
  return [...groupBy(findings, (finding) => JSON.stringify([describeFinding(finding), finding.fix])).values()];
}

/** A finding below the name of its rule, with its place first. */
function renderPlaced(finding: Finding, layout: Layout): readonly Block[] {
  const { lineCells, entryCells, columns, ruler } = layout;
  const indent = INDENT + lineCells + GAP + (entryCells === 0 ? 0 : entryCells + GAP);
  const [first = '', ...more] = wrapText(toVisibleLine(describeFinding(finding)), columns - indent, ruler);
  return [
    { kind: 'row', cells: [...buildPlaceCells(finding, layout), cell(first)] },
    ...more.map((text) => line(' '.repeat(indent), text)),
  ];
}

/** The message of several findings, and the line and the entry of each, joined so that no wrapped line parts them. */
function renderRepeated(findings: FindingGroup, layout: Layout): readonly Block[] {
  const { lineCells, entryCells, columns, ruler } = layout;
  const indent = INDENT + lineCells + GAP;
  const places = findings.flatMap(({ line: at, entryId }) => {
    const parts = [formatLine(at), ruler.cutTo(toVisibleLine(entryId ?? ''), entryCells)];
    const place = parts.filter((part) => part !== '').join(':');
    return place === '' ? [] : [place];
  });
  const message = renderIndented(span(describeFinding(findings[0])), indent, layout);
  if (places.length === 0) return message;

  const list = `lines ${places.join(', ')}`;
  const lines = columns === Infinity ? [list] : ruler.wrap(list, Math.max(FEWEST_CELLS, columns - indent));
  return [...message, ...lines.map((text) => line(' '.repeat(indent), span(text, 'id')))];
}

function buildPlaceCells({ line: at, entryId }: Finding, { lineCells, entryCells, ruler }: Layout): readonly Cell[] {
  const place = cell(formatLine(at), -(INDENT + lineCells), 'faint');
  if (entryCells === 0) return [place];
  return [place, cell(ruler.cutTo(toVisibleLine(entryId ?? ''), entryCells), entryCells, 'id')];
}

/** Empty for the session as a whole. */
function formatLine(at: number | null): string {
  return at === null ? '' : String(at);
}

function renderFix({ fix }: Finding, indent: number, layout: Layout): readonly Block[] {
  return fix === null ? [] : renderIndented(span(`→ ${fix}`, 'faint'), indent, layout);
}

function renderIndented({ text, tone }: Span, indent: number, { columns, ruler }: Layout): readonly Block[] {
  return wrapText(toVisibleLine(text), columns - indent, ruler).map((part) =>
    line(' '.repeat(indent), span(part, tone)),
  );
}

/** Wraps a text, which may quote a very long text of a session. */
function wrapText(text: string, cells: number, ruler: Ruler): readonly string[] {
  if (cells === Infinity) return [text];
  return ruler.wrap(ruler.cutTo(text, MOST_CELLS), Math.max(FEWEST_CELLS, cells));
}

const MOST_CELLS = 400;
const FEWEST_CELLS = 20;
