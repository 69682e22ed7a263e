import path from 'node:path';
import type { FactsDocument } from '#analysis/facts/document.js';
import { asCount, asObject, asString, type JsonObject, listTexts, parseJson } from '#base/json.js';
import type { Io } from '#platform/io.js';

/** The facts that a session had established before a compaction, in a file of the user's. */
export interface CompactionRecord {
  readonly savedAt: string;
  /** The goal, constraints, decisions and tasks, as `ctx facts --json` prints them. */
  readonly facts: JsonObject | FactsDocument;
  /** The compactions on the active path when the facts were saved. */
  readonly compactions: number;
  /** The calls of tools since then that found no compaction. */
  readonly checks: number;
  /** The instructions that are not in the summary; null before they are known. */
  readonly lost: readonly string[] | null;
  readonly isTold: boolean;
  readonly isRestored: boolean;
}

/** The file for a session; null where no folder of the user is known, or the session has no usable id. */
export function findRecordFile(io: Pick<Io, 'dataFolder'>, sessionId: string): string | null {
  const folder = io.dataFolder();
  return folder === null || !/^[\w-]{1,100}$/.test(sessionId)
    ? null
    : path.join(folder, 'compactions', `${sessionId}.json`);
}

/** The record of a session; null if there is none. */
export function readCompactionRecord({ files }: Pick<Io, 'files'>, file: string): CompactionRecord | null {
  if (!files.exists(file)) return null;
  const value = asObject(parseJson(new TextDecoder().decode(files.beginning(file, MOST_BYTES))));
  if (value.schema !== SCHEMA) return null;
  const { savedAt, facts, compactions, checks, lost, isTold, isRestored } = value;
  return {
    savedAt: asString(savedAt) ?? '',
    facts: asObject(facts),
    compactions: asCount(compactions) ?? 0,
    checks: asCount(checks) ?? 0,
    lost: Array.isArray(lost) ? listTexts(lost) : null,
    isTold: isTold === true,
    isRestored: isRestored === true,
  };
}

/** Replaces the record of a session. Throws a CtxError (refused) if it cannot. */
export async function writeCompactionRecord(
  { files }: Pick<Io, 'files'>,
  file: string,
  record: CompactionRecord,
): Promise<void> {
  await files.makeFolder(path.dirname(file));
  const made = await files.createNew(file, { force: true, like: null, isPrivate: true });
  try {
    await made.write(new TextEncoder().encode(`${JSON.stringify({ schema: SCHEMA, ...record }, null, 2)}\n`));
    made.commit();
  } catch (error) {
    made.abandon();
    throw error;
  }
}

const SCHEMA = 'ctx/compaction-record';
const MOST_BYTES = 1 << 24;
