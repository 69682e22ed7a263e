import { toLenient } from '#context/lenient.js';
import { replayContext } from '#context/replay/build-envelope.js';
import type { Replay } from '#context/replay/replay.js';
import { walkFile } from '#context/walk-file.js';
import { cacheEntries } from '#session/session.js';
import { type Check, selectRules } from './active-rules.js';
import { CheckMemory } from './check-memory.js';
import { EntryChecks } from './entry-checks.js';
import { PathWalk, RequestWatches } from './path-walk.js';
import { reportHits } from './report-hits.js';

/** Runs the rules over a session. Every entry is parsed about once, or not at all if no rule needs it. */
export function checkSession(unprepared: Check, memory = new CheckMemory()): void {
  // The walk along the path, the context at its end and its size all read them.
  const session = cacheEntries(unprepared.session, KEPT_BYTES);
  const check = { ...unprepared, session };
  for (const active of selectRules(check, 'session'))
    reportHits(check, active, active.rule.find(session, active.options));
  checkLeaf(check, walkEntries(check, memory));
}

/** The size in bytes of the lines whose entries are kept, so that the memory for the others is bounded. */
const KEPT_BYTES = 8e6;

/** Checks the next request of the active leaf. `replayed`: its context, if a rule followed the path. */
function checkLeaf(check: Check, replayed: Replay | null): void {
  const { session } = check;
  const forEnvelope = selectRules(check, 'envelope');
  const isAboutLeaf = check.requests === 'leaf' && selectRules(check, 'request').length > 0;
  if (forEnvelope.length === 0 && !isAboutLeaf) return;
  // Another rule reports a broken op; the other rules still run.
  const context = replayContext(toLenient(session), session.tree.leaf, check.envelope, replayed);
  for (const active of forEnvelope) reportHits(check, active, active.rule.find(context, session, active.options));
  if (!isAboutLeaf) return;
  const { cached, uncached } = context.messages;
  const { provenance } = context.meta;
  new RequestWatches(check).request(
    [...cached, ...uncached].flatMap((message, at) => {
      const from = provenance[at];
      return from ? [{ message, from }] : [];
    }),
  );
}

/**
 * Walks the file once, for the rules that check entries and for those that follow the active path; without the former,
 * only the path. Returns the context at the end of the path; null if no rule follows it.
 */
function walkEntries(check: Check, memory: CheckMemory): Replay | null {
  const path = new PathWalk(check);
  const checks = new EntryChecks(check, memory);
  if (checks.hasRules) {
    const isNeeded = (index: number): boolean => checks.isNeeded(index);
    for (const { head, step, isRepeated } of walkFile(path.walked, isNeeded)) {
      // Entries of the path are walked even if no rule for entries needs them.
      if (!isRepeated && isNeeded(head.index)) checks.run(head, step);
      if (step) path.take(step);
    }
  } else {
    for (const step of path.walked.steps) path.take(step);
  }
  path.end();
  return path.isFollowed ? path.walked.replay : null;
}
