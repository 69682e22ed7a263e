import path from 'node:path';
import { type CheckedFile, isUnreadable } from '#analysis/check/checked-file.js';
import { type KnownFindings } from '#analysis/check/known-findings.js';
import type { CheckSettings } from '#analysis/check/settings.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { parseJson } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { readTextFile } from '#cli/read-json.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { line } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { knownFindingsFile, type RecordedFindings } from './document.js';

/** The findings of a session that do not count, by how the command line names it. */
export type FindKnownFindings = (session: string) => KnownFindings;

/** Reads a file of known findings. Throws a CtxError (usage) if the file is something else. */
export async function readKnownFindings(io: Io, file: string): Promise<FindKnownFindings> {
  const known = await readFile(io, file);
  return (session) => known.get(toSessionKey(io, file, session)) ?? {};
}

/** Files that were checked with their findings recorded. */
interface Recording {
  readonly io: Io;
  readonly checked: AsyncIterable<readonly CheckedFile[]>;
  readonly settings: CheckSettings;
}

/** Records the findings of a run in a file, and keeps those of other sessions and of rules that did not run. */
export async function writeKnownFindings(file: string, { io, checked, settings }: Recording): Promise<Outcome> {
  const known = new Map(io.files.exists(file) ? await readFile(io, file) : []);
  const ran = new Set(settings.rules.map(({ name }) => name));
  const problems: Problem[] = [];
  let sessions = 0;
  let findings = 0;
  for await (const batch of checked) {
    for (const session of batch) {
      if (isUnreadable(session)) problems.push(warnNotRecorded(session));
      const { recorded } = session;
      if (!recorded) continue;
      const key = toSessionKey(io, file, session.file);
      known.set(key, { ...removeRules(known.get(key) ?? {}, ran), ...recorded });
      sessions += 1;
      findings += countFindings(recorded);
    }
  }
  await writeNewFile(io.files.createNew, file, formatFile(known), { force: true, like: null });
  const total = [...known.values()].reduce((sum, one) => sum + countFindings(one), 0);
  const data: RecordedFindings = { schema: 'ctx/recorded-findings', schemaVersion: 1, file, findings, sessions, total };
  const others = total === findings ? '' : `, which holds ${pluralize(total, 'finding')} now`;
  const summary = `${pluralize(findings, 'finding')} of ${pluralize(sessions, 'session')} recorded in ${file}${others}`;
  return { kind: 'single', item: { data, doc: () => [line(summary)] }, problems };
}

function removeRules(findings: KnownFindings, rules: ReadonlySet<string>): KnownFindings {
  return Object.fromEntries(Object.entries(findings).filter(([rule]) => !rules.has(rule)));
}

function countFindings(findings: KnownFindings): number {
  const counts = Object.values(findings).flatMap((keys) => Object.values(keys));
  return counts.reduce((sum, count) => sum + count, 0);
}

function warnNotRecorded({ file, findings: [first] }: CheckedFile): Problem {
  return buildWarning('unreadable', `${file} was not recorded: ${first?.message ?? 'it cannot be read'}`);
}

const SCHEMA = 'ctx/known-findings';

/** Findings that were recorded, by file as `toSessionKey` names it. */
type KnownFile = ReadonlyMap<string, KnownFindings>;

/** How a file with recorded findings names another file. */
export function toSessionKey(io: Pick<Io, 'cwd'>, file: string, session: string): string {
  if (session === '-') return session;
  const from = path.dirname(path.resolve(io.cwd || '/', file));
  return path.relative(from, path.resolve(io.cwd || '/', session)).replaceAll(path.sep, '/');
}

/** Reads the file of recorded findings. Throws a CtxError (usage) for one that is not there, or something else. */
async function readFile(io: Pick<Io, 'files'>, file: string): Promise<KnownFile> {
  if (!io.files.exists(file))
    throw new CtxError('usage', 'there is no such file of recorded findings', {
      where: file,
      hint: `write it with --write-known ${file}`,
    });
  const value = parseJson(await readTextFile(io.files, file));
  const parsed = knownFindingsFile.safeParse(value);
  if (!parsed.success) throw buildNotKnownFindingsError(file, value);
  return new Map(parsed.data.files.map(({ file: name, findings }) => [name, findings]));
}

/** The text of the file: one line for each finding, in a stable order. */
function formatFile(known: KnownFile): string {
  const files = [...known]
    .filter(([, findings]) => Object.keys(findings).length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([file, findings]) => ({ file, findings }));
  return `${JSON.stringify({ schema: SCHEMA, schemaVersion: 1, files }, null, 2)}\n`;
}

function buildNotKnownFindingsError(file: string, value: unknown): CtxError {
  const { schema, schemaVersion } = (value ?? {}) as { readonly schema?: unknown; readonly schemaVersion?: unknown };
  if (schema === SCHEMA && typeof schemaVersion === 'number' && schemaVersion > 1)
    return new CtxError('usage', 'the recorded findings were written by a newer version of ctx', {
      where: file,
      hint: 'update ctx, or name another file',
    });
  const isContext = typeof value === 'object' && value !== null && ('parts' in value || 'tools' in value);
  const hint = isContext
    ? 'what sessions do not record is "contextBaseline" in the configuration'
    : 'name another file, or remove this one and write a new one with --write-known';
  return new CtxError('usage', 'this is no file of recorded findings', { where: file, hint });
}
