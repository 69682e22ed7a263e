import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/finding.js';
import { pluralize } from '#base/numbers.js';
import { truncate } from '#base/text.js';
import { type Block, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { describeFinding, describeTotals, isSeverityShown, listShownFindings, type Reporter } from './define.js';

/** A table for a comment or a summary; GitHub renders it. */
export default {
  name: 'markdown',
  summary: 'a table for a pull request or the summary of a workflow',
  mildest: 'warning',
  async *report(run) {
    const rows: (readonly Span[])[] = [];
    for await (const batch of run.files) {
      for (const file of batch) {
        const room = MOST_ROWS - rows.length;
        if (room === 0) continue;
        for (const finding of listShownFindings(file, run).slice(0, room)) rows.push(formatRow(finding, file));
      }
    }
    const { totals, mildest } = run;
    const all = (['error', 'warning', 'note'] as const)
      .filter((severity) => isSeverityShown(severity, mildest))
      .reduce((sum, severity) => sum + totals.found[severity], 0);
    const more = all - rows.length;
    yield [
      heading(3, `ctx check: ${describeTotals(totals)}`),
      ...(rows.length === 0 ? [] : [formatTable(rows)]),
      ...(more > 0 ? [line(span(`and ${pluralize(more, 'more finding')}`))] : []),
    ];
  },
} satisfies Reporter;

/** GitHub takes comments of 65,536 characters. */
const MOST_ROWS = 100;
const MOST_CHARACTERS = 300;

function formatTable(rows: readonly (readonly Span[])[]): Block {
  const columns = [left('Severity'), left('File'), right('Line'), left('Entry'), left('Rule'), left('Finding')];
  return table(columns, rows);
}

function formatRow(finding: Finding, { file }: CheckedFile): readonly Span[] {
  const { severity, line: at, entryId, rule, fix } = finding;
  const text = shortenText(describeFinding(finding)) + (fix === null ? '' : ` → ${shortenText(fix)}`);
  return [
    span(severity),
    span(shortenText(file), 'id'),
    span(at === null ? '' : String(at)),
    span(shortenText(entryId ?? ''), 'id'),
    span(rule, 'id'),
    span(text),
  ];
}

function shortenText(text: string): string {
  return truncate(text, MOST_CHARACTERS);
}
