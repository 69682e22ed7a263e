import type { CheckedFile } from '#analysis/check/checked-file.js';
import { toVisibleJson } from '#base/visible.js';
import { formatJsonLine } from '#ui/doc/json.js';
import type { CheckDocument, CheckFileLine, CheckFindingLine } from '../document.js';
import { type CheckResults, type CheckTotals, listShownFindings, type Reporter } from './define.js';

export default {
  name: 'json',
  summary: 'one JSON document',
  mildest: 'note',
  /**
   * As `JSON.stringify` would write it, but file by file, so that no more than one has to be held. Each piece ends
   * with its line, since something else may be said on the terminal before the next one.
   */
  async *report(run) {
    yield '{\n  "schema": "ctx/check",\n  "schemaVersion": 1,\n';
    let pending = '  "files": [';
    let separator = '';
    for await (const batch of run.files) {
      for (const file of batch) {
        yield `${pending}${separator}\n`;
        const report: FileReport = { ...toFileFields(file), findings: listShownFindings(file, run), ...goingOnOf(run) };
        pending = `    ${formatIndented(report, 4)}`;
        separator = ',';
      }
    }
    yield `${pending}${separator === '' ? '' : '\n  '}],\n  "totals": ${formatIndented(toTotals(run.totals), 2)}\n}\n`;
  },
} satisfies Reporter;

function goingOnOf({ goingOn }: CheckResults): Pick<FileReport, 'goingOn'> {
  return goingOn === null ? {} : { goingOn: goingOn.found };
}

function formatIndented(value: unknown, by: number): string {
  return toVisibleJson(JSON.stringify(value, null, 2)).replaceAll('\n', `\n${' '.repeat(by)}`);
}

type FileReport = CheckDocument['files'][number];

function toFileFields({ file, size, bytesAccountedFor, entries, counts }: CheckedFile): Omit<FileReport, 'findings'> {
  return { file, size, bytesAccountedFor, entries, counts };
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
