import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/finding.js';
import type { Severity } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import {
  type CheckResults,
  describeFinding,
  describeTotals,
  isSeverityShown,
  listShownFindings,
  type Reporter,
} from './define.js';

export default {
  name: 'github',
  summary: 'annotations of a GitHub workflow',
  mildest: 'warning',
  async *report(run) {
    const annotations: Record<Severity, string[]> = { error: [], warning: [], note: [] };
    for await (const batch of run.files) {
      for (const file of batch) {
        for (const finding of listShownFindings(file, run)) {
          const commands = annotations[finding.severity];
          if (commands.length < MOST_SHOWN) commands.push(formatAnnotation(finding, file, run));
        }
      }
    }
    for (const severity of ['error', 'warning', 'note'] as const) {
      if (isSeverityShown(severity, run.mildest))
        yield listAnnotations(annotations[severity], severity, run.totals.found[severity]);
    }
    yield `${describeTotals(run.totals)}\n`;
  },
} satisfies Reporter;

/** The number of annotations of one severity that GitHub shows for a step. It drops the others silently. */
const MOST_SHOWN = 10;
const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Beyond that limit, the last annotation gives the number of omitted ones. */
function listAnnotations(commands: readonly string[], severity: Severity, total: number): string {
  if (total <= MOST_SHOWN) return commands.join('');
  const shown = commands.slice(0, MOST_SHOWN - 1);
  const rest = `and ${pluralize(total - shown.length, `more ${severity}`)}: ctx check --json lists all`;
  return [...shown, formatCommand(severity, { title: 'ctx check' }, rest)].join('');
}

function formatAnnotation(finding: Finding, { file }: CheckedFile, run: CheckResults): string {
  const { rule, severity, line: at, entryId, fix } = finding;
  const entry = entryId === null ? '' : `entry ${entryId}: `;
  const text = `${entry}${describeFinding(finding)}${fix === null ? '' : `; to fix it: ${fix}`}`;
  const properties: Record<string, string> = { file: run.pathInRepository(file) ?? file };
  if (at !== null) properties.line = String(at);
  properties.title = rule;
  return formatCommand(severity, properties, text);
}

function formatCommand(severity: Severity, properties: Readonly<Record<string, string>>, text: string): string {
  const given = Object.entries(properties).map(
    ([name, value]) => `${name}=${escape(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${COMMANDS[severity]} ${given.join(',')}::${escape(text)}\n`;
}

/** The runner undoes this. Line breaks, which would end the command, were made visible. */
function escape(text: string): string {
  return toVisibleLine(text).replaceAll('%', '%25');
}
