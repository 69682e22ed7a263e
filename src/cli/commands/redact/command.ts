import { buildWarning, type Problem } from '#base/errors.js';
import { sortLargestFirst, sumBy } from '#base/lists.js';
import { addTo, incrementCount } from '#base/maps.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { readForCopy } from '#change/copy/session-to-copy.js';
import { buildImportSource } from '#change/migrate/import-session.js';
import { isPersonalKind } from '#change/redact/personal-data.js';
import { redactForCopy } from '#change/redact/redact-copy.js';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import type { RedactedStretch, RedactionRules } from '#change/redact/redaction.js';
import { Redactor } from '#change/redact/redactor.js';
import { locateSession } from '#cli/locate.js';
import { startProgress } from '#cli/sessions/progress.js';
import { type OpenSession, openSessionSource, readOtherAgentSession, toOpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { AgentCopier } from '#session/agents/copier.js';
import { findCopier } from '#session/agents/index.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type Block, cell, type Doc, fileHeading, gap, hangingLine, line, listingRow, span } from '#ui/doc/doc.js';
import { executeCopy } from '../apply/execute-copy.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { textsFlag, toggleFlag } from '../flags.js';
import {
  createUnchangedCheck,
  readOutputFile,
  readWrittenPieces,
  renderOutput,
  writeNewSession,
} from '../new-session.js';
import { buildNotInstalledError, openToCopy } from '../session-to-plan.js';
import { sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { RedactionAccount, RedactionDocument } from './document.js';
import { findEnvironmentValues, readRedactionRules } from './redaction-rules.js';
import { findPersonal } from './unredacted.js';

const FLAGS = {
  ...shared.newSessionOrCopy,
  values: textsFlag('FILE', 'a file of secrets: one per line, or a JSON list, or a JSON object of names and secrets'),
  env: textsFlag('NAME', 'an environment variable that holds a secret, or a pattern such as "*_TOKEN"'),
  personal: {
    ...toggleFlag('also replace e-mail addresses, and the names of users in paths of home folders'),
    excludes: ['install'],
  },
  pattern: textsFlag('RE', 'a regular expression for secrets; a group (?<secret>...) limits what is replaced'),
  'dry-run': shared.dryRun,
  force: shared.force,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'redact',
  summary: 'Save a copy with secrets removed',
  description:
    'Writes a new session file in which placeholders such as [REDACTED:github-token:1] replace credentials: those ' +
    'that ctx check finds, and values and patterns that you supply. A value is replaced everywhere it occurs. ' +
    'Entries, ids, parents and all other bytes stay. Images and signatures are not searched. The exit code is 1 if a ' +
    'damaged line was replaced whole or left out, or if a value remains in a field that links entries. Of a session of ' +
    'Claude Code or Codex, the copy is one that the agent resumes; of one of another agent, a session of Pi.',
  args: [sessionArgument],
  flags: FLAGS,
  examples: [
    'ctx redact session.jsonl --output shared.jsonl',
    'ctx redact session.jsonl --dry-run',
    'ctx redact session.jsonl --output shared.jsonl --personal',
    'ctx redact latest:claude --install',
    "ctx redact latest --output shared.jsonl --env '*_TOKEN' --values secrets.txt",
    "ctx redact session.jsonl --output shared.jsonl --pattern 'ACME-[0-9]{8}'",
  ],
  async run(input) {
    const { io, args, flags } = input;
    const rules = { ...(await readRedactionRules(io, flags)), isPersonal: flags.personal ?? false };
    const file = await locateSession(io, args[0] ?? 'latest');
    const check = createUnchangedCheck(io, file);
    const opened = input.keepOpen(await openSessionSource(io.files, file));
    const session = await readOtherAgentSession(opened, file);
    const copier = session && findCopier(session);
    if (copier) return redactToCopy(input, rules, await toOpenSession(session), copier);
    if (flags.install) throw buildNotInstalledError(session ?? { file });
    const original = session ? buildImportSource(session) : { source: opened, lostLines: 0 };
    return redactSession(input, new Redactor(rules), {
      file,
      ...original,
      check,
      agent: session?.agent?.title ?? null,
    });
  },
});

interface Original {
  readonly file: string;
  readonly source: ByteSource;
  /** Damaged lines of the file, which the source lacks. */
  readonly lostLines: number;
  /** The other agent that wrote the file; null for Pi. */
  readonly agent: string | null;
  /** The line of the file that a line of an import comes from. */
  recordedLine?(line: number): number | null;
  /** Throws if another program has written to it. */
  check(): void;
}

async function redactSession({ io, flags }: Input, redactor: Redactor, original: Original): Promise<Outcome> {
  const { file, source, check, lostLines, agent, recordedLine = () => null } = original;
  // Other files are refused before the search.
  readSession(source, file);
  const replacements: RedactedStretch[] = [];
  const progress = startProgress(io, 2 * Math.ceil(source.size / BATCH_BYTES), 'MB searched, twice');
  const listeners = {
    onReplaced: ({ line: at, ...stretch }: RedactedStretch) =>
      void replacements.push({ ...stretch, line: recordedLine(at) ?? at }),
    onBatch: () => progress.step(),
  };
  const pieces = await redactor.redact(source, file, listeners).finally(() => progress.clear());
  const result = buildRedactedSource(source, pieces);
  await writeNewSession(io, flags, { bytes: readWrittenPieces(io, result), from: file, check });
  const account = buildAccount(replacements, lostLines);
  const about = { file, output: readOutputFile(flags), oldSize: source.size, newSize: result.size };
  const data: RedactionDocument = { schema: 'ctx/redaction', schemaVersion: 1, ...about, ...account };
  const doc = (): Doc => renderRedaction(data, agent);
  const problems = [...listUnmatched(io, flags.env), ...(flags.personal ? [] : await findPersonal({ source, file }))];
  return { kind: 'single', item: { data, doc }, problems, exitCode: chooseExitCode(account) };
}

/** Writes a copy of another agent's session without secrets, which the agent resumes. */
async function redactToCopy(
  { io, flags, configuredLimit }: Input,
  rules: RedactionRules,
  opened: OpenSession,
  copier: AgentCopier,
): Promise<Outcome> {
  // No client resumes a subagent, but one may be shared.
  const isShared = opened.agent?.isSubagent && !flags.install;
  const original = isShared ? await readForCopy(opened, copier) : await openToCopy(opened, copier, flags);
  const progress = startProgress(io, 2 * Math.ceil(original.source.size / BATCH_BYTES), 'MB searched, twice');
  const stamps = { now: io.now, newId: io.newId, onBatch: () => progress.step() };
  const redactor = new Redactor(rules, copier.members);
  const redacted = await redactForCopy(original, redactor, stamps).finally(() => progress.clear());
  const { session, copy, before, withoutThinking, replacements } = redacted;
  const data = buildAccount(replacements, opened.scan.damaged.length);
  const answers = pluralize(withoutThinking, 'answer');
  const outcome = await executeCopy(
    io,
    { session, copier, command: 'redact', before, copy, loss: null },
    {
      ...flags,
      configuredLimit,
      isAlone: true,
      title: describeReplaced(data),
      remarks: withoutThinking > 0 ? [`the thinking of ${answers} is left out whole: its signature would not fit`] : [],
      about: { key: 'redaction', data, doc: renderAccount(data, flags['dry-run'] ?? false) },
    },
  );
  const isPointless = flags['dry-run'] && data.replacements.length === 0 && data.damagedLines === 0;
  const item = isPointless
    ? { ...outcome.item, doc: () => [line(`${describeReplaced(data)}; nothing to write`)] }
    : outcome.item;
  const unmatched = listUnmatched(io, flags.env);
  // An installed copy is the user's own.
  const personal = flags.personal || flags.install ? [] : await findPersonal(original);
  return {
    ...outcome,
    item,
    problems: [...opened.problems, ...unmatched, ...personal],
    exitCode: chooseExitCode(data),
  };
}

function listUnmatched(io: Io, names: readonly string[] = []): readonly Problem[] {
  const unmatched = names.filter((name) => findEnvironmentValues(io.env, name).length === 0);
  return unmatched.map((name) => buildWarning('unmatched-env', `--env ${name} matches no value to look for`));
}

function chooseExitCode({ kept, damagedLines }: RedactionAccount): 0 | 1 {
  return kept + damagedLines > 0 ? 1 : 0;
}

/** The approximate size of the text that is searched at once. */
const BATCH_BYTES = 1 << 20;

function buildAccount(replacements: readonly RedactedStretch[], lostLines: number): RedactionAccount {
  const replacedLines = replacements.filter(({ place }) => place === null).length;
  const placeholders = replacements.flatMap(({ placeholder, place }) =>
    placeholder === null || place === null ? [] : [placeholder],
  );
  return {
    replaced: placeholders.length,
    values: new Set(placeholders).size,
    kept: replacements.length - replacedLines - placeholders.length,
    damagedLines: replacedLines + lostLines,
    replacements: replacements.map(({ line: of, entryId, place, kind: rule, masked, placeholder }) => {
      return { line: of, entryId, place, rule, masked, placeholder };
    }),
  };
}

type Replacement = RedactionAccount['replacements'][number];

/** The replaced secrets, the remaining ones and the new file; a dry run lists the places. */
function renderRedaction(document: RedactionDocument, agent: string | null): Doc {
  const { file, output } = document;
  const secrets = renderSecrets(document, output === null);
  return [
    fileHeading(file),
    ...secrets,
    ...(secrets.length > 0 ? [gap] : []),
    line(describeReplaced(document)),
    ...renderWarnings(document),
    renderOutput(document),
    ...(agent === null || output === null ? [] : [line(`a session of Pi, made from the one of ${agent}`)]),
  ];
}

/** The replaced secrets of a copy, and the remaining ones. */
function renderAccount(account: RedactionAccount, isListed: boolean): Doc {
  return [...renderSecrets(account, isListed), ...renderWarnings(account)];
}

function renderSecrets({ replacements }: RedactionAccount, isListed: boolean): Doc {
  return [...groupBySecret(replacements)].flatMap((group) => renderSecret(group, isListed));
}

/** Groups replacements by placeholder, and kept secrets by rule. */
function groupBySecret(replacements: readonly Replacement[]): Iterable<readonly Replacement[]> {
  const found = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const { placeholder, rule, masked } = replacement;
    addTo(found, placeholder ?? `${rule} ${masked}`, replacement);
  }
  return found.values();
}

