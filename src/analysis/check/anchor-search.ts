import { TextFinder } from '#session/find/text-finder.js';
import type { Session } from '#session/session.js';
import type { ActiveRule } from './active-rules.js';
import type { RuleLookingAt } from './define.js';

export type EntryRule = ActiveRule<RuleLookingAt<'entry'>>;

/** The bits of the rules with an anchor in its line, for each entry. */
export function markEntries({ source, tree: { heads } }: Session, { finder, bits }: AnchorSearch): Uint32Array {
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

/** A search for the anchors of rules. A line in which a rule can have a finding contains one of its anchors. */
export interface AnchorSearch {
  readonly rules: readonly EntryRule['rule'][];
  readonly finder: TextFinder;
  /** The bits of the rules with each anchor. */
  readonly bits: readonly number[];
}

export function buildAnchorSearch(anchored: readonly EntryRule[]): AnchorSearch {
  const bits = new Map<string, number>([[ESCAPED_ASCII, EVERY_RULE]]);
  for (const [at, { rule }] of anchored.entries()) {
    for (const anchor of rule.anchors ?? []) bits.set(anchor, (bits.get(anchor) ?? 0) | toBit(at));
  }
  const rules = anchored.map(({ rule }) => rule);
  return { rules, finder: new TextFinder([...bits.keys()]), bits: [...bits.values()] };
}

/** An escape that can encode any character, which JSON.stringify never writes. */
const ESCAPED_ASCII = String.raw`\u00[2-7]{1}`;
const EVERY_RULE = ~0;

/** Returns the bit of a rule. The rules from the thirty-second on share one. */
export function toBit(at: number): number {
  return 1 << Math.min(at, 31);
}
