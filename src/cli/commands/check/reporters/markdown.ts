import type { CheckedFile, Finding } from '#analysis/check/checked-file.js';
import { plural } from '#base/words.js';
import { type Block, heading, left, line, right, type Span, span, table } from '#ui/doc/doc.js';
import { isShown, messageOf, type Reporter, shownOf, totalsLine } from './define.js';

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
        for (const finding of shownOf(file, run).slice(0, room)) rows.push(rowOf(finding, file));
      }
    }
    const { totals, mildest } = run;
    const all = (['error', 'warning', 'note'] as const)
      .filter((severity) => isShown(severity, mildest))
      .reduce((sum, severity) => sum + totals.found[severity], 0);
    const more = all - rows.length;
    yield [
      heading(3, `ctx check: ${totalsLine(totals)}`),
      ...(rows.length === 0 ? [] : [tableOf(rows)]),
      ...(more > 0 ? [line(span(`and ${plural(more, 'more finding')}`))] : []),
    ];
  },
} satisfies Reporter;

/** GitHub takes comments of 65,536 characters. */
const MOST_ROWS = 100;
const MOST_CHARACTERS = 300;

function tableOf(rows: readonly (readonly Span[])[]): Block {
  const columns = [left('Severity'), left('File'), right('Line'), left('Entry'), left('Rule'), left('Finding')];
  return table(columns, rows);
}

function rowOf(finding: Finding, { file }: CheckedFile): readonly Span[] {
  const { severity, line: at, entryId, rule, fix } = finding;
  const text = cut(messageOf(finding)) + (fix === null ? '' : ` → ${cut(fix)}`);
  return [
    span(severity),
    span(cut(file), 'id'),
    span(at === null ? '' : String(at)),
    span(cut(entryId ?? ''), 'id'),
    span(rule, 'id'),
    span(text),
  ];
}

function cut(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}…`;
}
