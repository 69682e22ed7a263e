import type { CheckedFile } from '#analysis/check/checked-file.js';
import { MAX_LISTED_PER_RULE } from '#analysis/check/finding-tally.js';
import type { Finding } from '#analysis/check/finding.js';
import cannotGoOn from '#analysis/check/provider/cannot-go-on.js';
import type { Severity } from '#base/errors.js';
import { sumBy } from '#base/lists.js';
import { addTo, incrementCount } from '#base/maps.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { type Block, type Cell, cell, commandLine, fileSpan, gap, line, span, type Span } from '#ui/doc/doc.js';
import { loadRuler, type Ruler } from '#ui/doc/ruler.js';
import type { Tone } from '#ui/doc/tone.js';
import { describeGoingOnWithPlace } from '../going-on.js';
import {
  type CheckResults,
  type CheckTotals,
  describeFinding,
  describeTotals,
  listShownFindings,
  type Reporter,
} from './define.js';

export default {
  name: 'text',
  summary: 'for people, in a terminal: no more than the screen holds there',
  mildest: 'warning',
  async *report(run) {
    const { rows, columns } = run.view;
    let room = rows - (columns < USUAL_COLUMNS ? NARROW_LINES_AT_THE_END : LINES_AT_THE_END);
    const hidden = { findings: 0, unlisted: 0 };
    let isFirst = true;
    for await (const batch of run.files) {
      for (const file of batch) {
        const fitted = await fitFile(run, file, room - (isFirst ? 0 : 1));
        hidden.findings += fitted.hidden;
        hidden.unlisted += countUnlisted(file, run);
        if (fitted.doc.length === 0) continue;
        room -= fitted.doc.length + (isFirst ? 0 : 1);
        yield isFirst ? fitted.doc : [gap, ...fitted.doc];
        isFirst = false;
      }
    }
    yield [
      ...(isFirst || isTwoLines(run) ? [] : [gap]),
      // Above findings it is named anyway.
      ...(isFirst && run.unnamed !== null ? [line(fileSpan(run.unnamed, run.unnamed, 'strong'))] : []),
      ...renderHidden(hidden, rows < Infinity ? '--full' : '--json'),
      renderTotals(run.totals, run),
    ];
  },
} satisfies Reporter;

/** The line about what stops an agent, or what it leaves out, and the repair; nothing for a sound session. */
function renderGoingOn({ goingOn }: CheckedFile): Block[] {
  if (!goingOn || goingOn.why === null) return [];
  const { command, goesOn } = goingOn;
  return [
    line(span(toVisibleLine(describeGoingOnWithPlace(goingOn)), goesOn ? 'warning' : 'error')),
    ...(command === null ? [] : [commandLine('→ ', command)]),
  ];
}

/** A blank line, the number of hidden findings, the totals, and the shell's prompt. */
const LINES_AT_THE_END = 4;
/** Below this width, the line about hidden findings and the totals wrap to up to four lines each. */
const USUAL_COLUMNS = 80;
const NARROW_LINES_AT_THE_END = 9;
const FEWEST_LINES_OF_FILE = 3;

/** Whether the totals take the line of the blank one before them, since the screen has no further line for them. */
function isTwoLines({ totals, view: { columns } }: CheckResults): boolean {
  return columns >= USUAL_COLUMNS && describeTotals(totals).length > columns;
}

/** The findings of a file that fit on the screen, and the number of the others; every block is one line. */
async function fitFile(run: CheckResults, file: CheckedFile, room: number) {
  // The head has the verdict.
  const shown = listShownFindings(file, run).filter(({ rule }) => rule !== cannotGoOn.name);
  const verdict = renderGoingOn(file);
  const all = shown.length + countUnlisted(file, run);
  if (all + verdict.length === 0) return { doc: [], hidden: 0 };
  if (room < FEWEST_LINES_OF_FILE) return { doc: [], hidden: all };
  const ruler = await loadRuler(listTexts(shown).map(toVisibleLine), run.view.columns !== Infinity);
  const pieces = buildParts(shown, { counts: file.counts, columns: run.view.columns, isCut: room < Infinity, ruler });
  const doc: Block[] = [{ kind: 'line', isCut: true, spans: [fileSpan(file.file, file.file, 'strong')] }, ...verdict];
  let hidden = all;
  for (const piece of pieces) {
    if (doc.length + piece.blocks.length > room) break;
    for (const block of piece.blocks) doc.push(block);
    hidden -= piece.findings;
  }
  return doc.length === 1 ? { doc: [], hidden: all } : { doc, hidden };
}

