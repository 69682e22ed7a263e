import { sumBy } from '#base/lists.js';
import { replayContext } from '#context/replay/build-envelope.js';
import type { Replay } from '#context/replay/replay.js';
import { toLenient } from '#context/replayable.js';
import { walkFile } from '#context/walk-file.js';
import type { WalkStep } from '#context/walk.js';
import { TextFinder } from '#session/find/text-finder.js';
import type { Head } from '#session/heads/head.js';
import { cacheEntries, type Session } from '#session/session.js';
import { type ActiveRule, type Check, reportHits, selectRules } from './active-rules.js';
import type { RuleLookingAt } from './define.js';
import { PathWalk, RequestWatches } from './path-walk.js';

/** Runs the rules over a session. Every entry is parsed about once, or not at all if no rule needs it. */
export function checkSession(unprepared: Check, run = new CheckRun()): void {
  // The walk along the path, the context at its end and its size all read them.
  const session = cacheEntries(unprepared.session, KEPT_BYTES);
  const check = { ...unprepared, session };
  for (const active of selectRules(check, 'session'))
    reportHits(check, active, active.rule.find(session, active.options));
  checkLeaf(check, walkEntries(check, run));
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
function walkEntries(check: Check, run: CheckRun): Replay | null {
  const path = new PathWalk(check);
  const look = planEntryChecks(check, run);
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
function planEntryChecks(check: Check, run: CheckRun): Look | null {
  const { session } = check;
  const forShapes = selectRules(check, 'shape');
  const forEntries = selectRules(check, 'entry');
  if (forShapes.length + forEntries.length === 0) return null;
  const rulesFor = selectRulesByEntry(session, forEntries, run);
  const sound = forShapes.length > 0 ? run.soundShapes(forShapes) : null;
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

/** The shape of an entry; 0 if it is unknown. */
function readShape({ isStrict, header, tree: { heads } }: Session, index: number): number {
  // A migrated entry may depend on others, and the numbers and reasons of a patch have to be parsed.
  const isUnknown = isStrict || !(header.version >= 3) || heads.typeAt(index) === 'context_transform';
  return isUnknown ? 0 : heads.shapeAt(index);
}

/**
 * Entries that the shape rules can skip: their lines have the shape of an entry without findings. All sessions have few
 * shapes, so few lines need to be parsed.
 */
class SoundShapes {
  private readonly sound = new Set<number>();

  constructor(readonly rules: readonly ActiveRule<RuleLookingAt<'shape'>>[]) {}

  has(shape: number): boolean {
    return this.sound.has(shape);
  }

  add(shape: number): void {
    if (shape !== 0 && this.sound.size < MOST_SHAPES) this.sound.add(shape);
  }
}

/** Limits the memory for sessions with arbitrary keys. */
const MOST_SHAPES = 100_000;

type EntryRule = ActiveRule<RuleLookingAt<'entry'>>;

/** Selects the rules for each entry: a rule with anchors only if the line of the entry contains one of them. */
function selectRulesByEntry(
  session: Session,
  rules: readonly EntryRule[],
  run: CheckRun,
): (index: number) => readonly EntryRule[] {
  const anchored = rules.filter(({ rule }) => rule.anchors !== undefined);
  if (anchored.length === 0 || session.isStrict) return () => rules;
  const search = run.searchFor(session, anchored);
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

/** For fewer bytes, of all sessions so far, building a finder takes longer than parsing the lines. */
const FEW_BYTES = 1 << 18;

/** The bits of the rules with an anchor in its line, for each entry. */
function markEntries({ source, tree: { heads } }: Session, { finder, bits }: Search): Uint32Array {
  const marks = new Uint32Array(heads.length);
  let index = -1;
  let end = 0;
  finder.find(source, 0, source.size, (offset, anchor) => {
    // An anchor does not cross a line, and lines are in order.
    while (offset >= end && index < heads.length) {
      index += 1;
      end = heads.offsetAt(index) + heads.lengthAt(index);
    }
    if (index < heads.length && offset >= heads.offsetAt(index))
      marks[index] = (marks[index] ?? 0) | (bits[anchor] ?? 0);
  });
  return marks;
}

interface Search {
  readonly rules: readonly EntryRule['rule'][];
  readonly finder: TextFinder;
  /** The bits of the rules with each anchor. */
  readonly bits: readonly number[];
}

function buildSearch(anchored: readonly EntryRule[]): Search {
  const bits = new Map<string, number>([[ESCAPED_ASCII, EVERY_RULE]]);
  for (const [at, { rule }] of anchored.entries())
    for (const anchor of rule.anchors ?? []) bits.set(anchor, (bits.get(anchor) ?? 0) | toBit(at));
  const rules = anchored.map(({ rule }) => rule);
  return { rules, finder: new TextFinder([...bits.keys()]), bits: [...bits.values()] };
}

/** An escape that can encode any character, which JSON.stringify never writes. */
const ESCAPED_ASCII = String.raw`\u00[2-7]{1}`;
const EVERY_RULE = ~0;

/** From the thirty-third on, rules share bits. */
function toBit(at: number): number {
  return 1 << Math.min(at, 31);
}

/** Checks of several sessions with the same rules: each is quicker for what the earlier ones have shown. */
export class CheckRun {
  /** The shapes of earlier sessions, which the same rules have found sound. */
  private sound: SoundShapes | null = null;
  /** The newest search, kept because building its finder is slow. */
  private search: Search | null = null;
  private bytes = 0;

  soundShapes(rules: SoundShapes['rules']): SoundShapes {
    const isFor = (one: SoundShapes): boolean =>
      one.rules.length === rules.length &&
      one.rules.every(({ rule, options }, at) => rule === rules[at]?.rule && options === rules[at].options);
    if (this.sound === null || !isFor(this.sound)) this.sound = new SoundShapes(rules);
    return this.sound;
  }

  /** Null for the first few bytes of all sessions. */
  searchFor({ source }: Session, rules: readonly EntryRule[]): Search | null {
    this.bytes += source.size;
    if (this.bytes < FEW_BYTES) return null;
    const isFor = (one: Search): boolean =>
      one.rules.length === rules.length && one.rules.every((rule, at) => rule === rules[at]?.rule);
    if (this.search === null || !isFor(this.search)) this.search = buildSearch(rules);
    return this.search;
  }
}
