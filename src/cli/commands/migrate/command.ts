import { CtxError } from '#base/errors.js';
import { listObjects } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { type ConversionForm, listLegacyCompactions } from '#change/migrate/convert-compactions.js';
import { isOld, type MigrationPlan, planMigration } from '#change/migrate/plan-migration.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { locateSession, locateToWrite } from '#cli/locate.js';
import type { OpenSession } from '#context/open.js';
import { type FilePart, writeTogether } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { formatId } from '#session/heads/head.js';
import { type Block, cell, type Doc, fileHeading, gap, line, listingRow, span } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { choiceFlag, textFlag, toggleFlag } from '../flags.js';
import { createUnchangedCheck, findDiscardedFile, hasSameBytes, readWrittenPieces, toNewFile } from '../new-session.js';
import { openSessionFile, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { MigrationDocument } from './document.js';

const FLAGS = {
  compactions: toggleFlag('add context transforms for the compactions of Pi'),
  as: {
    ...choiceFlag(
      'FORM',
      ['both', 'context_transform'],
      'with --compactions: a transform with the compaction below it (both, the default), or instead of it',
    ),
    needs: ['compactions'],
  },
  check: {
    ...toggleFlag('only check: exit with 1 if the session needs a migration'),
    excludes: ['output', 'in-place', 'dry-run'],
  },
  output: { ...textFlag('FILE', 'the new file (default: NAME.v3.jsonl next to the old one)'), short: 'o' },
  'in-place': {
    ...toggleFlag('replace the old file, and keep it as NAME.bak'),
    excludes: ['output', 'dry-run'],
  },
  'dry-run': shared.dryRun,
  force: shared.force,
};

type Flags = CommandInput<typeof FLAGS>['flags'];

export default defineCommand({
  name: 'migrate',
  summary: 'Convert an old session to the current format',
  description:
    'Converts a session of version 1 or 2 to version 3, as Pi does when it opens one, but in a new file and with ' +
    'reproducible ids. With --compactions it also adds context transforms for the compactions. The context after ' +
    'every entry stays the same, and lines that need no change keep every byte.',
  args: [sessionArgument],
  flags: FLAGS,
  examples: [
    'ctx migrate old.jsonl',
    'ctx migrate session.jsonl --check',
    'ctx migrate session.jsonl --compactions --output engineered.jsonl',
    'ctx migrate old.jsonl --in-place',
  ],
  async run(input) {
    const { io, args, flags } = input;
    const [name] = args;
    const isBeside = !flags.check && !flags['dry-run'] && flags.output === undefined;
    const file = await (isBeside ? locateToWrite(io, name) : locateSession(io, name ?? 'latest'));
    const check = createUnchangedCheck(io, file);
    return migrateSession({ io, session: await openSessionFile(input, file), flags, check });
  },
});

interface Migrating {
  readonly io: Io;
  readonly session: OpenSession;
  readonly flags: Flags;
  /** Throws if another program has written to the old file. */
  check(): void;
}

async function migrateSession({ io, session, flags, check }: Migrating): Promise<Outcome> {
  const { file } = session;
  refuseAgentFile(session);
  const form: ConversionForm | null = flags.compactions ? (flags.as ?? 'both') : null;
  const legacy = [...listLegacyCompactions(session)].length;
  const isNeeded = isOld(session) || (form !== null && legacy > 0);
  const counts = { isNeeded, legacyCompactions: legacy };
  if (flags.check) return toMigrationOutcome(buildDocument(session, counts, null, null), isNeeded);
  const plan = planMigration(session, { compactions: form });
  // With --output, the file is written even if there is nothing to migrate.
  const isWritten = !flags['dry-run'] && (isNeeded || flags.output !== undefined);
  const names = isWritten ? chooseNames(io, { file, flags, plan }) : null;
  if (names) await writeFiles(io, { session, plan, names, force: flags.force ?? false, check });
  return toMigrationOutcome(buildDocument(session, counts, plan, names), plan.lost.length > 0);
}

function toMigrationOutcome(data: MigrationDocument, isFinding: boolean): Outcome {
  const document = { data, doc: () => renderMigration(data) };
  return { kind: 'single', item: document, problems: [], exitCode: isFinding ? 1 : 0 };
}

interface Names {
  readonly output: string;
  readonly backup: string | null;
  readonly lostFile: string | null;
}

function chooseNames(
  io: Io,
  { file, flags, plan: { lost } }: { readonly file: string; readonly flags: Flags; readonly plan: MigrationPlan },
): Names {
  if (file === '-' && flags.output === undefined)
    throw new CtxError('usage', 'standard input has no folder for a new file', {
      hint: 'say --output NEW.jsonl',
    });
  const output = flags.output ?? (flags['in-place'] ? file : `${file.replace(/\.jsonl$/, '')}.v3.jsonl`);
  return {
    output,
    backup: flags['in-place'] ? `${file}.bak` : null,
    lostFile: findDiscardedFile(io, output, { lost, force: flags.force }),
  };
}

interface Writing extends Pick<Migrating, 'session' | 'check'> {
  readonly plan: MigrationPlan;
  readonly names: Names;
  readonly force: boolean;
}

/** Writes all files or none. A session is locked while it is replaced. */
async function writeFiles(io: Io, { session, plan, names, force, check }: Writing): Promise<void> {
  const { file, source } = session;
  const inPlace = names.backup !== null;
  const result = toNewFile(names.output, readWrittenPieces(io, plan.result), file, force || inPlace);
  const parts: FilePart[] = [{ ...result, options: { ...result.options, inPlace } }];
  if (names.lostFile !== null) parts.push(toNewFile(names.lostFile, readDiscarded(session, plan), file, force));
  // A run that was killed has left its backup, and only that: it is still the session as it was.
  if (names.backup !== null && !(await hasSameBytes(io.files, names.backup, source)))
    parts.push(toNewFile(names.backup, readWrittenPieces(io, source), file, force));
  const lock = inPlace ? await io.files.openToAppend(file) : null;
  try {
    await writeTogether(io.files.createNew, parts, check);
  } finally {
    await lock?.release();
  }
}

function* readDiscarded({ bytes }: OpenSession, { lost }: MigrationPlan): Generator<Uint8Array> {
  for (const part of lost) yield* bytes(part);
}

function buildDocument(
  { file, header, source }: OpenSession,
  counts: Pick<MigrationDocument, 'isNeeded' | 'legacyCompactions'>,
  plan: MigrationPlan | null,
  names: Names | null,
): MigrationDocument {
  return {
    schema: 'ctx/migration',
    schemaVersion: 1,
    file,
    version: Number.isNaN(header.version) ? null : header.version,
    ...counts,
    output: names?.output ?? null,
    backup: names?.backup ?? null,
    lostFile: names?.lostFile ?? null,
    oldSize: source.size,
    newSize: plan?.result.size ?? null,
    changedLines: plan?.changedLines ?? null,
    transforms: (plan?.conversions ?? []).map(({ head, entry, kind }) => ({
      transformId: typeof entry.id === 'string' ? entry.id : null,
      entryId: formatId(head.id),
      line: head.line,
      for: kind === 'compaction' ? 'compaction' : 'edit',
      ops: listObjects(entry.patch).map(({ op }) => String(op)),
    })),
    lost: (plan?.lost ?? []).map(({ code: rule, line: at, offset, length }) => ({ rule, line: at, offset, length })),
  };
}

const CURRENT_VERSION = 3;

function renderMigration(document: MigrationDocument): Doc {
  const { file, transforms, lost } = document;
  const rows = [...transforms.map(renderTransform), ...lost.map(renderDiscarded)];
  return [
    fileHeading(file),
    ...renderVersions(document),
    ...(rows.length > 0 ? [gap, ...rows, gap] : []),
    ...renderEnd(document),
  ];
}

function renderVersions(document: MigrationDocument): Doc {
  const { version, changedLines, isNeeded, transforms } = document;
  if (!isNeeded) return [line(span('nothing to migrate', 'good'))];
  const counts = version === null ? 'a version that is no number' : `version ${version}`;
  const isCurrent = version !== null && version >= CURRENT_VERSION;
  const old = isCurrent ? counts : `${counts}, to become version ${CURRENT_VERSION}`;
  const changed = changedLines === null ? '' : `, ${pluralize(changedLines, 'line')} changed`;
  const compactions = `${pluralize(document.legacyCompactions, 'compaction')} without a transform: see --compactions`;
  const areLeft = document.legacyCompactions > 0 && transforms.length === 0;
  return [line(`${old}${changed}`), ...(areLeft ? [line(compactions)] : [])];
}

function renderTransform(transform: MigrationDocument['transforms'][number]): Block {
  const { line: at, transformId, entryId, ops } = transform;
  const means = transform.for === 'compaction' ? `for compaction ${entryId}` : `above edit ${entryId}`;
  const what = cell(`${means}: ${ops.join(', ')}`);
  return listingRow([cell(String(at), -7, 'faint'), cell(transformId ?? '', 8, 'id'), what]);
}

function renderDiscarded({ line: at, rule, length, offset }: MigrationDocument['lost'][number]): Block {
  const what = cell(`${pluralize(length, 'byte')} lost, from byte ${formatCount(offset)} on`, 0, 'error');
  return listingRow([cell(String(at), -7, 'faint'), cell(rule, 8, 'strong'), what]);
}

function renderEnd({ lost, output, backup, lostFile, newSize }: MigrationDocument): Doc {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const hint = 'repair the session first: ctx repair may recover these lines';
  return [
    ...(lost.length > 0 ? [line(span(hint, 'warning'))] : []),
    line(output === null ? 'nothing was written' : `${output}: ${pluralize(newSize ?? 0, 'byte')}`),
    ...(backup === null ? [] : [line(`${backup}: the session as it was`)]),
    ...(lostFile === null ? [] : [line(`${lostFile}: ${pluralize(bytes, 'byte')}, those that are lost`)]),
  ];
}
