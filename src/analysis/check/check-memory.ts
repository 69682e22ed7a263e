import type { Session } from '#session/session.js';
import { type AnchorSearch, buildAnchorSearch, type EntryRule } from './anchor-search.js';
import { type ShapeRule, SoundShapes } from './sound-shapes.js';

/** The results of checks of several sessions with the same rules, which make the next check quicker. */
export class CheckMemory {
  /** The shapes of earlier sessions, which the same rules have found sound. */
  private sound: SoundShapes | null = null;
  /** The newest search, kept because building its finder is slow. */
  private search: AnchorSearch | null = null;
  private bytes = 0;

  /** Returns the shapes that the same rules found sound so far, and keeps them. Other rules start without any. */
  prepareSoundShapes(rules: readonly ShapeRule[]): SoundShapes {
    if (this.sound === null || !areSameRules(this.sound.rules, rules)) this.sound = new SoundShapes(rules);
    return this.sound;
  }

  /** Returns the search for the anchors of rules, and keeps it; null for the first few bytes of all sessions. */
  prepareSearch({ source }: Session, rules: readonly EntryRule[]): AnchorSearch | null {
    this.bytes += source.size;
    if (this.bytes < FEW_BYTES) return null;
    if (this.search === null || !isSearchFor(rules, this.search)) this.search = buildAnchorSearch(rules);
    return this.search;
  }
}

/** For fewer bytes, of all sessions so far, building a finder takes longer than parsing the lines. */
const FEW_BYTES = 1 << 18;

/** Whether both have the same rules in the same order, with the same options. */
function areSameRules(some: readonly ShapeRule[], others: readonly ShapeRule[]): boolean {
  const isSame = ({ rule, options }: ShapeRule, at: number): boolean =>
    rule === others[at]?.rule && options === others[at].options;
  return some.length === others.length && some.every(isSame);
}

/** Whether a search is for the anchors of these rules. Options do not matter for it. */
function isSearchFor(rules: readonly EntryRule[], search: AnchorSearch): boolean {
  return search.rules.length === rules.length && search.rules.every((rule, at) => rule === rules[at]?.rule);
}
