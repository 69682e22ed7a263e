import path from 'node:path';
import type { Settings } from '#analysis/check/check.js';
import type { StoredSnapshot } from '#analysis/check/policy/snapshot.js';
import { type SnapshotForm, snapshot, snapshotOf } from '#analysis/snapshot.js';
import { CtxError, type Problem, warning } from '#base/errors.js';
import { explain } from '#base/schema.js';
import { plural } from '#base/words.js';
import { readText } from '#cli/read-json.js';
import { envelopeAt, openSession, withSession } from '#context/open.js';
import { writeWhole } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';

export interface SnapshotFlags {
  readonly folder: string;
  /** Separated by commas. */
  readonly revisions: string;
  readonly form: SnapshotForm;
  /** Replace all of them. */
  readonly isUpdate: boolean;
}

/** The snapshots of each session, and a problem for each one that was written. */
export interface Snapshots {
  of(file: string): readonly StoredSnapshot[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the snapshots of some sessions. A missing snapshot is created, except in CI, where the file would be lost:
 * there it is reported as missing. Throws a CtxError (usage) if a file is not a snapshot.
 */
export async function snapshotsOf(
  io: Io,
  files: readonly string[],
  settings: Settings,
  flags: SnapshotFlags,
): Promise<Snapshots> {
  const isKept = (io.env['CI'] ?? '') === '' || flags.isUpdate;
  const stored = new Map<string, readonly StoredSnapshot[]>();
  const revisions = flags.revisions.split(',').map((revision) => revision.trim());
  let written = 0;
  for (const file of files) {
    const places = revisions.map((revision) => ({ revision, file: placeOf(io, file, revision, flags.folder) }));
    const missing = places.filter((place) => isKept && (flags.isUpdate || !io.files.exists(place.file)));
    if (missing.length > 0) await take(io, { session: file, places: missing, settings, form: flags.form });
    written += missing.length;
    stored.set(
      file,
      await Promise.all(places.map(async (place) => ({ ...place, snapshot: await read(io, place.file) }))),
    );
  }
  return { of: (file) => stored.get(file) ?? [], problems: written === 0 ? [] : [taken(written, flags.folder)] };
}

interface Taking {
  readonly session: string;
  readonly places: readonly { readonly revision: string; readonly file: string }[];
  readonly settings: Settings;
  readonly form: SnapshotForm;
}

async function take(io: Io, { session: name, places, settings, form }: Taking): Promise<void> {
  const { limit, baseline } = settings;
  await withSession(openSession(name, io.files), async (session) => {
    for (const { revision, file } of places) {
      const envelope = envelopeAt(session, revision, { limit, baseline, lenient: true });
      const { entryId } = envelope.at;
      await write(io, file, `${JSON.stringify(snapshotOf(envelope, { revision, entryId }, form), null, 2)}\n`);
    }
  });
}

async function write({ files }: Io, file: string, text: string): Promise<void> {
  await files.makeFolder(path.dirname(file));
  await writeWhole(files.createNew, file, text, { force: true, like: null });
}

async function read({ files }: Io, file: string): Promise<StoredSnapshot['snapshot']> {
  if (!files.exists(file)) return null;
  const parsed = snapshot.safeParse(jsonIn(await readText(files, file)));
  if (parsed.success) return parsed.data;
  throw new CtxError('usage', `not a snapshot: ${explain(parsed.error)}`, {
    where: file,
    hint: 'take it again with --update',
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** One file for each session and revision, by names that any file system takes. */
function placeOf({ cwd }: Io, session: string, revision: string, folder: string): string {
  const way = path.relative(cwd || '/', path.resolve(cwd || '/', session));
  return path.join(folder, `${nameFor(way.replace(/\.jsonl$/, ''))}@${nameFor(revision)}.json`);
}

function nameFor(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '+').replaceAll('*', '%2A');
}

function taken(count: number, folder: string): Problem {
  return warning('snapshot', `${plural(count, 'snapshot')} taken in ${folder}`);
}
