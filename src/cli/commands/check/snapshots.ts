import path from 'node:path';
import type { StoredSnapshot } from '#analysis/check/policy/snapshot.js';
import type { CheckSettings } from '#analysis/check/settings.js';
import { buildSnapshot, snapshot } from '#analysis/snapshot.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { parseJson } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import { describeIssue } from '#base/schema-issue.js';
import { readTextFile } from '#cli/read-json.js';
import { envelopeAt } from '#context/envelope-at.js';
import { toLenient } from '#context/lenient.js';
import { openSession, withSession } from '#context/open.js';
import { writeNewFile } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';

interface SnapshotFlags {
  readonly folder: string;
  /** Separated by commas. */
  readonly revisions: string;
  /** Replace all of them. */
  readonly isUpdate: boolean;
}

/** The snapshots of each session, and a problem for each one that was written. */
export interface Snapshots {
  /** The snapshots of a session; none for a file that is not among the checked ones. */
  listFor(file: string): readonly StoredSnapshot[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the snapshots of some sessions. A missing snapshot is created, except in CI, where the file would be lost:
 * there it is reported as missing. So is one of a revision that is not in one of several sessions. Throws a CtxError
 * (usage) if a file is not a snapshot, or if the only session does not have the revision.
 */
export async function readSnapshots(
  io: Io,
  files: readonly string[],
  settings: CheckSettings,
  flags: SnapshotFlags,
): Promise<Snapshots> {
  const isKept = (io.env.CI ?? '') === '' || flags.isUpdate;
  const stored = new Map<string, readonly StoredSnapshot[]>();
  const revisions = flags.revisions.split(',').map((revision) => revision.trim());
  let count = 0;
  for (const file of files) {
    const places = revisions.map((revision) => ({
      revision,
      file: nameSnapshotFile(io, file, revision, flags.folder),
    }));
    const missing = places.filter((place) => isKept && (flags.isUpdate || !io.files.exists(place.file)));
    if (missing.length > 0)
      count += await takeSnapshots(io, { session: file, places: missing, settings }, files.length === 1);
    stored.set(
      file,
      await Promise.all(places.map(async (place) => ({ ...place, snapshot: await readSnapshot(io, place.file) }))),
    );
  }
  return { listFor: (file) => stored.get(file) ?? [], problems: count === 0 ? [] : [noteTaken(count, flags.folder)] };
}

interface Taking {
  readonly session: string;
  readonly places: readonly { readonly revision: string; readonly file: string }[];
  readonly settings: CheckSettings;
}

/** Takes snapshots of a session, and returns their number. */
async function takeSnapshots(io: Io, { session: name, places, settings }: Taking, isOnly: boolean): Promise<number> {
  const { limit, baseline } = settings;
  let count = 0;
  await withSession(openSession(name, io.files), async (session) => {
    for (const { revision, file } of places) {
      const envelope = catchUsage(!isOnly, () => envelopeAt(toLenient(session), revision, { limit, baseline }));
      if (envelope === null) continue;
      const { entryId } = envelope.at;
      const text = `${JSON.stringify(buildSnapshot(envelope, { revision, entryId }), null, 2)}\n`;
      await io.files.makeFolder(path.dirname(file));
      await writeNewFile(io.files.createNew, file, text, { force: true, like: null });
      count += 1;
    }
  });
  return count;
}

/** The result of a function; null where it throws a CtxError (usage) that is to be caught. */
function catchUsage<Result>(isCaught: boolean, run: () => Result): Result | null {
  try {
    return run();
  } catch (error) {
    if (isCaught && error instanceof CtxError && error.kind === 'usage') return null;
    throw error;
  }
}

async function readSnapshot({ files }: Io, file: string): Promise<StoredSnapshot['snapshot']> {
  if (!files.exists(file)) return null;
  const value = parseJson(await readTextFile(files, file));
  const parsed = snapshot.safeParse(value);
  if (parsed.success) return parsed.data;
  const reason = value === undefined ? 'it is not JSON' : describeIssue(parsed.error);
  throw new CtxError('usage', `not a snapshot: ${reason}`, {
    where: file,
    hint: 'take it again with --update',
  });
}

/** One file for each session and revision, by names that any file system takes. */
function nameSnapshotFile({ cwd }: Io, session: string, revision: string, folder: string): string {
  const way = path.relative(cwd || '/', path.resolve(cwd || '/', session));
  return path.join(folder, `${toFileName(way.replace(/\.jsonl$/, ''))}@${toFileName(revision)}.json`);
}

function toFileName(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '+').replaceAll('*', '%2A');
}

function noteTaken(count: number, folder: string): Problem {
  return buildWarning('snapshot', `${pluralize(count, 'snapshot')} taken in ${folder}`);
}