function renderSecret(group: readonly Replacement[], isListed: boolean): Doc {
  const [first] = group;
  if (!first) return [];
  const { placeholder, rule, masked } = first;
  const what = `${rule} ${masked}, ${pluralize(group.length, 'place')}`;
  const head =
    placeholder === null ? [span(`stays: ${what}`, 'warning')] : [span(placeholder, 'id'), span(`  ${what}`)];
  return [line(...head), ...(isListed ? renderPlaces(group) : [])];
}

/** The places of a secret; of one in many places, their numbers by the member that holds it. */
function renderPlaces(group: readonly Replacement[]): Doc {
  if (group.length <= MOST_PLACES) return group.map(renderPlace);
  const counts = new Map<string, number>();
  for (const { place } of group) incrementCount(counts, nameMember(place));
  const sorted = sortLargestFirst([...counts], ([, count]) => count);
  const shown = sorted.slice(0, MOST_MEMBERS).map(([member, count]) => `${member} ${formatCount(count)}`);
  const rest = sumBy(sorted.slice(MOST_MEMBERS), ([, count]) => count);
  const others = rest > 0 ? [`others ${formatCount(rest)}`] : [];
  return [hangingLine(HANGING, span(`  ${[...shown, ...others].join(', ')}; --json lists them`, 'faint'))];
}

