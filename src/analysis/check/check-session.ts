import { sumBy } from '#base/lists.js';
import { toLenient } from '#context/lenient.js';
import { replayContext } from '#context/replay/build-envelope.js';
import type { Replay } from '#context/replay/replay.js';
import { walkFile } from '#context/walk-file.js';
import type { WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import { cacheEntries, type Session } from '#session/session.js';
import { type ActiveRule, type Check, reportHits, selectRules } from './active-rules.js';
import { type EntryRule, markEntries, toBit } from './anchor-search.js';
import { CheckMemory } from './check-memory.js';
import type { RuleLookingAt } from './define.js';
import { PathWalk, RequestWatches } from './path-walk.js';
import { readShape } from './sound-shapes.js';

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
 * Walks the entries of the file in order, for the rules that check entries and for those that follow the active path,
 * which has the same order in nearly every file. An entry that no rule needs is not parsed. Returns the context
 * at the end of a path that is followed.
 */
function walkEntries(check: Check, memory: CheckMemory): Replay | null {
  const path = new PathWalk(check);
  const look = planEntryChecks(check, memory);
  if (!look) {
    for (const step of path.walked.steps) path.take(step);
  } else {
    for (const { head, step, isRepeated } of walkFile(path.walked, look.isNeeded)) {
      if (!isRepeated) look.at(head, step);
      if (step) path.take(step);
    }
  }
  path.end();
  return path.isFollowed ? path.walked.replay : null;
}

interface Look {
  /** Whether a rule needs an entry. */
  readonly isNeeded: (index: number) => boolean;
  readonly at: (head: Head, step: WalkStep | null) => void;
}

/** Passes an entry to the rules that need it; null if no rule looks at entries. */
function planEntryChecks(check: Check, memory: CheckMemory): Look | null {
  const { session } = check;
  const forShapes = selectRules(check, 'shape');
  const forEntries = selectRules(check, 'entry');
  if (forShapes.length + forEntries.length === 0) return null;
  const rulesFor = selectRulesByEntry(session, forEntries, memory);
  const sound = forShapes.length > 0 ? memory.findSoundShapes(forShapes) : null;
  const isSound = (index: number): boolean => sound === null || sound.has(readShape(session, index));
  const isNeeded = (index: number): boolean => !isSound(index) || rulesFor(index).length > 0;
  const at: Look['at'] = (head, step) => {
    if (!isNeeded(head.index)) return;
    const entry = step?.entry ?? session.entry(head);
    const report = (active: ActiveRule<RuleLookingAt<'shape' | 'entry'>>): number =>
      reportHits(check, active, active.rule.find(entry, head, active.options));
    if (!isSound(head.index) && sumBy(forShapes, report) === 0) sound?.add(readShape(session, head.index));
    rulesFor(head.index).forEach(report);
  };
  return { isNeeded, at };
}

/** Selects the rules for each entry: a rule with anchors only if the line of the entry contains one of them. */
function selectRulesByEntry(
  session: Session,
  rules: readonly EntryRule[],
  memory: CheckMemory,
): (index: number) => readonly EntryRule[] {
  const anchored = rules.filter(({ rule }) => rule.anchors !== undefined);
  if (anchored.length === 0 || session.isStrict) return () => rules;
  const search = memory.findSearch(session, anchored);
  if (search === null) return () => rules;
  const marks = markEntries(session, search);
  const lists = new Map<number, readonly EntryRule[]>();
  return (index) => {
    const mark = marks[index] ?? 0;
    const known = lists.get(mark);
    if (known) return known;
    const list = rules.filter((active) => {
      const at = anchored.indexOf(active);
      return at === -1 || (mark & toBit(at)) !== 0;
    });
    lists.set(mark, list);
    return list;
  };
}
