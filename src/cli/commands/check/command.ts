import path from 'node:path';
import { type CheckedFile, isUnreadable } from '#analysis/check/checked-file.js';
import { loadRules } from '#analysis/check/index.js';
import { type CheckSettings, type RuleSettings, SNAPSHOT_RULE } from '#analysis/check/settings.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { checkSessions } from '#cli/sessions/check-sessions.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { toPeriod } from '#cli/sessions/period.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import type { Io } from '#platform/io.js';
import { verbatim } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome, type OutcomeEnd } from '../define.js';
import { addFlagRule, choiceFlag, numberFlag, textFlag, toggleFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { type CheckFlags, readCheckSettings } from './check-settings.js';
import type { CheckConfig } from './document.js';
import type { FindKnownFindings } from './known-findings.js';
import { type CheckResults, CheckTotals, type RuleRun } from './reporters/define.js';
import { reporters } from './reporters/index.js';
import type { Snapshots } from './snapshots.js';

const FLAGS = {
  rules: textFlag('NAMES', 'run only these rules or groups, separated by commas'),
  severity: choiceFlag(
    'SEVERITY',
    ['error', 'warning', 'note'],
    'show findings of this severity or worse; milder ones are only counted (default: "warning"; "note" with json and ndjson)',
  ),
  explain: textFlag('RULE', 'describe a rule: what it finds, why it matters, how to fix it'),
  known: {
    ...textFlag('FILE', 'count only findings that are not in this file of --write-known'),
    alias: 'baseline',
  },
  'write-known': {
    ...textFlag('FILE', 'record all findings in this file; later only new ones count'),
    alias: 'write-baseline',
  },
  'max-warnings': numberFlag('N', 'exit with 1 on more than N warnings'),
  ...shared.configFlags,
  'print-config': toggleFlag('print the effective configuration, and check nothing'),
  'list-rules': toggleFlag('list all rules'),
  requests: choiceFlag(
    'WHICH',
    ['leaf', 'all'],
    'check the messages of the next request, or of every request of the active path (limits: always of the next)',
  ),
  limit: shared.limit,
  snapshot: textFlag('DIR', 'compare contexts with the snapshots in this folder, and take missing ones'),
  ...addFlagRule(
    { needs: ['snapshot'] },
    {
      at: textFlag('REVS', 'the revisions of the snapshots, separated by commas (default: HEAD)'),
      update: toggleFlag('replace the snapshots'),
    },
  ),
  since: shared.since,
  until: shared.until,
  full: { ...toggleFlag('list all findings on a terminal'), excludes: ['quiet'] },
  quiet: { ...toggleFlag('print nothing, only set the exit code'), short: 'q' },
};

export default defineCommand({
  name: 'check',
  summary: 'Check sessions for damage, invalid requests and leaks',
  description:
    'Checks session files, and folders of .jsonl files, against the rules in docs/rules. Changes nothing. The exit ' +
    'code is 1 for errors, or for more warnings than --max-warnings allows. That of "ctx doctor" is 1 if the agent ' +
    'cannot go on.',
  args: [
    {
      name: 'files',
      help:
        'files, folders, patterns such as "sessions/**/*.jsonl" or "!drafts/**", session ids, "latest", "all", ' +
        '"all:AGENT", or - for standard input; (default: the files of the configuration, or "latest")',
      isMany: true,
    },
  ],
  flags: FLAGS,
  formats: reporters,
  examples: [
    'ctx check',
    'ctx check session.jsonl --severity note',
    "ctx check 'sessions/**/*.jsonl' --max-warnings 0",
    'ctx check sessions --format sarif > ctx.sarif',
  ],
  async run(input) {
    const { io, args, flags } = input;
    if (flags.explain !== undefined) {
      const { explainRule } = await import('./rule-pages.js');
      return explainRule(flags.explain);
    }
    if (flags['list-rules']) {
      const { listRules } = await import('./rule-pages.js');
      return listRules();
    }
    if (flags['print-config']) return showCheckConfig(io, flags);
    const { settings, plan } = await readCheckSettings(io, flags);
    const names = args.flatMap((name) => name ?? []);
    const configured = plan.files.value.length > 0 ? plan.files.value : ['latest'];
    const files = await findNamedFiles(io, names.length > 0 ? names : configured, toPeriod(flags, io.now()));
    const record = flags['write-known'];
    if (record !== undefined) {
      const { writeKnownFindings } = await import('./known-findings.js');
      const checked = checkSessions(io, files, settings, () => ({ isRecorded: true }));
      return writeKnownFindings(record, { io, settings, checked });
    }
    const findKnown = await readBaselineFindings(io, plan.baseline.value);
    const snapshots = await takeSnapshots(input, files, settings);
    const rules = snapshots ? [...settings.rules, SNAPSHOT_RULE] : settings.rules;
    const checked = checkSessions(io, files, { ...settings, rules }, (file) => ({
      known: findKnown?.(file),
      snapshots: snapshots?.listFor(file),
    }));
    const isUnnamed = names.length + plan.files.value.length === 0;
    return reportFindings(input, {
      files: files.length === 1 ? await requireReadable(checked) : checked,
      unnamed: isUnnamed ? (files[0]?.file ?? null) : null,
      rules,
      maxWarnings: plan.maxWarnings.value ?? Infinity,
      problems: snapshots?.problems ?? [],
    });
  },
});

/** The settings that result from the configuration and the flags, with every rule. */
async function showCheckConfig(io: Io, flags: CheckFlags): Promise<Outcome> {
  const { plan } = await readCheckSettings(io, flags, 'all rules');
  const data: CheckConfig = { schema: 'ctx/check-config', schemaVersion: 1, ...plan };
  const text = JSON.stringify(data, null, 2);
  return {
    kind: 'single',
    item: { data, doc: ({ format }) => [format === 'text' ? { kind: 'whole', text } : verbatim(text, 'json')] },
    problems: [],
  };
}

async function readBaselineFindings(io: Io, file: string | null): Promise<FindKnownFindings | null> {
  if (file === null) return null;
  const { readKnownFindings } = await import('./known-findings.js');
  return readKnownFindings(io, file);
}

/** The snapshots of the sessions; null without `--snapshot`. */
async function takeSnapshots(
  { io, flags }: CommandInput<typeof FLAGS>,
  files: readonly NamedFile[],
  settings: CheckSettings,
): Promise<Snapshots | null> {
  const { snapshot: folder, at: revisions, update: isUpdate = false } = flags;
  if (folder === undefined) return null;
  const names = files.map(({ file }) => file);
  if (names.includes('-'))
    throw new CtxError('usage', 'standard input has no snapshots, since it has no name', { hint: 'name a file' });
  const { readSnapshots } = await import('./snapshots.js');
  return readSnapshots(io, names, settings, { folder, revisions: revisions ?? 'HEAD', isUpdate });
}

/** The one file that is checked. Where it cannot be read, there is nothing to report. */
async function requireReadable(checked: AsyncIterable<readonly CheckedFile[]>) {
  const files: CheckedFile[] = [];
  for await (const batch of checked) files.push(...batch);
  for (const file of files) {
    const [{ message, fix } = { message: '', fix: null }] = file.findings;
    if (isUnreadable(file))
      throw new CtxError('input', message, { where: file.file, hint: fix ?? 'name another file' });
  }
  return (async function* one() {
    yield files;
  })();
}

interface CheckRun extends Pick<CheckResults, 'unnamed'> {
  readonly files: AsyncIterable<readonly CheckedFile[]>;
  readonly rules: readonly RuleSettings[];
  /** Infinity without a limit. */
  readonly maxWarnings: number;
  /** Problems to print besides the report. */
  readonly problems: readonly Problem[];
}

async function reportFindings({ io, format, flags }: CommandInput<typeof FLAGS>, checked: CheckRun): Promise<Outcome> {
  const reporter = reporters.find(({ name }) => name === format);
  if (!reporter) throw new CtxError('usage', `a check has no format "${format}"`, { hint: 'see ctx check --help' });
  const totals = new CheckTotals(checked.rules);
  const run: CheckResults = {
    files: countFindings(checked.files, totals),
    totals,
    rules: await listRuleRuns(checked.rules),
    mildest: flags.severity ?? reporter.mildest,
    maxWarnings: checked.maxWarnings,
    unnamed: checked.unnamed,
    view: {
      format,
      columns: io.stdout.columns,
      isTerminal: io.stdout.isTerminal,
      rows: io.stdout.isTerminal && !flags.full ? io.stdout.rows : Infinity,
    },
    pathInRepository: (file) => pathInRepository(io, file),
  };
  const pieces = flags.quiet ? consume(run) : reporter.report(run);
  return { kind: 'pieces', pieces, end: () => buildEnd(totals, checked) };
}

async function* countFindings(files: CheckRun['files'], totals: CheckTotals): AsyncGenerator<readonly CheckedFile[]> {
  for await (const batch of files) {
    for (const file of batch) totals.add(file);
    yield batch;
  }
}

async function listRuleRuns(wanted: readonly RuleSettings[]): Promise<readonly RuleRun[]> {
  const rules = new Map((await loadRules(wanted.map(({ group }) => group))).map((rule) => [rule.name, rule]));
  return wanted.flatMap(({ name, group, severity }) => {
    const rule = rules.get(name);
    return rule ? [{ name, group, severity, summary: rule.summary, help: rule.help }] : [];
  });
}

/** CI names files from the folder that it has cloned, wherever in it a command runs. */
function pathInRepository({ env, cwd }: Io, file: string): string | null {
  const way = path.relative(env.GITHUB_WORKSPACE || cwd || '/', path.resolve(cwd || '/', file));
  return way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way) ? null : way.replaceAll(path.sep, '/');
}

/** Consumes a run that prints nothing, so that its totals are counted. */
async function* consume({ files }: CheckResults): AsyncGenerator<string> {
  for await (const _ of files) yield '';
}

function buildEnd({ files, unreadable, found, gone }: CheckTotals, { maxWarnings, problems }: CheckRun): OutcomeEnd {
  if (unreadable === files && files > 0)
    throw new CtxError('input', `none of ${files} files can be read`, { hint: 'the report says why' });
  const isOver = found.warning > maxWarnings;
  const over = `${pluralize(found.warning, 'warning')}, more than the ${formatCount(maxWarnings)} allowed`;
  return {
    problems: [...problems, ...listGoneProblems(gone), ...(isOver ? [buildWarning('max-warnings', over)] : [])],
    exitCode: found.error > 0 || isOver ? 1 : 0,
  };
}

/** A warning that some known findings are repaired, so that the file does not let them return. */
function listGoneProblems(gone: number): readonly Problem[] {
  if (gone === 0) return [];
  const message = `${pluralize(gone, 'recorded finding')} ${gone === 1 ? 'is' : 'are'} gone: record them again with --write-known`;
  return [buildWarning('known', message)];
}
