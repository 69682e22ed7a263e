import path from 'node:path';
import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import { type Beginning, behindNewline, type ByteSource, joined } from '../../scan/bytes.js';
import { isHeader, payloadOf } from './rows.js';

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

/** The field of a header that names the rollout before it; null if there is none. */
export function historyBaseOf({ history_base: base }: JsonObject): JsonObject | null {
  return isObject(base) ? base : null;
}

/**
 * A rollout after the beginnings of those that it continues, the oldest first; itself if it continues none. Since
 * version 0.153, a fork and a thread that went back to an earlier turn have only their own lines. One that cannot be
 * found or read ends the search.
 */
export async function withAncestors(source: ByteSource, file: string, files: RolloutFiles): Promise<ByteSource> {
  const pieces: Beginning[] = [{ source, end: source.size }];
  const seen = new Set([path.resolve(file)]);
  let name = path.resolve(file);
  for (let base = baseOf(source); base; base = baseOf(pieces[0]?.source ?? source)) {
    const found = fileOf(base.rollout, name, files);
    const piece = found === null || seen.has(found) ? null : await beginning(found, base.end, files);
    if (found === null || piece === null) break;
    pieces.unshift(piece);
    seen.add(found);
    name = found;
  }
  return pieces.length === 1 ? source : joined(pieces);
}

/** The first lines of a file; null if it cannot be read, or if a line does not end there. */
async function beginning(file: string, end: number, files: RolloutFiles): Promise<Beginning | null> {
  // Opening a pipe waits for a writer.
  const source = files.isPipe(file) ? null : await files.open(file).catch(() => null);
  if (source === null) return null;
  if (end <= source.size && behindNewline(source, end - 1, end) === end) return { source, end };
  source.close();
  return null;
}

const LONGEST_HEADER = 1 << 24;

function baseOf(source: ByteSource): HistoryBase | null {
  const end = behindNewline(source, 0, Math.min(source.size, LONGEST_HEADER));
  const header = end === null ? null : parseJson(new TextDecoder().decode(source.read(0, end)));
  const base = isObject(header) && isHeader(header) ? historyBaseOf(payloadOf(header)) : null;
  const [rollout, bytes] = [asString(base?.['thread_id']), base?.['end_byte_offset']];
  return rollout && Number.isSafeInteger(bytes) && Number(bytes) > 0 ? { rollout, end: Number(bytes) } : null;
}

/** The file of a rollout: beside another one, or where Codex keeps those of its day; null if there is not exactly one. */
function fileOf(rollout: string, beside: string, files: RolloutFiles): string | null {
  for (const folder of foldersOf(rollout, path.dirname(beside))) {
    const found = files.list(folder).filter((name) => isRollout(name, rollout));
    // Codex decompresses a rollout to go on with it, and removes the compressed file after that.
    const names = found.filter((name) => !found.includes(name.replace(/\.zst$/, '')) || !name.endsWith('.zst'));
    if (names.length > 0) return names.length === 1 ? path.join(folder, names[0] ?? '') : null;
  }
  return null;
}

/** A thread that goes back to an earlier turn goes on in a new file: `…-THREAD.jsonl`, then `…-THREAD_ROLLOUT.jsonl`. */
function isRollout(name: string, rollout: string): boolean {
  return (
    name.startsWith('rollout-') &&
    ENDS.some((end) => name.endsWith(`-${rollout}${end}`) || name.endsWith(`_${rollout}${end}`))
  );
}

const DAY = 86_400_000;

/** Codex compresses the rollouts that were not written for a week. */
const ENDS = ['.jsonl', '.jsonl.zst'];

/** `sessions/YEAR/MONTH/DAY` in local time, and `archived_sessions` without folders of days. */
function foldersOf(rollout: string, own: string): readonly string[] {
  const root = own.replace(/([/\\])sessions[/\\]\d{4}[/\\]\d{2}[/\\]\d{2}$|[/\\]archived_sessions$/, '');
  if (root === own) return [own];
  const time = timeIn(rollout);
  const days = Number.isNaN(time) ? [] : [time, time - DAY, time + DAY].map((day) => new Date(day).toISOString());
  const dated = days.map((day) => path.join(root, 'sessions', ...day.slice(0, 10).split('-')));
  return [own, ...dated, path.join(root, 'archived_sessions')];
}

/** The time that the id of a rollout begins with (UUID version 7); NaN for another id. */
function timeIn(rollout: string): number {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(rollout) ?? [];
  return Number.parseInt(`${high ?? ''}${low ?? ''}`, 16);
}