/** Findings of rules that are shown, beyond those that are listed. */
function countUnlisted(file: CheckedFile, run: CheckResults): number {
  const listed = new Map<string, number>();
  for (const { rule } of listShownFindings(file, run)) incrementCount(listed, rule);
  return sumBy([...listed], ([rule, shown]) => (file.counts[rule] ?? shown) - shown);
}

function renderHidden({ findings, unlisted }: { readonly findings: number; readonly unlisted: number }, flag: string) {
  if (findings === 0) return [];
  const listed = unlisted === 0 ? 'all' : `the first ${formatCount(MAX_LISTED_PER_RULE)} of each rule`;
  return [line(span(`and ${pluralize(findings, 'more finding')}: ${flag} lists ${listed}`, 'faint'))];
}

function renderTotals(totals: CheckTotals, { mildest, view }: CheckResults): Block {
  const { error, warning, note } = totals.found;
  const tone = error > 0 ? 'error' : warning > 0 ? 'warning' : 'good';
  const totalsText = describeTotals(totals);
  const hint = ' (--severity note shows the notes)';
  const hasHint = note > 0 && mildest !== 'note' && totalsText.length + hint.length <= view.columns;
  return line(span(totalsText, tone), ...(hasHint ? [span(hint, 'faint')] : []));
}

/** Lines that are shown together or not at all, and the number of their findings. */
interface TextPart {
  readonly blocks: readonly Block[];
  readonly findings: number;
}

interface Fitting {
  /** All findings of the file by rule, those included that are not listed. */
  readonly counts: Readonly<Record<string, number>>;
  readonly columns: number;
  /** Whether only the first findings of a frequent rule are shown. */
  readonly isCut: boolean;
  readonly ruler: Ruler;
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

/** All that is measured of the findings. */
function listTexts(findings: readonly Finding[]): readonly string[] {
  return findings.flatMap((finding) => [finding.entryId ?? '', describeFinding(finding), finding.fix ?? '']);
}

/** The findings of a file, the worst first and each kind in the order of the file. */
function buildParts(findings: readonly Finding[], fitting: Fitting): readonly TextPart[] {
  const sorted = findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
  const isGrouped = ({ rule }: Finding): boolean => (fitting.counts[rule] ?? 0) > MOST_SINGLE;
  const singles = sorted.filter((finding) => !isGrouped(finding));
  const layout = measureLayout(sorted, singles, fitting);
  const groups = groupByRule(sorted.filter(isGrouped));
  const pieces: TextPart[] = [];
  for (const [at, finding] of sorted.entries()) {
    if (!isGrouped(finding)) {
      const next = sorted[at + 1];
      const isSaidNext = next?.rule === finding.rule && next.fix === finding.fix;
      pieces.push({ blocks: renderSingle(finding, isSaidNext, layout), findings: 1 });
    }
    const group = groups.get(finding.rule);
    if (group?.[0] !== finding) continue;
    for (const piece of renderGroup(group, layout)) pieces.push(piece);
  }
  return pieces;
}

function groupByRule(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) addTo(groups, finding.rule, finding);
  return groups;
}

interface Layout extends Fitting {
  readonly lineCells: number;
  readonly entryCells: number;
  readonly ruleCells: number;
  /** Whether every message fits beside its rule. */
  readonly isOneLine: boolean;
}

