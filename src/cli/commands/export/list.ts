import type { ExportFormatList } from '#cli/schemas.js';
import { type Doc, gap, line, span } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import type { ExportFormat } from './formats/define.js';
import { exportFormats } from './formats/index.js';

/** What sessions can be exported as. */
export function listed(): Outcome {
  const formats = exportFormats.map(({ name, takes, summary, leavesOut }) => ({
    name,
    takes,
    summary,
    leavesOut: [...leavesOut],
  }));
  const data: ExportFormatList = { schema: 'ctx/export-formats', schemaVersion: 1, formats };
  return { kind: 'report', report: { data, doc: () => exportFormats.flatMap(docOf) }, problems: [] };
}

const OF_WHAT: Readonly<Record<ExportFormat['takes'], string>> = {
  request: 'of one request',
  session: 'of one session',
  tables: 'of many sessions',
};

function docOf({ name, takes, summary, leavesOut }: ExportFormat, at: number): Doc {
  return [
    ...(at === 0 ? [] : [gap]),
    line(span(name, 'strong'), span(`  ${OF_WHAT[takes]}`, 'faint')),
    line(summary),
    ...(leavesOut.length === 0
      ? []
      : [{ kind: 'bullets' as const, items: leavesOut.map((left) => [span(left, 'faint')]) }]),
  ];
}
