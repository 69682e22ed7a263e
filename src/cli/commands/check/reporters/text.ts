import type { CheckedFile } from '#analysis/check/checked-file.js';
import { MAX_LISTED_PER_RULE } from '#analysis/check/finding-tally.js';
import cannotGoOn from '#analysis/check/provider/cannot-go-on.js';
import { sumBy } from '#base/lists.js';
import { incrementCount } from '#base/maps.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { describeGoingOnWithPlace } from '#cli/going-on/find-going-on.js';
import { type Block, commandLine, type Doc, fileSpan, gap, line, span } from '#ui/doc/doc.js';
import { type CheckResults, type CheckTotals, describeTotals, listShownFindings, type Reporter } from './define.js';
import { renderFindings } from './finding-rows.js';

export default {
  name: 'text',
  summary: 'for people, in a terminal: no more than the screen holds there',
  mildest: 'warning',
  async *report(run) {
    let room = run.view.rows - countLinesAtTheEnd(run);
    const hidden = { findings: 0, unlisted: 0 };
    let isFirst = true;
    for await (const batch of run.files) {
      for (const file of batch) {
        const above = isFirst ? [] : [gap];
        const fitted = await fitFile(run, file, room - above.length);
        hidden.findings += fitted.hidden;
        hidden.unlisted += countUnlisted(file, run);
        if (fitted.doc.length === 0) continue;
        room -= above.length + fitted.doc.length;
        yield [...above, ...fitted.doc];
        isFirst = false;
      }
    }
    yield renderEnd(run, hidden, isFirst);
  },
} satisfies Reporter;

/** Findings that were not shown, and those among them that were only counted. */
interface HiddenFindings {
  readonly findings: number;
  readonly unlisted: number;
}

/** The lines below the findings, if there are any: what was hidden, and the totals. */
function renderEnd(run: CheckResults, hidden: HiddenFindings, isSound: boolean): Doc {
  const hasGap = !isSound && !isTwoLines(run);
  return [
    ...(hasGap ? [gap] : []),
    // Above findings it is named anyway.
    ...(isSound && run.unnamed !== null ? [line(fileSpan(run.unnamed, run.unnamed, 'strong'))] : []),
    ...renderHidden(hidden, run.view.rows < Infinity ? '--full' : '--json'),
    renderTotals(run.totals, run),
  ];
}

/** A blank line, the number of hidden findings, the totals, and the shell's prompt. */
const LINES_AT_THE_END = 4;
/** Below this width, the line about hidden findings and the totals wrap to up to four lines each. */
const USUAL_COLUMNS = 80;
const NARROW_LINES_AT_THE_END = 9;

function countLinesAtTheEnd({ view: { columns } }: CheckResults): number {
  return columns < USUAL_COLUMNS ? NARROW_LINES_AT_THE_END : LINES_AT_THE_END;
}

/** The line about what stops an agent, or what it leaves out, and the repair; nothing for a sound session. */
function renderGoingOn({ goingOn }: CheckedFile): Block[] {
  if (!goingOn || goingOn.why === null) return [];
  const { command, goesOn } = goingOn;
  return [
    line(span(toVisibleLine(describeGoingOnWithPlace(goingOn)), goesOn ? 'warning' : 'error')),
    ...(command === null ? [] : [commandLine('→ ', command)]),
  ];
}

/** Whether the totals take the line of the blank one before them, since the screen has no further line for them. */
function isTwoLines({ totals, view: { columns } }: CheckResults): boolean {
  return columns >= USUAL_COLUMNS && describeTotals(totals).length > columns;
}

/** A file with fewer lines left is not begun. */
const FEWEST_LINES_OF_FILE = 3;

/** The findings of a file that fit on the screen. */
interface FittedFile {
  /** Each block is one line. */
  readonly doc: Doc;
  /** The number of the other findings. */
  readonly hidden: number;
}

async function fitFile(run: CheckResults, file: CheckedFile, room: number): Promise<FittedFile> {
  // The line about going on already says what this rule finds.
  const shown = listShownFindings(file, run).filter(({ rule }) => rule !== cannotGoOn.name);
  const verdict = renderGoingOn(file);
  const all = shown.length + countUnlisted(file, run);
  if (all + verdict.length === 0) return { doc: [], hidden: 0 };
  if (room < FEWEST_LINES_OF_FILE) return { doc: [], hidden: all };

  const { columns } = run.view;
  const parts = await renderFindings(shown, { counts: file.counts, columns, isCut: room < Infinity });
  const doc: Block[] = [{ kind: 'line', isCut: true, spans: [fileSpan(file.file, file.file, 'strong')] }, ...verdict];
  let hidden = all;
  for (const { blocks, findings } of parts) {
    if (doc.length + blocks.length > room) break;
    for (const block of blocks) doc.push(block);
    hidden -= findings;
  }
  const hasOnlyName = doc.length === 1;
  return hasOnlyName ? { doc: [], hidden: all } : { doc, hidden };
}

/** Findings of rules that are shown, beyond those that are listed. */
function countUnlisted(file: CheckedFile, run: CheckResults): number {
  const listed = new Map<string, number>();
  for (const { rule } of listShownFindings(file, run)) incrementCount(listed, rule);
  return sumBy([...listed], ([rule, shown]) => (file.counts[rule] ?? shown) - shown);
}

function renderHidden({ findings, unlisted }: HiddenFindings, flag: string): Doc {
  if (findings === 0) return [];
  const listed = unlisted === 0 ? 'all' : `the first ${formatCount(MAX_LISTED_PER_RULE)} of each rule`;
  return [line(span(`and ${pluralize(findings, 'more finding')}: ${flag} lists ${listed}`, 'faint'))];
}

function renderTotals(totals: CheckTotals, { mildest, view }: CheckResults): Block {
  const { error, warning, note } = totals.found;
  const milder = warning > 0 ? 'warning' : 'good';
  const tone = error > 0 ? 'error' : milder;
  const totalsText = describeTotals(totals);
  const hint = ' (--severity note shows the notes)';
  const hasHint = note > 0 && mildest !== 'note' && totalsText.length + hint.length <= view.columns;
  return line(span(totalsText, tone), ...(hasHint ? [span(hint, 'faint')] : []));
}