/** The most places of a secret that are listed one by one, and the most members that are named. */
const MOST_PLACES = 10;
const MOST_MEMBERS = 8;
const HANGING = 4;

/** The last name in a place: `text` in `message.content[0].text`. */
function nameMember(place: string | null): string {
  if (place === null) return 'the whole line';
  return /[^.[\]]+(?=(?:\[\d+\])*$)/.exec(place)?.[0] ?? place;
}

function renderPlace({ line: at, entryId, place }: Replacement): Block {
  return listingRow([cell(String(at), -7, 'faint'), cell(entryId ?? '', 8, 'id'), cell(place ?? 'the whole line')]);
}

function describeReplaced({ replaced, values, replacements }: RedactionAccount): string {
  if (replaced === 0) return 'no secret was found';
  const what = replacements.some(({ rule }) => isPersonalKind(rule)) ? 'value' : 'secret';
  return `${pluralize(values, what)} in ${pluralize(replaced, 'place')}`;
}

function renderWarnings({ kept, damagedLines, replacements }: RedactionAccount): Doc {
  const isLeftOut = damagedLines > 0 && replacements.every(({ place }) => place !== null);
  const stays = `${pluralize(kept, 'place')} not changed: ids, types and times hold the session together`;
  const fate = isLeftOut ? 'left out: see ctx check' : 'replaced whole: ctx repair may get back what they hold';
  const damaged = `${pluralize(damagedLines, 'damaged line')} ${fate}`;
  return [...(kept > 0 ? [stays] : []), ...(damagedLines > 0 ? [damaged] : [])].map((text) =>
    line(span(text, 'warning')),
  );
}
