import type { Problem } from '#base/errors.js';
import { follow, type Followed } from '#context/follow/follow.js';
import type { Io } from '#platform/io.js';
import { type Head, idText } from '#session/table/head.js';
import { batchesOf } from '#ui/doc/batches.js';
import type { Report } from '#ui/doc/define.js';
import { logReports, type LogSelection, type LogWish, remark, select } from './reports.js';

/**
 * The log as it is, then what comes: entries of the active path that were not on it before, or of all branches.
 * Where the path does not go on where it ended, a remark says so first.
 */
export async function* followed(
  io: Io,
  file: string,
  wish: LogWish,
  problems: Problem[],
): AsyncGenerator<readonly Report[]> {
  let known = NOTHING;
  for await (const { session, change } of follow(io, file)) {
    const isMore = change === 'more';
    const isFollowing = change !== 'first';
    const now = { ...wish, isFollowing, flags: { ...wish.flags, last: isMore ? undefined : wish.flags.last } };
    const selection = select(session, now);
    const text = remarkOn(change, known, selection);
    if (text !== null) yield* batchesOf(remark(now, text));
    const wanted = isMore ? selection.wanted.filter((index) => !known.listed.has(index)) : selection.wanted;
    known = knownOf(selection);
    if (!isFollowing || wanted.length > 0)
      yield* batchesOf(logReports(session, now, { ...selection, wanted }, problems));
  }
}

/** What was there before a change, as indexes of the file. */
interface Known {
  readonly listed: ReadonlySet<number>;
  readonly path: ReadonlySet<number>;
  readonly leaf: number | undefined;
}

const NOTHING: Known = { listed: new Set(), path: new Set(), leaf: undefined };

function knownOf({ all, path }: LogSelection): Known {
  return { listed: new Set(all), path: new Set(path.map(({ index }) => index)), leaf: path.at(-1)?.index };
}

/** null: the path goes on below its old end. */
function remarkOn(change: Followed['change'], { path: old, leaf }: Known, { path }: LogSelection): string | null {
  if (change === 'anew') return '— the file was written anew —';
  if (leaf === undefined || path.some(({ index }) => index === leaf)) return null;
  const fork: Head | undefined = path.findLast(({ index }) => old.has(index));
  if (!fork) return '— the session went back to before its first entry; from there —';
  return `— the session went back to ${idText(fork.id) ?? `line ${fork.line}`}; from there —`;
}
