import { matchesPattern } from '#analysis/check/policy/patterns.js';
import { readRegularExpression } from '#analysis/search/text-matches.js';
import { buildWarning, CtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { pluralize } from '#base/numbers.js';
import { buildImportSource } from '#change/migrate/import-session.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { buildRedactedSource } from '#change/redact/redacted-files.js';
import type { RedactedStretch, RedactionRules } from '#change/redact/redaction.js';
import { Redactor } from '#change/redact/redactor.js';
import { locateSession } from '#cli/locate.js';
import { readTextFile } from '#cli/read-json.js';
import { startProgress } from '#cli/sessions/progress.js';
import { openSessionSource, readOtherAgentSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type Block, cell, type Doc, fileHeading, gap, line, listingRow, span } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { textsFlag } from '../flags.js';
import { createUnchangedCheck, outputFile, readWrittenPieces, renderOutput, writeNewSession } from '../new-session.js';
import { sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { RedactionDocument } from './document.js';

const FLAGS = {
  output: shared.newSession,
  values: textsFlag('FILE', 'a file of secrets: one per line, or a JSON list, or a JSON object of names and secrets'),
  env: textsFlag('NAME', 'an environment variable that holds a secret, or a pattern such as "*_TOKEN"'),
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
    'damaged line was replaced whole or left out, or if a value remains in a field that links entries. The copy of ' +
    "another agent's session is a session of Pi.",
  args: [sessionArgument],
  flags: FLAGS,
  examples: [
    'ctx redact session.jsonl --output shared.jsonl',
    'ctx redact session.jsonl --dry-run',
    "ctx redact latest --output shared.jsonl --env '*_TOKEN' --values secrets.txt",
    "ctx redact session.jsonl --output shared.jsonl --pattern 'ACME-[0-9]{8}'",
  ],
  async run(input) {
    const { io, args, flags } = input;
    const redactor = new Redactor(await readRedactionRules(io, flags));
    const file = await locateSession(io, args[0] ?? 'latest');
    const check = createUnchangedCheck(io, file);
    const opened = input.keepOpen(await openSessionSource(io.files, file));
    const foreign = await readOtherAgentSession(opened, file);
    if (foreign && flags.output === undefined && !flags['dry-run']) refuseAgentFile(foreign);
    const original = foreign ? buildImportSource(foreign) : { source: opened, lostLines: 0 };
    return redactSession(input, redactor, { file, ...original, check, agent: foreign?.agent?.title ?? null });
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
  const told = {
    onReplaced: ({ line: at, ...stretch }: RedactedStretch) =>
      void replacements.push({ ...stretch, line: recordedLine(at) ?? at }),
    onBatch: () => progress.step(),
  };
  const pieces = await redactor.redact(source, file, told).finally(() => progress.clear());
  const result = buildRedactedSource(source, pieces);
  await writeNewSession(io, flags, { bytes: readWrittenPieces(io, result), from: file, check });
  const output = outputFile(flags);
  const data = reportOf(replacements, lostLines, { file, output, oldSize: source.size, newSize: result.size });
  const doc = (): Doc => redactionDoc(data, agent);
  const unmatched = (flags.env ?? []).filter((name) => valuesOf(io.env, name).length === 0);
  const problems = unmatched.map((name) => buildWarning('unmatched-env', `--env ${name} matches no value to look for`));
  return { kind: 'report', report: { data, doc }, problems, exitCode: data.kept + data.damagedLines > 0 ? 1 : 0 };
}

/** The approximate size of the text that is searched at once. */
const BATCH_BYTES = 1 << 20;

function reportOf(
  replacements: readonly RedactedStretch[],
  lostLines: number,
  about: Pick<RedactionDocument, 'file' | 'output' | 'oldSize' | 'newSize'>,
): RedactionDocument {
  const replacedLines = replacements.filter(({ place }) => place === null).length;
  const placeholders = replacements.flatMap(({ placeholder, place }) =>
    placeholder === null || place === null ? [] : [placeholder],
  );
  return {
    schema: 'ctx/redaction',
    schemaVersion: 1,
    ...about,
    replaced: placeholders.length,
    values: new Set(placeholders).size,
    kept: replacements.length - replacedLines - placeholders.length,
    damagedLines: replacedLines + lostLines,
    replacements: replacements.map(({ line: of, entryId, place, kind: rule, masked, placeholder }) => {
      return { line: of, entryId, place, rule, masked, placeholder };
    }),
  };
}

type Replacement = RedactionDocument['replacements'][number];

/** The replaced secrets, the remaining ones and the new file; a dry run lists every place. */
function redactionDoc(report: RedactionDocument, agent: string | null): Doc {
  const { file, output, replacements } = report;
  const secrets = [...groups(replacements)].flatMap((group) => secretDoc(group, output === null));
  return [
    fileHeading(file),
    ...secrets,
    ...(secrets.length > 0 ? [gap] : []),
    line(summaryOf(report)),
    ...warningsOf(report),
    renderOutput(report),
    ...(agent === null || output === null ? [] : [line(`a session of Pi, made from the one of ${agent}`)]),
  ];
}

/** Groups replacements by placeholder, and kept secrets by rule. */
function groups(replacements: readonly Replacement[]): Iterable<readonly Replacement[]> {
  const found = new Map<string, Replacement[]>();
  for (const replacement of replacements) {
    const { placeholder, rule, masked } = replacement;
    addTo(found, placeholder ?? `${rule} ${masked}`, replacement);
  }
  return found.values();
}

function secretDoc(group: readonly Replacement[], isListed: boolean): Doc {
  const [first] = group;
  if (!first) return [];
  const { placeholder, rule, masked } = first;
  const what = `${rule} ${masked}, ${pluralize(group.length, 'place')}`;
  const head =
    placeholder === null ? [span(`stays: ${what}`, 'warning')] : [span(placeholder, 'id'), span(`  ${what}`)];
  return [line(...head), ...(isListed ? group.map(placeRow) : [])];
}

function placeRow({ line: at, entryId, place }: Replacement): Block {
  return listingRow([cell(String(at), -7, 'faint'), cell(entryId ?? '', 8, 'id'), cell(place ?? 'the whole line')]);
}

function summaryOf({ replaced, values }: RedactionDocument): string {
  return replaced === 0 ? 'no secret was found' : `${pluralize(values, 'secret')} in ${pluralize(replaced, 'place')}`;
}

function warningsOf({ kept, damagedLines, replacements }: RedactionDocument): Doc {
  const isLeftOut = damagedLines > 0 && replacements.every(({ place }) => place !== null);
  const stays = `${pluralize(kept, 'place')} not changed: ids, types and times hold the session together`;
  const fate = isLeftOut ? 'left out: see ctx check' : 'replaced whole: ctx repair may get back what they hold';
  const damaged = `${pluralize(damagedLines, 'damaged line')} ${fate}`;
  return [...(kept > 0 ? [stays] : []), ...(damagedLines > 0 ? [damaged] : [])].map((text) =>
    line(span(text, 'warning')),
  );
}

type RuleFlags = Partial<Pick<Input['flags'], 'values' | 'env' | 'pattern'>>;

/** Reads values and patterns. Throws a CtxError that never quotes a value. */
export async function readRedactionRules(
  { files, env }: Pick<Io, 'files' | 'env'>,
  flags: RuleFlags,
): Promise<RedactionRules> {
  const values: RedactionRules['values'][number][] = [];
  for (const file of flags.values ?? [])
    for (const value of valuesIn(await readTextFile(files, file), file)) values.push(value);
  for (const name of flags.env ?? []) values.push(...valuesOf(env, name));
  const patterns = (flags.pattern ?? []).map((raw) => {
    if (raw !== '') return readRegularExpression(raw, 'dg', 'name the text itself with --values');
    throw new CtxError('usage', 'an empty pattern matches nothing', { where: '--pattern', hint: 'leave it out' });
  });
  return { values, patterns };
}

/** The minimum length of a value. Shorter ones would match everywhere, and their surroundings would reveal them. */
const LEAST = 4;
const MOST = 16_384;

function* valuesIn(text: string, file: string): Generator<RedactionRules['values'][number]> {
  const isList = /^\s*[[{]/.test(text);
  const named = isList
    ? namedValues(text, file)
    : text.split('\n').map((value, at) => [`line ${at + 1}`, value.trim()] as const);
  let count = 0;
  for (const [name, value] of named) {
    if (!isList && value === '') continue;
    count += 1;
    if (value.trim().length < LEAST || value.length > MOST) throw unfit(file, name);
    yield { value, kind: isList && !/^\d+$/.test(name) ? name : 'value' };
  }
  if (count === 0)
    throw new CtxError('usage', 'there are no values in this file', { where: file, hint: 'write one on a line' });
}

function namedValues(text: string, file: string): readonly (readonly [name: string, value: string])[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new CtxError('input', 'not JSON', { where: file, hint: 'correct the file, or write one value on a line' });
  }
  const items: readonly (readonly [string, unknown])[] =
    isObject(list) || Array.isArray(list) ? Object.entries(list) : [];
  return items.map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    throw new CtxError('input', `${name} is not a text`, { where: file, hint: 'write ["…"] or {"name": "…"}' });
  });
}

function unfit(where: string, name: string): CtxError {
  return new CtxError('usage', `the value ${name} is too short or too long to be looked for`, {
    where,
    hint: `values have ${LEAST} characters or more, and ${MOST} at most`,
  });
}

/** The values of the variables that a name or a pattern such as `*_TOKEN` means. */
function valuesOf(env: Io['env'], name: string): RedactionRules['values'] {
  const isPattern = name.includes('*');
  const found = Object.entries(env).filter(([other, value]) => matchesPattern(name, other) && (value ?? '') !== '');
  const fit = found.filter(([, value = '']) => value.trim().length >= LEAST && value.length <= MOST);
  if (!isPattern && fit.length === 0) {
    if (found.length > 0) throw unfit('--env', name);
    throw new CtxError('usage', `the environment has no ${name}`, { where: '--env', hint: 'set it, or leave it out' });
  }
  return fit.map(([other, value = '']) => ({ value, kind: other }));
}
