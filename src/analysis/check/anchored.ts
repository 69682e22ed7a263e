import { TextFinder } from '#session/find/text-finder.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { ActiveRule } from './check.js';
import type { RuleThat } from './define.js';

type EntryRule = ActiveRule<RuleThat<'entry'>>;

/** Says of each entry which rules want to see it: one with anchors only where the line of the entry holds one of them. */
export function rulesByEntry(session: Session, rules: readonly EntryRule[]): (head: Head) => readonly EntryRule[] {
  const anchored = rules.filter(({ rule }) => rule.anchors !== undefined);
  if (anchored.length === 0 || session.isDoubted || session.source.size < FEW_BYTES) return () => rules;
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
