import type { CheckedFile, Finding } from '#analysis/check/checked-file.js';
import type { Severity } from '#base/errors.js';
import { visibleLine } from '#base/visible.js';
import { plural } from '#base/words.js';
import { type CheckedRun, isShown, messageOf, type Reporter, shownOf, totalsLine } from './define.js';

export default {
  name: 'github',
  summary: 'annotations of a GitHub workflow',
  mildest: 'warning',
  async *report(run) {
    const told: Record<Severity, string[]> = { error: [], warning: [], note: [] };
    for await (const batch of run.files) {
      for (const file of batch) {
        for (const finding of shownOf(file, run)) {
          const commands = told[finding.severity];
          if (commands.length < MOST_SHOWN) commands.push(annotation(finding, file, run));
        }
      }
    }
    for (const severity of ['error', 'warning', 'note'] as const) {
      if (isShown(severity, run.mildest)) yield annotations(told[severity], severity, run.totals.found[severity]);
    }
    yield `${totalsLine(run.totals)}\n`;
  },
} satisfies Reporter;

/** The number of annotations of one severity that GitHub shows for a step. It drops the others silently. */
const MOST_SHOWN = 10;
const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** Beyond that limit, the last annotation gives the number of omitted ones. */
function annotations(commands: readonly string[], severity: Severity, total: number): string {
  if (total <= MOST_SHOWN) return commands.join('');
  const shown = commands.slice(0, MOST_SHOWN - 1);
  const rest = `and ${plural(total - shown.length, `more ${severity}`)}: ctx check --json lists all`;
  return [...shown, command(severity, { title: 'ctx check' }, rest)].join('');
}

function annotation(finding: Finding, { file }: CheckedFile, run: CheckedRun): string {
  const { rule, severity, line, entryId, fix } = finding;
  const entry = entryId === null ? '' : `entry ${entryId}: `;
  const text = `${entry}${messageOf(finding)}${fix === null ? '' : `; to fix it: ${fix}`}`;
  return command(
    severity,
    { file: run.pathInRepository(file) ?? file, ...(line !== null && { line: String(line) }), title: rule },
    text,
  );
}

function command(severity: Severity, properties: Readonly<Record<string, string>>, text: string): string {
  const given = Object.entries(properties).map(([name, value]) => `${name}=${escapedProperty(value)}`);
  return `::${COMMANDS[severity]} ${given.join(',')}::${escaped(text)}\n`;
}

/** The runner undoes this. Line breaks, which would end the command, were made visible. */
function escaped(text: string): string {
  return visibleLine(text).replaceAll('%', '%25');
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
