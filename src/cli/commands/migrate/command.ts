import { listObjects } from '#base/json.js';
import { type ConversionForm, listLegacyCompactions } from '#change/migrate/convert-compactions.js';
import { isOld, type MigrationPlan, planMigration } from '#change/migrate/plan-migration.js';
import { refuseAgentFile } from '#change/plan/appendable.js';
import { locateSession, locateToWrite } from '#cli/locate.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { formatId } from '#session/heads/head.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { choiceFlag, textFlag, toggleFlag } from '../flags.js';
import { createUnchangedCheck } from '../new-session.js';
import { openSessionFile, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { MigrationDocument } from './document.js';
import { renderMigration } from './view.js';
import { chooseFiles, type MigrationFiles, writeMigration } from './write-migration.js';

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
  // The file of --output is written even if there is nothing to migrate.
  const isWritten = !flags['dry-run'] && (isNeeded || flags.output !== undefined);
  const files = isWritten ? chooseFiles(io, file, flags, plan) : null;
  if (files) await writeMigration(io, { session, plan, files, force: flags.force ?? false, check });
  return toMigrationOutcome(buildDocument(session, counts, plan, files), plan.lost.length > 0);
}

function toMigrationOutcome(data: MigrationDocument, isFinding: boolean): Outcome {
  const document = { data, doc: () => renderMigration(data) };
  return { kind: 'single', item: document, problems: [], exitCode: isFinding ? 1 : 0 };
}

function buildDocument(
  { file, header, source }: OpenSession,
  counts: Pick<MigrationDocument, 'isNeeded' | 'legacyCompactions'>,
  plan: MigrationPlan | null,
  files: MigrationFiles | null,
): MigrationDocument {
  return {
    schema: 'ctx/migration',
    schemaVersion: 1,
    file,
    version: Number.isNaN(header.version) ? null : header.version,
    ...counts,
    output: files?.output ?? null,
    backup: files?.backup ?? null,
    lostFile: files?.lostFile ?? null,
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
