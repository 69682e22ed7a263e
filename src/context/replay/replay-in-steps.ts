import { readTokensBefore } from '#session/scan/parse.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { EnvelopeOptions } from './build.js';
import type { ReadPatch } from './patch-step.js';
import type { Place } from './place.js';
import { Replay } from './replay.js';
import { firstNeeded, MESSAGE_TYPES } from './selection.js';
import { BY_CHARACTERS } from './tokens.js';

/**
 * Replays a path as far as it matters to what is sent at its end; gives how much is done, from 0 to 1, after each step.
 * `sizesFrom`: from this entry of the path on, messages are counted and let go.
 */
export function* replayInSteps(
  { session, path, options }: Pick<Place, 'session' | 'path' | 'options'>,
  readPatch: ReadPatch,
  sizesFrom?: number,
): Generator<number, Replay> {
  const replay = newReplay(session, path, readPatch, options, sizesFrom);
  const start = firstNeeded(session, path, { readPatch });
  // A path may be long and most of it not needed, so nothing is made for what is passed over.
  for (let index = 0; index < path.length; index += 1) {
    const head = path[index];
    if (!head || (index < start && MESSAGE_TYPES.has(head.type) && head.role !== 'system')) continue;
    // Of a compaction that a newer one has taken the place of, nobody sees the summary.
    replay.step(head, index, index < start && head.type === 'compaction' ? readTokensBefore(session, head) : null);
    yield index / path.length;
  }
  return replay;
}

/** What steps come to, all of them done at once. */
export function lastOf<Result>(steps: Generator<number, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function newReplay(
  session: Session,
  path: readonly Head[],
  readPatch: ReadPatch,
  { baseline = {}, lenient = false, method = BY_CHARACTERS, implementations }: EnvelopeOptions,
  sizesFrom = Infinity,
): Replay {
  return new Replay(session, path, { readPatch, baseline, lenient, sizesFrom, method, implementations });
}
