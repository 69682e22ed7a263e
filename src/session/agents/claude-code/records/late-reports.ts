import { NONE } from '../../../heads/id-index.js';
import type { LineFields } from '../../../scan/line-fields.js';
import { kindOf, RECORD_TYPE } from './fields.js';
import type { RecordIndex } from './record-index.js';

/**
 * Lets each report on a request follow the record that it came after, and returns that record by the report. Versions
 * such as 2.1.237 write it when the next prompt comes, name the record before the request as its parent, and let the
 * prompt follow the report: so no chain of parents has the answers between, which the client sends all the same until
 * it is started again. `parents`: the parent of each record, which is changed. `main`: 1 for each record of the
 * conversation itself.
 */
export function linkLateReports(
  fields: LineFields,
  { order, types }: RecordIndex,
  parents: Int32Array,
  main: Uint8Array,
): ReadonlyMap<number, number> {
  const followed = new Map<number, number>();
  let last = NONE;
  let stepsLeft = MOST_STEPS;
  for (const line of order) {
    if (main[line] === 0) continue;
    const parent = parents[line] ?? NONE;
    const isAfterOthers = types[line] === RECORD_TYPE.system && parent !== NONE && parent < last;
    if (isAfterOthers && isReport(fields, line)) {
      let above = last;
      for (; above > parent && stepsLeft > 0; stepsLeft -= 1) above = parents[above] ?? NONE;
      if (above === parent) {
        parents[line] = last;
        followed.set(line, last);
      }
    }
    last = line;
  }
  return followed;
}

function isReport(fields: LineFields, line: number): boolean {
  const kind = kindOf(fields, line);
  return kind !== 0 && REPORTS.has(fields.text(kind));
}

/** The subtypes of records about a request: a failure after which it was tried again, and the hooks at its end. */
const REPORTS: ReadonlySet<string> = new Set(['api_error', 'stop_hook_summary']);

/** The records between a request and its report, of all reports. */
const MOST_STEPS = 1_000_000;
