import path from 'node:path';
import type { CheckedFile } from '#analysis/check/checked-file.js';
import { loadRules } from '#analysis/check/index.js';
import type { WantedRule } from '#analysis/check/settings.js';
import { CtxError, type Problem, type Severity, warning } from '#base/errors.js';
import { plural } from '#base/words.js';
import type { Io } from '#platform/io.js';
import type { End, Outcome } from '../define.js';
import type { CheckRun, RanRule } from './reporters/define.js';
import { reporters } from './reporters/index.js';
import { Totals } from './reporters/totals.js';

/** Files that are being checked. */
export interface Checked {
  readonly files: AsyncIterable<readonly CheckedFile[]>;
  readonly rules: readonly WantedRule[];
  /** Infinity where any number will do. */
  readonly maxWarnings: number;
  /** What is to be said beside the report. */
  readonly problems: readonly Problem[];
}

interface Wishes {
  readonly io: Io;
  readonly format: string;
  readonly flags: { readonly severity?: Severity | undefined; readonly quiet?: boolean | undefined };
}

/** The report of a check in the format that was asked for, and the exit code that it comes to. */
export async function reported({ io, format, flags }: Wishes, checked: Checked): Promise<Outcome> {
  const reporter = reporters.find(({ name }) => name === format);
  if (!reporter) throw new CtxError('usage', `a check has no format "${format}"`, { hint: 'see ctx check --help' });
  const totals = new Totals(checked.rules);
  const run: CheckRun = {
    files: counting(checked.files, totals),
    totals,
    rules: await described(checked.rules),
    mildest: flags.severity ?? reporter.mildest,
    maxWarnings: checked.maxWarnings,
    view: { format, columns: io.stdout.columns, rows: io.stdout.isTerminal ? io.stdout.rows : Infinity },
    pathInRepository: (file) => pathInRepository(io, file),
  };
  const pieces = flags.quiet ? nothingOf(run) : reporter.report(run);
  return { kind: 'pieces', pieces, end: () => endOf(totals, checked) };
}

async function* counting(files: Checked['files'], totals: Totals): AsyncGenerator<readonly CheckedFile[]> {
  for await (const batch of files) {
    for (const file of batch) totals.add(file);
    yield batch;
  }
}

/** The rules that were on with what reports say of them. */
async function described(wanted: readonly WantedRule[]): Promise<readonly RanRule[]> {
  const rules = new Map((await loadRules(wanted.map(({ group }) => group))).map((rule) => [rule.name, rule]));
  return wanted.flatMap(({ name, group, severity }) => {
    const rule = rules.get(name);
    return rule ? [{ name, group, severity, summary: rule.summary, help: rule.help }] : [];
  });
}

/** CI names files from the folder that it has cloned, wherever in it a command runs. */
function pathInRepository({ env, cwd }: Io, file: string): string | null {
  const way = path.relative(env['GITHUB_WORKSPACE'] || cwd || '/', path.resolve(cwd || '/', file));
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way) ? null : way;
}

/** A run that prints nothing has to be gone through all the same. */
async function* nothingOf({ files }: CheckRun): AsyncGenerator<string> {
  for await (const _ of files) yield '';
}

function endOf({ files, unreadable, found, gone }: Totals, { maxWarnings, problems }: Checked): End {
  if (unreadable === files && files > 0)
    throw new CtxError('input', `none of ${files} files can be read`, { hint: 'the report says why' });
  return {
    problems: [...problems, ...goneProblems(gone)],
    exitCode: found.error > 0 || found.warning > maxWarnings ? 1 : 0,
  };
}

/** What was mended should not be allowed to come back. */
function goneProblems(gone: number): readonly Problem[] {
  if (gone === 0) return [];
  const message = `${plural(gone, 'recorded finding')} ${gone === 1 ? 'is' : 'are'} gone: record anew with --write-baseline`;
  return [warning('baseline', message)];
}
