import { visibleJson } from '#base/visible.js';
import type { Reporter } from './define.js';
import { fileValue, totalsValue } from './json-values.js';

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
    let held = '  "files": [';
    let separator = '';
    for await (const batch of run.files) {
      for (const file of batch) {
        yield `${held}${separator}\n`;
        held = `    ${indented(fileValue(file, run), 4)}`;
        separator = ',';
      }
    }
    yield `${held}${separator === '' ? '' : '\n  '}],\n  "totals": ${indented(totalsValue(run.totals), 2)}\n}\n`;
  },
} satisfies Reporter;

function indented(value: unknown, by: number): string {
  return visibleJson(JSON.stringify(value, null, 2)).replaceAll('\n', `\n${' '.repeat(by)}`);
}
