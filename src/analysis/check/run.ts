import type { JsonObject } from '#base/json.js';
import { buildEnvelope } from '#context/replay/build.js';
import { stepsInFile } from '#context/walk.js';
import { LineShapes } from '#session/find/line-shape.js';
import { TextFinder } from '#session/find/text-finder.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import { type ActiveRule, type Check, reportAll, thatLookAt } from './check.js';
import type { RuleThat } from './define.js';
import { PathWalk } from './path-walk.js';
import { RequestWatches } from './request-watches.js';

/** Runs the rules over a session. Every entry is parsed at most once, or not at all where no rule wants to see it. */
export async function checkSession(check: Check): Promise<void> {
  const { session } = check;
  for (const active of thatLookAt(check, 'session'))
    reportAll(check, active, await active.rule.find(session, active.options));
  await walkEntries(check);
  await checkLeaf(check);
}

/** What the model would be shown next. */
async function checkLeaf(check: Check): Promise<void> {
  const { session } = check;
  const forEnvelope = thatLookAt(check, 'envelope');
  const isAboutLeaf = check.requests === 'leaf' && thatLookAt(check, 'request').length > 0;
  if (forEnvelope.length === 0 && !isAboutLeaf) return;
  // A broken op has its own rule, and must not keep the others from looking.
  const envelope = buildEnvelope(session, session.tree.leaf, session.readPatch, { ...check.envelope, lenient: true });
  for (const active of forEnvelope) reportAll(check, active, await active.rule.find(envelope, session, active.options));
  if (!isAboutLeaf) return;
  const { cached, uncached } = envelope.messages;
  const { provenance } = envelope.meta;
  new RequestWatches(check).request(
    [...cached, ...uncached].flatMap((message, at) => {
      const from = provenance[at];
      return from ? [{ message, from }] : [];
    }),
  );
}

/**
 * Goes through the entries of the file one after another, for the rules that look at entries and for those that follow
 * the active path, which stands in the same order in nearly every file. An entry that nobody needs is not parsed.
 */
async function walkEntries(check: Check): Promise<void> {
  const path = new PathWalk(check);
  const look = lookingAtEntries(check);
  if (!look) {
    for (const step of path.walked.steps) path.take(step);
  } else {
    for (const { head, step, isRepeated } of stepsInFile(path.walked)) {
      const looking = isRepeated ? null : look(head, step?.entry ?? null);
      if (looking) await looking;
      if (step) path.take(step);
    }
  }
  path.end();
}

type Look = (head: Head, parsed: JsonObject | null) => Promise<void> | null;

/** Shows an entry to the rules that want to see it; null where there are none. */
function lookingAtEntries(check: Check): Look | null {
  const { session } = check;
  const forShapes = thatLookAt(check, 'shape');
  const forEntries = thatLookAt(check, 'entry');
  if (forShapes.length + forEntries.length === 0) return null;
  const rulesFor = rulesByEntry(session, forEntries);
  const sound = forShapes.length > 0 ? new SoundShapes(session) : null;
  return (head, parsed) => {
    const shape = sound?.shapeOf(head) ?? 0;
    const isSound = sound === null || sound.has(shape);
    const rules = rulesFor(head);
    if (isSound && rules.length === 0) return null;
    const entry = parsed ?? session.entry(head);
    let found = 0;
    if (!isSound)
      for (const active of forShapes) found += reportAll(check, active, active.rule.find(entry, head, active.options));
    if (found === 0) sound?.add(shape);
    return rules.length === 0 ? null : lookAt(check, rules, head, entry);
  };
}

async function lookAt(
  check: Check,
  rules: readonly ActiveRule<RuleThat<'entry'>>[],
  head: Head,
  entry: JsonObject,
): Promise<void> {
  for (const active of rules) reportAll(check, active, await active.rule.find(entry, head, active.options));
}

/**
 * Entries that need not be looked at by rules that depend on nothing but the shape of an entry: those whose lines are
 * shaped like one in which nothing was found. A session has few shapes, so hardly any line has to be parsed.
 */
class SoundShapes {
  private readonly sound = new Set<number>();
  private readonly shapes: LineShapes | null;

  constructor(private readonly session: Session) {
    // What migration makes of an entry may depend on others.
    const isReadAsItIs = !session.isStrict && session.header.version >= 3;
    this.shapes = isReadAsItIs ? new LineShapes(BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER))) : null;
  }

  /** The shape of an entry; 0 where it cannot be told. */
  shapeOf(head: Head): number {
    // A patch holds numbers and reasons that have to be read.
    if (this.shapes === null || head.type === 'context_transform') return 0;
    return this.shapes.shapeOf(this.session.bytes(head), head.length);
  }

  has(shape: number): boolean {
    return this.sound.has(shape);
  }

  /** Nothing was found in an entry of this shape. */
  add(shape: number): void {
    if (shape !== 0) this.sound.add(shape);
  }
}

type EntryRule = ActiveRule<RuleThat<'entry'>>;

/** Says of each entry which rules want to see it: one with anchors only where the line of the entry holds one of them. */
function rulesByEntry(session: Session, rules: readonly EntryRule[]): (head: Head) => readonly EntryRule[] {
  const anchored = rules.filter(({ rule }) => rule.anchors !== undefined);
  if (anchored.length === 0 || session.isStrict || session.source.size < FEW_BYTES) return () => rules;
  const marks = marksOf(session, searchFor(anchored));
  const lists = new Map<number, readonly EntryRule[]>();
  return ({ index }) => {
    const mark = marks[index] ?? 0;
    const known = lists.get(mark);
    if (known) return known;
    const list = rules.filter((active) => {
      const at = anchored.indexOf(active);
      return at === -1 || (mark & bitOf(at)) !== 0;
    });
    lists.set(mark, list);
    return list;
  };
}

/** Below this it takes longer to make a finder than to parse the lines. */
const FEW_BYTES = 1 << 18;

/** For each entry the bits of the rules that have an anchor in its line. */
function marksOf({ source, tree: { heads } }: Session, { finder, bits }: Search): Uint32Array {
  const marks = new Uint32Array(heads.length);
  let index = -1;
  let end = 0;
  finder.find(source, 0, source.size, (offset, anchor) => {
    // No anchor goes beyond its line, and lines stand in order.
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
  /** For each anchor the bits of the rules that have it. */
  readonly bits: readonly number[];
}

/** It takes a while to make one, and the next file is searched for the same. */
let lastSearch: Search | null = null;

function searchFor(anchored: readonly EntryRule[]): Search {
  const rules = anchored.map(({ rule }) => rule);
  if (lastSearch?.rules.length === rules.length && lastSearch.rules.every((rule, at) => rule === rules[at]))
    return lastSearch;
  const bits = new Map<string, number>([[ESCAPED_ASCII, EVERY_RULE]]);
  for (const [at, { rule }] of anchored.entries())
    for (const anchor of rule.anchors ?? []) bits.set(anchor, (bits.get(anchor) ?? 0) | bitOf(at));
  lastSearch = { rules, finder: new TextFinder([...bits.keys()]), bits: [...bits.values()] };
  return lastSearch;
}

/** With such an escape any character can be written in another way, which JSON.stringify never does. */
const ESCAPED_ASCII = String.raw`\u00[2-7]{1}`;
const EVERY_RULE = ~0;

/** Beyond the thirty-second, rules share a bit. */
function bitOf(at: number): number {
  return 1 << Math.min(at, 31);
}