function measureLayout(all: readonly Finding[], singles: readonly Finding[], fitting: Fitting): Layout {
  const { ruler, columns } = fitting;
  const lineCells = findMaximum(all.map(({ line: at }) => formatLine(at).length));
  const widest = columns === Infinity ? WIDEST_ENTRY_OF_ENDLESS_LINE : WIDEST_ENTRY;
  const entryCells = Math.min(
    widest,
    findMaximum(all.map(({ entryId }) => ruler.widthOf(toVisibleLine(entryId ?? '')))),
  );
  const ruleCells = findMaximum(singles.map(({ rule }) => rule.length));
  const before = INDENT + lineCells + entryCells + SEVERITY_CELLS + ruleCells + 4 * GAP;
  const longest = findMaximum(singles.map((finding) => ruler.widthOf(toVisibleLine(describeFinding(finding)))));
  return { ...fitting, lineCells, entryCells, ruleCells, isOneLine: before + longest <= columns };
}

const SEVERITY_CELLS = 'warning'.length;

function findMaximum(cells: readonly number[]): number {
  return cells.reduce((one, other) => Math.max(one, other), 0);
}

function renderSingle(finding: Finding, isFixSaidNext: boolean, layout: Layout): readonly Block[] {
  const { rule, severity } = finding;
  const { lineCells, ruleCells, isOneLine } = layout;
  const indent = INDENT + lineCells + GAP;
  const cells = [
    ...buildPlaceCells(finding, layout),
    cell(severity, SEVERITY_CELLS, TONE[severity]),
    cell(rule, ruleCells, 'strong'),
  ];
  return [
    { kind: 'row', cells: isOneLine ? [...cells, cell(describeFinding(finding))] : cells },
    ...(isOneLine ? [] : renderIndented(span(describeFinding(finding)), indent, layout)),
    ...(isFixSaidNext ? [] : renderFix(finding, indent, layout)),
  ];
}

/** The rule, then its findings: one by one, or a message once with the places of all that have it. */
function* renderGroup(group: readonly Finding[], layout: Layout): Generator<TextPart> {
  const { lineCells, counts, isCut } = layout;
  const [{ rule, severity } = { rule: '', severity: 'note' as const }] = group;
  const hasOneFix = group.every(({ fix }) => fix === group[0]?.fix);
  const times = span(`  ${formatCount(counts[rule] ?? 0)} times`, 'faint');
  const name = [span(' '.repeat(INDENT)), span(rule, 'strong'), span('  '), span(severity, TONE[severity])];
  const title: Block = { kind: 'line', isCut: true, spans: [...name, times] };
  const indent = INDENT + lineCells + GAP;
  let head = [title, ...(hasOneFix && group[0] ? renderFix(group[0], indent, layout) : [])];
  for (const same of groupByMessage(isCut ? group.slice(0, MOST_OF_GROUP) : group)) {
    const rows = same.length === 1 ? renderPlaced(same[0], layout) : renderRepeated(same, layout);
    yield {
      blocks: [...head, ...rows, ...(hasOneFix ? [] : renderFix(same[0], indent, layout))],
      findings: same.length,
    };
    head = [];
  }
}

type SameFindings = readonly [Finding, ...Finding[]];

/** Findings with the same message and fix together, in the order of the first of each. */
function groupByMessage(findings: readonly Finding[]): readonly SameFindings[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = JSON.stringify([describeFinding(finding), finding.fix]);
    const same = groups.get(key);
    if (same) same.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups.values()];
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
function renderRepeated(findings: SameFindings, layout: Layout): readonly Block[] {
  const { lineCells, entryCells, columns, ruler } = layout;
  const indent = INDENT + lineCells + GAP;
  const places = findings.map(({ line: at, entryId }) =>
    [formatLine(at), ruler.cutTo(toVisibleLine(entryId ?? ''), entryCells)].filter((part) => part !== '').join(':'),
  );
  const list = places.filter((place) => place !== '').join(', ');
  const cells = Math.max(FEWEST_CELLS, columns - indent);
  const lines = list === '' ? [] : cells === Infinity ? [`lines ${list}`] : ruler.wrap(`lines ${list}`, cells);
  return [
    ...renderIndented(span(describeFinding(findings[0])), indent, layout),
    ...lines.map((text) => line(' '.repeat(indent), span(text, 'id'))),
  ];
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
