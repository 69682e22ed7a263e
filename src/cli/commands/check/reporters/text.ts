import { type CheckedFile, MOST_OF_A_RULE } from '#analysis/check/checked-file.js';
import { visibleLine } from '#base/visible.js';
import { count, plural } from '#base/words.js';
import { type Block, fileSpan, gap, line, span } from '#ui/doc/doc.js';
import { rulerFor } from '#ui/doc/ruler.js';
import { type CheckRun, type Reporter, shownOf, type Totals, totalsLine } from './define.js';
import { piecesOf, textsOf } from './text-layout.js';

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
        const fitted = await fittedDoc(run, file, room - (isFirst ? 0 : 1));
        hidden.findings += fitted.hidden;
        hidden.unlisted += unlistedOf(file, run);
        if (fitted.doc.length === 0) continue;
        room -= fitted.doc.length + (isFirst ? 0 : 1);
        yield isFirst ? fitted.doc : [gap, ...fitted.doc];
        isFirst = false;
      }
    }
    yield [
      ...(isFirst ? [] : [gap]),
      ...hiddenLine(hidden, rows < Infinity ? '--full' : '--json'),
      totalsBlock(run.totals, run),
    ];
  },
} satisfies Reporter;

/** A blank line, the number of hidden findings, the totals, and the shell's prompt. */
const LINES_AT_THE_END = 4;
/** Below this width, the line about hidden findings and the totals wrap to up to four lines each. */
const USUAL_COLUMNS = 80;
const NARROW_LINES_AT_THE_END = 9;
const FEWEST_LINES_OF_FILE = 3;

/** The findings of a file that fit on the screen; every block is one line. */
interface FittedDoc {
  readonly doc: readonly Block[];
  readonly hidden: number;
}

async function fittedDoc(run: CheckRun, file: CheckedFile, room: number): Promise<FittedDoc> {
  const shown = shownOf(file, run);
  const all = shown.length + unlistedOf(file, run);
  if (all === 0) return { doc: [], hidden: 0 };
  if (room < FEWEST_LINES_OF_FILE) return { doc: [], hidden: all };
  const ruler = await rulerFor(textsOf(shown).map(visibleLine), run.view.columns !== Infinity);
  const pieces = piecesOf(shown, { counts: file.counts, columns: run.view.columns, isCut: room < Infinity, ruler });
  const doc: Block[] = [{ kind: 'line', isCut: true, spans: [fileSpan(file.file, file.file, 'strong')] }];
  let hidden = all;
  for (const piece of pieces) {
    if (doc.length + piece.blocks.length > room) break;
    for (const block of piece.blocks) doc.push(block);
    hidden -= piece.findings;
  }
  return doc.length === 1 ? { doc: [], hidden: all } : { doc, hidden };
}

/** Findings of rules that are shown, beyond those that are listed. */
function unlistedOf(file: CheckedFile, run: CheckRun): number {
  const listed = new Map<string, number>();
  for (const { rule } of shownOf(file, run)) listed.set(rule, (listed.get(rule) ?? 0) + 1);
  let more = 0;
  for (const [rule, shown] of listed) more += (file.counts[rule] ?? shown) - shown;
  return more;
}

interface Hidden {
  readonly findings: number;
  readonly unlisted: number;
}

function hiddenLine({ findings, unlisted }: Hidden, flag: string): readonly Block[] {
  if (findings === 0) return [];
  const listed = unlisted === 0 ? 'all' : `the first ${count(MOST_OF_A_RULE)} of each rule`;
  return [line(span(`and ${plural(findings, 'more finding')}: ${flag} lists ${listed}`, 'faint'))];
}

function totalsBlock(totals: Totals, { mildest, view }: CheckRun): Block {
  const { error, warning, note } = totals.found;
  const tone = error > 0 ? 'error' : warning > 0 ? 'warning' : 'good';
  const said = totalsLine(totals);
  const hint = ' (--severity note shows the notes)';
  const hasHint = note > 0 && mildest !== 'note' && said.length + hint.length <= view.columns;
  return line(span(said, tone), ...(hasHint ? [span(hint, 'faint')] : []));
}
