import path from 'node:path';
import type { FilePart } from '#platform/files/write-together.js';
import type { Io } from '#platform/io.js';
import { readOutputFile, writeNewSession } from '../new-session.js';

/** The flags that say where a new session goes. */
export interface PlaceFlags {
  readonly output?: string | undefined;
  readonly install?: boolean | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly force?: boolean | undefined;
  /** The context window of the configuration, for a warning. */
  readonly configuredLimit?: number | undefined;
}

/** A new session: its bytes, the session that it was converted from, and the place where its agent looks for it. */
interface NewSession {
  readonly bytes: FilePart['bytes'];
  readonly from: string;
  installed(): string;
}

/** Writes a new session where the flags say, and returns the file; null for a dry run, which only makes the bytes. */
export async function writeConverted(
  io: Io,
  flags: PlaceFlags,
  { bytes, from, installed }: NewSession,
): Promise<string | null> {
  const { install = false, force = false } = flags;
  const output = readOutputFile({ ...flags, output: install ? installed() : flags.output });
  if (output === null) {
    for await (const _ of bytes);
    return null;
  }
  if (install) await io.files.makeFolder(path.dirname(output));
  // A session of the agent is never replaced.
  await writeNewSession(io, { output, force: force && !install }, { bytes, from });
  return output;
}
