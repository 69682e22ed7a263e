import type { LossQuestions, ScoredQuestion } from '#analysis/loss/exam-scores.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { cell, type Doc, fileSpan, gap, heading, left, line, proseRow, right, span, table } from '#ui/doc/doc.js';

/** The rows of questions that are shown without `--full`. */
const MOST_ROWS = 10;

interface QuestionsView {
  readonly isFull: boolean;
  /** The word for the compaction. */
  readonly boundaryName: string;
}

/** The score, and the questions that the summary does not answer. */
export function renderQuestions(found: LossQuestions, { isFull, boundaryName }: QuestionsView): Doc {
  const { boundary, file, isWritten, asked, failed, questions } = found;
  const from = isWritten ? 'written to' : 'from';
  const doc = [
    line(
      span(`${boundaryName} `, 'strong'),
      span(boundary.entryId ?? '', 'id'),
      span(` on line ${boundary.line}, ${pluralize(asked, 'question')} ${from} `, 'faint'),
      fileSpan(file, file),
    ),
    gap,
    ...renderScore(found),
  ];
  if (failed > 0) doc.push(line(span(`the command gave no answer to ${pluralize(failed, 'question')}`, 'warning')));
  const wrong = questions.filter(({ isRight, inSummary }) => !(isRight ?? inSummary));
  if (wrong.length === 0) return doc;
  const title = found.right === null ? 'Not in the summary' : 'Not answered';
  const rows = isFull ? wrong : wrong.slice(0, MOST_ROWS);
  doc.push(gap, heading(2, title), ...rows.flatMap(renderScoredQuestion));
  const more = wrong.length - rows.length;
  if (more > 0) doc.push(line(span(`  … ${formatCount(more)} more, --full lists all`, 'faint')));
  return doc;
}

/** A row for each kind of question and for all of them, with a column for the answers of a command that was asked. */
function renderScore(found: LossQuestions): Doc {
  const titles = ['asked', 'in the summary'];
  const legend = ['in the summary: an answer is a text of it'];
  if (found.right !== null) {
    titles.push('answered');
    legend.push('answered: by the command, word for word');
  }
  const rows = [...found.kinds.map((each) => ({ ...each, name: each.kind })), { ...found, name: 'all' }];
  return [
    table(
      [left('questions'), ...titles.map(right)],
      rows.map(({ name, asked, inSummary, right: answered }) => {
        const counts = answered === null ? [asked, inSummary] : [asked, inSummary, answered];
        return [span(name), ...counts.map((count) => span(formatCount(count)))];
      }),
    ),
    line(span(legend.join('; '), 'faint')),
  ];
}

function renderScoredQuestion({ entryId, line: place, question, answers, reply, failure }: ScoredQuestion): Doc {
  const source = entryId ?? (place === null ? '' : `line ${place}`);
  const rows = [
    proseRow([cell('', 1), cell(source, 8, 'id'), cell(question)]),
    proseRow([cell('', 1), cell('', 8), cell(`answer: ${answers[0] ?? ''}`)]),
  ];
  const outcome = failure ?? (reply === null ? null : `the command said: ${reply}`);
  if (outcome !== null) rows.push(proseRow([cell('', 1), cell('', 8), cell(outcome, 0, 'faint')]));
  return rows;
}
