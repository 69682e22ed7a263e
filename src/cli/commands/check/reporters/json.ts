import type { CheckedFile } from '#analysis/check/checked-file.js';
import { omitUndefined } from '#base/omit-undefined.js';
import { toVisibleJson } from '#base/visible.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { CheckDocument, CheckFileLine, CheckFindingLine } from '../document.js';
import { type CheckResults, type CheckTotals, listShownFindings, type Reporter } from './define.js';

export default {
  name: 'json',
  summary: 'one JSON document, indented on a terminal',
  mildest: 'note',
  report: (run) => (run.view.isTerminal ? reportIndented(run) : reportOnOneLine(run)),
} satisfies Reporter;

/** The document on one line, file by file, so that no more than one has to be held. */
async function* reportOnOneLine(run: CheckResults): AsyncGenerator<string> {
  yield '{"schema":"ctx/check","schemaVersion":1,"files":[';
  let separator = '';
  for await (const batch of run.files) {
    for (const file of batch) {
      yield `${separator}${formatValue(toFileReport(file, run))}`;
      separator = ',';
    }
  }
  yield `],"totals":${formatValue(toTotals(run.totals))}}\n`;
}

/**
 * Writes what an indented `JSON.stringify` would, but file by file. Each piece ends with its line, since the terminal
 * may print something else before the next one.
 */
async function* reportIndented(run: CheckResults): AsyncGenerator<string> {
  yield '{\n  "schema": "ctx/check",\n  "schemaVersion": 1,\n';
  let pending = '  "files": [';
  let separator = '';
  for await (const batch of run.files) {
    for (const file of batch) {
      yield `${pending}${separator}\n`;
      pending = `    ${formatIndented(toFileReport(file, run), 4)}`;
      separator = ',';
    }
  }
  yield `${pending}${separator === '' ? '' : '\n  '}],\n  "totals": ${formatIndented(toTotals(run.totals), 2)}\n}\n`;
}

function toFileReport(file: CheckedFile, run: CheckResults): FileReport {
  return { ...toFileFields(file), findings: listShownFindings(file, run) };
}

function formatValue(value: unknown): string {
  return toVisibleJson(JSON.stringify(value));
}

function formatIndented(value: unknown, by: number): string {
  return toVisibleJson(JSON.stringify(value, null, 2)).replaceAll('\n', `\n${' '.repeat(by)}`);
}

type FileReport = CheckDocument['files'][number];

function toFileFields(checked: CheckedFile): Omit<FileReport, 'findings'> {
  const { file, size, bytesAccountedFor, entries, counts, goingOn } = checked;
  return { file, size, bytesAccountedFor, entries, counts, ...omitUndefined({ goingOn }) };
}

function toTotals({ files, unreadable, withFindings, found }: CheckTotals): CheckDocument['totals'] {
  return { files, unreadable, withFindings, errors: found.error, warnings: found.warning, notes: found.note };
}

export const ndjsonReporter = {
  name: 'ndjson',
  summary: 'a line of JSON for each finding, and one for each file after its findings',
  mildest: 'note',
  async *report(run) {
    for await (const batch of run.files) {
      for (const file of batch) {
        const findings = listShownFindings(file, run).map((finding): CheckFindingLine => ({
          schema: 'ctx/check-finding',
          schemaVersion: 1,
          file: file.file,
          ...finding,
        }));
        const end: CheckFileLine = { schema: 'ctx/check-file', schemaVersion: 1, ...toFileFields(file) };
        yield [...findings, end].map(formatJsonLine).join('');
      }
    }
  },
} satisfies Reporter;
