import path from 'node:path';
import { asString, isObject, parseJson } from '#base/json.js';
import { type ByteSource } from '../../scan/byte-source.js';
import { dropRepeated, toContentName } from '../../scan/compression.js';
import { joinSources, type SourceBeginning } from '../../scan/joined-source.js';
import { findLineStart } from '../../scan/lines.js';
import { historyBaseOf, isRolloutHeader, payloadOf } from './record-payload.js';
import { parseIdTime } from './threads.js';

/** The files among which those are that a rollout continues. */
export interface RolloutFiles {
  open(file: string): Promise<ByteSource>;
  list(folder: string): readonly string[];
  isPipe(file: string): boolean;
}

/** The rollout whose first `end` bytes are the beginning of a history. */
interface HistoryBase {
  readonly rollout: string;
  readonly end: number;
}

/**
 * A rollout after the beginnings of those that it continues, the oldest first; itself if it continues none. Since
 * version 0.153, a fork and a thread that went back to an earlier turn have only their own lines. One that cannot be
 * found or read ends the search.
 */
export async function joinAncestors(source: ByteSource, file: string, files: RolloutFiles): Promise<ByteSource> {
  const pieces: SourceBeginning[] = [{ source, end: source.size }];
  const seen = new Set([path.resolve(file)]);
  let name = path.resolve(file);
  for (let base = readSourceBase(source); base; base = readSourceBase(pieces[0]?.source ?? source)) {
    const found = findRolloutFile(base.rollout, name, files);
    const piece = found === null || seen.has(found) ? null : await openBeginning(found, base.end, files);
    if (found === null || piece === null) break;
    pieces.unshift(piece);
    seen.add(found);
    name = found;
  }
  return pieces.length === 1 ? source : joinSources(pieces);
}

/**
 * Lists the files that a rollout continues, as their headers name them, the newest first. null for a file that was not
 * found; the list then ends with it.
 */
export function findAncestors(
  file: string,
  files: Pick<RolloutFiles, 'list'> & { beginning(file: string, most: number): Uint8Array },
): readonly (string | null)[] {
  const found: (string | null)[] = [];
  for (let name = file; ;) {
    const base = readHistoryBase((most) => files.beginning(name, most));
    if (!base) return found;
    const next = findRolloutFile(base.rollout, name, files);
    found.push(next);
    if (next === null || found.indexOf(next) < found.length - 1) return found;
    name = next;
  }
}

/** The first lines of a file; null if it cannot be read, or if a line does not end there. */
async function openBeginning(file: string, end: number, files: RolloutFiles): Promise<SourceBeginning | null> {
  // Opening a pipe waits for a writer.
  const source = files.isPipe(file) ? null : await files.open(file).catch(() => null);
  if (source === null) return null;
  if (end <= source.size && findLineStart(source, end - 1, end) === end) return { source, end };
  source.close();
  return null;
}

function readSourceBase(source: ByteSource): HistoryBase | null {
  return readHistoryBase((most) => source.read(0, Math.min(most, source.size)));
}

/** A header is long if it has a long system prompt. */
const HEADER_BYTES = [1 << 8, 1 << 16, 1 << 24];

/** `read` returns at most the given number of first bytes of a rollout. */
function readHistoryBase(read: (most: number) => Uint8Array): HistoryBase | null {
  for (const most of HEADER_BYTES) {
    const { buffer, byteOffset, length } = read(most);
    const bytes = Buffer.from(buffer, byteOffset, length);
    const end = bytes.indexOf('\n');
    if (end >= 0) return toHistoryBase(parseJson(bytes.toString('utf8', 0, end)));
    if (length < most || !bytes.includes('"session_meta"')) return null;
  }
  return null;
}

function toHistoryBase(header: unknown): HistoryBase | null {
  const base = isObject(header) && isRolloutHeader(header) ? historyBaseOf(payloadOf(header)) : null;
  const rollout = asString(base?.['thread_id']);
  const bytes = base?.['end_byte_offset'];
  return rollout && Number.isSafeInteger(bytes) && Number(bytes) > 0 ? { rollout, end: Number(bytes) } : null;
}

/**
 * The file of a rollout: beside another one, or where Codex keeps those of its day; null if there is not exactly one.
 */
function findRolloutFile(rollout: string, beside: string, files: Pick<RolloutFiles, 'list'>): string | null {
  for (const folder of listFolders(rollout, path.dirname(beside))) {
    const found = files.list(folder).filter((name) => isRollout(toContentName(name), rollout));
    const names = dropRepeated(found, (name) => name);
    if (names.length > 0) return names.length === 1 ? path.join(folder, names[0] ?? '') : null;
  }
  return null;
}

/**
 * A thread that goes back to an earlier turn goes on in a new file: `…-THREAD.jsonl`, then `…-THREAD_ROLLOUT.jsonl`.
 */
function isRollout(name: string, rollout: string): boolean {
  const isNamed = name.endsWith(`-${rollout}.jsonl`) || name.endsWith(`_${rollout}.jsonl`);
  return name.startsWith('rollout-') && isNamed;
}

const DAY = 86_400_000;

/** `sessions/YEAR/MONTH/DAY` in local time, and `archived_sessions` without folders of days. */
function listFolders(rollout: string, own: string): readonly string[] {
  const root = own.replace(/([/\\])sessions[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$|[/\\]archived_sessions$/, '');
  if (root === own) return [own];
  const time = parseIdTime(rollout);
  const days = Number.isNaN(time) ? [] : [time, time - DAY, time + DAY].map((day) => new Date(day).toISOString());
  const dated = days.map((day) => path.join(root, 'sessions', ...day.slice(0, 10).split('-')));
  return [own, ...dated, path.join(root, 'archived_sessions')];
}
